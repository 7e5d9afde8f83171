"""The sign-in page: plain HTML with a style sheet and a script of its own, so that all of Streamlit can stay closed."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from starlette.responses import HTMLResponse, Response

from pages.charts.theme import DARK, FONT, ICON, LIGHT, TYPE, Theme, mix
from pages.context import address
from pages.gate.headers import SIGN_IN_POLICY
from pages.shared.document import clean

ASSETS = Path(__file__).parent / "assets"
BELOW = "/sign-in/"
LONGEST_NAME = 100  # letters

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="{style}">
{head}</head>
<body>
<main>
<h1>{mark}<span>rulerank</span></h1>
<p class="about">Learning-to-rank training sets, with a fraction of the labels.</p>
{body}
</main>
</body>
</html>
"""
_FORM = """<form action="{action}" method="post">
<input type="hidden" name="next" value="{target}">
<label for="person">Name</label>
<input id="person" name="person" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="{longest}"
  value="{name}" required{first}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="{kind}-password" maxlength="1000"{least}
  required{second}>
{more}<label class="show" hidden><input id="show" type="checkbox"> Show the password</label>
<button type="submit">{button}</button>
</form>
"""
_CODE = """<label for="code">Code</label>
<input id="code" name="code" autocomplete="off" spellcheck="false" maxlength="40" required>
<p class="hint">You are not on the machine that runs the app. It wrote this code into its log when it started.</p>
"""


@dataclass(frozen=True)
class SignInRequest:
    """What the sign-in page has to say and to keep: the address that was asked for, and what came of the last try."""

    target: str
    said: str = ""
    name: str = ""


def sign_in_page(asked: SignInRequest) -> Response:
    """Ask for name and password."""
    form = _form("/enter", asked, kind="current", button="Sign in")
    return _page("Sign in - rulerank", _said(asked) + form)


def first_page(asked: SignInRequest, *, here: bool) -> Response:
    """Ask for the first administrator of a new installation; from elsewhere it takes a code from the server's log."""
    more = '<p class="hint">At least 8 characters.</p>\n' + ("" if here else _CODE)
    words = "<p>Nobody has an account yet. Make the first one: it will be the administrator.</p>\n"
    form = _form("/begin", asked, kind="new", button="Make the account", more=more, least=' minlength="8"')
    return _page("First account - rulerank", words + _said(asked) + form)


def provider_page(asked: SignInRequest) -> Response:
    """Lead to the sign-in provider."""
    link = f"{address('/enter')}?next={quote(asked.target, safe='')}"
    words = "Sign in again" if asked.said else "Sign in"
    return _page("Sign in - rulerank", f'{_said(asked)}<a class="button" href="{html.escape(link)}">{words}</a>')


def onward_page(target: str) -> Response:
    """Lead on by itself; a form must not be answered by another site, and signing out at a provider ends there."""
    link = html.escape(target)
    head = f'<meta http-equiv="refresh" content="0; url={link}">\n'
    return _page("rulerank", f'<a class="button" href="{link}">Go on</a>', head=head, status=200)


def asset(name: str) -> Response | None:
    """Return the style sheet or the script of the page."""
    if name == "style.css":
        return Response(style(), media_type="text/css")
    if name == "show.js":
        return Response((ASSETS / "show.js").read_text("utf-8"), media_type="text/javascript")
    return None


def style() -> str:
    """Return the style sheet, in the colours and the type of the pages."""
    dark = f"@media (prefers-color-scheme: dark) {{\n:root {{ {_colours(DARK)} }}\n}}\n"
    sizes = " ".join(f"--{name}: {pixels / 16:g}rem;" for name, pixels in TYPE.items())
    own = (ASSETS / "style.css").read_text("utf-8")
    return f":root {{ --font: {FONT}; {sizes} {_colours(LIGHT)} }}\n{dark}{own}"


def _colours(theme: Theme) -> str:
    found = {
        "text": theme.text,
        "muted": theme.muted,
        "ground": theme.background,
        "surface": theme.surface,
        "border": mix(theme.grid, theme.baseline, 0.25),
        "primary": theme.primary,
        "darker": mix(theme.primary, "#000000", 0.15),
        "accent": theme.accent,
        "warned": mix(theme.background, theme.lines[1], 0.16),
        "warning": theme.lines[1],
    }
    return " ".join(f"--{name}: {value};" for name, value in found.items())


def _form(action: str, asked: SignInRequest, *, kind: str, button: str, more: str = "", least: str = "") -> str:
    focus = " autofocus"
    return _FORM.format(
        action=html.escape(address(action)),
        target=html.escape(asked.target),
        longest=LONGEST_NAME,
        name=html.escape(clean(asked.name)),
        first="" if asked.name else focus,
        second=focus if asked.name else "",
        kind=kind,
        least=least,
        more=more,
        button=button,
    )


def _said(asked: SignInRequest) -> str:
    return f'<p class="said" role="alert">{html.escape(clean(asked.said))}</p>\n' if asked.said else ""


def _page(title: str, body: str, *, head: str = "", status: int = 401) -> Response:
    script = f'<script src="{html.escape(address(BELOW + "show.js"))}" defer></script>\n' if "<form" in body else ""
    text = _PAGE.format(
        title=title,
        icon="data:image/svg+xml," + quote(ICON),
        mark=ICON.replace("<svg ", '<svg class="mark" aria-hidden="true" ', 1),
        style=html.escape(address(BELOW + "style.css")),
        head=head + script,
        body=body,
    )
    headers = {"Content-Security-Policy": SIGN_IN_POLICY, "Cache-Control": "no-store"}
    return HTMLResponse(text, status_code=status, headers=headers)
