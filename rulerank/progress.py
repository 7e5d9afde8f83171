"""How long work reports how far it is: one type of function for the library, the database, the screens and commands."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A function that long work calls as it goes on: how much is done, of how much (None: unknown), and what it does.

    It may be called often. What it raises ends the work, and nothing half done stays.
    """

    def __call__(self, done: int, total: int | None = None, what: str = "", /) -> None:
        """Report how far the work is."""


def silent(done: int, total: int | None = None, what: str = "", /) -> None:
    """Report to nobody."""


def named(progress: Progress, what: str) -> Progress:
    """Return a progress that reports to another one, always under the same name.

    >>> named(print, "reading")(1, 2)
    1 2 reading
    """

    def report(done: int, total: int | None = None, _: str = "", /) -> None:
        progress(done, total, what)

    return report


class Steps:
    """Counts steps and reports each; calling it says that one more is done.

    >>> step = Steps(print, 2, "folds")
    >>> step()
    1 2 folds
    """

    def __init__(self, progress: Progress, total: int, what: str = "") -> None:
        self.done = 0
        self.total = total
        self._progress = progress
        self._what = what

    def __call__(self) -> None:
        """Report one more step."""
        self.done += 1
        self._progress(self.done, self.total, self._what)
