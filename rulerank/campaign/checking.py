"""Which acts may be written now: of the right form, in time, and not one person too many on a document."""

from __future__ import annotations

from dataclasses import replace

from rulerank.campaign.choosing import Choosing
from rulerank.campaign.events import Kind, LabelEvent
from rulerank.campaign.fold import ACTS, NOBODY
from rulerank.campaign.refusals import DecidedOtherwiseError, NotYoursError, TooLateError
from rulerank.campaign.telling import Telling
from rulerank.errors import InputError
from rulerank.rules.items import as_whole


class Checking(Choosing):
    """The part of a campaign that checks acts, within the transaction that writes them."""

    @property
    def _telling(self) -> Telling:
        return Telling(self.settings, self.clock())

    def _decision(self, person: int, row: int, kind: Kind, grade: int | None, text: str) -> LabelEvent:
        if kind not in ACTS:
            raise InputError(f"a document is graded, put off, or given up with 'cannot_tell', not {kind.value!r}")
        return self._event(kind, row, person, grade, text, self.clock())

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

    def _decided(self, decision: LabelEvent, token: str) -> bool:
        """Say whether a decision, whose claim is no longer open, stands in the log; raise an error if it may not."""
        row, person = decision.row, decision.person
        assert person is not None
        known = self.fold.with_token(token)
        if known is None:  # a claim that expired or was given back; a tab may have decided under another one
            mine = self.fold.act(row, person)
            known = mine if mine is not None and mine.kind is not Kind.LATER else None
        if known is None:
            if not self._wanted_from(row, person):
                raise TooLateError(self._telling.given_away(decision))
            return False
        if known.person not in (person, None) or known.row != row:
            raise NotYoursError("this document is held by somebody else; reload the page")
        undone = self.fold.undone(known.id) is not None
        if undone or not same_act(known, decision):
            raise DecidedOtherwiseError(
                self._telling.otherwise(known, decision, undone=undone, last=known is self.fold.last_act(person))
            )
        return True

    def _check_current(self, event: LabelEvent, claim: str | None, after: int | None) -> None:
        """Raise an error if an act without a claim of its own comes too late, or would be one grade too many."""
        row, person = event.row, event.person
        if claim is not None:
            held = self._claims.get(claim)
            if held is None or (held.person, held.row) != (person, row):
                raise TooLateError(self._telling.not_held())
        if after is not None and self.fold.latest(event.kind, row, person) != after:
            settled = self.fold.adjudicated.get(row) if event.kind is Kind.ADJUDICATE else None
            raise TooLateError(self._telling.changed(event, settled))
        more = event.kind is Kind.GRADE and person is not None and person not in self.fold.grades_of(row)
        if more and not self._wanted_from(row, person or NOBODY):
            raise NotYoursError(self._telling.enough(self.settings.overlap))


def same_act(known: LabelEvent, event: LabelEvent) -> bool:
    """Say whether two events are one act, sent twice."""
    first, second = (replace(each, at=0.0, id=0, seconds=None, token=None) for each in (known, event))
    return first == second
