"""The sums of many queries at once are, to the last bit, those of each query by itself; and both are the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.rules import query_sums as query_sums_module
from rulerank.rules.mine import RuleSums, Thresholds, rule_sums
from rulerank.rules.query_sums import LANES, MOST_PACKED, STRETCH, query_sums


def made(seed: int, features: int, bins: int, width: int, queries: int, labelled: int, documents: int):
    """Labelled documents whose query numbers come in any order, every query at least once; and documents to score."""
    rng = np.random.default_rng(seed)
    own = rng.permutation(np.concatenate([np.arange(queries), rng.integers(0, queries, labelled)]))
    learnt = rng.integers(0, bins, (features, own.size)).astype(np.uint8)
    pool = rng.integers(0, bins, (features, documents)).astype(np.uint8)
    return learnt, rng.integers(0, width, own.size), own, pool


def one_by_one(learnt, classes, own, width, pool, size, thresholds) -> list[RuleSums]:
    return [
        rule_sums(learnt[:, own == q], classes[own == q], width, pool, max_antecedent=size, thresholds=thresholds)
        for q in range(own.max() + 1)
    ]


def assert_same(found: list[RuleSums], expected: list[RuleSums]) -> None:
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.scale == theirs.scale
        np.testing.assert_array_equal(ours.sums, theirs.sums)
        np.testing.assert_array_equal(ours.numbers, theirs.numbers)


@examples(60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    features=st.integers(1, 9),
    bins=st.integers(1, 6),
    width=st.integers(1, 5),
    queries=st.integers(1, 2 * LANES // 3),
    labelled=st.integers(0, 40),
    documents=st.integers(0, 30),
    size=st.integers(1, 3),
    support=st.integers(1, 3),
    confidence=st.sampled_from([0.001, 0.3, 0.5, 1.0]),
    share=st.sampled_from([0.0, 0.0, 0.4]),
)
def test_together_as_one_by_one(
    seed, features, bins, width, queries, labelled, documents, size, support, confidence, share
):
    learnt, classes, own, pool = made(seed, features, bins, width, queries, labelled, documents)
    thresholds = Thresholds(support, confidence, share)
    found = query_sums(learnt, classes, own, width, pool, max_antecedent=size, thresholds=thresholds)
    assert_same(list(found), one_by_one(learnt, classes, own, width, pool, size, thresholds))


@pytest.mark.parametrize(
    ("features", "bins", "width"),
    [
        (STRETCH + 1, 2, 3),  # one feature more than the table holds
        (MOST_PACKED + 45, 2, 2),  # more antecedents with one item than may be summed packed
        (3, 256, 3),  # every value that an item can have
        (4, 3, LANES + 6),  # more classes than lanes
    ],
)
def test_at_the_edges_of_what_is_kept_at_a_time(features, bins, width):
    learnt, classes, own, pool = made(7, features, bins, width, 4, 60, 25)
    found = query_sums(learnt, classes, own, width, pool, max_antecedent=2, thresholds=Thresholds())
    assert_same(list(found), one_by_one(learnt, classes, own, width, pool, 2, Thresholds()))


def test_rules_that_are_all_certain_fill_a_packed_number_to_the_brim():
    features = MOST_PACKED + 3
    same = np.zeros((features, 2), np.uint8)
    (found,) = query_sums(same, np.array([1, 1]), np.array([0, 0]), 2, same, max_antecedent=2, thresholds=Thresholds())
    number = features * (features + 1) // 2
    assert found.numbers.tolist() == [[0, number]] * 2
    assert found.sums.tolist() == [[0, number * found.scale]] * 2


def test_by_the_definition():
    learnt, classes, own, pool = made(3, 4, 3, 3, 5, 20, 6)
    found = list(query_sums(learnt, classes, own, 3, pool, max_antecedent=2, thresholds=Thresholds()))
    for query, sums in enumerate(found):
        mine = np.flatnonzero(own == query)
        for document in range(6):
            total, number = [0.0] * 3, [0] * 3
            for size in (1, 2):
                for chosen in combinations(range(4), size):
                    held = [d for d in mine if all(learnt[f, d] == pool[f, document] for f in chosen)]
                    for grade, times in Counter(classes[held].tolist()).items():
                        total[grade] += times / len(held)
                        number[grade] += 1
            assert sums.numbers[document].tolist() == number
            np.testing.assert_allclose(sums.sums[document] / sums.scale, total, rtol=1e-12)


def test_pools_of_several_blocks(monkeypatch):
    learnt, classes, own, pool = made(5, 6, 4, 3, 9, 30, 50)
    whole = list(query_sums(learnt, classes, own, 3, pool, max_antecedent=2, thresholds=Thresholds()))
    monkeypatch.setattr(query_sums_module, "BLOCK", 16)
    cut = list(query_sums(learnt, classes, own, 3, pool, max_antecedent=2, thresholds=Thresholds()))
    assert_same(cut, whole)
    assert_same(cut, one_by_one(learnt, classes, own, 3, pool, 2, Thresholds()))
