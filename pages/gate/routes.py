"""The routes for signing in and out, their answers and cookies, and the page for visitors who are not signed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import anyio
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit.auth_util import encode_provider_token

from db.people.accounts import People
from db.people.person import Person, name_key
from db.people.throttle import DAYS, Client, TooManyTriesError
from pages.context import COOKIE, address
from pages.gate.gate import is_from_here
from pages.gate.page import (
    BELOW,
    LONGEST_NAME,
    SignInRequest,
    asset,
    first_page,
    onward_page,
    provider_page,
    sign_in_page,
)
from rulerank.audit import audit
from rulerank.errors import RulerankError

SAID, TRIED = "rulerank-said", "rulerank-tried"
"""What was wrong with the last try, and the name that was tried. In an address, anybody could put words there."""
KNOWN = "rulerank-known"  # who has signed in with this browser before
NEXT = "rulerank-next"  # where somebody wants to go, while they are at the provider
LONGEST_TARGET = 2000
PROVIDER = "provider"


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


def asked(request: Request) -> SignInRequest:
    """Return what the sign-in page has to keep and to say."""
    query = request.scope["query_string"].decode("latin-1")
    wanted = quote(request.scope["path"], safe="/~") + (f"?{query}" if query else "")
    said, tried = (unquote(request.cookies.get(name, "")) for name in (SAID, TRIED))
    return SignInRequest(safe_target(wanted), said, tried[:LONGEST_NAME])


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


def welcome(request: Request, people: People, person: Person, target: str, how: str = "password") -> Response:
    """Begin a session, and lead to the address that was asked for. After a password the browser is known from now on.

    The session that this browser had before ends: nobody could find it again. The cookie goes along when somebody
    follows a link from another site to this one (`lax`); whatever changes something asks for the origin as well.
    """
    answer = RedirectResponse(safe_target(target), status_code=303)
    client, secure, path = client_of(request), is_secure(request), cookie_path()
    if COOKIE in request.cookies:
        people.sessions.end(request.cookies[COOKIE])
    token = people.sign(person, client.address, request.headers.get("user-agent", ""))
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure, path=path)
    audit("sign-in", person=person.name, role=person.role, how=how, address=client.address)
    if how != PROVIDER:
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


LARGEST_FORM = 20_000  # bytes
AT_ONCE = 4  # sign-ins that wait for a hash; they must not keep others from being served
UNREADABLE = "That did not come from this page. Please try it here."


class SignIn:
    """Signing in with a name and password ("accounts"), or with a provider ("oidc")."""

    def __init__(self, people: People, mode: str) -> None:
        self.people = people
        self.mode = mode
        self._limiter: CapacityLimiter | None = None

    def routes(self) -> list[Route]:
        """Return the routes; each is in `free` too, because nobody is signed in who asks for it."""
        begin = [Route(address("/begin"), self.begin, methods=["POST"])] if self.mode == "accounts" else []
        enter, method = (self.enter, "POST") if self.mode == "accounts" else (self.go_to_provider, "GET")
        return [
            Route(address("/enter"), enter, methods=[method]),
            *begin,
            Route(address("/leave"), self.leave, methods=["POST"]),
            Route(address(BELOW + "{name}"), self.file),
        ]

    @property
    def free(self) -> frozenset[str]:
        """The addresses that a visitor reaches who is not signed in. `/act` looks at the cookie by itself."""
        own = ("/enter", "/leave", "/act", "/health", f"{BELOW}style.css", f"{BELOW}show.js")
        more = ("/begin",) if self.mode == "accounts" else ("/auth/login", "/auth/logout", "/oauth2callback")
        return frozenset(map(address, (*own, *more)))

    async def page(self, request: Request) -> Response:
        """Show the sign-in page; what it says, it says once."""
        about = asked(request)
        if self.mode == "oidc":
            answer = provider_page(about)
        elif await self._work(self.people.somebody_administers):
            answer = sign_in_page(about)
        else:
            answer = first_page(about, here=is_from_here(request))
        for cookie in (SAID, TRIED):
            if cookie in request.cookies:
                answer.delete_cookie(cookie, path=cookie_path())
        return answer

    async def file(self, request: Request) -> Response:
        """Serve the style sheet and the script of the sign-in page."""
        return asset(request.path_params["name"]) or PlainTextResponse("There is no such file.\n", 404)

    async def enter(self, request: Request) -> Response:
        """Check a name and password."""
        form = await read_form(request)
        if form is None:
            return back(request, "", UNREADABLE)
        name, target = form.get("person", ""), form.get("next", "")
        try:
            person = await self._work(self.people.check, name, form.get("password", ""), client_of(request))
        except TooManyTriesError as error:
            wait = max(1, round(error.seconds))
            await self._work(self._note_refused, request, "too-many-tries", name)
            return back(request, target, f"Too many wrong tries. Try again in {_duration(wait)}.", name)
        if person is None:
            await self._work(self._note_refused, request, "wrong-password", name)
            return back(request, target, "Name and password do not match.", name)
        return await self._work(welcome, request, self.people, person, target)

    async def begin(self, request: Request) -> Response:
        """Make the first administrator, and sign them in; from elsewhere it takes the code in the log."""
        form = await read_form(request)
        if form is None:
            return back(request, "", UNREADABLE)
        name, target = form.get("person", ""), form.get("next", "")
        try:
            code, place = form.get("code", ""), client_of(request)
            if not is_from_here(request) and not await self._work(self.people.check_first_code, code, place):
                await self._work(self._note_refused, request, "wrong-code", "")
                return back(request, target, "That is not the code that the server wrote into its log.", name)
            person = await self._work(self.people.add_first_admin, name, form.get("password", ""))
            audit("person-added", by="the first visitor", person=person.name, role=person.role, address=place.address)
        except RulerankError as error:
            return back(request, target, f"{str(error)[:1].upper()}{str(error)[1:]}.", name)
        return await self._work(welcome, request, self.people, person, target)

    async def go_to_provider(self, request: Request) -> Response:
        """Send somebody to the sign-in provider, and remember where they wanted to go."""
        login = f"{address('/auth/login')}?provider={encode_provider_token('default')}"
        answer = RedirectResponse(login, status_code=303)
        target = safe_target(request.query_params.get("next", ""))
        answer.set_cookie(
            NEXT, target, max_age=3600, httponly=True, samesite="lax", secure=is_secure(request), path=cookie_path()
        )
        return answer

    async def leave(self, request: Request) -> Response:
        """Sign out: here, and at the provider too where it takes part in that."""
        if COOKIE in request.cookies:
            await self._work(self._sign_out, request)
        if self.mode == "oidc":
            return forget(onward_page(address("/auth/logout")))
        return forget(back(request, ""))

    def _sign_out(self, request: Request) -> None:
        person = self.people.read(request.cookies[COOKIE], seen=False)
        self.people.sessions.end(request.cookies[COOKIE])
        if person is not None:
            audit("sign-out", person=person.name, address=client_of(request).address)

    def _note_refused(self, request: Request, why: str, tried: str) -> None:
        """Log a try that failed, with the name only where somebody has it: people type passwords into that field."""
        named = [each.name for each in self.people.list() if name_key(each.name) == name_key(tried)]
        facts = {"person": named[0]} if named else {"unknown_name": True} if tried else {}
        audit("sign-in-refused", why=why, **facts, address=client_of(request).address)

    async def _work(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Do what takes long elsewhere than where all requests are served, a few at a time."""
        if self._limiter is None:
            self._limiter = CapacityLimiter(AT_ONCE)
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._limiter)


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the fields of a form, or None if it is too large to be one of ours."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > LARGEST_FORM:
        return None
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


def _duration(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
