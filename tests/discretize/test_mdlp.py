"""MDLP against a brute force that tries every midpoint and counts grades row by row."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.discretize import MDLP
from rulerank.errors import InputError


def entropy(grades):
    return -sum(n / len(grades) * log2(n / len(grades)) for n in Counter(grades).values())


def brute_force(rows):
    """Return the accepted cuts of rows (value, grade), by the definition of Fayyad and Irani 1993."""
    grades = [grade for _, grade in rows]
    size = len(rows)
    trials = []
    for a, b in pairwise(sorted({value for value, _ in rows})):
        left = [grade for value, grade in rows if value <= a]
        right = [grade for value, grade in rows if value >= b]
        trials.append(((len(left) * entropy(left) + len(right) * entropy(right)) / size, a, b, left, right))
    if not trials:
        return []
    least = min(trial[0] for trial in trials)
    after, a, b, left, right = next(trial for trial in trials if trial[0] <= least + 1e-11)
    k, k1, k2 = len(set(grades)), len(set(left)), len(set(right))
    delta = log2(3**k - 2) - (k * entropy(grades) - k1 * entropy(left) - k2 * entropy(right))
    if (entropy(grades) - after) * size <= log2(size - 1) + delta + 1e-9:
        return []
    low = brute_force([row for row in rows if row[0] <= a])
    high = brute_force([row for row in rows if row[0] >= b])
    return [*low, (a + b) / 2, *high]


@st.composite
def graded_rows(draw):
    kinds = draw(st.integers(2, 5))
    levels = draw(st.integers(1, 40))
    noise = draw(st.integers(0, 3))
    size = draw(st.integers(1, 90))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.integers(0, levels, size) / 8
    # Grades follow the value but for some noise, so that there is something to cut.
    grades = (values * 8 * kinds / levels + noise * rng.normal(size=size) / 2).astype(int)
    return list(zip(values.tolist(), np.clip(grades, 0, kinds - 1).tolist(), strict=True))


@given(graded_rows())
def test_cuts_equal_brute_force(rows):
    values, grades = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = MDLP().fit(values[:, None], grades).edges_[0]
    assert found.tolist() == [values.min(), *brute_force(rows), values.max()]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=40))
def test_cuts_equal_brute_force_with_many_ties(rows):
    X = np.array([[float(value)] for value, _ in rows])
    found = MDLP().fit(X, [grade for _, grade in rows]).edges_[0]
    assert found[1:-1].tolist() == brute_force([(float(value), grade) for value, grade in rows])


def test_cuts_equal_brute_force_on_ohsumed(letor_folder):
    rows = []
    for line in (letor_folder("letor3-ohsumed") / "S1.txt").read_text().splitlines()[:900]:
        grade, _, *features = line.split("#")[0].split()
        rows.append([float(grade), *(float(feature.split(":")[1]) for feature in features)])
    data = np.array(rows)
    columns = [5, 11, 15, 30]
    found = MDLP().fit(data[:, columns], data[:, 0]).edges_
    for j, edges in zip(columns, found, strict=True):
        assert edges[1:-1].tolist() == brute_force(list(zip(data[:, j].tolist(), data[:, 0].tolist(), strict=True)))
    assert max(len(edges) for edges in found) > 2


def test_the_lowest_of_equal_cuts_is_taken_first():
    # Both ends are pure and the picture is its own mirror image: cutting at 0.5 or 2.5 gains the same.
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    grades = np.repeat([0, 1, 1, 0], 10)
    assert MDLP().fit(values[:, None], grades).edges_[0].tolist() == [0, 0.5, 2.5, 3]


@pytest.mark.parametrize(
    ("outer", "middle"), [([39, 20, 5], [32, 29, 32]), ([3, 18, 32], [33, 33, 33]), ([6, 33, 39], [12, 35, 12])]
)
def test_ties_are_ties_though_rounding_parts_them(outer, middle):
    # The last value has the first one's counts in reverse: both cuts gain the same, but floats favour the
    # upper one by some 1e-13 bits. Only one of the two is accepted.
    table = np.array([outer, middle, outer[::-1]])
    values = np.repeat([0.0, 1.0, 2.0], table.sum(axis=1))
    grades = np.repeat(np.tile([0, 1, 2], 3), table.ravel())
    assert MDLP().fit(values[:, None], grades).edges_[0].tolist() == [0, 0.5, 2]


def test_a_feature_that_says_nothing_gets_one_bin():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(500), np.full(500, 2.5), np.arange(500)])
    mdlp = MDLP().fit(X, np.arange(500) // 250)
    assert mdlp.bins_.tolist() == [1, 1, 2]
    assert mdlp.edges_[1].tolist() == [2.5, 2.5]
    assert mdlp.edges_[2].tolist() == [0, 249.5, 499]


def test_grades_only_matter_by_their_difference():
    rng = np.random.default_rng(3)
    X = rng.random((300, 1))
    grades = (X[:, 0] * 3).astype(int)
    expected = MDLP().fit(X, grades).edges_[0]
    assert len(expected) == 4
    np.testing.assert_array_equal(MDLP().fit(X, np.array([4, 0, 9])[grades]).edges_[0], expected)


def test_unlabelled_rows_have_no_say_in_the_cuts():
    rng = np.random.default_rng(4)
    X = rng.random((400, 2))
    grades = np.where(X[:, 0] > 0.3, 1, 0)
    labelled = rng.random(400) < 0.5
    whole = MDLP().fit(X, np.where(labelled, grades, -1))
    part = MDLP().fit(X[labelled], grades[labelled])
    for a, b in zip(whole.edges_, part.edges_, strict=True):
        np.testing.assert_array_equal(a[1:-1], b[1:-1])
    assert whole.bins_[0] == 2
    # The outer edges are the range of all rows.
    assert whole.edges_[0][0] == X[:, 0].min()


def test_a_cut_between_neighbouring_floats_still_parts_them():
    a = 1.0
    b = np.nextafter(a, 2)
    mdlp = MDLP()
    items = mdlp.fit_transform(np.repeat([a, b, np.nextafter(b, 2)], 20)[:, None], np.repeat([0, 1, 0], 20))
    assert items[::20, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "MDLP is supervised"),
        ([0, 1], "one grade per row of X, 3 in all"),
        ([0, 1, 0.5], "row 2"),
        ([0, -2, 1], "row 1"),
        ([0, float("nan"), 1], "row 1"),
        (["a", "b", "c"], "whole numbers"),
        ([-1, -1, -1], "every grade"),
    ],
)
def test_bad_grades_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        MDLP().fit(np.array([[0.0], [1.0], [2.0]]), y)


def test_scores_in_the_place_of_grades_are_refused():
    with pytest.raises(InputError, match="300 different grades"):
        MDLP().fit(np.arange(300.0)[:, None], np.arange(300))


def test_more_bins_than_a_byte_holds_are_refused():
    values = np.repeat(np.arange(300.0), 60)
    with pytest.raises(InputError, match="bins; items are bytes"):
        MDLP().fit(values[:, None], np.repeat(np.arange(300) % 200, 60))
