"""Scoring a few documents gives, to the last bit, what counting all pairs gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.ranking import LRAR
from rulerank.rules.mine import FEW, Thresholds, few_rule_sums, rule_sums


@examples(40)
@given(
    seed=st.integers(0, 10**6),
    labelled=st.integers(1, 40),
    features=st.sampled_from([1, 2, 7, 63, 64, 65, 130]),
    bins=st.integers(1, 5),
    size=st.integers(1, 2),
    support=st.integers(1, 3),
    confidence=st.sampled_from([0.0, 0.001, 0.4]),
)
def test_equals_counting_all_pairs(seed, labelled, features, bins, size, support, confidence):
    rng = np.random.default_rng(seed)
    items = rng.integers(0, bins, (features, labelled)).astype(np.uint8)
    grades = rng.integers(0, 3, labelled)
    documents = rng.integers(0, bins, (features, 3)).astype(np.uint8)
    more = {"max_antecedent": size, "thresholds": Thresholds(support, confidence)}
    expected = rule_sums(items, grades, 3, documents, **more)
    found = few_rule_sums(items, grades, 3, documents, **more)
    assert found.scale == expected.scale
    np.testing.assert_array_equal(found.sums, expected.sums)
    np.testing.assert_array_equal(found.numbers, expected.numbers)


@pytest.mark.parametrize("more_labels", [5, 2000])
def test_a_document_scores_the_same_alone_and_among_many(more_labels):
    rng = np.random.default_rng(1)
    items = rng.integers(0, 4, (more_labels + 3 * FEW, 12)).astype(np.uint8)
    model = LRAR().fit(items[:more_labels], rng.integers(0, 3, more_labels))
    many = model.predict_proba(items[more_labels:])
    assert len(many) > FEW
    alone = [model.predict_proba(items[row : row + 1])[0] for row in range(more_labels, len(items))]
    np.testing.assert_array_equal(many, alone)
