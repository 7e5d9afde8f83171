"""Answers of the sign-in routes: cookies, and where they lead to."""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from db.people.accounts import People
from db.people.clients import DAYS, Client
from db.people.person import Person
from pages.context import COOKIE, address
from pages.gate.page import LONGEST_NAME, Asked

SAID, TRIED = "rulerank-said", "rulerank-tried"
"""What was wrong with the last try, and the name that was tried. In an address, anybody could put words there."""
KNOWN = "rulerank-known"  # who has signed in with this browser before
NEXT = "rulerank-next"  # where somebody wants to go, while they are at the provider
LONGEST_TARGET = 2000


def cookie_path() -> str:
    """Return below which path cookies go with a request: the app's own, for other apps may live on the same host."""
    return address("/").rstrip("/") or "/"


def is_secure(request: Request) -> bool:
    """Say whether cookies go over TLS only."""
    return request.url.scheme == "https"


def safe_target(text: str) -> str:
    """Return an address of this app that somebody asked for; anything else leads to the first page."""
    home = address("/")
    plain = text.isprintable() and text.isascii() and len(text) <= LONGEST_TARGET
    # Browsers take \\ for /, and two of them at the beginning for the name of another host.
    sly = "\\" in text or text.startswith("//")
    return text if plain and not sly and text.startswith(home) else home


def asked(request: Request) -> Asked:
    """Return what the sign-in page has to keep and to say."""
    query = request.scope["query_string"].decode("latin-1")
    wanted = quote(request.scope["path"], safe="/~") + (f"?{query}" if query else "")
    said, tried = (unquote(request.cookies.get(name, "")) for name in (SAID, TRIED))
    return Asked(safe_target(wanted), said, tried[:LONGEST_NAME])


def back(request: Request, target: str, words: str = "", tried: str = "") -> Response:
    """Lead back to the address that was asked for, which is the sign-in page again, with these words."""
    answer = RedirectResponse(safe_target(target), status_code=303)
    for cookie, text in ((SAID, words), (TRIED, tried[:LONGEST_NAME])):
        if text:
            answer.set_cookie(
                cookie, quote(text), max_age=30, httponly=True, samesite="lax", secure=is_secure(request),
                path=cookie_path(),
            )  # fmt: skip
    return answer


def client_of(request: Request) -> Client:
    """Return where a try to sign in comes from."""
    return Client(request.client.host if request.client else "", request.cookies.get(KNOWN, ""))


def welcome(request: Request, people: People, person: Person, target: str, *, known: bool = True) -> Response:
    """Begin a session, and lead to the address that was asked for. With `known` the browser is known from now on.

    The session that this browser had before ends: nobody could find it again. The cookie goes along when somebody
    follows a link from another site to this one (`lax`); whatever changes something asks for the origin as well.
    """
    answer = RedirectResponse(safe_target(target), status_code=303)
    client, secure, path = client_of(request), is_secure(request), cookie_path()
    if COOKIE in request.cookies:
        people.sessions.end(request.cookies[COOKIE])
    token = people.sign(person, client.address, request.headers.get("user-agent", ""))
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure, path=path)
    if known:
        notes = people.note_browser(person, client.notes)
        answer.set_cookie(
            KNOWN, notes, max_age=86400 * DAYS, httponly=True, samesite="lax", secure=secure, path=path
        )  # fmt: skip
    for kept in (SAID, TRIED, NEXT):
        if kept in request.cookies:
            answer.delete_cookie(kept, path=path)
    return answer


def forget(answer: Response) -> Response:
    """Take the cookie of the session away."""
    answer.delete_cookie(COOKIE, path=cookie_path())
    return answer
