"""Grades that look random raise a doubt of their kind; honest ones raise none."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.campaign.doubts import (
    Contradictions,
    GradesOfPerson,
    Stretches,
    at_chance,
    contradictions,
    too_fast,
)

QUERIES, DOCUMENTS, FEATURES = 40, 10, 20


def campaign(seed):
    """Documents of which every second one is a near copy of the one before, and grades that go with a feature."""
    rng = np.random.default_rng(seed)
    items = rng.integers(0, 4, (QUERIES * DOCUMENTS, FEATURES)).astype(np.uint8)
    items[1::2] = items[::2]
    items[1::2, 5] = rng.integers(0, 4, len(items) // 2)
    qids = np.repeat(np.arange(QUERIES), DOCUMENTS)
    grades = ((items[:, 0] + items[:, 1]) > 3).astype(np.int64) * rng.choice([1, 2], len(items))
    grades[1::2] = grades[::2]
    noisy = rng.random(len(items)) < 0.1  # people err now and then
    grades[noisy] = 0
    return items, qids, grades, rng


def given(person, rows, grades, seconds=None):
    rows = np.asarray(rows, np.int64)
    return GradesOfPerson(person, rows, grades[rows], np.full(len(rows), np.nan) if seconds is None else seconds)


def honest_seconds(rng, count, middle=9.0):
    return rng.lognormal(np.log(middle), 0.8, count)


@pytest.mark.parametrize("seed", range(8))
def test_honest_grades_raise_no_doubt(seed):
    items, qids, grades, rng = campaign(seed)
    order = rng.permutation(len(items))
    first, second = (
        given(person, rows, grades, honest_seconds(rng, len(rows), middle))
        for person, rows, middle in ((1, order[:250], 9.0), (2, order[250:], 5.0))
    )
    assert at_chance([first, second], items, qids, dict(enumerate(grades.tolist()))) == []
    for mine, other in ((first, second), (second, first)):
        assert too_fast(mine, [other]) is None
        found = contradictions(mine, items, qids)
        assert found.by_chance >= 5  # there are enough near copies to tell
        assert not found.as_random


@pytest.mark.parametrize("seed", range(8))
def test_the_random_grades_of_one_person_alone_are_at_chance_and_contradict_each_other(seed):
    items, qids, _, rng = campaign(seed)
    digits = rng.integers(0, 3, len(items))
    mine = given(1, rng.permutation(len(items)), digits)
    assert at_chance([mine], items, qids, dict(enumerate(digits.tolist()))) == [None]
    assert contradictions(mine, items, qids).as_random


def test_the_random_grades_of_one_among_honest_people_are_found():
    hits = 0
    for seed in range(10):
        items, qids, grades, rng = campaign(seed)
        order = rng.permutation(len(items))
        bad = order[:110]
        grades[bad] = rng.permutation(grades[bad])
        found = at_chance(
            [given(1, order[110:], grades), given(2, bad, grades)], items, qids, dict(enumerate(grades.tolist()))
        )
        assert 1 not in found
        hits += found == [2]
    assert hits >= 7


def test_nothing_is_said_of_chance_with_few_labels_or_few_of_one_kind():
    items, qids, _, rng = campaign(0)
    digits = rng.integers(0, 3, len(items))
    few = given(1, range(90), digits)
    assert at_chance([few], items, qids, dict(enumerate(digits[:90].tolist()))) == []
    rare = np.zeros(len(items), np.int64)
    rare[rng.permutation(len(items))[:15]] = 1
    assert at_chance([given(1, range(len(items)), rare)], items, qids, dict(enumerate(rare.tolist()))) == []


def test_a_stretch_of_labels_is_too_fast_by_itself_or_beside_what_is_usual():
    rng = np.random.default_rng(1)
    rows, grades = np.arange(100), np.zeros(200, np.int64)
    held_down = given(1, rows, grades, np.full(100, 0.3))
    assert too_fast(held_down, []) == Stretches(100, pytest.approx(0.3), None)
    seconds = honest_seconds(rng, 100, 12.0)
    seconds[40:70] = 1.5  # a person may read that fast, but these people do not
    found = too_fast(given(1, rows, grades, seconds), [])
    assert found.labels >= 30
    assert found.seconds < 3
    assert found.usual > 8
    assert "labels in about 1.5 seconds each (usual here:" in found.words("Ann")
    assert too_fast(given(1, rows, grades, np.full(100, 1.5)), []) is None  # where everybody is that fast
    slow = given(2, rows, grades, honest_seconds(rng, 100, 12.0))
    assert too_fast(given(1, rows, grades, np.full(100, 1.5)), [slow, slow]).labels == 100
    assert too_fast(given(1, rows[:19], grades, np.full(19, 0.3)), []) is None
    assert too_fast(given(1, rows, grades), [slow]) is None  # times are not known


def test_near_copies_are_those_of_one_query_that_differ_in_one_feature_of_twenty():
    items = np.zeros((6, 20), np.uint8)
    items[1, 0] = items[2, :2] = 1
    items[3:] = items[:3]
    qids = np.array([0, 0, 0, 1, 1, 1])
    mine = given(1, range(6), np.array([0, 1, 1, 2, 2, 0]))
    # In each query: the first two, and the last two; not the first and the last.
    assert contradictions(mine, items, qids) == Contradictions(4, 2, pytest.approx(4 * (2 / 3)))
