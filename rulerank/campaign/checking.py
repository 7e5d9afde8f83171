"""Which acts may be written now, and what happened to one that was not, in words that an annotator reads once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rulerank.campaign.choosing import Choosing
from rulerank.campaign.discussion import TALK, check_remark
from rulerank.campaign.events import DecidedOtherwiseError, Kind, LabelEvent, NotYoursError, TooLateError
from rulerank.campaign.fold import ACTS, NOBODY
from rulerank.campaign.settings import Settings
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
        if event.kind in TALK:
            check_remark(event, self.fold.threads.get(row))
        more = event.kind is Kind.GRADE and person is not None and person not in self.fold.grades_of(row)
        if more and not self._wanted_from(row, person or NOBODY):
            raise NotYoursError(self._telling.enough(self.settings.overlap))


def same_act(known: LabelEvent, event: LabelEvent) -> bool:
    """Say whether two events are one act, sent twice."""
    first, second = (replace(each, at=0.0, id=0, seconds=None, token=None) for each in (known, event))
    return first == second


@dataclass(frozen=True)
class Telling:
    """The words of one campaign at one moment."""

    settings: Settings
    now: float

    def name(self, act: LabelEvent) -> str:
        """Name an act: its grade, or what was pressed."""
        if act.grade is not None:
            return f"{act.grade} · {self.settings.grades[act.grade].name}"
        return {Kind.CANNOT_TELL: "can't tell", Kind.LATER: "later"}.get(act.kind, act.kind.value)

    def ago(self, act: LabelEvent) -> str:
        """Say how long ago an act was; not at which hour, which differs between a server and a browser."""
        minutes = max(0, round((self.now - act.at) / 60))
        if minutes < 1:
            return "a moment ago"
        if minutes < 120:
            return "a minute ago" if minutes == 1 else f"{minutes} minutes ago"
        return f"{round(minutes / 60)} hours ago"

    def otherwise(self, known: LabelEvent, decision: LabelEvent, *, undone: bool, last: bool) -> str:
        """Tell a tab that another one decided first."""
        lost = f"your “{self.name(decision)}” was not saved"
        if known.person is None:
            return f"This document could not be shown and was put aside; {lost}."
        there = f"This document got “{self.name(known)}” in another tab, {self.ago(known)}"
        if undone:
            return f"{there}, and that was taken back since; {lost}. Press the key again where the document is shown."
        return f"{there}; {lost}. " + ("Press Z to take that back." if last else "It stays as it is.")

    def already(self, known: LabelEvent) -> str:
        """Tell a tab that another one decided the same first."""
        return (
            f"This document got “{self.name(known)}” in another tab already, {self.ago(known)}; that is what is saved."
        )

    def given_away(self, decision: LabelEvent) -> str:
        """Tell somebody whose claim had ended that others have the document now."""
        minutes = f"{self.settings.claim_minutes:g} minute{'' if self.settings.claim_minutes == 1 else 's'}"
        return (
            f"You no longer held this document (it is kept for {minutes}), so it was given to somebody else; "
            f"your “{self.name(decision)}” was not saved. Here is the next one."
        )

    def not_last(self, undone: LabelEvent | None, last: LabelEvent | None) -> str:
        """Tell a tab that what it wanted to take back is not the last act."""
        if undone is not None:
            return f"“{self.name(undone)}” was taken back in another tab already; nothing more was taken back."
        if last is None:
            return "There is nothing to take back."
        since = f"In another tab you gave “{self.name(last)}” since, {self.ago(last)}"
        return f"{since}; nothing was taken back. Press Z again to take that one back."

    def cannot_revive(self) -> str:
        """Tell somebody why an act stays: without it a former grade would be one too many."""
        return "Others have graded this document since, so your former grade cannot come back; nothing was taken back."

    def not_held(self) -> str:
        """Tell a tab that its document is gone, and the note with it."""
        return "This document was decided in another tab, or went to somebody else; the note was not kept."

    def changed(self, event: LabelEvent, settled: int | None) -> str:
        """Tell who writes over something that they have not seen."""
        if event.kind is not Kind.ADJUDICATE:
            return "This note was changed in another tab; what is typed here is saved only with the grade you give."
        if settled is None:
            return "Somebody withdrew the decision on this document meanwhile; yours was not saved. Decide again."
        level = f"{settled} · {self.settings.grades[settled].name}"
        return f"Somebody settled this document as “{level}” meanwhile; your decision was not saved."

    def enough(self, overlap: int) -> str:
        """Tell who would be one person too many."""
        asked = "One person is" if overlap == 1 else f"{overlap} people are"
        return f"{asked} asked for each document here, and others have graded or hold this one; nothing was saved."
