"""Addresses of files: good for the session that they were sent to, while the page is open, and a little longer.

Streamlit serves the file behind a download button, or a picture, to whoever knows its address. The address reaches a
person in one way only: in a message to their open page. So the messages are looked through on their way, and who asks
for a file must have been sent its address, in the same session, with no higher role than they have now.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pages.gate.visitor import Visitor

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
