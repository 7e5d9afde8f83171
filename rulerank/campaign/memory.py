"""A label log in memory, for notebooks, simulations and tests; it forgets when the process ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from rulerank.campaign.events import Claim, LabelEvent
from rulerank.sampling import Selection


class MemoryLog:
    """Events and claims in lists; both the log and its own transaction."""

    def __init__(self) -> None:
        self.events: list[LabelEvent] = []
        self.selections: list[Selection] = []
        self.is_archived = False
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

    def open_claim(self, claim: Claim, selection: Selection, assumed: dict[int, int]) -> Claim:
        """Write a claim and the selection behind it."""
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

    def archived(self) -> bool:
        """Say whether the campaign was archived."""
        return self.is_archived
