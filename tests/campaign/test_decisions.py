"""Own decisions: each document once, as it was decided last; found by words, query, answer, time and note; changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.campaign import Kind, MemoryLog, NotYoursError, OpenCampaign, Settings, set_up
from rulerank.campaign.decisions import Decision, DecisionFilter, change_grade, change_note, decisions_of
from rulerank.errors import InputError
from rulerank.synthetic import planted_collection

ME, OTHER = 1, 2


def opened_campaign(**settings) -> OpenCampaign:
    collection = planted_collection(queries=3, documents=4, features=3)
    chosen = Settings(dwell_milliseconds=0, **settings)
    return OpenCampaign(1, "small", chosen, 1, collection, set_up(collection, chosen), MemoryLog())


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("grade"), st.integers(0, 11), st.integers(0, 2)),
            st.tuples(st.just("cannot_tell"), st.integers(0, 11), st.just(0)),
            st.tuples(st.just("undo"), st.just(0), st.just(0)),
        ),
        max_size=30,
    )
)
@examples(60)
def test_they_are_the_last_acts_that_stand(acts):
    opened = opened_campaign()
    stack: list[tuple[int, str]] = []  # what one would note down on paper
    for kind, row, grade in acts:
        if kind == "undo":
            opened.live.undo(ME)
            stack[-1:] = []
            continue
        opened.live.write(ME, row, Kind(kind), grade=grade if kind == "grade" else None, text="")
        stack.append((row, str(grade) if kind == "grade" else "can't tell"))
    latest: dict[int, str] = {}
    for row, answer in stack:
        latest.pop(row, None)
        latest[row] = answer
    assert [(each.row, each.answer) for each in decisions_of(opened, ME)] == list(latest.items())[::-1]
    assert decisions_of(opened, OTHER) == []


def test_a_changed_grade_is_an_event_that_counts_and_can_be_taken_back():
    opened = opened_campaign()
    opened.live.write(ME, 3, Kind.GRADE, grade=0)
    opened.live.write(ME, 4, Kind.GRADE, grade=1)
    old = decisions_of(opened, ME)[1]
    assert (old.row, old.grade) == (3, 0)
    assert change_grade(opened, ME, old, 2)
    assert change_grade(opened, ME, old, 2)  # sent twice
    assert [event.grade for event in opened.live.log.events] == [0, 1, 2]
    now = decisions_of(opened, ME)[0]
    assert (now.row, now.grade, opened.live.fold.current()[3]) == (3, 2, 2)
    assert not change_grade(opened, ME, now, 2)
    opened.live.undo(ME)
    assert opened.live.fold.current() == {3: 0, 4: 1}


def test_the_ranker_and_the_next_proposal_are_those_of_the_changed_label():
    changed, fresh = opened_campaign(), opened_campaign()
    for opened, first in ((changed, 0), (fresh, 2)):
        opened.live.write(ME, 3, Kind.GRADE, grade=first)
        opened.live.write(ME, 7, Kind.GRADE, grade=1)
    change_grade(changed, ME, decisions_of(changed, ME)[1], 2)
    assert changed.live.next(ME).claim.row == fresh.live.next(ME).claim.row
    np.testing.assert_array_equal(changed.live.rule_counts()[0], fresh.live.rule_counts()[0])


def test_who_could_not_tell_may_grade_later_unless_others_did():
    opened = opened_campaign()
    opened.live.write(ME, 3, Kind.CANNOT_TELL, text="too little text")
    decision = decisions_of(opened, ME)[0]
    assert (decision.answer, decision.reason) == ("can't tell", "too little text")
    opened.live.write(OTHER, 3, Kind.GRADE, grade=1)
    with pytest.raises(NotYoursError, match="others have graded"):
        change_grade(opened, ME, decision, 2)
    assert opened.live.fold.grades_of(3) == {OTHER: 1}


def test_notes_are_changed_and_emptied():
    opened = opened_campaign()
    opened.live.write(ME, 3, Kind.GRADE, grade=0)
    decision = decisions_of(opened, ME)[0]
    assert change_note(opened, ME, decision, " odd ")
    assert not change_note(opened, ME, decision, "odd")
    assert decisions_of(opened, ME)[0].note == "odd"
    assert change_note(opened, ME, decision, "")
    assert decisions_of(opened, ME)[0].note == ""
    opened.live.undo(ME)
    with pytest.raises(InputError, match="taken back"):
        change_note(opened, ME, decision, "gone")


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        (DecisionFilter(), [2, 1, 0]),
        (DecisionFilter(words="WING Paper"), [2]),
        (DecisionFilter(words="d1"), [1]),
        (DecisionFilter(words="strange"), [1]),
        (DecisionFilter(words="lift drag"), [0]),
        (DecisionFilter(words="lift wing"), []),
        (DecisionFilter(qid="q1"), [1, 0]),
        (DecisionFilter(answers=("0", "can't tell")), [2, 0]),
        (DecisionFilter(since=15.0), [2, 1]),
        (DecisionFilter(noted=True), [1]),
        (DecisionFilter(qid="q1", noted=True, answers=("0",)), []),
    ],
)
def test_decisions_are_found(wanted, rows):
    found = [
        Decision(3, 2, "q2", "d2", Kind.CANNOT_TELL, None, 30.0),
        Decision(2, 1, "q1", "d1", Kind.GRADE, 2, 20.0, note="Strange table"),
        Decision(1, 0, "q1", "d0", Kind.GRADE, 0, 10.0),
    ]
    queries, titles = {"q1": "lift of a body", "q2": "wing"}, {"d2": "A paper on wings", "d0": "Drag"}
    assert [each.row for each in wanted.among(found, queries, titles)] == rows
