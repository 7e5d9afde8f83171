"""The checker of the trial can fail: each kind of violation, put into a history by hand, is found by its name."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.e2e.faults.checker import check_held, check_log, check_prefix, check_present, check_same
from tests.e2e.faults.history import Act, History, LogRow, Outcome, Snapshot

ADA, BEN = 1, 2
SAVED, REFUSED, UNKNOWN = Outcome.ACKNOWLEDGED, Outcome.REFUSED, Outcome.UNKNOWN


def grade(number: int, person: int, row: int, level: int, outcome: Outcome = SAVED, note: str = "") -> Act:
    text = f"{note} {number}" if note else ""
    return Act(
        f"act{number}",
        "grade",
        1,
        person,
        row,
        level,
        text,
        f"token{number}",
        invoked=10.0 * number,
        completed=10.0 * number + 1,
        outcome=outcome,
    )


def draft(number: int, person: int, row: int, outcome: Outcome = SAVED) -> Act:
    act = grade(number, person, row, 0, outcome)
    return replace(act, kind="draft", grade=None, text=f"draft {number}")


def undo(number: int, person: int, takes_back: int | None, outcome: Outcome = SAVED) -> Act:
    act = grade(number, person, 0, 0, outcome)
    return replace(act, kind="undo", row=None, grade=None, takes_back=takes_back)


def written(act: Act, number: int, **more: object) -> LogRow:
    row = LogRow(number, act.kind, act.row or 0, act.person, act.grade, act.text, act.mark)
    return replace(row, **more)  # type: ignore[arg-type]


ACTS = [
    grade(1, ADA, 5, 2, note="why"),
    draft(2, BEN, 6),
    grade(3, BEN, 6, 0),
    undo(4, ADA, 1),
    grade(6, ADA, 7, 1, UNKNOWN),
    grade(7, ADA, 8, 9, REFUSED),
]
LOG = [
    written(ACTS[0], 1),
    LogRow(2, "note", 5, ADA, text="why 1"),
    written(ACTS[1], 3),
    written(ACTS[2], 4),
    written(ACTS[3], 5, row=5, undoes=1),
]


def kinds(acts: list[Act], rows: list[LogRow], overlap: int = 1) -> list[str]:
    return [violation.kind for violation in check_log(acts, rows, overlap)]


def test_a_history_without_fault_passes():
    assert kinds(ACTS, LOG) == []
    assert kinds(ACTS, [*LOG, written(ACTS[4], 6)]) == []  # what is unknown may be there


@pytest.mark.parametrize("lost", [0, 2, 3, 4])
def test_an_acknowledged_act_that_is_missing_is_found(lost):
    assert kinds(ACTS, [row for place, row in enumerate(LOG) if place != lost])[0] == "lost"


def test_a_note_that_is_missing_beside_its_grade_is_found():
    assert kinds(ACTS, [row for row in LOG if row.kind != "note"]) == ["lost"]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_an_act_that_was_written_twice_is_found(place):
    assert "doubled" in kinds(ACTS, [*LOG, replace(LOG[place], id=9)])


def test_an_unknown_act_that_was_written_twice_is_found():
    assert "doubled" in kinds(ACTS, [*LOG, written(ACTS[4], 6), written(ACTS[4], 7)])


def test_a_refused_act_that_is_in_the_log_is_found():
    assert kinds(ACTS, [*LOG, written(ACTS[5], 6)]) == ["refused but written"]


def test_a_refused_tab_may_have_asked_for_what_another_tab_got():
    twin = replace(ACTS[2], id="other", outcome=REFUSED)
    assert kinds([*ACTS, twin], LOG) == []


def test_a_tab_that_is_told_saved_while_the_log_has_the_other_tabs_grade_is_found():
    other = replace(ACTS[2], id="other", grade=2)
    assert kinds([*ACTS, other], LOG) == ["changed"]


def test_an_event_that_nobody_asked_for_is_found():
    assert kinds(ACTS, [*LOG, LogRow(6, "grade", 9, ADA, 1, token="nobody's")]) == ["not asked for"]
    assert kinds(ACTS, [*LOG, LogRow(6, "draft", 9, ADA, text="nobody's")]) == ["not asked for"]


def test_an_undo_of_something_else_than_it_named_is_found():
    acts = [grade(1, ADA, 5, 2), grade(2, ADA, 6, 2), undo(3, ADA, 1)]
    rows = [written(acts[0], 1), written(acts[1], 2), written(acts[2], 3, row=6, undoes=2)]
    assert kinds(acts, rows) == ["wrong undo"]


def test_an_undo_of_somebody_elses_act_or_of_an_older_one_is_found():
    acts = [grade(1, ADA, 5, 2), grade(2, ADA, 6, 2), grade(3, BEN, 7, 2), undo(4, ADA, None)]
    rows = [written(act, number + 1) for number, act in enumerate(acts[:3])]
    for undone in (1, 3):
        assert kinds(acts, [*rows, written(acts[3], 4, undoes=undone)]) == ["wrong undo"]


def test_one_undo_that_takes_two_labels_back_is_found():
    acts = [grade(1, ADA, 5, 2), grade(2, ADA, 6, 2), undo(3, ADA, 2)]
    rows = [written(acts[0], 1), written(acts[1], 2), written(acts[2], 3, row=6, undoes=2)]
    assert kinds(acts, rows) == []
    assert kinds(acts, [*rows, written(acts[2], 4, row=5, undoes=1)]) == ["doubled", "wrong undo"]
    assert kinds(acts, [*rows, LogRow(4, "undo", 5, ADA, token="another", undoes=1)]) == ["not asked for"]


def test_a_label_that_is_undone_twice_is_found():
    acts = [grade(1, ADA, 5, 2), undo(2, ADA, None), undo(3, ADA, None)]
    rows = [written(acts[0], 1), written(acts[1], 2, undoes=1), written(acts[2], 3, undoes=1)]
    assert kinds(acts, rows) == ["undone twice"]


def test_an_older_draft_over_a_newer_acknowledged_one_is_found():
    acts = [draft(1, ADA, 5), draft(2, ADA, 5)]
    assert kinds(acts, [written(acts[0], 1), written(acts[1], 2)]) == []
    assert kinds(acts, [written(acts[1], 1), written(acts[0], 2)]) == ["out of order"]
    together = [replace(acts[0], completed=99.0), replace(acts[1], completed=99.0)]
    assert kinds(together, [written(acts[1], 1), written(acts[0], 2)]) == []


def test_more_graders_than_asked_for_are_found_at_any_moment():
    acts = [grade(1, ADA, 5, 2), grade(2, BEN, 5, 1), undo(3, ADA, 1)]
    rows = [written(acts[0], 1), written(acts[1], 2), written(acts[2], 3, row=5, undoes=1)]
    assert kinds(acts, rows, overlap=1) == ["too many graders"]  # although it is one again at the end
    assert kinds(acts, rows, overlap=2) == []


def test_a_document_held_by_two_or_held_while_graded_is_found():
    row = written(grade(1, ADA, 5, 2), 1)
    assert check_held(Snapshot(0.0, (row,), ((6, ADA), (7, BEN))), 1) == []
    for held in (((6, ADA), (6, BEN)), ((5, BEN),)):
        assert [violation.kind for violation in check_held(Snapshot(0.0, (row,), held), 1)] == ["held by too many"]
    assert check_held(Snapshot(0.0, (row,), ((5, BEN),)), 2) == []


def test_a_log_that_was_rewritten_is_found():
    before = Snapshot(0.0, tuple(LOG[:3]))
    assert check_prefix(before, Snapshot(1.0, tuple(LOG))) == []
    changed = replace(LOG[0], grade=0)
    for rows in ((changed, *LOG[1:]), tuple(LOG[1:]), tuple(LOG[:2]), (), (LOG[1], LOG[0], *LOG[2:])):
        assert [violation.kind for violation in check_prefix(before, Snapshot(1.0, rows))] == ["log rewritten"]


def test_an_act_that_vanished_between_answer_and_reading_is_found():
    assert check_present(ACTS, Snapshot(1000.0, tuple(LOG))) == []
    assert [v.kind for v in check_present(ACTS, Snapshot(1000.0, tuple(LOG[1:])))] == ["lost"]
    assert check_present(ACTS, Snapshot(5.0, ())) == []  # it was read before anything was acknowledged


def test_processes_that_propose_different_documents_are_found():
    assert check_same("next", {"a": 1, "b": 1}) == []
    assert [v.kind for v in check_same("next", {"a": 1, "b": 1, "c": 2})] == ["processes differ"]


def test_a_refusal_proves_nothing_while_another_copy_is_under_way():
    history = History()
    plain, resent, doubled = (grade(number, ADA, 5, 1, Outcome.OPEN) for number in (1, 2, 3))
    resent.unanswered = 1
    history.copy(doubled.id)
    for act in (plain, resent, doubled):
        history.begin(act)
        history.end(act, REFUSED)
        assert act.invoked <= (act.completed or 0.0) <= time.monotonic()
    assert [act.outcome for act in history.of(1)] == [REFUSED, UNKNOWN, UNKNOWN]
    assert history.counts["refused"] == 1
    assert history.counts["unknown"] == 2
