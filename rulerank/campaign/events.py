"""What is written down: label events and claims, and the small protocol of the log that keeps them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from rulerank.sampling import Selection


class Kind(StrEnum):
    """The acts of an annotator or researcher."""

    GRADE = "grade"
    CANNOT_TELL = "cannot_tell"
    LATER = "later"
    UNDO = "undo"
    NOTE = "note"
    DRAFT = "draft"
    IMPORT = "import"
    ADJUDICATE = "adjudicate"


@dataclass(frozen=True)
class LabelEvent:
    """One act; never changed, never removed. `row` counts within the campaign's pool.

    The `token` stands in a log once: a decision has its claim's, every other act one of its own. So an act that is sent
    again is not written again.
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

    def open_claim(self, claim: Claim, selection: Selection, assumed: dict[int, int]) -> Claim:
        """Write a claim and the selection behind it."""

    def assume(self, token: str, grade: int) -> None:
        """Note which grade a claimed document counts with until it is labelled."""

    def extend(self, token: str, expires_at: float) -> None:
        """Let an open claim expire later."""

    def close_claim(self, token: str, state: str) -> bool:
        """Close an open claim ('used', 'released' or 'expired'); False if it was not open."""

    def archived(self) -> bool:
        """Say whether the campaign was archived and takes nothing more."""


class LabelLog(Protocol):
    """Where events and claims are kept."""

    def transaction(self) -> AbstractContextManager[LogSession]:
        """Begin an exclusive transaction; it is written at the end, or not at all."""
