"""What is written down: events and claims, the small protocol of the log that keeps them, and a log in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from rulerank.errors import RulerankError
from rulerank.sampling import Selection


class Kind(StrEnum):
    """The acts of an annotator or researcher, and changes of the campaign.

    >>> [kind.value for kind in Kind][:8]
    ['grade', 'cannot_tell', 'later', 'undo', 'note', 'draft', 'import', 'adjudicate']
    """

    GRADE = "grade"
    CANNOT_TELL = "cannot_tell"
    LATER = "later"
    UNDO = "undo"
    NOTE = "note"
    DRAFT = "draft"
    IMPORT = "import"
    ADJUDICATE = "adjudicate"
    CHANGE = "change"  # of the campaign itself: see `rulerank.campaign.changes`
    FLAG = "flag"  # these three: see `rulerank.campaign.discussion`
    REMARK = "remark"
    RESOLVE = "resolve"


NO_DOCUMENT = -1
"""The row of an event that is about the whole campaign and not about one document."""


@dataclass(frozen=True)
class LabelEvent:
    """One act; never changed, never removed. `row` counts within the campaign's pool.

    The `token` stands in a log once: a decision has its claim's, every other act one of its own. So an act that is sent
    again is not written again.

    >>> event = LabelEvent(Kind.GRADE, row=4, person=1, grade=2, token="t1")
    >>> event.kind.value, event.grade, event.id
    ('grade', 2, 0)
    """

    kind: Kind
    row: int
    person: int | None
    grade: int | None = None
    text: str = ""
    token: str | None = None
    undoes: int | None = None
    seconds: float | None = None
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True)
class Claim:
    """A document held for a person until it is labelled, given back, or the claim expires."""

    row: int
    person: int
    token: str
    created_at: float
    expires_at: float
    selection: int | None = None
    assumed_grade: int | None = None


class LogSession(Protocol):
    """The log within one exclusive transaction: what is read here stays true until it ends."""

    def events_after(self, event_id: int) -> list[LabelEvent]:
        """Return later events, oldest first."""

    def append(self, event: LabelEvent) -> LabelEvent | None:
        """Write an event and return it with its number; None if its token (or what it undoes) is in the log already."""

    def open_claims(self) -> list[Claim]:
        """Return the claims that are open, oldest first."""

    def open_claim(self, claim: Claim, selection: Selection, assumed: dict[int, int], seed: int) -> Claim:
        """Write a claim and the selection behind it, which was made with a seed."""

    def assume(self, token: str, grade: int) -> None:
        """Note which grade a claimed document counts with until it is labelled."""

    def extend(self, token: str, expires_at: float) -> None:
        """Let an open claim expire later."""

    def close_claim(self, token: str, state: str) -> bool:
        """Close an open claim ('used', 'released' or 'expired'); False if it was not open."""


class LabelLog(Protocol):
    """Where events and claims are kept."""

    def transaction(self) -> AbstractContextManager[LogSession]:
        """Begin an exclusive transaction; it is written at the end, or not at all."""


class ActRefusedError(RulerankError):
    """An act was not written, and nothing else was."""


class NotYoursError(ActRefusedError):
    """A claim belongs to somebody else, or a document cannot be labelled by this person."""


class TooSoonError(ActRefusedError):
    """A grade came sooner than anybody can read: a bounced or held key. Nothing was written."""


class TooLateError(ActRefusedError):
    """The document went to somebody else, or the note was changed, before this act came."""


class DecidedOtherwiseError(ActRefusedError):
    """The same person decided something else about the document already, in another tab."""


class ArchivedError(ActRefusedError):
    """The campaign was archived."""

    words = "This campaign was archived; nothing more is taken"

    def __init__(self) -> None:
        super().__init__(f"{self.words}. What was saved before stays.")


class PausedError(ActRefusedError):
    """The campaign is paused."""

    words = "This campaign is paused; nothing is taken until whoever runs it goes on"

    def __init__(self) -> None:
        super().__init__(f"{self.words}. What was saved before stays.")


class UsedTokenError(ActRefusedError):
    """The token of an act stands in the log already, with another act."""

    def __init__(self) -> None:
        super().__init__("this act was sent under the name of another one, and was not saved; reload the page")


class MemoryLog:
    """Events and claims in lists; both the log and its own transaction.

    >>> from rulerank.campaign.events import Kind
    >>> log = MemoryLog()
    >>> with log.transaction() as session:
    ...     kept = session.append(LabelEvent(Kind.GRADE, row=4, person=1, grade=2, token="t1"))
    >>> [(event.id, event.row, event.grade) for event in log.events_after(0)]
    [(1, 4, 2)]
    """

    def __init__(self) -> None:
        self.events: list[LabelEvent] = []
        self.selections: list[Selection] = []
        self._claims: dict[str, Claim] = {}
        self._tokens: set[str | None] = set()
        self._undone: set[int | None] = set()
        self._lock = threading.RLock()

    @contextmanager
    def transaction(self) -> Iterator[MemoryLog]:
        """Begin an exclusive transaction; what was written in one that fails is taken back."""
        with self._lock:
            events, selections, claims = len(self.events), len(self.selections), dict(self._claims)
            try:
                yield self
            except BaseException:
                for event in self.events[events:]:
                    self._tokens.discard(event.token)
                    self._undone.discard(event.undoes)
                del self.events[events:], self.selections[selections:]
                self._claims = claims
                raise

    def events_after(self, event_id: int) -> list[LabelEvent]:
        """Return later events, oldest first."""
        return self.events[event_id:]

    def append(self, event: LabelEvent) -> LabelEvent | None:
        """Write an event; None if its token (or what it undoes) is in the log already."""
        if event.token in self._tokens or (event.undoes is not None and event.undoes in self._undone):
            return None
        if event.token is not None:
            self._tokens.add(event.token)
        if event.undoes is not None:
            self._undone.add(event.undoes)
        written = replace(event, id=len(self.events) + 1)
        self.events.append(written)
        return written

    def open_claims(self) -> list[Claim]:
        """Return the claims that are open, oldest first."""
        return list(self._claims.values())

    def open_claim(self, claim: Claim, selection: Selection, assumed: dict[int, int], seed: int) -> Claim:
        """Write a claim and the selection behind it, which was made with a seed."""
        self.selections.append(selection)
        kept = replace(claim, selection=len(self.selections))
        self._claims[claim.token] = kept
        return kept

    def assume(self, token: str, grade: int) -> None:
        """Note which grade a claimed document counts with."""
        self._claims[token] = replace(self._claims[token], assumed_grade=grade)

    def extend(self, token: str, expires_at: float) -> None:
        """Let an open claim expire later."""
        if token in self._claims:
            self._claims[token] = replace(self._claims[token], expires_at=expires_at)

    def close_claim(self, token: str, state: str) -> bool:
        """Close an open claim."""
        return self._claims.pop(token, None) is not None
