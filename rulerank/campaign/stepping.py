"""One step of a campaign: a transaction, begun with the state brought up to the log; what fails leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rulerank.campaign.checking import Checking
from rulerank.campaign.events import ActRefusedError, ArchivedError, LogSession, PausedError, UsedTokenError

MOST_REFUSED = 10_000
"""Refused acts that a process remembers, so that one which arrives again is refused again; and presses that decided."""


class Stepping(Checking):
    """The part of a campaign that begins and ends transactions."""

    def _closed(self) -> type[ArchivedError] | type[PausedError] | None:
        """Return why labels are not taken now, as of the last look at the log."""
        course = self.fold.course
        return ArchivedError if course.archived else PausedError if course.paused else None

    @contextmanager
    def _step(self, *, act: str | None = None, reading: bool = False, leading: bool = False) -> Iterator[LogSession]:
        """One transaction, begun with the state brought up to the log; an archived campaign is only read.

        A paused one takes only what is `leading`: what those who run it do.

        An `act` that was refused stays refused, though it be sent again when it could be written.
        """
        with self._lock:
            if act in self._refused:
                raise self._refused[act].with_traceback(None)
            begun = False
            try:
                with self.log.transaction() as session:
                    begun = True
                    self._catch_up(session)
                    closed = self._closed()
                    if closed is ArchivedError and not reading:
                        raise ArchivedError
                    if closed is PausedError and not (reading or leading):
                        raise PausedError
                    yield session
            except ActRefusedError as error:  # before anything was written
                if act is not None and not isinstance(error, UsedTokenError):
                    self._refused[act] = error
                    while len(self._refused) > MOST_REFUSED:
                        del self._refused[next(iter(self._refused))]
                raise
            except BaseException:
                # What was written is taken back, and its numbers go to other events: the state must not keep it. Or it
                # was written after all, and only the answer was lost. The log knows.
                if begun:
                    self._lose()
                raise
