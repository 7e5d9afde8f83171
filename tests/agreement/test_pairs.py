"""Kappa of two annotators against scikit-learn's, confusion matrices, and the list of disputes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from agreement_reference import PUBLISHED, columns, several_grades
from hypothesis import given
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from rulerank.agreement import Dispute, confusion, disputes, pairwise_kappa
from rulerank.errors import InputError

GRADES = range(5)


def shared_grades(rows, a, b):
    given_by = {who: {u: g for u, w, g in rows if w == who} for who in (a, b)}
    both = sorted(given_by[a].keys() & given_by[b].keys())
    return [given_by[a][u] for u in both], [given_by[b][u] for u in both]


def same(value, reference):
    if value is None:
        return math.isnan(reference)
    return value == pytest.approx(reference, abs=1e-12)


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns where kappa is not defined
@given(several_grades())
def test_kappas_are_those_of_scikit_learn(rows):
    found = {(k.a, k.b): k for k in pairwise_kappa(*columns(rows))}
    people = sorted({who for _, who, _ in rows})
    for a, b in combinations(people, 2):
        first, second = shared_grades(rows, a, b)
        if not first:
            assert (a, b) not in found
            continue
        one = found.pop((a, b))
        assert one.shared == len(first)
        assert same(one.kappa, cohen_kappa_score(first, second, labels=GRADES))
        assert same(one.weighted, cohen_kappa_score(first, second, labels=GRADES, weights="quadratic"))
    assert not found


def test_kappa_of_perfect_and_of_undefined_agreement():
    rows = [(u, w, g) for w in "ab" for u, g in enumerate([0, 1, 2])] + [(0, "c", 1), (1, "c", 1), (0, "d", 1)]
    found = {k.a + k.b: k for k in pairwise_kappa(*columns(rows))}
    assert (found["ab"].kappa, found["ab"].weighted, found["ab"].shared) == (1.0, 1.0, 3)
    assert (found["cd"].kappa, found["cd"].weighted, found["cd"].shared) == (None, None, 1)
    assert list(found) == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert [k.a + k.b for k in pairwise_kappa(*columns(rows), least_shared=2)] == ["ab", "ac", "bc"]
    with pytest.raises(InputError, match="least_shared"):
        pairwise_kappa(*columns(rows), least_shared=0)


def test_annotators_that_cannot_be_sorted_come_as_first_seen():
    found = pairwise_kappa([1, 1, 1], ["z", 7, None], [0, 1, 1])
    assert [(k.a, k.b) for k in found] == [("z", 7), ("z", None), (7, None)]


@given(several_grades())
def test_confusion_of_two_is_that_of_scikit_learn(rows):
    people = {who for _, who, _ in rows}
    for a, b in [("a", "b"), ("b", "a")]:
        if {a, b} <= people:
            found = confusion(*columns(rows), pair=(a, b), levels=GRADES)
            first, second = shared_grades(rows, a, b)
            meant = confusion_matrix(first, second, labels=GRADES) if first else np.zeros((5, 5))
            assert (found.a, found.b, found.grades) == (a, b, tuple(GRADES))
            assert np.array_equal(found.matrix, meant)


@given(several_grades())
def test_confusion_of_all_is_the_sum_over_pairs_from_both_sides(rows):
    people = sorted({who for _, who, _ in rows})
    found = confusion(*columns(rows))
    assert found.grades == tuple(sorted({grade for *_, grade in rows}))
    total = np.zeros((len(found.grades),) * 2, int)
    for a, b in combinations(people, 2):
        for first, second in zip(*shared_grades(rows, a, b), strict=True):
            i, j = found.grades.index(first), found.grades.index(second)
            total[i, j] += 1
            total[j, i] += 1
    assert np.array_equal(found.matrix, total)


def test_levels_are_shown_in_the_order_asked_for():
    found = confusion([1, 1], ["a", "b"], [0, 2], pair=("a", "b"), levels=[2, 1, 0])
    assert found.matrix.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pair": ("a", "a")}, "two different annotators"),
        ({"pair": "ab"}, "two different annotators"),
        ({"pair": ("a", "x")}, "annotator 'x' has given no grade"),
        ({"levels": [0, 1]}, "grade 2 was given but is not among the levels"),
        ({"levels": [0, 2, 2]}, "twice"),
        ({"levels": [0, -2]}, "whole number from 0"),
    ],
)
def test_bad_confusions_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        confusion([1, 1], ["a", "b"], [0, 2], **options)


def test_disputes_come_by_spread_then_number_then_place():
    rows = [
        ("agreed", "a", 1), ("agreed", "b", 1),
        ("small", "b", 1), ("small", "a", 0),
        ("large", "a", 2), ("large", "b", 0),
        ("small too", "a", 1), ("small too", "b", 2),
        ("crowded", "a", 0), ("crowded", "b", 1), ("crowded", "c", 1),
        ("alone", "a", 2),
    ]  # fmt: skip
    found = disputes(*columns(rows))
    assert [d.unit for d in found] == ["large", "crowded", "small", "small too"]
    assert found[0] == Dispute("large", 2, {"a": 2, "b": 0})
    assert found[1] == Dispute("crowded", 1, {"a": 0, "b": 1, "c": 1})
    assert [d.unit for d in disputes(*columns(rows), settled={"large", "small"})] == ["crowded", "small too"]


@given(several_grades())
def test_disputes_are_the_units_with_different_grades(rows):
    found = disputes(*columns(rows))
    meant = {}
    for unit, who, grade in rows:
        meant.setdefault(unit, {})[who] = grade
    meant = {unit: grades for unit, grades in meant.items() if len(set(grades.values())) > 1}
    assert {d.unit: d.grades for d in found} == meant
    order = [(-d.spread, -len(d.grades)) for d in found]
    assert order == sorted(order)
    assert all(d.spread == max(d.grades.values()) - min(d.grades.values()) for d in found)


def test_no_grades_no_pairs():
    assert pairwise_kappa([], [], []) == []
    assert disputes([], [], []) == []
    assert confusion([], [], []).matrix.shape == (0, 0)
    assert len(pairwise_kappa(*columns(PUBLISHED))) == 6
