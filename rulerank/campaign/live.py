"""The live loop: what to label next, for whom, and what a label changes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rulerank.campaign.events import Claim, Kind, LabelEvent, LogSession
from rulerank.campaign.fold import ACTS, Fold
from rulerank.campaign.state import LiveState
from rulerank.errors import InputError, RulerankError
from rulerank.rules.items import as_whole
from rulerank.sampling import Selection


class NotYoursError(RulerankError):
    """A claim belongs to somebody else, or a document cannot be labelled by this person."""


class TooSoonError(RulerankError):
    """A grade came sooner than anybody can read: a bounced or held key. Nothing was written."""


@dataclass(frozen=True)
class Offer:
    """A document for a person, with the claim that holds it and the reason it was chosen."""

    claim: Claim
    selection: Selection | None


@dataclass(frozen=True)
class Pause:
    """There is no document: the natural stop is reached (`stopped`), or all are labelled or held by others."""

    stopped: bool
    reason: str


class Campaign(LiveState):
    """One campaign in one process. Any number of threads may call it; other processes see the same log."""

    @contextmanager
    def _step(self) -> Iterator[LogSession]:
        """One transaction, begun with the state brought up to the log."""
        with self._lock:
            try:
                with self.log.transaction() as session:
                    self._sync(session)
                    yield session
            except (NotYoursError, TooSoonError):
                raise  # refused before anything was written
            except BaseException:
                # What was written is taken back, and its numbers go to other events: the state must not keep it.
                self._begin()
                raise

    # What a person asks for ----------------------------------------------------------------------------------------

    def next(self, person: int, *, beyond: bool = False) -> Offer | Pause:
        """Return the document a person holds, or the next one for them; `beyond` goes on past the natural stop."""
        with self._step() as session:
            return self._next(session, person, beyond)

    def submit(
        self, person: int, token: str, row: int, kind: Kind, *, grade: int | None = None, text: str = ""
    ) -> LabelEvent | None:
        """Write what a person decided about the document they hold; None if that token was used already.

        A claim that expired meanwhile does not cost the label: it is written all the same.
        """
        decision = self._decision(person, row, kind, grade, text)
        with self._step() as session:
            return self._submit(session, decision, token)

    def advance(
        self,
        person: int,
        token: str,
        row: int,
        kind: Kind,
        *,
        grade: int | None = None,
        note: str = "",
        reason: str = "",
        beyond: bool = False,
    ) -> Offer | Pause:
        """Write what a person decided, with a note if there is one, and return what comes next: one transaction.

        The decision itself keeps the reason (of who cannot tell) and the note, which may be changed later on its own.
        A label must not depend on what follows it: where nothing can be chosen, it is written by itself.
        """
        decision = self._decision(person, row, kind, grade, ": ".join(filter(None, (reason, note))))
        remark = self._event(Kind.NOTE, row, person, None, note, decision.at) if note else None
        try:
            with self._step() as session:
                self._submit(session, decision, token, remark)
                return self._next(session, person, beyond)
        except (NotYoursError, TooSoonError):
            raise
        except Exception:
            with self._step() as session:
                self._submit(session, decision, token, remark)
            raise

    def write(
        self, person: int | None, row: int, kind: Kind, *, grade: int | None = None, text: str = ""
    ) -> LabelEvent:
        """Write an act that needs no claim: a note, a draft, another grade for an own label, an adjudication."""
        if kind is Kind.UNDO:
            raise InputError("an act is taken back with undo()")
        event = self._event(kind, row, person, grade, text, self.clock())
        with self._step() as session:
            written = session.append(event)
            assert written is not None  # no token, nothing undone: there is nothing it could repeat
            if kind in ACTS and person is not None:
                self._close_claims(session, person, row)
            self._sync(session)
            return written

    def undo(self, person: int) -> Offer | None:
        """Take back a person's last act and hand them that document again.

        None if there is nothing to undo, or if others took over a document that this person had put off.
        """
        with self._step() as session:
            last = self.fold.last_act(person)
            if last is None:
                return None
            event = LabelEvent(Kind.UNDO, last.row, person, undoes=last.id, at=self.clock())
            if session.append(event) is None:
                return None
            held = self._held_by(person)
            if held is not None:
                session.close_claim(held.token, "released")
            self._sync(session)
            if not self._wanted_from(last.row, person):
                return None
            return self._hold(session, person, self._note(last.row, "undo", "you took your last act on it back"))

    def release(self, person: int) -> None:
        """Give back the document a person holds."""
        with self._step() as session:
            held = self._held_by(person)
            if held is not None:
                session.close_claim(held.token, "released")
                self._sync(session)

    def refresh(self) -> Fold:
        """Take in what others wrote, and return the state."""
        with self._step():
            return self.fold

    # How it works --------------------------------------------------------------------------------------------------

    def _next(self, session: LogSession, person: int, beyond: bool) -> Offer | Pause:
        held = self._held_by(person)
        if held is not None:
            lasts = 60 * self.settings.claim_minutes
            if held.expires_at - self.clock() < lasts / 2:  # not at every redraw: each is a write
                held = replace(held, expires_at=self.clock() + lasts)
                session.extend(held.token, held.expires_at)
            return Offer(held, None)
        found = self._choose(session, person, beyond)
        return found if isinstance(found, Pause) else self._hold(session, person, found)

    def _decision(self, person: int, row: int, kind: Kind, grade: int | None, text: str) -> LabelEvent:
        if kind not in ACTS:
            raise InputError(f"a document is graded, put off, or given up with 'cannot_tell', not {kind.value!r}")
        return self._event(kind, row, person, grade, text, self.clock())

    def _submit(
        self, session: LogSession, decision: LabelEvent, token: str, remark: LabelEvent | None = None
    ) -> LabelEvent | None:
        """Write a decision under the token of its claim, and a remark on it; None if the token was used already."""
        claim, now, person = self._claims.get(token), decision.at, decision.person
        if claim is not None and (claim.person != person or claim.row != decision.row):
            raise NotYoursError("this document is held by somebody else; reload the page")
        # A clock that was set back says nothing about how long a document was looked at.
        seconds = now - claim.created_at if claim and claim.created_at <= now else None
        if seconds is not None and seconds * 1000 < self.settings.dwell_milliseconds:
            raise TooSoonError("that was too quick to be meant; press the key again")
        written = session.append(replace(decision, token=token, seconds=seconds))
        if written is not None and person is not None:
            if remark is not None:
                session.append(remark)
            self._close_claims(session, person, decision.row)
            self._sync(session)
        return written

    def _event(self, kind: Kind, row: int, person: int | None, grade: int | None, text: str, now: float) -> LabelEvent:
        """Return a checked event, of plain numbers and of text that every database can keep."""
        place = as_whole(row)
        if place is None or not 0 <= place < len(self.pool.items):
            raise InputError(f"document {row} is not in the pool of this campaign")
        level, top = as_whole(grade), len(self.settings.grades) - 1
        if grade is not None and (level is None or not 0 <= level <= top):
            raise InputError(f"grade {grade} does not exist here; grades are 0 to {top}")
        if kind is Kind.GRADE and grade is None:
            raise InputError("a label needs a grade")
        kept = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        return LabelEvent(kind, place, person, level, kept, at=now)

    def _close_claims(self, session: LogSession, person: int, row: int) -> None:
        """Close what a person holds of a document: after an expiry it may be under another token than the label's."""
        for claim in self._claims.values():
            if claim.person == person and claim.row == row:
                session.close_claim(claim.token, "used")

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
            selection = self._sampler.propose(beyond=True)  # type: ignore[call-arg]
        if selection is None:
            return Pause(False, "every document is labelled or held")
        return Pause(True, selection.reason) if selection.stop else selection

    def _wanted_from(self, row: int, person: int) -> bool:
        """Say whether too few others hold or graded a document, so that this person may be asked."""
        others = {claim.person for claim in self._claims.values() if claim.row == row}.union(self.fold.grades_of(row))
        return len(others - {person}) < self.settings.overlap

    def _free(self, row: int, person: int) -> bool:
        return self._wanted_from(row, person) and not self.fold.skipped(row)

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
        """Count documents that others hold as if they had the grade the ranker predicts, so that no two get twins."""
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
        held = session.open_claim(claim, selection, assumed)
        self._sync(session)
        return Offer(held, selection)
