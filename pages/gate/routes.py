"""The routes for signing in and out, and the page that a visitor sees who is not signed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit.auth_util import encode_provider_token

from db.people.accounts import People
from db.people.throttle import TooManyTriesError
from pages.context import COOKIE, address
from pages.gate.answers import (
    NEXT,
    SAID,
    TRIED,
    asked,
    back,
    client_of,
    cookie_path,
    forget,
    is_secure,
    safe_target,
    welcome,
)
from pages.gate.gate import is_from_here
from pages.gate.page import BELOW, asset, first_page, onward_page, provider_page, sign_in_page
from rulerank.errors import RulerankError

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
            return back(request, target, f"Too many wrong tries. Try again in {_duration(wait)}.", name)
        if person is None:
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
                return back(request, target, "That is not the code that the server wrote into its log.", name)
            person = await self._work(self.people.add_first_admin, name, form.get("password", ""))
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
            await self._work(self.people.sessions.end, request.cookies[COOKIE])
        if self.mode == "oidc":
            return forget(onward_page(address("/auth/logout")))
        return forget(back(request, ""))

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
