"""Headers of every answer that tell browsers what this app's pages do not do, and which pages may ask it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.context import address
from rulerank.errors import InputError

PORTS = {"http": ":80", "https": ":443"}  # which browsers leave out
OWN = ("same-origin", "none")  # "none": typed into the address bar, or a bookmark


def check_origin(text: str) -> str:
    """Return the setting RULERANK_ORIGIN, scheme://host[:port], in the form that browsers write."""
    origin = text.strip().rstrip("/").lower()
    if not re.fullmatch(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", origin):
        raise InputError(f"RULERANK_ORIGIN must look like https://rulerank.example.org, not {text!r}")
    return origin.removesuffix(PORTS[origin.partition(":")[0]])


def is_ours(connection: HTTPConnection, also: str = "") -> bool:
    """Say whether a request comes from a page of this app, or from no page at all (a program, the address bar).

    `also` is the address by which people reach the app where the server does not see it. Following a link from
    another site is fine: it changes nothing. A websocket has an origin, because every browser sends one.
    """
    origin = connection.headers.get("origin")
    websocket = connection.scope["type"] == "websocket"
    own = not websocket if origin is None else origin.lower() in {*_own_origins(connection), also or None}
    site = connection.headers.get("sec-fetch-site")
    if site is None or site in OWN:
        return own
    return own and not websocket and _follows_a_link(connection)


def _own_origins(connection: HTTPConnection) -> set[str]:
    """Return how browsers write the origin of the host that was asked for: name and port alike, never less secure.

    A proxy that ends TLS may leave the server thinking of http, so https counts for it.
    """
    host = connection.headers.get("host", "").lower()
    schemes = ("https",) if connection.scope.get("scheme") in ("https", "wss") else ("http", "https")
    return {f"{scheme}://{host.removesuffix(PORTS[scheme])}" for scheme in schemes} if host else set()


def _follows_a_link(connection: HTTPConnection) -> bool:
    """Say whether somebody comes here from another site, rather than that site loading something from here."""
    headers, method = connection.headers, connection.scope.get("method")
    embedded = headers.get("sec-fetch-dest") in ("object", "embed", "iframe", "frame")
    return method in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate" and not embedded


COMMON = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
    # Not "no-referrer": browsers then hide the origin of a form from the server as well.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

FAILED = "Something went wrong here. Nothing that was saved is lost; the server's log says more.\n"

SIGN_IN_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What the sign-in page may load: its own style sheet and script."""


def app_policy(scripts: Iterable[str]) -> str:
    """Return the content security policy of the pages, which run these scripts and Streamlit's files, and no others.

    Streamlit writes styles into the page, and loads the code of a component from a blob that it made itself; it needs
    no eval for anything that is shown here. Pictures may come from other sites over TLS, because guidelines may have
    such where a researcher wants them.
    """
    hashes = " ".join(sorted(f"'sha256-{_digest(script)}'" for script in scripts))
    return (
        f"default-src 'self'; script-src 'self' blob: {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob: https:; font-src 'self' data:; media-src 'self' blob:; connect-src 'self'; "
        "worker-src 'self' blob:; frame-src 'none'; object-src 'none'; base-uri 'self'; form-action 'self'; "
        "frame-ancestors 'none'"
    )


def streamlit_scripts() -> list[str]:
    """Return the scripts that stand in Streamlit's own page."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class Headers:
    """Puts the headers on every answer; a content security policy that an answer has already is its own."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._dress(MutableHeaders(scope=message), scope["path"])
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except Exception:
            # Starlette answers outside of here, where no headers are put on; the error still goes to its log.
            if not begun:
                await PlainTextResponse(FAILED, status_code=500)(scope, receive, sent)
            raise

    def _dress(self, headers: MutableHeaders, path: str) -> None:
        for name, value in COMMON.items():
            headers[name] = value
        headers.setdefault("Content-Security-Policy", self.policy)
        # Streamlit lets pages of other ports of localhost read some of its answers.
        for name in [name for name in headers if name.lower().startswith("access-control-")]:
            del headers[name]
        if path.startswith((address("/media/"), address("/_stcore/"))):
            headers["Cache-Control"] = "no-store"
