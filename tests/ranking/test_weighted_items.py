"""Smoothed single items weighed by feature: the formula, its limits, and that it helps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.discretize import Tube
from rulerank.errors import NotFittedError
from rulerank.metrics import evaluate
from rulerank.ranking import SmoothItems, WeightedItems
from rulerank.synthetic import planted_collection


@st.composite
def labelled_sets(draw):
    features, rows = draw(st.integers(1, 4)), draw(st.integers(2, 12))
    item = st.integers(0, draw(st.sampled_from([2, 5, 255])))
    items = draw(st.lists(st.lists(item, min_size=features, max_size=features), min_size=rows, max_size=rows))
    return np.array(items), np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))


@given(labelled_sets())
def test_it_is_the_mean_of_what_each_feature_says_weighed_by_its_spread(data):
    items, grades = data
    # A ranker of each feature alone says what the feature says; its spread over the labelled documents is the weight.
    alone = [SmoothItems().fit(items[:, [f]], grades).predict_proba(items[:, [f]]) for f in range(items.shape[1])]
    spreads = np.array([(share @ np.arange(share.shape[1])).std() for share in alone])
    weights = spreads / spreads.max() if spreads.max() > 1e-9 else np.ones(len(spreads))
    model = WeightedItems().fit(items, grades)
    np.testing.assert_allclose(model.weights(), weights, atol=1e-7)
    np.testing.assert_allclose(model.predict_proba(items), np.average(alone, axis=0, weights=weights), atol=1e-7)


def test_a_feature_that_tells_nothing_is_not_heard():
    items = np.array([[0, 0], [0, 1], [5, 0], [5, 1]])
    model = WeightedItems(strength=0.0).fit(items, [0, 0, 1, 1])
    np.testing.assert_allclose(model.weights(), [1.0, 0.0], atol=1e-12)
    assert model.predict([[0, 1], [5, 0]]).tolist() == [0.0, 1.0]
    assert SmoothItems(strength=0.0).fit(items, [0, 0, 1, 1]).predict([[5, 0]])[0] == pytest.approx(0.75)


def test_features_count_alike_while_no_one_tells_grades_apart():
    model = WeightedItems().fit([[0, 1], [1, 0]], [2, 2])
    assert model.weights().tolist() == [1.0, 1.0]
    assert WeightedItems().fit([[3, 3], [3, 3]], [0, 1]).weights().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", [SmoothItems, WeightedItems])
@pytest.mark.parametrize("decay", [0.0, 0.01, 0.3, 0.5, 1.0])
def test_bins_that_were_labelled_once_and_taken_back_leave_no_trace(kind, decay):
    rng = np.random.default_rng(0)
    others = np.vstack([rng.integers(0, 9, (20, 7)), np.full((1, 7), 9), np.full((1, 7), 251)])
    for _ in range(20):
        items, grades = rng.integers(0, 9, (60, 7)), rng.integers(0, 4, 60)
        model = kind(decay=decay).fit(items, grades)
        weights, before = model.weights(), model.predict_proba(others)
        model.partial_fit(np.full(7, 250), 5)
        assert model.predict_proba(others).shape == (22, 6)  # read while it is there, with bins and grades of its own
        model.forget(np.full(7, 250), 5)
        assert (model.weights() == weights).all()
        assert (model.predict_proba(others) == before).all()


def test_an_empty_set_has_neither_rules_nor_weights():
    model = WeightedItems().fit(np.zeros((0, 3)), [])
    for ask in (model.weights, model.confidences, lambda: model.rules([0, 0, 0])):
        with pytest.raises(NotFittedError, match="empty"):
            ask()


def test_its_rules_carry_their_weights():
    rng = np.random.default_rng(1)
    model = WeightedItems().fit(rng.integers(0, 4, (30, 5)), rng.integers(0, 3, 30))
    document = np.array([0, 1, 2, 3, 9])
    sums = np.zeros(3)
    for rule in model.rules(document):
        sums[rule.grade] += rule.weight * rule.confidence
    np.testing.assert_allclose(sums / sums.sum(), model.predict_proba([document])[0], atol=1e-9)
    assert {rule.weight for rule in model.rules(document)} == set(model.weights().tolist())


@pytest.mark.parametrize("labels", [60, 1000])
def test_it_ranks_better_than_a_plain_mean_where_few_features_matter(labels):
    pool, test = planted_collection(40, 25, 20, seed=1), planted_collection(40, 25, 20, seed=2)
    tube = Tube().fit(pool.features)
    items, others = tube.transform(pool.features), tube.transform(test.features)
    rng = np.random.default_rng(0)
    found = {WeightedItems: [], SmoothItems: []}
    for _ in range(10 if labels < len(pool) else 1):
        few = rng.choice(len(pool), labels, replace=False)
        for kind, values in found.items():
            scores = kind().fit(items[few], pool.grades[few]).predict(others)
            values.append(evaluate(test.grades, scores, test.query_index)["map"])
    assert np.mean(found[WeightedItems]) > np.mean(found[SmoothItems])
