"""Kendall's tau-b against scipy's, and rankers trained per annotator on grades with a planted disagreement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from rulerank.agreement import kendall_tau, ranker_agreement
from rulerank.errors import InputError
from rulerank.ranking import LRAR

score = st.one_of(st.integers(-3, 3), st.sampled_from([-0.0, 0.0, 0.5, math.inf, -math.inf]))
two_rankings = st.lists(st.tuples(score, score), max_size=40)


@given(two_rankings)
def test_tau_is_that_of_scipy(pairs):
    a, b = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    found = kendall_tau(a, b)
    if len(set(a)) < 2 or len(set(b)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)
        assert kendall_tau(b, a) == found
        assert kendall_tau(a, [-y for y in b]) == pytest.approx(-found, abs=1e-15)


def test_tau_of_a_long_ranking():
    rng = np.random.default_rng(1)
    a = rng.normal(size=5000)
    b = np.round(a + rng.normal(size=5000), 1)
    assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)
    assert kendall_tau(a, a) == 1.0
    assert kendall_tau(np.arange(1000), -np.arange(1000)) == -1.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1, 2, 3], "2 and 3 scores"),
        ([1, math.nan], [1, 2], "scores_a is not a number at row 1"),
        ([1, 2], ["x", "y"], "scores_b must be numbers"),
        ([[1, 2]], [1, 2], "scores_a must be numbers"),
    ],
)
def test_bad_scores_are_refused(a, b, message):
    with pytest.raises(InputError, match=message):
        kendall_tau(a, b)


class FirstFeature:
    """Ranks by the first feature: upwards, or downwards if its lowest row got the highest grade."""

    def fit(self, items, grades, qids=None):
        self.sign = -1 if grades[np.argmin(items[:, 0])] > grades[np.argmax(items[:, 0])] else 1
        self.learnt = len(grades)
        return self

    def predict(self, items, qids=None):
        return self.sign * items[:, 0].astype(float)


ITEMS = np.array([[0], [1], [2], [3], [4]])
POOL = np.array([[0], [1], [2], [7], [7]])


def test_planted_disagreement_is_found():
    labels = {
        "up": {0: 0, 1: 0, 4: 2},
        "up too": {1: 0, 3: 1, 4: 2},
        "down": {0: 2, 1: 0, 3: 0},
        "nobody": {},
    }
    found = ranker_agreement(ITEMS, POOL, labels, FirstFeature)
    assert found.annotators == ("up", "up too", "down", "nobody")
    assert np.array_equal(found.tau[:3, :3], [[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert np.isnan(found.tau[3]).all()
    assert np.isnan(found.tau[:, 3]).all()
    assert found.documents.tolist() == [[3, 2, 2, 0], [2, 3, 2, 0], [2, 2, 3, 0], [0, 0, 0, 0]]


def test_shared_leaves_only_the_grades_to_differ():
    """Both grade rows 1 and 3 alike; what sets them apart is row 0, which only one has seen."""
    labels = {"a": {0: 2, 1: 0, 3: 1}, "b": {1: 0, 3: 1}}
    assert ranker_agreement(ITEMS, POOL, labels, FirstFeature).tau[0, 1] == -1
    assert ranker_agreement(ITEMS, POOL, labels, FirstFeature, shared=True).tau[0, 1] == 1
    apart = ranker_agreement(ITEMS, POOL, {"a": {0: 1}, "b": {1: 1}}, FirstFeature, shared=True)
    assert np.isnan(apart.tau[0, 1])


class Memory:
    """Gives back what it was taught of each query."""

    def fit(self, items, grades, qids=None):
        self.grade = dict(zip(qids, grades, strict=True))
        return self

    def predict(self, items, qids=None):
        return items[:, 0] * np.array([1.0 if self.grade[q] else -1.0 for q in qids])


def test_tau_is_taken_within_queries():
    labels = {"a": {0: 0, 1: 0, 2: 1}, "b": {0: 0, 1: 1, 2: 1}}
    pool = np.array([[1], [3], [2], [5], [4], [4], [9]])
    qids, pool_qids = ["p", "q", "r", "s", "t"], np.array(["p", "q", "p", "q", "r", "r", "p"])
    found = ranker_agreement(ITEMS, pool, labels, Memory, qids=qids, pool_qids=pool_qids)
    assert found.tau[0, 1] == 0  # p agrees, q is turned round, r has only ties and does not count


def test_with_a_real_ranker_more_noise_is_less_agreement():
    rng = np.random.default_rng(5)
    items = rng.integers(0, 5, (120, 6))
    truth = (items[:, 0] + items[:, 1]) // 3
    noisy = np.where(rng.random(120) < 0.5, rng.integers(0, 3, 120), truth)
    labels = {"a": dict(enumerate(truth[:80])), "b": dict(enumerate(truth[40:], 40)), "c": dict(enumerate(noisy))}
    found = ranker_agreement(items, items, labels, LRAR)
    assert found.tau[0, 1] > found.tau[0, 2] > 0
    assert np.array_equal(found.tau, found.tau.T)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": {"a": {9: 1}}}, "row 9"),
        ({"labels": {"a": {0: -1}}}, "grade"),
        ({"pool_items": np.zeros((2, 3), int)}, "3 features"),
        ({"pool_qids": ["p"]}, "pool_qids must name one query per document"),
        ({"qids": ["p"]}, "qids must name one query per document"),
    ],
)
def test_bad_input_is_named(change, message):
    args = {"items": ITEMS, "pool_items": POOL, "labels": {"a": {0: 1}}, "make_ranker": FirstFeature, **change}
    with pytest.raises(InputError, match=message):
        ranker_agreement(**args)
