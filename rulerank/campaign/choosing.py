"""Which document a person gets next, and the claim that holds it for them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from rulerank.campaign.events import Claim, LogSession
from rulerank.campaign.state import LiveState
from rulerank.sampling import Selection


@dataclass(frozen=True)
class Offer:
    """A document for a person, with the claim that holds it and the reason it was chosen."""

    claim: Claim
    selection: Selection | None


@dataclass(frozen=True)
class Pause:
    """There is no document: the natural stop is reached (`stopped`), or all are labelled or held by others.

    Or the guidelines have changed, and the person must read them first: `unread` is the number of that change.
    """

    stopped: bool
    reason: str
    unread: int = 0


class Choosing(LiveState):
    """The part of a campaign that chooses; everything here happens within one transaction on the log."""

    def _next(self, session: LogSession, person: int, beyond: bool) -> Offer | Pause:
        unread = self.fold.unread(person)
        if unread is not None:
            return Pause(False, "the guidelines have changed", unread[1].event)
        held = self._held_by(person)
        if held is not None:
            lasts = 60 * self.settings.claim_minutes
            if held.expires_at - self.clock() < lasts / 2:  # not at every redraw: each is a write
                held = replace(held, expires_at=self.clock() + lasts)
                session.extend(held.token, held.expires_at)
            return Offer(held, None)
        found = self._choose(session, person, beyond)
        return found if isinstance(found, Pause) else self._hold(session, person, found)

    def _choose(self, session: LogSession, person: int, beyond: bool) -> Selection | Pause:
        self._assume_claimed(session, person)
        again = self._another_opinion(person)
        if again is not None:
            return again
        late = [r for r in self.fold.waiting_later(person, self.settings.later_after) if self._free(r, person)]
        if late:
            return self._note(late[0], "later", "you put it off a while ago")
        found = self._propose_others(person, beyond)
        left = [r for r in self.fold.waiting_later(person, 0) if self._free(r, person)]
        # Nothing but what was put off is left: it must come back now, for it cannot wait for further acts.
        if isinstance(found, Pause) and left and not isinstance(self._propose(beyond), Pause):
            return self._note(left[0], "later", "you put it off, and nothing else is left")
        return found

    def _propose_others(self, person: int, beyond: bool) -> Selection | Pause:
        """Propose as if the documents that this person put off were not there."""
        put_off = self.fold.put_off(person)
        hidden = [row for row in put_off if row not in self._hidden and row not in self._counted]
        for row in hidden:
            self._sampler.exclude(row)
        try:
            return self._propose(beyond)
        finally:
            for row in hidden:
                self._sampler.include(row)

    def _propose(self, beyond: bool) -> Selection | Pause:
        selection = self._sampler.propose()
        assumed = selection is not None and selection.stop and self.fold.grade(selection.row) is None
        if selection is not None and selection.stop and (beyond or assumed):
            selection = self._sampler.propose(beyond=True)
        if selection is None:
            return Pause(False, "every document is labelled or held")
        return Pause(True, selection.reason) if selection.stop else selection

    def _wanted_from(self, row: int, person: int) -> bool:
        """Say whether too few others hold or graded a document, so that this person may be asked."""
        others = {claim.person for claim in self._claims.values() if claim.row == row}.union(self.fold.grades_of(row))
        return len(others - {person}) < self.settings.overlap

    def _free(self, row: int, person: int) -> bool:
        """Say whether a document may be given to a person: wanted from them, and neither given up nor put aside."""
        away = self.fold.skipped(row) or self.fold.put_aside(row) is not None
        return not away and self._wanted_from(row, person)

    def _another_opinion(self, person: int) -> Selection | None:
        """Return the oldest document that wants more grades and that this person has not judged."""
        wanted = self.settings.overlap
        if wanted < 2:
            return None
        for row in dict.fromkeys(row for _, row in self.fold.labelled_at):
            given = self.fold.grades_of(row)
            if given and self.fold.act(row, person) is None and self._free(row, person):
                return self._note(row, "overlap", f"{wanted} people are asked, and {len(given)} have answered")
        return None

    def _assume_claimed(self, session: LogSession, person: int) -> None:
        """Count documents that others hold as if they had the grade the ranker predicts: no two get near-duplicates."""
        others = [c for c in self._claims.values() if c.person != person and c.assumed_grade is None]
        fresh = [c for c in others if self.fold.grade(c.row) is None]
        if not fresh:
            return
        predicted = self._predict([claim.row for claim in fresh])
        for claim, grade in zip(fresh, predicted, strict=True):
            session.assume(claim.token, grade)
        self._sync(session)

    def _note(self, row: int, why: str, reason: str) -> Selection:
        return Selection(row=row, sampler=why, round=len(self._counted) + 1, reason=reason)

    def _hold(self, session: LogSession, person: int, selection: Selection) -> Offer:
        now = self.clock()
        claim = Claim(selection.row, person, secrets.token_hex(16), now, now + 60 * self.settings.claim_minutes)
        assumed = {c.row: c.assumed_grade for c in self._claims.values() if c.assumed_grade is not None}
        held = session.open_claim(claim, selection, assumed, self.settings.seed)
        self._sync(session)
        return Offer(held, selection)
