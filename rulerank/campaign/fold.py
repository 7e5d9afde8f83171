"""The fold: from the events so far to who gave which grade, what was skipped, noted, adjudicated, and changed."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from rulerank.agreement.aggregate import RULES, one_grade
from rulerank.campaign.changes import Course, Told
from rulerank.campaign.discussion import TALK, Thread
from rulerank.campaign.events import Kind, LabelEvent

AGGREGATIONS = tuple(RULES)
ACTS = (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER)  # what is done to a document, and can be undone
NOBODY = 0  # stands for the person of what the program did by itself


def aggregate(grades: list[int], rule: str) -> int | None:
    """Return the one grade that a document counts with while labelling goes on, by a rule of `rulerank.agreement`.

    Where adjudication is still waited for, that is the median: the document was judged, and must not be asked for
    again. Exports are stricter and leave such documents out. Under a model of annotators it is the median, too: every
    key press asks for this grade, and one label more may change what a model makes of all documents. Exports and
    Agreement ask the model.
    """
    found = one_grade(grades, rule)
    return one_grade(grades, "median") if found is None else found


@dataclass
class LogFold:
    """The state after all events up to number `seen`.

    >>> fold = LogFold()
    >>> fold.apply(LabelEvent(Kind.GRADE, row=4, person=1, grade=2, token="t1", id=1))
    >>> fold.grade(4), fold.seen
    (2, 1)
    """

    course: Course = field(default_factory=Course)  # what changes have made of the campaign
    seen: int = 0
    last: LabelEvent | None = None  # the event with the number `seen`
    adjudicated: dict[int, int] = field(default_factory=dict)
    imported: dict[int, int] = field(default_factory=dict)
    notes: dict[tuple[int, int], str] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    drafts: dict[tuple[int, int], str] = field(default_factory=dict)
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
    _by_token: dict[str, LabelEvent] = field(default_factory=dict)
    _undone: dict[int, LabelEvent] = field(default_factory=dict)  # the acts that were taken back, by number
    _latest: dict[tuple[Kind, int, int], int] = field(default_factory=dict)  # see `latest`
    _began: dict[int, int] = field(default_factory=dict)  # each person's first act, undone or not
    _graded: bool = False  # whether the log holds a grade, undone or not

    @property
    def rule(self) -> str:
        """How several people's grades become one."""
        return self.course.aggregation

    @property
    def has_labels(self) -> bool:
        """Whether the log holds a grade, be it one that was taken back or replaced."""
        return self._graded

    def unread(self, person: int) -> tuple[Told, Told] | None:
        """Return what a person was told when they last looked, and what annotators are told now, if that differs."""
        known = self.course.known_to(person, self._began.get(person))
        return None if known is None else (known, self.course.told[-1])

    def apply(self, event: LabelEvent) -> None:
        """Take in the next event."""
        self.seen, self.last = event.id, event
        if event.token is not None:
            self._by_token[event.token] = event
        if event.kind is Kind.CHANGE:
            self._change(event)
            return
        self._graded = self._graded or event.grade is not None
        self._take(event)
        grade = self.grade(event.row)
        if grade is None:
            self._current.pop(event.row, None)
        else:
            self._current[event.row] = grade

    def _change(self, event: LabelEvent) -> None:
        """Take in a change of the campaign; another way to settle several grades settles all of them anew."""
        before = self.rule
        self.course.apply(event)
        if self.rule != before:
            settled = {row: self.grade(row) for row in self._current}
            self._current = {row: grade for row, grade in settled.items() if grade is not None}

    def _take(self, event: LabelEvent) -> None:
        if event.kind is Kind.IMPORT:
            if event.grade is not None:
                self.imported[event.row] = event.grade
            return
        if event.kind is Kind.ADJUDICATE:
            self._latest[event.kind, event.row, NOBODY] = event.id
            if event.grade is None:
                self.adjudicated.pop(event.row, None)
            else:
                self.adjudicated[event.row] = event.grade
            return
        if event.kind in TALK:
            self.threads[event.row] = self.threads.get(event.row, Thread(event.row)).after(event)
            return
        person = event.person if event.person is not None else NOBODY
        key = (event.row, person)
        if event.kind is Kind.NOTE:
            self.notes[key] = event.text
            self.drafts.pop(key, None)
        elif event.kind is Kind.DRAFT:
            self._latest[event.kind, *key] = event.id
            self.drafts[key] = event.text
        elif event.kind is Kind.UNDO:
            self._undo(event)
        elif event.kind in ACTS:
            self._acts[key].append(event)
            if person not in self._of_row.get(event.row, ()):
                self._of_row[event.row] = (*self._of_row.get(event.row, ()), person)
            self._of_person[person].append(event)
            self._began.setdefault(person, event.id)
            self._by_id[event.id] = event
            self.drafts.pop(key, None)
            if event.seconds is not None:
                self.seconds[person].append(event.seconds)
            if event.kind is Kind.GRADE:
                self.labelled_at.append((event.at, event.row))
                self._label_ids.append(event.id)

    def _undo(self, event: LabelEvent) -> None:
        undone = self._by_id.pop(event.undoes or 0, None)
        if undone is None:
            return
        self._undone[undone.id] = undone
        person = undone.person if undone.person is not None else NOBODY
        self._acts[undone.row, person].remove(undone)
        acts = self._of_person[person]
        place = acts.index(undone)
        if undone.seconds is not None:
            del self.seconds[person][sum(act.seconds is not None for act in acts[:place])]
        del acts[place]
        if undone.kind is Kind.GRADE:
            place = bisect_left(self._label_ids, undone.id)
            del self._label_ids[place], self.labelled_at[place]

    def act(self, row: int, person: int) -> LabelEvent | None:
        """Return what a person last did to a document, if it is not undone."""
        return next(reversed(self._acts.get((row, person), [])), None)

    def last_act(self, person: int) -> LabelEvent | None:
        """Return what a person did last: what an undo takes back."""
        return next(reversed(self._of_person.get(person, [])), None)

    def decisions(self, person: int) -> list[LabelEvent]:
        """Return what a person last did to each document, if it is not undone, the latest first."""
        latest = {act.row: act for act in list(self._of_person.get(person, []))}
        return sorted(latest.values(), key=lambda act: act.id, reverse=True)

    def count_of(self, person: int, kind: Kind, since: float = 0.0) -> int:
        """Return how many documents a person last did something of this kind to, at all or since a moment.

        So a grade that was changed counts once.
        """
        number = 0
        for act in reversed(self._of_person.get(person, [])):
            if act.at < since:
                break
            number += act.kind is kind and self.act(act.row, person) is act
        return number

    def act_before(self, act: LabelEvent) -> LabelEvent | None:
        """Return what counted before an act of the same person on the same document: what its undo brings back."""
        acts = self._acts.get((act.row, act.person if act.person is not None else NOBODY), [])
        return next((former for former in reversed(acts) if former.id < act.id), None)

    def with_token(self, token: str | None) -> LabelEvent | None:
        """Return the event that was written under a token."""
        return None if token is None else self._by_token.get(token)

    def undone(self, number: int | None) -> LabelEvent | None:
        """Return the act of this number if it was taken back."""
        return self._undone.get(number or 0)

    def latest(self, kind: Kind, row: int, person: int | None = None) -> int:
        """Return the number of the latest draft (of a person) or adjudication (of anybody) on a document, else 0."""
        return self._latest.get((kind, row, NOBODY if person is None or kind is Kind.ADJUDICATE else person), 0)

    def put_aside(self, row: int) -> LabelEvent | None:
        """Return the event by which a document was put aside, if it could not be shown; `text` says why."""
        act = self.act(row, NOBODY)
        return act if act is not None and act.kind is Kind.CANNOT_TELL else None

    def all_put_aside(self) -> list[LabelEvent]:
        """Return the events by which documents were put aside, oldest first."""
        return [act for act in self.given_up() if act.person is None]

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
        """Say whether somebody could not tell the grade, or the document could not be shown, and nobody gave one."""
        acts = [self.act(row, person) for person in self._of_row.get(row, ())]
        return any(a and a.kind is Kind.CANNOT_TELL for a in acts) and not self.grades_of(row)

    def given_up(self) -> list[LabelEvent]:
        """Return the acts of those who could not tell a grade and stand by it, oldest first; `text` is the reason.

        Documents that could not be shown are among them; their act has no person.
        """
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
