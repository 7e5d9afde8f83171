"""Confidence sums equal plain enumeration, and the sums kept label by label equal those made from scratch."""

from __future__ import annotations

from fractions import Fraction

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError, MemoryLimitError
from rulerank.rules import PoolScores
from rulerank.rules.mine import RuleSums, Stability, Thresholds, rule_sums


@st.composite
def sets(draw, most_classes=4, documents=10):
    """Labelled items, their classes, the number of classes, and a pool, both documents by features."""
    features, bins = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    matrix = lambda rows: hnp.arrays(np.uint8, (rows, features), elements=st.integers(0, bins - 1))  # noqa: E731
    width = draw(st.integers(1, most_classes))
    rows = draw(st.integers(1, documents))
    classes = draw(hnp.arrays(np.int64, rows, elements=st.integers(0, width - 1)))
    return draw(matrix(rows)), classes, width, draw(matrix(draw(st.integers(1, 6))))


def assert_equal_to_rules(found: RuleSums, rules_of, pool, width):
    for document, told, numbers in zip(pool, found.sums / found.scale, found.numbers, strict=True):
        total, number = brute_force.sums(rules_of(document), width)
        assert numbers.tolist() == number.tolist()
        np.testing.assert_allclose(told, total, rtol=0, atol=1e-9)


thresholds = st.builds(
    Thresholds,
    support=st.integers(0, 3),
    confidence=st.sampled_from([0.0, 0.001, 0.1, 0.25, 0.3, 0.5, 2 / 3, 0.7, 1.0]),
)


@given(data=sets(), size=st.integers(1, 3), least=thresholds)
@examples(100)
def test_sums_equal_those_of_the_enumerated_rules(data, size, least):
    items, classes, width, pool = data
    found = rule_sums(items.T, classes, width, pool.T, max_antecedent=size, thresholds=least)
    labelled = list(zip(items, classes, strict=True))
    rules_of = lambda d: brute_force.rules(d, labelled, size, max(1, least.support), least.confidence)  # noqa: E731
    assert_equal_to_rules(found, rules_of, pool, width)


@given(data=sets(most_classes=12, documents=14), size=st.integers(1, 3))
@examples(60)
def test_many_classes_do_not_leak_from_one_antecedent_into_the_next(data, size):
    items, classes, width, pool = data
    found = rule_sums(items.T, classes, width, pool.T, max_antecedent=size)
    labelled = list(zip(items, classes, strict=True))
    assert_equal_to_rules(found, lambda d: brute_force.rules(d, labelled, size), pool, width)


@given(
    data=sets(), size=st.integers(1, 3), share=st.sampled_from(["0.001", "0.1", "0.2", "0.25", "0.34", "0.5", "0.7"])
)
@examples(60)
def test_a_support_can_be_a_share_of_the_projection(data, size, share):
    items, classes, width, pool = data
    labelled = list(zip(items, classes, strict=True))
    least = Thresholds(support=1, confidence=0.25, projection_share=float(share))
    found = rule_sums(items.T, classes, width, pool.T, max_antecedent=size, thresholds=least)

    def rules_of(document):
        needed = Fraction(share) * brute_force.projection(document, labelled)  # a count that just reaches it will do
        return brute_force.rules(document, labelled, size, needed, 0.25)

    assert_equal_to_rules(found, rules_of, pool, width)


def test_a_share_of_the_projection_is_met_exactly():
    """7 of 100 documents are a share of 0.07, though 0.07 x 100 is above 7 in floating point."""
    items = np.zeros((100, 2), np.uint8)
    items[7:, 1] = 1
    grades = np.zeros(100, np.int64)
    least = Thresholds(projection_share=0.07)
    found = rule_sums(items.T, grades, 1, np.array([[0], [0]], np.uint8), thresholds=least)
    assert 0.07 * 100 > 7
    assert found.numbers.tolist() == [[3]]


@given(
    data=sets(documents=12),
    size=st.integers(1, 3),
    queries=st.lists(st.integers(1, 4), min_size=12, max_size=12),
    phi=st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 1.0]),
    agreement=st.sampled_from(["mean", 0.3, 0.5, 0.8, 1.0]),
    error=st.sampled_from([0.0, 1.0, 1.96]),
    least=st.integers(1, 3),
)
@examples(100)
def test_only_stable_rules_count_in_every_reading(data, size, queries, phi, agreement, error, least):
    items, classes, width, pool = data
    qids = sorted(queries[: len(items)])  # rows of a query stand together
    starts = np.array([0, *(n for n in range(1, len(qids)) if qids[n] != qids[n - 1]), len(qids)], np.int64)
    reading = Stability(starts, phi, error, least, -1.0 if agreement == "mean" else agreement)
    found = rule_sums(items.T, classes, width, pool.T, max_antecedent=size, stability=reading)
    labelled = list(zip(items, classes, strict=True))

    def rules_of(document):
        every = brute_force.rules(document, labelled, size)
        return brute_force.stable(every, labelled, qids, phi, agreement, error, least)

    assert_equal_to_rules(found, rules_of, pool, width)


def test_scores_are_means_and_the_offset_joins_the_number():
    found = RuleSums(np.array([[12, 0, 4]]), np.array([[3, 0, 1]]), 4)
    assert found.scores().tolist() == [[1.0, 0.0, 1.0]]
    assert found.scores(1).tolist() == [[0.75, 0.0, 0.5]]


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("features", [70, 135])
def test_more_features_than_a_word_has_bits(features, size):
    if features == 135 and size == 3:
        features = 66
    rng = np.random.default_rng(features)
    items = rng.integers(0, 9, (8, features)).astype(np.uint8)
    pool = rng.integers(0, 9, (3, features)).astype(np.uint8)
    classes = rng.integers(0, 3, 8)
    labelled = list(zip(items, classes, strict=True))
    found = rule_sums(items.T, classes, 3, pool.T, max_antecedent=size)
    assert_equal_to_rules(found, lambda d: brute_force.rules(d, labelled, size), pool, 3)
    kept = PoolScores(np.ascontiguousarray(pool.T), 3, max_antecedent=size)
    for document, grade in labelled:
        kept.add(document, int(grade))
    assert (kept.rule_sums.sums == found.sums).all()
    assert (kept.rule_sums.numbers == found.numbers).all()


def test_all_256_bins():
    rng = np.random.default_rng(2)
    items = np.stack([np.arange(256), 255 - np.arange(256), rng.integers(0, 256, 256)], axis=1).astype(np.uint8)
    classes = rng.integers(0, 3, 256)
    pool = items[[0, 255, 100]].copy()
    pool[2, 0] = 7
    labelled = list(zip(items, classes, strict=True))
    for size in (1, 2, 3):
        found = rule_sums(items.T, classes, 3, pool.T, max_antecedent=size)
        assert_equal_to_rules(found, lambda d, size=size: brute_force.rules(d, labelled, size), pool, 3)


@given(
    data=sets(documents=8),
    size=st.integers(1, 3),
    least=thresholds,
    undone=st.lists(st.integers(0, 100), max_size=10),
    loaded=st.booleans(),
)
@examples(80)
def test_sums_kept_label_by_label_equal_those_from_scratch_to_the_last_bit(data, size, least, undone, loaded):
    items, classes, width, pool = data
    columns = np.ascontiguousarray(pool.T)
    kept = PoolScores(columns, width, max_antecedent=size, thresholds=least)
    labelled = list(zip(items, classes.tolist(), strict=True))

    def check():
        left = np.array([document for document, _ in labelled], np.uint8).reshape(len(labelled), items.shape[1])
        grades = np.array([grade for _, grade in labelled], np.int64)
        fresh = rule_sums(left.T, grades, width, columns, max_antecedent=size, thresholds=least)
        assert kept.rule_sums.scale == fresh.scale
        assert (kept.rule_sums.sums == fresh.sums).all()
        assert (kept.rule_sums.numbers == fresh.numbers).all()
        assert kept.grade_counts().tolist() == [int((grades == level).sum()) for level in range(width)]
        assert len(kept) == len(labelled)

    if loaded:
        kept.load(items.T, classes)
    else:
        for document, grade in labelled:
            kept.add(document, grade)
    check()
    for number in undone:
        if labelled:
            kept.remove(*labelled.pop(number % len(labelled)))
    check()
    for document, grade in list(labelled):
        kept.remove(document, grade)
    assert not kept.rule_sums.sums.any()
    assert not kept.rule_sums.numbers.any()


def test_sums_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(4)
    pool = rng.integers(0, 4, (9000, 5)).astype(np.uint8)
    items = rng.integers(0, 4, (30, 5)).astype(np.uint8)
    grades = rng.integers(0, 3, 30)
    share = Thresholds(projection_share=0.05)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RULERANK_THREADS", threads)
        kept = PoolScores(np.ascontiguousarray(pool.T), 3)
        for document, grade in zip(items, grades, strict=True):
            kept.add(document, int(grade))
        scratch = rule_sums(items.T, grades, 3, pool.T)
        shared = rule_sums(items.T, grades, 3, pool.T, thresholds=share)
        found.append((kept.rule_sums.sums.copy(), scratch.sums, shared.sums))
    for kept_sums, scratch_sums, shared_sums in found:
        assert (kept_sums == scratch_sums).all()
        assert (scratch_sums == found[0][1]).all()
        assert (shared_sums == found[0][2]).all()
    assert scratch_sums.any()


def test_limits_on_memory_are_kept_before_anything_is_allocated():
    pool = np.zeros((3, 5), np.uint8)
    with pytest.raises(MemoryLimitError, match="limit"):
        rule_sums(pool, np.zeros(5, np.int64), 1, np.broadcast_to(np.uint8(0), (3, 10**8)))
    with pytest.raises(MemoryLimitError, match="limit"):
        PoolScores(np.zeros((3000, 1), np.uint8), 5)
    with pytest.raises(MemoryLimitError, match="limit"):
        PoolScores(np.zeros((300, 1), np.uint8), 3, max_antecedent=3)


def test_bad_labels_are_refused_and_change_nothing():
    kept = PoolScores(np.array([[0, 1], [0, 1]], np.uint8), 2)
    kept.add(np.array([0, 0], np.uint8), 1)
    before = kept.rule_sums.sums.copy()
    for document, grade in (([0, 0], 2), ([0, 0], -1), ([0], 1), ([0, 0, 0], 1), ([0, 300], 1)):
        with pytest.raises(InputError):
            kept.add(document, grade)
        with pytest.raises(InputError):
            kept.remove(document, grade)
    with pytest.raises(InputError, match="cannot be removed"):
        kept.remove(np.array([1, 1], np.uint8), 1)
    assert (kept.rule_sums.sums == before).all()
    assert len(kept) == 1
    with pytest.raises(InputError, match="projection"):
        PoolScores(np.zeros((2, 2), np.uint8), 2, thresholds=Thresholds(projection_share=0.1))
