"""A total limit on what each person's uploads hold in memory at a time.

Streamlit keeps an uploaded file in memory until its page is closed. What is held is asked of Streamlit itself, and
what is under way is counted as it comes, whatever length was promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sized
from typing import Any, Protocol

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages.gate.visitor import Visitor
from rulerank.errors import InputError

MEGABYTES = 1000
MEGABYTE = 1024 * 1024  # as Streamlit counts in server.maxUploadSize


class File(Protocol):
    """What Streamlit keeps of an upload."""

    @property
    def data(self) -> Sized:
        """Its bytes."""


class TooMuchError(Exception):
    """More came than was promised, and more than may be held."""


def held_files() -> Mapping[str, Mapping[str, File]]:
    """Return the uploaded files of every page that is open, by the number that Streamlit gives the page."""
    if not runtime.exists():
        return {}
    storage: Any = runtime.get_instance().uploaded_file_mgr
    return dict(storage.file_storage)


class Uploads:
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
