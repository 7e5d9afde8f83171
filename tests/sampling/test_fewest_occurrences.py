"""Fewest occurrences against counting every shared antecedent of every labelled document."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import sampling_reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rulerank.errors import InputError
from rulerank.rules import pool_scores
from rulerank.rules.pool_scores import UNIT, OccurrenceIndex
from rulerank.sampling import SSAR, FewestOccurrences

pools = st.tuples(st.integers(1, 10), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.uint8, shape, elements=st.integers(0, 3))
)
CLOSE = 1e-5  # of one label: the counts are whole numbers of 1/UNIT


def in_common(items, labelled):
    """For each document: items and pairs shared with labels; longer antecedents with the weights of the docstring."""
    found = []
    for document in items:
        total = 0.0
        for row in labelled:
            shared = np.flatnonzero(items[row] == document)
            for length in range(1, len(shared) + 1):
                antecedents = sum(1 for _ in combinations(shared, length))
                total += antecedents * (1.0 if length == 1 else (-1) ** length / (length - 1))
        found.append(total)
    return np.array(found)


@given(items=pools)
def test_the_order_is_that_of_counting_every_antecedent(items):
    occurrence = sampling_reference.occurrences(items)
    sampler = FewestOccurrences().start(items)
    order = []
    while (selection := sampler.propose()) is not None:
        counts = in_common(items, order)
        sign = 1 if order else -1
        left = [row for row in range(len(items)) if row not in order]
        least = min(counts[left])
        tied = [row for row in left if counts[row] < least + CLOSE]
        assert selection.row == min(tied, key=lambda row: (sign * occurrence[row], -row))
        assert dict(selection.keys)["labelled"] / UNIT == pytest.approx(counts[selection.row], abs=CLOSE)
        order.append(selection.row)
        sampler.record(selection.row, len(order) % 3)
    assert sorted(order) == list(range(len(items)))


@given(items=pools, data=st.data())
def test_the_index_counts_labels_that_come_and_go(items, data):
    rows = st.lists(st.integers(0, len(items) - 1), max_size=8)
    index, other = OccurrenceIndex(items), OccurrenceIndex(items)
    together, alone = data.draw(rows), data.draw(rows)
    index.add(together)
    for row in alone:
        index.add([row])
    np.testing.assert_allclose(index.counts() / UNIT, in_common(items, together + alone), atol=CLOSE)
    index.remove(together)
    other.add(alone)
    assert index.counts().tolist() == other.counts().tolist()


def test_pools_longer_than_a_block_and_more_than_a_byte_of_shared_items():
    rng = np.random.default_rng(3)
    items = rng.integers(0, 2, (pool_scores.BLOCK * 2 + 11, 5)).astype(np.uint8)
    index = OccurrenceIndex(items)
    rows = [0, pool_scores.BLOCK, len(items) - 1]
    index.add(rows)
    weights = np.array([0, 1, 2 * 3 / 2, 3 * 11 / 6, 4 * 25 / 12, 5 * 137 / 60])
    shared = np.array([(items == items[row]).sum(axis=1) for row in rows])
    np.testing.assert_allclose(index.counts() / UNIT, weights[shared].sum(axis=0), atol=CLOSE)
    wide = OccurrenceIndex(np.zeros((2, 300), np.uint8))
    wide.add([0])
    assert wide.counts().tolist() == [wide.copy, wide.copy]
    assert wide.copy / UNIT == pytest.approx(300 * sum(1 / n for n in range(1, 301)))


def test_more_features_than_can_be_counted_are_refused():
    with pytest.raises(InputError, match="65,535"):
        OccurrenceIndex(np.zeros((1, 65_536), np.uint8))


def test_often_met_items_count_more_than_once():
    # Rows 0 to 2 are labelled. Row 3 draws one rule, met three times; row 4 draws two rules, each met once.
    items = np.array([[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 3], [4, 1, 0]], np.uint8)
    ours, papers = FewestOccurrences().start(items), SSAR(max_antecedent=1).start(items)
    for sampler in (ours, papers):
        sampler.record_many({0: 1, 1: 1, 2: 1})
    assert ours.propose().row == 4
    assert papers.propose().row == 3
    assert "as much as 0.364 copies of it" in ours.propose().reason


def test_many_at_once_are_as_one_by_one():
    rng = np.random.default_rng(7)
    items = rng.integers(0, 4, (50, 6)).astype(np.uint8)
    once, each = FewestOccurrences().start(items), FewestOccurrences().start(items)
    grades = {int(row): int(rng.integers(0, 3)) for row in rng.permutation(50)[:20]}
    once.record_many(grades)
    for row, grade in grades.items():
        each.record(row, grade)
    assert once.propose() == each.propose()
    assert once.labelled == each.labelled == grades


def test_grades_do_not_matter():
    rng = np.random.default_rng(8)
    items = rng.integers(0, 4, (40, 6)).astype(np.uint8)
    orders = [FewestOccurrences().run(items, grades).order for grades in (np.zeros(40, int), rng.integers(0, 3, 40))]
    assert orders[0] == orders[1]
