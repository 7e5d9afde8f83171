"""Who asks, and what they send and fetch: limits on uploads, and downloads that only their session can open."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from db.people.person import ROLES, Person
from rulerank.errors import InputError


@dataclass(frozen=True)
class Visitor:
    """Somebody who was let in."""

    person: int
    session: int
    rank: int  # the place of the role among all roles

    @classmethod
    def of(cls, person: Person) -> Visitor:
        """Return a person who is signed in as a visitor."""
        return cls(person.id, person.session, ROLES.index(person.role))


ALONE = Visitor(person=0, session=0, rank=len(ROLES) - 1)
"""The one person of the single-user mode."""

AFTERWARDS = 300.0  # seconds that an address stays good after its page was closed
MOST = 5_000  # addresses of one page; the oldest goes
_ADDRESS = re.compile(rb"/media/([0-9a-f]{32})")  # Streamlit names a file by 16 bytes of a hash


@dataclass(eq=False)
class OpenPage:
    """A page that is open in somebody's browser, and the files whose addresses it was sent."""

    visitor: Visitor
    files: dict[str, None] = field(default_factory=dict)
    closed_at: float | None = None


class Downloads:
    """Knows who was sent which address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._pages: list[OpenPage] = []
        self._lock = threading.Lock()

    def open(self, visitor: Visitor) -> OpenPage:
        """Note that somebody has opened a page."""
        page = OpenPage(visitor)
        with self._lock:
            self._forget()
            self._pages.append(page)
        return page

    def look(self, page: OpenPage, message: bytes) -> None:
        """Note the addresses in a message to a page."""
        found = _ADDRESS.findall(message)
        if not found:
            return
        with self._lock:
            for name in found:
                page.files.pop(name.decode(), None)
                page.files[name.decode()] = None
            while len(page.files) > MOST:
                page.files.pop(next(iter(page.files)))

    def close(self, page: OpenPage) -> None:
        """Note that a page was closed, or has lost its connection."""
        page.closed_at = self.clock()

    def may(self, visitor: Visitor, file: str) -> bool:
        """Say whether somebody may have a file by its address."""
        with self._lock:
            self._forget()
            return any(
                file in page.files and page.visitor.session == visitor.session and page.visitor.rank <= visitor.rank
                for page in self._pages
            )

    def _forget(self) -> None:
        oldest = self.clock() - AFTERWARDS
        self._pages = [page for page in self._pages if page.closed_at is None or page.closed_at > oldest]


MEGABYTES = 1000
MEGABYTE = 1024 * 1024  # as Streamlit counts in server.maxUploadSize


class HeldFile(Protocol):
    """What Streamlit keeps of an upload."""

    @property
    def data(self) -> Sized:
        """Its bytes."""


class TooMuchError(Exception):
    """More came than was promised, and more than may be held."""


def held_files() -> Mapping[str, Mapping[str, HeldFile]]:
    """Return the uploaded files of every page that is open, by the number that Streamlit gives the page."""
    if not runtime.exists():
        return {}
    storage: Any = runtime.get_instance().uploaded_file_mgr
    return dict(storage.file_storage)


class UploadLimits:
    """Counts what everybody holds."""

    def __init__(self, megabytes: int = MEGABYTES) -> None:
        if megabytes < 1:
            raise InputError(f"RULERANK_UPLOAD_MEGABYTES must be 1 or more, not {megabytes}")
        self.limit = megabytes * MEGABYTE
        self._owners: dict[str, int] = {}  # Streamlit's number of a page -> the person who uploads there
        self._coming: Counter[int] = Counter()  # person -> bytes of uploads under way

    def held(self, person: int) -> int:
        """Return how many bytes a person's uploads hold, those under way included."""
        files = held_files()
        self._owners = {page: owner for page, owner in self._owners.items() if page in files}
        kept = sum(
            len(file.data)
            for page, owner in self._owners.items()
            if owner == person
            for file in list(files[page].values())
        )
        return kept + self._coming[person]

    async def take(self, visitor: Visitor, page: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Let an upload to a page through as long as it stays within the limit."""
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await app(scope, receive, send)
            return
        held = self.held(visitor.person)
        if self._owners.get(page, visitor.person) != visitor.person:
            await PlainTextResponse("This page is somebody else's.\n", 403)(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"").decode("latin-1")
        promised = int(length) if length.isdecimal() else 0
        if held + promised > self.limit:
            await self._refuse()(scope, receive, send)
            return
        came, counted, answered = 0, promised, False
        self._coming[visitor.person] += counted

        async def received() -> Message:
            nonlocal came, counted
            message = await receive()
            came += len(message.get("body", b""))
            if came > counted:
                self._coming[visitor.person] += came - counted
                counted = came
                if self.held(visitor.person) > self.limit:
                    raise TooMuchError
            return message

        async def sent(message: Message) -> None:
            nonlocal answered
            answered = True
            if scope["method"] == "PUT" and message.get("status") == 204:
                self._owners[page] = visitor.person
            await send(message)

        try:
            await app(scope, received, sent)
        except TooMuchError:
            if not answered:
                await self._refuse()(scope, receive, send)
        finally:
            self._coming[visitor.person] -= counted

    def _refuse(self) -> PlainTextResponse:
        words = f"Your uploads would hold more than {self.limit // MEGABYTE} MB. Remove some, or close other pages.\n"
        return PlainTextResponse(words, 413)
