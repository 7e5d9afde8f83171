"""LRAR of single items with smoothed confidences: the formula item by item, its limits, and that it helps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.discretize import Tube
from rulerank.errors import InputError, MemoryLimitError
from rulerank.metrics import evaluate
from rulerank.ranking import LRARItems, SmoothItems
from rulerank.synthetic import planted_collection


@st.composite
def labelled_sets(draw):
    features, rows = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    item = st.integers(0, draw(st.sampled_from([2, 5, 255])))
    items = draw(st.lists(st.lists(item, min_size=features, max_size=features), min_size=rows, max_size=rows))
    others = draw(st.lists(st.lists(item, min_size=features, max_size=features), min_size=1, max_size=5))
    return np.array(items), np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))), np.array(others)


def by_the_formula(items, grades, document, strength, decay):
    """p(r|d) in fractions, straight from the definition: no tables, no passes."""
    levels = range(int(grades.max()) + 1)
    total = [Fraction(0)] * len(levels)
    for feature, own in enumerate(document.tolist()):
        bins = items[:, feature].tolist()
        near = [sum(decay ** abs(b - own) for b, g in zip(bins, grades, strict=True) if g == r) for r in levels]
        hits = [sum(b == own and g == r for b, g in zip(bins, grades, strict=True)) for r in levels]
        for r in levels:
            q = near[r] / sum(near)
            total[r] += (hits[r] + strength * q) / (sum(hits) + strength)
    return [float(each / sum(total)) for each in total]


@given(labelled_sets())
def test_it_is_the_formula(data):
    items, grades, others = data
    found = SmoothItems(strength=7, decay=0.5).fit(items, grades).predict_proba(others)
    expected = [by_the_formula(items, grades, each, Fraction(7), Fraction(1, 2)) for each in others]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(labelled_sets(), st.sampled_from([0.0, 3.0]))
def test_without_neighbours_it_is_lrar_of_single_items(data, strength):
    items, grades, others = data
    alone = SmoothItems(strength=strength, decay=0.0).fit(items, grades)
    plain = LRARItems(min_confidence=0.0).fit(items, grades)
    np.testing.assert_allclose(alone.predict_proba(others), plain.predict_proba(others), atol=1e-9)


def test_a_bin_without_labels_says_what_its_neighbours_say():
    model = SmoothItems(strength=1.0, decay=0.5).fit([[0], [2], [2]], [0, 2, 2])
    # Bin 1 is as near to the one label of grade 0 as to the two of grade 2.
    np.testing.assert_allclose(model.predict_proba([[1]]), [[1 / 3, 0, 2 / 3]])
    np.testing.assert_allclose(model.predict_proba([[200]]), [[0.25 / 2.25, 0, 2 / 2.25]])


def test_many_labels_of_its_own_outweigh_the_neighbours():
    items = np.repeat([[0], [1]], 3000, axis=0)
    model = SmoothItems().fit(items, np.repeat([0, 1], 3000))
    assert model.predict([[0]])[0] == pytest.approx(30 / 3030 / 3)
    assert SmoothItems(strength=1e9).fit(items, np.repeat([0, 1], 3000)).predict([[0]])[0] == pytest.approx(
        1 / 3, rel=1e-5
    )


def test_grades_without_limit_are_refused_before_they_fill_the_memory():
    with pytest.raises(MemoryLimitError, match="number the grades"):
        SmoothItems().fit(np.full((2, 40), 200), [0, 32_767]).predict(np.zeros((1, 40)))


@pytest.mark.parametrize("setting", [{"strength": "a"}, {"strength": None}, {"strength": np.inf}, {"decay": np.nan}])
def test_settings_that_are_no_numbers_are_refused(setting):
    with pytest.raises(InputError, match=next(iter(setting))):
        SmoothItems(**setting).fit([[0]], [1]).predict([[0]])


def test_its_rules_carry_the_confidences_that_count():
    model = SmoothItems(strength=1.0).fit([[0, 3], [2, 3], [2, 3]], [0, 2, 2])
    rules = model.rules([1, 3])
    assert {(rule.antecedent, rule.grade): rule.support for rule in rules} == {
        (((0, 1),), 0): 0, (((0, 1),), 2): 0, (((1, 3),), 0): 1, (((1, 3),), 2): 2,
    }  # fmt: skip
    sums = np.zeros(3)
    for rule in rules:
        sums[rule.grade] += rule.confidence
    np.testing.assert_allclose(sums / sums.sum(), model.predict_proba([[1, 3]])[0])


def test_it_ranks_better_than_plain_items_from_few_labels():
    pool, test = planted_collection(40, 25, 20, seed=1), planted_collection(40, 25, 20, seed=2)
    tube = Tube().fit(pool.features)
    items, others = tube.transform(pool.features), tube.transform(test.features)
    rng = np.random.default_rng(0)
    found = {SmoothItems: [], LRARItems: []}
    for _ in range(10):
        few = rng.choice(len(pool), 40, replace=False)
        for kind, values in found.items():
            scores = kind().fit(items[few], pool.grades[few]).predict(others)
            values.append(evaluate(test.grades, scores, test.query_index)["map"])
    assert np.mean(found[SmoothItems]) > np.mean(found[LRARItems])
