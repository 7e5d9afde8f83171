"""Mining one document at a time, with and without the bounded cache of the SIGIR paper."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.rules import CachedMiner, RuleCache, mine_document

A, B, C, D = (((feature, 0),) for feature in range(4))


@st.composite
def sets(draw):
    features = draw(st.integers(1, 5))
    matrix = lambda rows: hnp.arrays(np.uint8, (rows, features), elements=st.integers(0, 2))  # noqa: E731
    rows = draw(st.integers(1, 8))
    return draw(matrix(rows)), draw(hnp.arrays(np.int64, rows, elements=st.integers(0, 3))), draw(matrix(4))


@given(
    data=sets(), size=st.integers(1, 3), support=st.integers(0, 3), confidence=st.sampled_from([0, 0.001, 0.3, 0.6, 1])
)
@examples(60)
def test_a_document_is_mined_as_by_enumeration(data, size, support, confidence):
    items, grades, documents = data
    labelled = list(zip(items, grades, strict=True))
    for document in documents:
        mined = mine_document(
            document, items, grades, max_antecedent=size, min_support=support, min_confidence=confidence
        )
        told = {(frozenset(rule.antecedent), rule.grade): (rule.support, rule.confidence) for rule in mined}
        assert len(told) == len(mined)
        assert told == brute_force.rules(document, labelled, size, max(1, support), confidence)


def test_a_confidence_that_just_reaches_the_threshold_is_enough():
    for total in range(1, 60):
        items = np.zeros((total, 1), np.uint8)
        for support in range(1, total):
            grades = np.arange(total) < support
            mined = mine_document([0], items, grades.astype(int), min_confidence=support / total)
            assert (1, support) in {(rule.grade, rule.support) for rule in mined}


def test_bad_input_to_mining_is_refused():
    items, grades = np.zeros((3, 2), np.uint8), np.array([0, 1, 1])
    for bad in (([0], items, grades), ([0, 0], items, grades[:2]), ([0, 0], items[0], grades), (0, items, grades)):
        with pytest.raises(InputError):
            mine_document(*bad)
    with pytest.raises(InputError):
        CachedMiner(items, grades[:2], RuleCache(3))
    with pytest.raises(InputError):
        CachedMiner(items, grades, RuleCache(3), max_antecedent=4)
    with pytest.raises(InputError):
        CachedMiner(items, grades, RuleCache(3)).mine([0])


@given(data=sets(), size=st.integers(1, 3), capacity=st.sampled_from([0, 1, 2, 5, 20, 10_000]))
@examples(60)
def test_the_cached_miner_gives_the_same_rules_for_any_capacity(data, size, capacity):
    items, grades, documents = data
    cache = RuleCache(capacity)
    miner = CachedMiner(items, grades, cache, max_antecedent=size)
    asked = 0
    for document in [*documents, *documents[::-1]]:
        rules = mine_document(document, items, grades, max_antecedent=size, min_confidence=0.0)
        expected = {(rule.antecedent, rule.grade): (rule.support, rule.confidence) for rule in rules}
        mined = miner.mine(document)
        assert {key: (support, confidence) for key, support, confidence in mined} == expected
        assert len(mined) == len(expected)
        assert len(cache) <= capacity
        asked += len(mined)
    assert sum(miner.demands.values()) == asked
    assert sum(cache.hits_of.values()) == cache.hits


def test_a_larger_cache_mines_less():
    rng = np.random.default_rng(0)
    items, documents = rng.integers(0, 3, (40, 6)), rng.integers(0, 3, (30, 6))
    grades = rng.integers(0, 3, 40)
    mined = []
    for capacity in (0, 30, 100, 300, 10_000):
        miner = CachedMiner(items, grades, RuleCache(capacity))
        for document in documents:
            miner.mine(document)
        mined.append(miner.mined)
    assert mined == sorted(mined, reverse=True)
    assert mined[0] == 3 * 30 * (6 + 15)  # no cache: every antecedent of every document, for each of 3 grades
    distinct = {x for document in documents for x in brute_force.subsets(list(enumerate(document.tolist())), 2)}
    assert mined[-1] == 3 * len(distinct)  # room for all: every rule once
    assert len(set(mined)) == len(mined)


def test_the_least_supported_rule_goes_first():
    cache = RuleCache(2)
    cache.put(A, 0, 5, 0.5)
    cache.put(B, 0, 3, 0.3)
    cache.put(C, 1, 4, 1.0)
    assert (A, 0) in cache
    assert (B, 0) not in cache
    assert (C, 1) in cache
    assert len(cache) == 2
    assert cache.evictions == 1
    cache.put(D, 0, 1, 0.1)  # less supported than all others: it stays out itself
    assert (D, 0) not in cache
    assert cache.evictions == 1
    assert cache.get(A, 0) == (5, 0.5)


def test_among_equals_the_earlier_goes_first():
    cache = RuleCache(2)
    for antecedent in (A, B, C):
        cache.put(antecedent, 0, 2, 0.5)
    assert [(x, 0) in cache for x in (A, B, C)] == [False, True, True]


def test_hits_and_misses_are_counted():
    cache = RuleCache(1)
    assert cache.get(A, 0) is None
    cache.put(A, 0, 1, 0.5)
    cache.put(A, 0, 9, 0.9)  # known already: nothing changes
    assert cache.get(A, 0) == (1, 0.5)
    assert cache.get(A, 0) == (1, 0.5)
    assert cache.get(A, 1) is None
    assert (cache.hits, cache.misses) == (2, 2)
    assert cache.hits_of == {(A, 0): 2}


def test_a_cache_without_room_keeps_nothing():
    cache = RuleCache(0)
    cache.put(A, 0, 1, 0.5)
    assert len(cache) == 0
    with pytest.raises(InputError, match="capacity"):
        RuleCache(-1)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=60), st.integers(1, 6))
def test_the_cache_holds_the_best_supported_of_what_was_entered(entered, capacity):
    cache = RuleCache(capacity)
    kept: list[tuple[int, int, int]] = []  # (support, order, feature)
    for order, (feature, support) in enumerate(entered):
        cache.put(((feature, 0),), 0, support, 0.0)
        if feature not in {other for _, _, other in kept}:
            kept.append((support, order, feature))
            if len(kept) > capacity:
                kept.remove(min(kept))
    assert {feature for feature in range(31) if (((feature, 0),), 0) in cache} == {f for _, _, f in kept}
