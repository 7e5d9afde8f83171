"""Threshold rules: the weights are those of ridge regression with a level per query, written out in full."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from thorough import examples

from rulerank.errors import MemoryLimitError
from rulerank.ranking import ThresholdRules


def made_up(seed, rows=80, features=4, bins=5, queries=6):
    rng = np.random.default_rng(seed)
    items = rng.integers(0, bins, (rows, features)).astype(np.uint8)
    qids = rng.integers(0, queries, rows)
    grades = np.clip(items[:, 0] // 2 + (qids % 2) + rng.integers(-1, 2, rows), 0, 3)
    return items, grades, qids


def in_full(items, grades, qids, penalty, query_labels):
    """The same regression with one column for each rule and each query; scikit-learn has one penalty, so scale them."""
    bins = items.max() + 1
    rules = (items[:, :, None] >= np.arange(1, bins)).reshape(len(items), -1).astype(float)
    alpha = penalty * np.sqrt(len(items))
    levels = np.eye(qids.max() + 1)[qids] * np.sqrt(alpha / query_labels)
    found = Ridge(alpha=alpha, solver="cholesky").fit(np.hstack([rules, levels]), grades)
    votes = np.zeros((items.shape[1], bins))
    votes[:, 1:] = found.coef_[: rules.shape[1]].reshape(items.shape[1], -1).cumsum(axis=1)
    return votes, found.intercept_


@pytest.mark.parametrize("penalty", [0.5, 100.0])
@pytest.mark.parametrize("query_labels", [0.25, 8.0, 1e6])
def test_weights_are_those_of_ridge_regression(penalty, query_labels):
    items, grades, qids = made_up(0)
    ranker = ThresholdRules(penalty, query_labels).fit(items, grades, qids)
    votes, constant = ranker.votes()
    expected, level = in_full(items, grades, qids, penalty, query_labels)
    np.testing.assert_allclose(votes, expected, atol=1e-5)
    assert constant == pytest.approx(level, abs=1e-5)


@examples(40)
@given(st.integers(0, 2**32), st.data())
def test_labels_that_come_and_go_leave_no_trace(seed, data):
    items, grades, qids = made_up(seed, rows=30, bins=data.draw(st.integers(1, 6)))
    ranker = ThresholdRules().fit(items[:5], grades[:5], qids[:5])
    ranker.predict(items)
    left = list(range(5))
    for row in data.draw(st.lists(st.integers(0, 29), max_size=20)):
        if row in left:
            left.remove(row)
            ranker.forget(items[row], int(grades[row]), int(qids[row]))
        else:
            left.append(row)
            ranker.partial_fit(items[row], int(grades[row]), int(qids[row]))
        if left:
            fresh = ThresholdRules().fit(items[left], grades[left], qids[left])
            assert (ranker.predict(items) == fresh.predict(items)).all()


def test_documents_stand_in_the_order_of_their_scores():
    items, grades, qids = made_up(3)
    ranker = ThresholdRules(penalty=1.0).fit(items, grades, qids)
    votes, constant = ranker.votes()
    scores = constant + votes[np.arange(4), items].sum(axis=1)
    assert (np.diff(ranker.predict(items)[np.argsort(scores)]) >= -1e-12).all()
    assert (ranker.predict(items)[scores < 0] > 0).all()


def test_the_level_of_a_query_is_not_taken_for_its_features():
    """A feature that only tells an easy query from a hard one, and another that tells relevant documents apart."""
    qids = np.repeat([0, 1], 50)
    within = np.tile([0, 1], 50)
    items = np.column_stack((qids, within)).astype(np.uint8)
    grades = 2 * qids + within
    own = ThresholdRules(penalty=1.0).fit(items, grades, qids).votes()[0][:, 1]
    blind = ThresholdRules(penalty=1.0, query_labels=1e9).fit(items, grades, qids).votes()[0][:, 1]
    assert blind[0] > blind[1]
    assert own[0] < own[1]


def test_effects_add_up_to_the_score():
    items, grades, qids = made_up(4)
    ranker = ThresholdRules(penalty=1.0).fit(items, grades, qids)
    votes, constant = ranker.votes()
    scores = constant + votes[np.arange(4), items].sum(axis=1)
    for row in range(10):
        effects = ranker.effects(items[row])
        assert sum(effect.adds for effect in effects) == pytest.approx(scores[row] - scores.mean(), abs=0.004)
        assert [effect.rules for effect in effects] == items[row].tolist()
        assert [effect.labels for effect in effects] == (items == items[row]).sum(axis=0).tolist()


def test_too_many_rules_for_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr("rulerank.ranking.threshold_rules.BLOCK_LIMIT", 10_000)
    items, grades, qids = made_up(5)
    with pytest.raises(MemoryLimitError, match=r"16 rules.*use fewer bins"):
        ThresholdRules().fit(items, grades, qids).predict(items)
