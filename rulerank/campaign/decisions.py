"""What one person decided, document by document: to look through, and to change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rulerank.campaign.events import Kind
from rulerank.campaign.opened import OpenCampaign
from rulerank.errors import InputError

NOT_A_GRADE = {Kind.CANNOT_TELL: "can't tell", Kind.LATER: "later"}


@dataclass(frozen=True)
class Decision:
    """What a person last decided about a document: a grade, or that they cannot tell, or later; with their note.

    `act` is the number of the event. `reason`: why they could not tell. `flagged`: whether a discussion is open.

    >>> Decision(act=7, row=4, qid="q1", docid="d9", kind=Kind.GRADE, grade=2, at=0.0).answer
    '2'
    """

    act: int
    row: int
    qid: str
    docid: str
    kind: Kind
    grade: int | None
    at: float
    seconds: float | None = None
    note: str = ""
    reason: str = ""
    flagged: bool = False

    @property
    def answer(self) -> str:
        """What was decided, as a word that a list can be filtered by: the digit of a grade, or the name of the act."""
        return NOT_A_GRADE.get(self.kind, str(self.grade))


def decisions_of(opened: OpenCampaign, person: int) -> list[Decision]:
    """Return what a person decided about each document and has not taken back, the latest first."""
    fold = opened.live.refresh()
    open_threads = {row for row, thread in fold.threads.items() if thread.open}
    return [
        Decision(
            act.id,
            act.row,
            *opened.document(act.row),
            act.kind,
            act.grade,
            act.at,
            act.seconds,
            note=fold.notes.get((act.row, person), ""),
            reason=act.text if act.kind is Kind.CANNOT_TELL else "",
            flagged=act.row in open_threads,
        )
        for act in fold.decisions(person)
    ]


@dataclass(frozen=True)
class DecisionFilter:
    """Which decisions to show; a part that is empty asks for nothing.

    `words` are each sought anywhere in query, document and note, in any case. `answers`: see `Decision.answer`.

    >>> given = Decision(act=7, row=4, qid="q1", docid="d9", kind=Kind.GRADE, grade=2, at=0.0, note="Odd page")
    >>> [given in DecisionFilter(words=words).among([given]) for words in ("odd d9", "even")]
    [True, False]
    """

    words: str = ""
    qid: str = ""
    answers: tuple[str, ...] = ()
    since: float = 0.0
    noted: bool = False
    flagged: bool = False

    def among(
        self,
        found: Iterable[Decision],
        queries: Mapping[str, str] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> list[Decision]:
        """Return those that are wanted, in their order; queries and titles by qid and docid, for the words."""
        sought = self.words.casefold().split()

        def wanted(each: Decision) -> bool:
            about = (each.qid, (queries or {}).get(each.qid, ""), each.docid, (titles or {}).get(each.docid, ""))
            text = " ".join((*about, each.note, each.reason)).casefold()
            return (
                (not self.qid or each.qid == self.qid)
                and (not self.answers or each.answer in self.answers)
                and each.at >= self.since
                and (not self.noted or bool(each.note))
                and (not self.flagged or each.flagged)
                and all(word in text for word in sought)
            )

        return [each for each in found if wanted(each)]


def change_grade(opened: OpenCampaign, person: int, decision: Decision, grade: int) -> bool:
    """Give an own document another grade; False where it has this grade already.

    The change is an event of its own, written once however often it is sent: its token comes from what it changes.
    """
    if decision.grade == grade and decision.kind is Kind.GRADE:
        return False
    said = f"change {opened.id} {person} {decision.row} {decision.act} {grade}"
    token = hashlib.sha256(said.encode()).hexdigest()[:32]
    opened.live.write(person, decision.row, Kind.GRADE, grade=grade, token=token)
    return True


def change_note(opened: OpenCampaign, person: int, decision: Decision, note: str) -> bool:
    """Write another note on an own document, or an empty one; False where nothing changes."""
    note = note.strip()
    if opened.live.refresh().act(decision.row, person) is None:
        raise InputError("a note belongs to a document that you have decided about; this one was taken back")
    if opened.live.fold.notes.get((decision.row, person), "") == note:
        return False
    opened.live.write(person, decision.row, Kind.NOTE, text=note)
    return True
