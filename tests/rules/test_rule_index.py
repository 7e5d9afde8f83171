"""The rule index equals plain enumeration after any labels and undos, for any shape of pool."""

from __future__ import annotations

from math import comb

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.rules import RuleIndex

sizes = pytest.mark.parametrize("size", [1, 2, 3])


def expected(pool, labelled, size):
    return [brute_force.rule_count(document, labelled, size) for document in pool]


@st.composite
def pools(draw, rows=10, features=6, bins=4):
    shape = draw(st.tuples(st.integers(1, rows), st.integers(1, features)))
    return draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, draw(st.integers(0, bins - 1)))))


@st.composite
def stories(draw):
    """A pool and what happens to it: ("row" or "items", row, grade) adds; ("undo", n) removes one of those at hand."""
    pool = draw(pools())
    row = st.integers(0, len(pool) - 1)
    add = st.tuples(st.sampled_from(["row", "items"]), row, st.integers(0, 3))
    undo = st.tuples(st.just("undo"), st.integers(0, 100))
    return pool, draw(st.lists(st.one_of(add, add, undo), max_size=14))


@given(story=stories(), size=st.integers(1, 3))
@examples(80)
def test_counts_are_exact_after_any_labels_and_undos(story, size):
    pool, happenings = story
    index = RuleIndex(pool, max_antecedent=size)
    present = []
    for happening in happenings:
        if happening[0] == "undo":
            if not present:
                continue
            how, row, grade = present.pop(happening[1] % len(present))
            index.remove(row if how == "row" else pool[row], grade)
        else:
            how, row, grade = happening
            index.add(row if how == "row" else pool[row].tolist(), grade)
            present.append(happening)
        labelled = [(pool[row], grade) for _, row, grade in present]
        assert index.rule_counts().tolist() == expected(pool, labelled, size)
        assert len(index) == len(present)
    for how, row, grade in present:
        index.remove(row if how == "row" else pool[row], grade)
    assert not index.rule_counts().any()


@sizes
@pytest.mark.parametrize("features", [63, 64, 65, 130, 200])
def test_more_features_than_a_word_has_bits(features, size):
    rng = np.random.default_rng(features)
    pool = rng.integers(0, 7, (7, features)).astype(np.uint8)
    index = RuleIndex(pool, max_antecedent=size)
    labels = [(0, 1), (3, 0), (5, 1), (3, 2), (6, 0)]
    for row, grade in labels:
        index.add(row, grade)
    # The labelled rows themselves share every feature: those are left to the test of twins.
    strangers = [row for row in range(7) if row not in {0, 3, 5, 6}]
    labelled = [(pool[row], grade) for row, grade in labels]
    assert index.rule_counts(strangers).tolist() == expected(pool[strangers], labelled, size)
    index.remove(3, 0)
    del labelled[1]
    assert index.rule_counts(strangers).tolist() == expected(pool[strangers], labelled, size)


@sizes
@pytest.mark.parametrize("features", [1, 2, 3, 64, 129])
def test_a_twin_of_a_labelled_document_draws_every_antecedent(features, size):
    pool = np.zeros((2, features), np.uint8)
    pool[0] = np.arange(features) % 200
    pool[1] = pool[0] + 1
    index = RuleIndex(pool, max_antecedent=size)
    index.add(0, 4)
    every = sum(comb(features, n) for n in range(1, size + 1))
    assert index.rule_counts().tolist() == [every, 0]
    index.add(0, 2)
    assert index.rule_counts().tolist() == [2 * every, 0]


@sizes
def test_all_256_bins(size):
    rng = np.random.default_rng(5)
    pool = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    pool[:, 1] = rng.integers(250, 256, 256)
    pool[:, 2] = 255 - pool[:, 0]
    index = RuleIndex(pool, max_antecedent=size)
    labels = [(0, 0), (255, 1), (128, 0), (77, 2)]
    for row, grade in labels:
        index.add(row, grade)
    assert index.rule_counts().tolist() == expected(pool, [(pool[row], grade) for row, grade in labels], size)


def test_more_labels_and_documents_than_one_block_of_the_kernels():
    rng = np.random.default_rng(8)
    pool = rng.integers(0, 12, (2100, 4)).astype(np.uint8)
    grades = rng.integers(0, 3, 2100)
    index = RuleIndex(pool, max_antecedent=3)
    for row in range(1100):
        index.add(row, int(grades[row]))
    for row in range(40):
        index.remove(row, int(grades[row]))
    labelled = [(pool[row], grades[row]) for row in range(40, 1100)]
    some = [0, 1023, 1024, 1025, 2047, 2048, 2099]
    assert index.rule_counts(some).tolist() == expected(pool[some], labelled, 3)


def test_counts_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(1)
    pool = rng.integers(0, 3, (13_000, 5)).astype(np.uint8)
    labels = [(0, 0), (8000, 1), (12_999, 1), (4096, 0)]
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RULERANK_THREADS", threads)
        index = RuleIndex(pool)
        for row, grade in labels:
            index.add(row, grade)
        found.append(index.rule_counts().copy())
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()
    some = [0, 4095, 4096, 6500, 8666, 12_999]
    assert found[2][some].tolist() == expected(pool[some], [(pool[row], grade) for row, grade in labels], 2)


def test_the_same_row_twice_counts_until_both_labels_are_gone():
    pool = np.array([[0, 1], [0, 2], [3, 3]], np.uint8)
    index = RuleIndex(pool)
    index.add(0, 1)
    once = index.rule_counts().tolist()
    index.add(0, 1)
    assert index.rule_counts().tolist() == once == [3, 1, 0]
    index.add(0, 0)
    assert index.rule_counts().tolist() == [6, 2, 0]
    index.remove(0, 1)
    assert index.rule_counts().tolist() == [6, 2, 0]
    index.remove(0, 1)
    assert index.rule_counts().tolist() == [3, 1, 0]
    index.remove(0, 0)
    assert index.rule_counts().tolist() == [0, 0, 0]


@sizes
def test_the_first_matrix_becomes_the_pool_and_later_ones_are_foreign(size):
    rng = np.random.default_rng(3)
    pool, other = rng.integers(0, 3, (2, 6, 4)).astype(np.uint8)
    index = RuleIndex(max_antecedent=size)
    labels = [(pool[0], 1), (other[1], 0), (pool[2], 1)]
    for items, grade in labels:
        index.add(items, grade)
    assert index.rule_counts(pool).tolist() == expected(pool, labels, size)
    assert index.rule_counts(other).tolist() == expected(other, labels, size)
    index.add(4, 2)  # a row number: of `pool`
    labels.append((pool[4], 2))
    assert index.rule_counts().tolist() == expected(pool, labels, size)
    assert index.rule_counts(pool).tolist() == expected(pool, labels, size)
    assert index.rule_counts(other.tolist()).tolist() == expected(other, labels, size)
    index.remove(other[1], 0)
    del labels[1]
    assert index.rule_counts([5, 0]).tolist() == [expected(pool, labels, size)[row] for row in (5, 0)]


def test_counts_are_a_live_view_that_cannot_be_written():
    index = RuleIndex([[0, 1], [0, 2]])
    counts = index.rule_counts()
    index.add(0, 0)
    assert counts.tolist() == [3, 1]
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 7
    index.rule_counts([0, 1])[0] = 99  # a copy
    assert counts.tolist() == [3, 1]


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_pool_is_kept_as_it_was_given(order):
    pool = np.array([[0, 1], [0, 2], [1, 1]], np.uint8, order=order)
    index = RuleIndex(pool)
    pool[:] = 9
    index.add(0, 0)
    assert index.rule_counts().tolist() == [3, 1, 1]
