"""The fold equals a plain one that looks at the whole log each time; undo, ties and adjudication as promised."""

from __future__ import annotations

from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.campaign import AGGREGATIONS, Course, Kind, LabelEvent, LogFold, Settings, aggregate
from rulerank.errors import InputError

ACTS = (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER)
ROWS, PEOPLE = range(4), (1, 2, 3)


@st.composite
def logs(draw):
    events = []
    for number in range(1, draw(st.integers(0, 25)) + 1):
        kind = draw(st.sampled_from([*ACTS, Kind.GRADE, *(kind for kind in Kind if kind is not Kind.CHANGE)]))
        # Anything may be undone, also what is undone already, no act, or not there at all.
        undoes = draw(st.integers(1, 26)) if kind is Kind.UNDO else None
        row = events[undoes - 1].row if undoes and undoes < number else draw(st.sampled_from(ROWS))
        graded = kind in (Kind.GRADE, Kind.IMPORT) or (kind is Kind.ADJUDICATE and draw(st.booleans()))
        events.append(
            LabelEvent(
                kind,
                row,
                draw(st.sampled_from(PEOPLE)),
                grade=draw(st.integers(0, 2)) if graded else None,
                text=draw(st.sampled_from(["", "a", "b"])),
                undoes=undoes,
                seconds=draw(st.sampled_from([None, 1.0, 2.0])),
                at=float(draw(st.integers(0, 3))),
                id=number,
            )
        )
    return events


class Plain:
    """The fold again, from the whole log, with nothing kept up to date."""

    def __init__(self, events: list[LabelEvent], rule: str) -> None:
        undone: set[int] = set()
        self.drafts, self.notes, self.imported, self.adjudicated = {}, {}, {}, {}
        acts: dict[int, LabelEvent] = {}
        for event in events:
            key = event.row, event.person
            if event.kind in ACTS:
                acts[event.id] = event
            if event.kind is Kind.UNDO and event.undoes in acts:
                undone.add(event.undoes)
            if event.kind is Kind.DRAFT:
                self.drafts[key] = event.text
            elif event.kind in (Kind.NOTE, *ACTS):
                self.drafts.pop(key, None)
            if event.kind is Kind.NOTE:
                self.notes[key] = event.text
            if event.kind is Kind.IMPORT:
                self.imported[event.row] = event.grade
            if event.kind is Kind.ADJUDICATE:
                self.adjudicated[event.row] = event.grade
        self.acts = [act for act in acts.values() if act.id not in undone]
        self.rule = rule

    def of(self, person: int) -> list[LabelEvent]:
        return [act for act in self.acts if act.person == person]

    def last(self, row: int, person: int) -> LabelEvent | None:
        return next((act for act in reversed(self.of(person)) if act.row == row), None)

    def grades_of(self, row: int) -> dict[int, int]:
        last = {person: self.last(row, person) for person in PEOPLE}
        return {person: act.grade for person, act in last.items() if act and act.kind is Kind.GRADE}

    def grade(self, row: int) -> int | None:
        given = list(self.grades_of(row).values())
        if self.adjudicated.get(row) is not None:
            return self.adjudicated[row]
        if not given:
            return self.imported.get(row)
        if self.rule != "majority":
            return median_low(given)
        most = max(given.count(grade) for grade in range(3))
        return median_low([grade for grade in range(3) if given.count(grade) == most])

    def skipped(self, row: int) -> bool:
        last = [self.last(row, person) for person in PEOPLE]
        return not self.grades_of(row) and any(act and act.kind is Kind.CANNOT_TELL for act in last)

    def put_off(self, person: int, after: int) -> list[int]:
        mine = self.of(person)
        found = [n for n, act in enumerate(mine) if act.kind is Kind.LATER and self.last(act.row, person) is act]
        return [mine[n].row for n in found if len(mine[n + 1 :]) >= after]


@given(log=logs(), rule=st.sampled_from(AGGREGATIONS))
@examples(120)
def test_any_log_folds_as_a_plain_look_at_all_of_it_does(log, rule):
    fold = LogFold(Course(Settings(aggregation=rule)))
    for event in log:
        fold.apply(event)
    plain = Plain(log, rule)
    assert fold.seen == len(log)
    assert (fold.drafts, fold.notes) == (plain.drafts, plain.notes)
    for row in ROWS:
        assert fold.grades_of(row) == plain.grades_of(row)
        assert fold.grade(row) == plain.grade(row)
        assert fold.skipped(row) == plain.skipped(row)
        assert [fold.act(row, person) for person in PEOPLE] == [plain.last(row, person) for person in PEOPLE]
    assert fold.current() == {row: plain.grade(row) for row in ROWS if plain.grade(row) is not None}
    assert sorted(fold.table()) == sorted((row, *pair) for row in ROWS for pair in plain.grades_of(row).items())
    assert fold.labelled_at == [(act.at, act.row) for act in plain.acts if act.kind is Kind.GRADE]
    for person in PEOPLE:
        mine = plain.of(person)
        for kind in (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER):
            now = {act.row: act.kind for act in mine}  # a grade that was changed counts once
            assert fold.count_of(person, kind) == sum(each is kind for each in now.values())
        assert fold.last_act(person) == (mine[-1] if mine else None)
        assert fold.seconds.get(person, []) == [act.seconds for act in mine if act.seconds is not None]
        assert fold.put_off(person) == set(plain.put_off(person, 0))
        for after in range(4):
            assert fold.waiting_later(person, after) == plain.put_off(person, after)


def folded(*events: tuple, rule: str = "majority") -> LogFold:
    fold = LogFold(Course(Settings(aggregation=rule)))
    for number, (kind, row, person, *rest) in enumerate(events, 1):
        more = rest[0] if rest else {}
        fold.apply(LabelEvent(kind, row, person, id=number, **more))
    return fold


def test_an_undo_is_not_undone():
    fold = folded((Kind.GRADE, 0, 1, {"grade": 2}), (Kind.UNDO, 0, 1, {"undoes": 1}), (Kind.UNDO, 0, 1, {"undoes": 2}))
    assert fold.grade(0) is None
    assert fold.last_act(1) is None


def test_undoing_another_grade_brings_the_earlier_one_back():
    fold = folded((Kind.GRADE, 0, 1, {"grade": 2}), (Kind.GRADE, 0, 1, {"grade": 0}))
    assert fold.grade(0) == 0
    fold.apply(LabelEvent(Kind.UNDO, 0, 1, undoes=2, id=3))
    assert fold.grade(0) == 2


@pytest.mark.parametrize("rule", AGGREGATIONS)
def test_an_adjudicated_grade_wins_until_it_is_withdrawn(rule):
    fold = folded(
        (Kind.GRADE, 0, 1, {"grade": 2}),
        (Kind.ADJUDICATE, 0, 3, {"grade": 1}),
        (Kind.GRADE, 0, 2, {"grade": 2}),
        rule=rule,
    )
    assert fold.grade(0) == 1
    assert fold.grades_of(0) == {1: 2, 2: 2}
    fold.apply(LabelEvent(Kind.ADJUDICATE, 0, 3, id=4))
    assert fold.grade(0) == 2


@pytest.mark.parametrize(
    ("grades", "majority", "median"),
    [
        ([], None, None),
        ([2], 2, 2),
        ([2, 0], 0, 0),
        ([2, 1, 2], 2, 2),
        ([0, 1, 2], 1, 1),
        ([2, 2, 1, 1], 1, 1),
        ([0, 0, 2, 2, 1], 0, 1),
        ([0, 2, 2, 1], 2, 1),
    ],
)
def test_majority_and_median_ties_go_to_the_lower_middle_grade(grades, majority, median):
    for order in (grades, grades[::-1]):
        assert aggregate(order, "majority") == majority
        assert aggregate(order, "median") == median
        assert aggregate(order, "adjudication") == median


def test_an_unknown_aggregation_is_refused():
    with pytest.raises(InputError, match=r"majority, median, adjudication, .*, not 'mean'"):
        aggregate([1], "mean")


def test_a_grade_from_elsewhere_counts_until_a_person_gives_one():
    fold = folded((Kind.IMPORT, 0, None, {"grade": 2}), (Kind.GRADE, 0, 1, {"grade": 0}))
    assert fold.grade(0) == 0
    fold.apply(LabelEvent(Kind.UNDO, 0, 1, undoes=2, id=3))
    assert fold.grade(0) == 2
