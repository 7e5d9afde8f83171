"""Fewest occurrences against counting every antecedent of every labelled document."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import brute_force
import numpy as np
import pytest
import sampling_reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rulerank.errors import InputError
from rulerank.rules import occurrences
from rulerank.rules.occurrences import OccurrenceIndex
from rulerank.sampling import SSAR, FewestOccurrences

pools = st.tuples(st.integers(1, 10), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.uint8, shape, elements=st.integers(0, 3))
)


def met(items, labelled, size):
    """For each document: the labels that hold an antecedent, averaged over those of one length, then over lengths."""
    known = [(items[row], 0) for row in labelled]
    found = []
    for document in items:
        counts = brute_force.supports(document, known, size)
        features = len(document)
        lengths = range(1, min(size, features) + 1)
        means = [
            Fraction(sum(n for (held, _), n in counts.items() if len(held) == length), comb(features, length))
            for length in lengths
        ]
        found.append(sum(means) / len(lengths))
    return found


def means_of(index):
    return [Fraction(int(count), index.scale) for count in index.counts()]


@given(items=pools, size=st.integers(1, 3))
def test_the_order_is_that_of_counting_every_antecedent(items, size):
    occurrence = sampling_reference.occurrences(items)
    sampler = FewestOccurrences(max_antecedent=size).start(items)
    order = []
    while (selection := sampler.propose()) is not None:
        counts = met(items, order, size)
        sign = 1 if order else -1
        left = [row for row in range(len(items)) if row not in order]
        assert selection.row == min(left, key=lambda row: (counts[row], sign * occurrence[row], -row))
        assert Fraction(int(dict(selection.keys)["labelled"]), sampler._index.scale) == counts[selection.row]
        order.append(selection.row)
        sampler.record(selection.row, len(order) % 3)
    assert sorted(order) == list(range(len(items)))


@given(items=pools, size=st.integers(1, 3), data=st.data())
def test_the_index_counts_labels_that_come_and_go(items, size, data):
    rows = st.lists(st.integers(0, len(items) - 1), max_size=8)
    index = OccurrenceIndex(items, max_antecedent=size)
    together, alone = data.draw(rows), data.draw(rows)
    index.add(together)
    for row in alone:
        index.add([row])
    assert means_of(index) == met(items, together + alone, size)
    index.remove(together)
    assert means_of(index) == met(items, alone, size)


def test_pools_longer_than_a_block_and_more_than_a_byte_of_shared_items():
    rng = np.random.default_rng(3)
    items = rng.integers(0, 2, (occurrences.BLOCK * 2 + 11, 5)).astype(np.uint8)
    index = OccurrenceIndex(items)
    rows = [0, occurrences.BLOCK, len(items) - 1]
    index.add(rows)
    shared = np.array([(items == items[row]).sum(axis=1) for row in rows])
    assert np.array_equal(index.counts(), (4 * shared + shared * (shared - 1)).sum(axis=0))
    wide = OccurrenceIndex(np.zeros((2, 300), np.uint8), max_antecedent=1)
    wide.add([0])
    assert wide.counts().tolist() == [300, 300]


def test_often_met_items_count_more_than_once():
    # Rows 0 to 2 are labelled. Row 3 draws one rule, met three times; row 4 draws two rules, each met once.
    items = np.array([[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 3], [4, 1, 0]], np.uint8)
    ours, papers = FewestOccurrences(max_antecedent=1).start(items), SSAR(max_antecedent=1).start(items)
    for sampler in (ours, papers):
        sampler.record_many({0: 1, 1: 1, 2: 1})
    assert ours.propose().row == 4
    assert papers.propose().row == 3
    assert "0.667 times among the labels" in ours.propose().reason


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


def test_more_antecedents_than_can_be_counted_are_refused():
    with pytest.raises(InputError, match="set max_antecedent=2"):
        FewestOccurrences(max_antecedent=3).start(np.zeros((1, 20_000), np.uint8))


def test_antecedents_of_four_items_are_too_many():
    with pytest.raises(InputError, match="max_antecedent"):
        FewestOccurrences(max_antecedent=4).start([[0, 1]])
