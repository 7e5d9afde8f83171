"""Discussions: somebody flags a document, annotators and leads remark on it, a lead resolves it.

Remarks are events of the log and change no grade. Nobody reads what others say of a document before having decided
about it: the remarks may name a grade.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rulerank.campaign.events import Kind, LabelEvent
from rulerank.errors import InputError

TALK = (Kind.FLAG, Kind.REMARK, Kind.RESOLVE)


@dataclass(frozen=True)
class Thread:
    """What was said about one document, the first remark first.

    >>> asked = Thread(4).after(LabelEvent(Kind.FLAG, row=4, person=1, text="Is this a product page?"))
    >>> answered = asked.after(LabelEvent(Kind.RESOLVE, row=4, person=2, text="Yes, so it is relevant."))
    >>> asked.open, answered.open, [each.text for each in answered.remarks][-1]
    (True, False, 'Yes, so it is relevant.')
    """

    row: int
    remarks: tuple[LabelEvent, ...] = ()

    def after(self, remark: LabelEvent) -> Thread:
        """Return the thread with one more remark."""
        return replace(self, remarks=(*self.remarks, remark))

    @property
    def open(self) -> bool:
        """Whether it waits for an answer: it was flagged, and not resolved since. A remark alone opens nothing."""
        turns = [each.kind for each in self.remarks if each.kind is not Kind.REMARK]
        return bool(turns) and turns[-1] is Kind.FLAG

    @property
    def people(self) -> set[int]:
        """Who said something."""
        return {each.person for each in self.remarks if each.person is not None}

    def readable_by(self, person: int, *, decided: bool, leads: bool = False) -> bool:
        """Say whether a person may read it: whoever leads, has decided about the document, or has said something."""
        return leads or decided or person in self.people


def check_remark(event: LabelEvent, thread: Thread | None) -> None:
    """Raise an error unless this may be said now."""
    if event.kind is not Kind.FLAG and thread is None:
        raise InputError("nobody has flagged this document, so there is no discussion to add to; flag it first")
    if event.kind is Kind.REMARK and not event.text.strip():
        raise InputError("a remark needs words")
    if event.kind is Kind.RESOLVE and thread is not None and not thread.open:
        raise InputError("this discussion is resolved already; reload the page to see how")
