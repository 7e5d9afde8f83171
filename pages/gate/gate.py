"""The gate: every request and every message of an open page passes it before Streamlit sees them.

Who is not signed in reaches the sign-in page with its files, the routes for signing in, and `/health`; a new route is
closed until it is named here. Without sign-in nobody but this machine is answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from db.people.accounts import People
from pages.context import COOKIE, address, is_local
from pages.gate.headers import is_ours
from pages.gate.transfers import ALONE, Downloads, UploadLimits, Visitor
from rulerank.audit import audit
from rulerank.errors import RulerankError

LOOK_EVERY = 20.0  # seconds between looks whether the session of an open page still counts
POLICY, TRY_LATER = 1008, 1013  # why a websocket is closed (RFC 6455, section 7.4.1, and IANA's registry)

ALONE_ONLY = "rulerank runs without sign-in, for its own machine only. For a team: RULERANK_SIGN_IN=accounts\n"
FOREIGN = "This was not asked for by a page of this app.\n"
SIGNED_OUT = "Please sign in first.\n"
NO_STORE = "The database does not answer, so nobody can be let in now. Try again; the server's log says more.\n"

STORE_TROUBLE = (sa.exc.SQLAlchemyError, RulerankError)

log = logging.getLogger("rulerank")


@dataclass
class Rules:
    """Whom the gate lets through. Without `people` there is no sign-in."""

    people: People | None
    free: frozenset[str] = frozenset()  # addresses that everybody reaches
    free_below: tuple[str, ...] = ()  # beginnings of such
    origin: str = ""  # the address by which people reach the app, where the server does not see it
    uploads: UploadLimits = field(default_factory=UploadLimits)
    downloads: Downloads = field(default_factory=Downloads)


class Gate:
    """Lets in who belongs here, and looks again at whatever an open page asks for."""

    def __init__(self, app: ASGIApp, rules: Rules, sign_in: Callable[[Request], Awaitable[Response]] | None) -> None:
        self.app = app
        self.rules = rules
        self.sign_in = sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asks, path = HTTPConnection(scope), scope["path"]
        if self.rules.people is None and not is_from_here(asks):
            note_refused("other-machine", asks)
            await self._refuse(403, ALONE_ONLY, scope, receive, send)
        elif not is_ours(asks, self.rules.origin):
            note_refused("foreign-origin", asks)
            await self._refuse(403, FOREIGN, scope, receive, send)
        elif scope["type"] == "http" and (path in self.rules.free or path.startswith(self.rules.free_below)):
            await self.app(scope, receive, send)
        else:
            try:
                visitor = await self._visitor(asks)
            except STORE_TROUBLE:
                log.exception("could not look up who is signed in")
                await self._refuse(503, NO_STORE, scope, receive, send)
                return
            await self._serve(visitor, scope, receive, send)

    async def _visitor(self, asks: HTTPConnection, *, seen: bool = True) -> Visitor | None:
        if self.rules.people is None:
            return ALONE
        cookie = asks.cookies.get(COOKIE)
        if not cookie:
            return None
        person = await run_in_threadpool(self.rules.people.read, cookie, seen=seen)
        return None if person is None else Visitor.of(person)

    async def _serve(self, visitor: Visitor | None, scope: Scope, receive: Receive, send: Send) -> None:
        path, media, upload = scope["path"], address("/media/"), address("/_stcore/upload_file/")
        if visitor is None:
            if self.sign_in is not None and scope["type"] == "http" and _wants_a_page(scope):
                await (await self.sign_in(Request(scope)))(scope, receive, send)
            else:
                await self._refuse(401, SIGNED_OUT, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._stay(visitor, scope, receive, send)
        elif path.startswith(upload):
            page = path.removeprefix(upload).partition("/")[0]
            await self.rules.uploads.take(visitor, page, self.app, scope, receive, send)
        elif path.startswith(media) and not self.rules.downloads.may(visitor, _stem(path.removeprefix(media))):
            await self._refuse(404, "This address is not (or no longer) good. Reload the page.\n", scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _stay(self, visitor: Visitor, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve an open page, message by message, for as long as its session counts.

        Streamlit reads the cookie once, when a page connects. Buttons, and parts of a page that are drawn alone, would
        go on working after a sign-out.
        """
        asks, page, closed = HTTPConnection(scope), self.rules.downloads.open(visitor), False

        async def close(code: int) -> None:
            nonlocal closed
            if not closed:
                closed = True
                await send({"type": "websocket.close", "code": code})

        async def counts(*, seen: bool) -> bool:
            try:
                now = await self._visitor(asks, seen=seen)
            except STORE_TROUBLE:
                log.warning("could not look up who is signed in", exc_info=True)
                await close(TRY_LATER)
                return False
            if now is None or now.session != visitor.session:
                await close(POLICY)
                return False
            return True

        async def received() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and not await counts(seen=_is_by_a_person(message)):
                return {"type": "websocket.disconnect", "code": POLICY}
            return message

        async def sent(message: Message) -> None:
            nonlocal closed
            if closed:
                return
            closed = message["type"] == "websocket.close"
            self.rules.downloads.look(page, message.get("bytes") or b"")
            await send(message)

        async def watch() -> None:
            await asyncio.sleep(LOOK_EVERY)
            while await counts(seen=False):
                await asyncio.sleep(LOOK_EVERY)

        watching = asyncio.create_task(watch()) if self.rules.people is not None else None
        try:
            await self.app(scope, received, sent)
        finally:
            if watching is not None:
                watching.cancel()
            self.rules.downloads.close(page)

    async def _refuse(self, status: int, words: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": TRY_LATER if status == 503 else POLICY})
        else:
            headers = {"Cache-Control": "no-store"}
            await PlainTextResponse(words, status_code=status, headers=headers)(scope, receive, send)


def is_from_here(connection: HTTPConnection) -> bool:
    """Say whether a request comes from this machine."""
    try:
        host = urlsplit(f"//{connection.headers.get('host', '')}").hostname
    except ValueError:
        return False
    return is_local(connection.client.host if connection.client else None, host)


def note_refused(why: str, connection: HTTPConnection) -> None:
    """Log a request that was refused before anybody asked who it comes from."""
    headers = connection.headers
    audit(
        "refused",
        why=why,
        path=connection.scope["path"],
        host=headers.get("host"),
        origin=headers.get("origin"),
        site=headers.get("sec-fetch-site"),
        address=connection.client.host if connection.client else None,
    )


def _wants_a_page(scope: Scope) -> bool:
    """Say whether somebody looks for a page, and not for a file or an answer of Streamlit's."""
    ours = (address(f"/{name}/") for name in ("_stcore", "component", "media", "static", "app"))
    accept = dict(scope["headers"]).get(b"accept", b"text/html").decode("latin-1")
    found = "text/html" in accept or "*/*" in accept
    return scope["method"] in ("GET", "HEAD") and found and not scope["path"].startswith(tuple(ours))


def _is_by_a_person(message: Message) -> bool:
    """Say whether a page asks because of a person, and not by itself, as one that draws itself anew does."""
    try:
        return not BackMsg.FromString(message.get("bytes") or b"").rerun_script.is_auto_rerun
    except Exception:  # Streamlit closes what sends it something else
        return False


def _stem(name: str) -> str:
    return name.partition(".")[0]
