"""The fold: from the events so far to who gave which grade, what was skipped, noted, drafted and adjudicated."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from rulerank.agreement.aggregate import RULES, one_grade
from rulerank.campaign.events import Kind, LabelEvent

AGGREGATIONS = tuple(RULES)
ACTS = (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER)  # what is done to a document, and can be undone


def aggregate(grades: list[int], rule: str) -> int | None:
    """Return the one grade that a document counts with while labelling goes on, by a rule of `rulerank.agreement`.

    Where adjudication is still waited for, that is the median: the document was judged, and must not be asked for
    again. Exports are stricter and leave such documents out.
    """
    found = one_grade(grades, rule)
    return one_grade(grades, "median") if found is None else found


@dataclass
class Fold:
    """The state after all events up to number `seen`."""

    rule: str = "majority"
    seen: int = 0
    adjudicated: dict[int, int] = field(default_factory=dict)
    imported: dict[int, int] = field(default_factory=dict)
    notes: dict[tuple[int, int], str] = field(default_factory=dict)
    drafts: dict[tuple[int, int], str] = field(default_factory=dict)
    picks: Counter[int] = field(default_factory=Counter)
    seconds: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    labelled_at: list[tuple[float, int]] = field(default_factory=list)
    # What each person did to each document, the valid act last; undone acts are taken out.
    _acts: dict[tuple[int, int], list[LabelEvent]] = field(default_factory=lambda: defaultdict(list))
    # Tuples, not sets: a screen may be going through the people of a document while another thread takes in an event.
    _of_row: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _of_person: dict[int, list[LabelEvent]] = field(default_factory=lambda: defaultdict(list))
    _by_id: dict[int, LabelEvent] = field(default_factory=dict)
    _current: dict[int, int] = field(default_factory=dict)  # kept up, because every key press asks for it
    _label_ids: list[int] = field(default_factory=list)  # the events behind `labelled_at`

    def apply(self, event: LabelEvent) -> None:
        """Take in the next event."""
        self.seen = event.id
        self._take(event)
        grade = self.grade(event.row)
        if grade is None:
            self._current.pop(event.row, None)
        else:
            self._current[event.row] = grade

    def _take(self, event: LabelEvent) -> None:
        if event.kind is Kind.IMPORT:
            if event.grade is not None:
                self.imported[event.row] = event.grade
            return
        if event.kind is Kind.ADJUDICATE:
            if event.grade is None:
                self.adjudicated.pop(event.row, None)
            else:
                self.adjudicated[event.row] = event.grade
            return
        person = event.person if event.person is not None else 0
        key = (event.row, person)
        if event.kind is Kind.NOTE:
            self.notes[key] = event.text
            self.drafts.pop(key, None)
        elif event.kind is Kind.DRAFT:
            self.drafts[key] = event.text
        elif event.kind is Kind.UNDO:
            self._undo(event)
        elif event.kind in ACTS:
            self._acts[key].append(event)
            if person not in self._of_row.get(event.row, ()):
                self._of_row[event.row] = (*self._of_row.get(event.row, ()), person)
            self._of_person[person].append(event)
            self._by_id[event.id] = event
            self.drafts.pop(key, None)
            self.picks[person] += 1
            if event.seconds is not None:
                self.seconds[person].append(event.seconds)
            if event.kind is Kind.GRADE:
                self.labelled_at.append((event.at, event.row))
                self._label_ids.append(event.id)

    def _undo(self, event: LabelEvent) -> None:
        undone = self._by_id.pop(event.undoes or 0, None)
        if undone is None:
            return
        person = undone.person if undone.person is not None else 0
        self._acts[undone.row, person].remove(undone)
        acts = self._of_person[person]
        place = acts.index(undone)
        if undone.seconds is not None:
            del self.seconds[person][sum(act.seconds is not None for act in acts[:place])]
        del acts[place]
        self.picks[person] -= 1
        if undone.kind is Kind.GRADE:
            place = bisect_left(self._label_ids, undone.id)
            del self._label_ids[place], self.labelled_at[place]

    def act(self, row: int, person: int) -> LabelEvent | None:
        """Return what a person last did to a document, if it is not undone."""
        return next(reversed(self._acts.get((row, person), [])), None)

    def last_act(self, person: int) -> LabelEvent | None:
        """Return what a person did last: what an undo takes back."""
        return next(reversed(self._of_person.get(person, [])), None)

    def grades_of(self, row: int) -> dict[int, int]:
        """Return the grades that people gave a document."""
        given = {}
        for person in self._of_row.get(row, ()):
            act = self.act(row, person)
            if act is not None and act.kind is Kind.GRADE and act.grade is not None:
                given[person] = act.grade
        return given

    def grade(self, row: int) -> int | None:
        """Return the one grade that a document counts with, or None."""
        if row in self.adjudicated:
            return self.adjudicated[row]
        given = self.grades_of(row)
        return aggregate(list(given.values()), self.rule) if given else self.imported.get(row)

    def skipped(self, row: int) -> bool:
        """Say whether somebody could not tell the grade, and nobody gave one."""
        acts = [self.act(row, person) for person in self._of_row.get(row, ())]
        return any(a and a.kind is Kind.CANNOT_TELL for a in acts) and not self.grades_of(row)

    def given_up(self) -> list[LabelEvent]:
        """Return the acts of those who could not tell a grade and stand by it, oldest first; `text` is the reason."""
        acts = (act for mine in list(self._acts.values()) for act in mine[-1:])
        return sorted((act for act in acts if act.kind is Kind.CANNOT_TELL), key=lambda act: act.id)

    def touched_rows(self) -> list[int]:
        """Return every document that somebody graded, skipped, imported or adjudicated."""
        return sorted({*self._of_row, *self.imported, *self.adjudicated})

    def current(self) -> dict[int, int]:
        """Return the grade of every document that has one."""
        return dict(self._current)

    def table(self) -> list[tuple[int, int, int]]:
        """Return (row, person, grade) for every valid grade: what agreement is computed from."""
        return [(row, person, grade) for row in sorted(self._of_row) for person, grade in self.grades_of(row).items()]

    def waiting_later(self, person: int, after: int) -> list[int]:
        """Return the documents a person put off that may come back: `after` or more of their acts ago, oldest first."""
        rows = []
        acts = self._of_person.get(person, [])
        for place, act in enumerate(acts):
            put_off = act.kind is Kind.LATER and self.act(act.row, person) is act
            if put_off and len(acts) - 1 - place >= after:
                rows.append(act.row)
        return rows

    def put_off(self, person: int) -> set[int]:
        """Return all documents that a person put off and has not come back to."""
        return {a.row for a in self._of_person.get(person, []) if a.kind is Kind.LATER and self.act(a.row, person) is a}
