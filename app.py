"""Wiring: settings, the database, the sign-in routes, the worker beside the server, and the Streamlit app.

Settings come from the environment:
  RULERANK_DATABASE     sqlite:///path/to/file.db (default: rulerank.db in the current folder) or postgresql://...
  RULERANK_SIGN_IN      open (default: one person, this machine only), accounts, or oidc (a sign-in provider)
  RULERANK_ADMINS       with oidc: addresses that are administrators, for example ada@example.org
  RULERANK_ANNOTATORS   with oidc: addresses, or @domains, that may join as annotators without being added
  RULERANK_WORKER_NICE  how much the background worker lets others go first: 0 to 19 (default)
  RULERANK_TRUST_EMAIL  with oidc: 1 trusts a provider that does not say whether it has verified an address
The sign-in provider itself stands in .streamlit/secrets.toml; see .streamlit/secrets.example.toml.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from db.door import Door, Welcome
from db.passwords import TooManyTriesError
from db.people import Person
from db.worker import start_worker, stop_worker
from db.workspace import Workspace
from pages import context
from pages.widgets.labelling import RefusedError, answer
from pages.widgets.plain import plain
from pages.widgets.provider import check_provider
from rulerank.errors import RulerankError

SIGN_IN = ("open", "accounts", "oidc")
LARGEST_FORM = 20_000  # bytes
LONGEST_NAME = 100  # letters, as the form has it
LONGEST_QUESTION = 200_000  # bytes: the longest note and what goes with it
log = logging.getLogger("rulerank")


# Settings ------------------------------------------------------------------------------------------------------------


def sign_in_mode() -> str:
    """Return how people sign in; without accounts the server must not be reachable from other machines."""
    mode = os.environ.get("RULERANK_SIGN_IN", "open").strip().lower()
    if mode not in SIGN_IN:
        raise RulerankError(f"RULERANK_SIGN_IN must be one of {', '.join(SIGN_IN)}, not {mode!r}")
    address = st.get_option("server.address") or ""
    if mode == "open" and not context.is_local("127.0.0.1", address):
        raise RulerankError(
            f"without sign-in the app must listen on localhost only, not on {address or 'all addresses'!r}; "
            "set server.address to localhost, or RULERANK_SIGN_IN=accounts"
        )
    return mode


def make_door(workspace: Workspace) -> Door:
    """Return who gets in with a sign-in provider."""
    check_provider()
    names = ("RULERANK_ADMINS", "RULERANK_ANNOTATORS", "RULERANK_TRUST_EMAIL")
    return Door(workspace.people, Welcome.read(*(os.environ.get(name, "") for name in names)))


# Routes --------------------------------------------------------------------------------------------------------------


def cookie_path() -> str:
    """Return below which path cookies go with a request: the app's own, for other apps may live on the same host."""
    return context.address("/").rstrip("/") or "/"


def back(words: str = "", tried: str = "") -> RedirectResponse:
    """Lead back to the first page, which says these words, and has the name that was tried, if nobody is signed in."""
    answer = RedirectResponse(context.address("/"), status_code=303)
    for cookie, text in ((context.SAID, words), (context.TRIED, tried[:LONGEST_NAME])):
        if text:
            answer.set_cookie(cookie, quote(text), max_age=30, httponly=True, samesite="lax", path=cookie_path())
    return answer


def welcome(request: Request, person: Person) -> RedirectResponse:
    """Set the signed cookie that the pages read."""
    answer = back()
    cookie, secure = context.workspace().people.sign(person), request.url.scheme == "https"
    answer.set_cookie(context.COOKIE, cookie, httponly=True, samesite="strict", secure=secure, path=cookie_path())
    for kept in (context.SAID, context.TRIED):
        answer.delete_cookie(kept, path=cookie_path())
    return answer


def is_ours(request: Request) -> bool:
    """Say whether a form was sent by a page of this app, as far as the browser tells: no other may sign people in."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the fields of a form of ours, or None if it is too large or another site's."""
    length = request.headers.get("content-length", "")
    if not is_ours(request) or not length.isdecimal() or int(length) > LARGEST_FORM:
        return None
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


async def enter(request: Request) -> Response:
    """Check a name and password; hashing takes long, so elsewhere than where all requests are served."""
    form = await read_form(request)
    if form is None:
        return back("That did not come from this page. Please sign in here.")
    name = form.get("person", "")
    try:
        person = await run_in_threadpool(context.workspace().people.check, name, form.get("password", ""))
    except TooManyTriesError as error:
        return back(f"Too many wrong tries for this name. Try again in {max(1, round(error.seconds))} seconds.", name)
    return back("Name and password do not match.", name) if person is None else welcome(request, person)


async def begin(request: Request) -> Response:
    """Make the first administrator, and sign them in; from elsewhere it takes the code in the log."""
    form = await read_form(request)
    if form is None:
        return back("That did not come from this page. Please make the account here.")
    people = context.workspace().people
    try:
        if not is_from_here(request) and not people.check_first_code(form.get("code", "")):
            return back("That is not the code that the server wrote into its log.")
        person = await run_in_threadpool(people.add_first_admin, form.get("person", ""), form.get("password", ""))
    except RulerankError as error:
        return back(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    return welcome(request, person)


async def leave(request: Request) -> Response:
    """Sign out."""
    answer = back()
    if is_ours(request):
        answer.delete_cookie(context.COOKIE, path=cookie_path())
    return answer


async def act(request: Request) -> Response:
    """Do what the labelling panel asks for; see `pages.widgets.labelling`."""
    if int(request.headers.get("content-length") or LONGEST_QUESTION + 1) > LONGEST_QUESTION:
        return JSONResponse({"problem": "This note is too long to be saved; shorten it."}, status_code=413)
    try:
        asked = await request.json()
        if not isinstance(asked, dict):
            raise ValueError("not an object")
    except ValueError:
        return JSONResponse({"problem": "This question cannot be read; reload the page."}, status_code=400)
    try:
        return JSONResponse(await run_in_threadpool(answer, workspace, asked))
    except RefusedError as error:
        return JSONResponse({"problem": str(error)}, status_code=error.status)
    except RulerankError as error:
        return JSONResponse({"problem": str(error)}, status_code=409)
    except Exception:
        log.exception("the labelling panel failed")
        problem = "Something went wrong here. Nothing that was saved is lost; the server's log says more."
        return JSONResponse({"problem": problem}, status_code=500)


async def health(request: Request) -> Response:
    """Say whether the database answers."""
    with context.workspace().database.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return JSONResponse({"status": "ok"})


# Around every request ------------------------------------------------------------------------------------------------


def is_from_here(connection: HTTPConnection) -> bool:
    """Say whether a request comes from this machine."""
    return context.is_local(connection.client.host if connection.client else None, connection.url.hostname)


class LocalOnly:
    """Without sign-in nobody but this machine is answered, whatever server and proxy stand before the app."""

    words = "rulerank runs without sign-in, for its own machine only. For a team: RULERANK_SIGN_IN=accounts\n"

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan" or is_from_here(HTTPConnection(scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse(self.words, status_code=403)(scope, receive, send)


class TellFailures:
    """Streamlit answers a failed sign-in at a provider with a bare line, or with silence; here it is explained."""

    failed = "Signing in with the provider did not work. Try again; if it stays so, the server's log says more."
    away = "The sign-in provider does not answer as it should. Try again later; the server's log says more."

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a failure leads back to the sign-in page."""
        path = scope.get("path", "")
        leaving, returning = path == context.address("/auth/login"), path == context.address("/oauth2callback")
        # After signing out the provider sends people back here as well, with neither of the two.
        returning = returning and any(key in Request(scope).query_params for key in ("state", "error"))
        if scope["type"] != "http" or not (leaving or returning):
            await self.app(scope, receive, send)
            return
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        try:
            await self.app(scope, receive, keep)
        except Exception:
            log.exception("signing in with the provider failed")
            answer.clear()
        if not answer or answer[0]["status"] >= 400:
            await back(self.away)(scope, receive, send)
        elif returning and not _has_identity(answer[0]["headers"]):
            await back(self.failed)(scope, receive, send)
        else:
            for message in answer:
                await send(message)


def _has_identity(headers: list[tuple[bytes, bytes]]) -> bool:
    """Say whether an answer sets Streamlit's cookie of who somebody is."""
    cookies = [value.lower() for name, value in headers if name.lower() == b"set-cookie"]
    return any(cookie.startswith(b"_streamlit_user=") and b"max-age=0" not in cookie for cookie in cookies)


# The app -------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Keep a worker beside the server for long work; it ends with the server."""
    worker = start_worker(workspace.database.url.render_as_string(hide_password=False))
    try:
        yield {}
    finally:
        stop_worker(worker)
        workspace.close()


def tell(error: Exception) -> bool:
    """Show an error of ours as a message; note any other in the log, and say so without a traceback."""
    if isinstance(error, RulerankError):
        st.error(plain(str(error)), icon=":material/error:")
    else:
        log.error("a page failed", exc_info=error)
        st.error("Something went wrong here. Nothing that was saved is lost; the server's log says more.")
    return True


try:
    workspace = Workspace(os.environ.get("RULERANK_DATABASE", "sqlite:///rulerank.db"))
    mode = sign_in_mode()
    context.wire(workspace, mode, make_door(workspace) if mode == "oidc" else None)
    if mode == "accounts" and not workspace.people.somebody_administers():
        code = workspace.people.first_code()
        print(f"rulerank: nobody has an account yet; the code for making the first one is {code}", file=sys.stderr)
except RulerankError as problem:
    sys.exit(f"rulerank: {problem}")

ROUTES = {
    "open": [],
    "accounts": [
        Route(context.address("/enter"), enter, methods=["POST"]),
        Route(context.address("/begin"), begin, methods=["POST"]),
        Route(context.address("/leave"), leave, methods=["POST"]),
    ],
    "oidc": [],
}
AROUND = {"open": [Middleware(LocalOnly)], "accounts": [], "oidc": [Middleware(TellFailures)]}

app = st.App(
    "pages/main.py",
    routes=[
        *ROUTES[mode],
        Route(context.address("/act"), act, methods=["POST"]),
        Route(context.address("/health"), health),
    ],
    middleware=AROUND[mode],
    lifespan=lifespan,
    on_script_error=tell,
)
