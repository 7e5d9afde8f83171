"""What the rule index takes and refuses, what it costs, and what it tells of a document."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError, MemoryLimitError
from rulerank.rules import Explanation, Rule, RuleIndex

POOL = np.array([[0, 1, 2], [0, 2, 2], [1, 1, 0], [3, 3, 3]], np.uint8)


def as_told(explanation: Explanation):
    return {(frozenset(rule.antecedent), rule.grade): (rule.support, rule.confidence) for rule in explanation.rules}


@given(
    pool=hnp.arrays(np.uint8, st.tuples(st.integers(2, 7), st.integers(1, 5)), elements=st.integers(0, 2)),
    labels=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=8),
    size=st.integers(1, 3),
)
@examples(50)
def test_an_explanation_tells_every_rule_and_every_new_item(pool, labels, size):
    labels = [(row % len(pool), grade) for row, grade in labels]
    index = RuleIndex(pool, max_antecedent=size)
    for row, grade in labels:
        index.add(row, grade)
    for row, document in enumerate(pool):
        places = [place for place, (other, _) in enumerate(labels) if other == row]
        before = labels[: places[-1]] if places else labels  # a labelled document: as before its latest label
        labelled = [(pool[other], grade) for other, grade in before]
        told = index.explain(row)
        assert told.row == row
        assert as_told(told) == brute_force.rules(document, labelled, size, min_confidence=0.0)
        assert told.rule_count == len(told.rules) == brute_force.rule_count(document, labelled, size)
        new = [(f, int(b)) for f, b in enumerate(document) if all(items[f] != b for items, _ in labelled)]
        assert list(told.new_items) == new
        if not places:
            assert told.rule_count == index.rule_counts()[row]


def test_of_two_equal_labels_the_later_is_removed():
    index = RuleIndex(POOL)
    for row, grade in ((0, 1), (1, 0), (0, 1)):
        index.add(row, grade)
    assert index.explain(0).rule_count > 0
    index.remove(0, 1)
    assert index.explain(0).rule_count == 0  # nothing was labelled before the label that is left


def test_a_document_from_elsewhere_is_explained_by_all_labels():
    index = RuleIndex(POOL)
    index.add(0, 1)
    told = index.explain([0, 9, 2])
    assert told.row == -1
    assert as_told(told) == brute_force.rules([0, 9, 2], [(POOL[0], 1)], 2)
    assert told.new_items == ((1, 9),)


def test_the_strongest_rules_come_first_and_read_as_sentences():
    index = RuleIndex(POOL)
    for row, grade in ((0, 1), (1, 0), (2, 1)):
        index.add(row, grade)
    told = index.explain([0, 1, 2])
    best = told.strongest(3)
    assert [(rule.confidence, rule.support) for rule in best] == [(1.0, 2), (1.0, 1), (1.0, 1)]
    assert best[0] == Rule(((1, 1),), 1, 2, 1.0)
    assert "feature 2 is in bin 1" in best[0].describe()
    assert best[0].describe(lambda feature, number: f"f{feature}={number}") == (
        "if f1=1 then grade 1 (confidence 1.00, seen 2 times)"
    )


def test_nothing_labelled_means_no_rule_and_only_new_items():
    told = RuleIndex(POOL).explain(3)
    assert told.rules == ()
    assert told.new_items == ((0, 3), (1, 3), (2, 3))


def test_too_large_a_pool_is_refused_before_anything_is_allocated():
    huge = np.broadcast_to(np.uint8(0), (200_000_000, 1000))  # 200 GB, of which one byte exists
    with pytest.raises(MemoryLimitError, match="memory_limit"):
        RuleIndex(huge)
    with pytest.raises(MemoryLimitError, match="memory_limit"):
        RuleIndex().rule_counts(huge)
    with pytest.raises(MemoryLimitError, match="memory_limit"):
        RuleIndex(max_antecedent=3, memory_limit=10_000).add(np.zeros(300, np.uint8), 1)
    with pytest.raises(MemoryLimitError, match="memory_limit"):
        RuleIndex(POOL, memory_limit=20)
    RuleIndex(POOL, memory_limit=RuleIndex.bytes_needed(*POOL.shape))


def test_the_index_is_small():
    pool = np.random.default_rng(0).integers(0, 10, (5000, 46)).astype(np.uint8)
    index = RuleIndex(pool)
    for row in range(200):
        index.add(row, row % 3)
    assert pool.nbytes <= index.nbytes <= 3 * pool.nbytes + 8 * len(pool)


@pytest.mark.parametrize("row", [-1, 4, 1.5, "0", None, np.nan, True, [0, 1], [[0, 1, 2]], [0, 1, 300], [0.5, 1, 2]])
def test_bad_rows_are_refused_and_change_nothing(row):
    index = RuleIndex(POOL)
    index.add(0, 1)
    for step in (lambda: index.add(row, 1), lambda: index.remove(row, 1), lambda: index.explain(row)):
        with pytest.raises(InputError):
            step()
    assert len(index) == 1
    assert index.rule_counts().tolist() == [brute_force.rule_count(d, [(POOL[0], 1)], 2) for d in POOL]


@pytest.mark.parametrize("grade", [-1, 0.5, "1", "one", None, np.nan, np.inf, True, [1], 10**12])
def test_bad_grades_are_refused_and_change_nothing(grade):
    index = RuleIndex(POOL)
    with pytest.raises(InputError, match="grade"):
        index.add(0, grade)
    with pytest.raises(InputError, match="grade"):
        index.remove(0, grade)
    assert len(index) == 0
    assert not index.rule_counts().any()


def test_numbers_of_any_type_are_taken():
    index = RuleIndex(POOL.astype(float).tolist())
    index.add(np.int32(0), np.int8(1))
    index.add(np.array(1), 2.0)
    index.remove(0.0, np.float64(1))
    assert index.rule_counts().tolist() == [brute_force.rule_count(d, [(POOL[1], 2)], 2) for d in POOL]


@pytest.mark.parametrize(
    "items",
    [
        [1, 2, 3],
        np.zeros((3, 0)),
        [[0, 256]],
        [[-1, 0]],
        [[0.5, 1.0]],
        [[np.nan, 1.0]],
        [[np.inf, 1.0]],
        [["a", "b"]],
        [[1, 2], [3]],
        [[None, 1]],
        np.zeros((2, 2, 2)),
    ],
)
def test_bad_items_are_refused(items):
    with pytest.raises(InputError):
        RuleIndex(items)


@pytest.mark.parametrize(
    "pool",
    [[0, 4], [-1], [0.0, 1.5], [True, False, True, False], ["0"], np.zeros((2, 4)), np.zeros((2, 2)), [[1, 2], [3]], 5],
)
def test_bad_pools_to_count_are_refused(pool):
    index = RuleIndex(POOL)
    index.add(0, 1)
    with pytest.raises(InputError):
        index.rule_counts(pool)


def test_counting_no_rows_gives_no_counts():
    assert RuleIndex(POOL).rule_counts([]).tolist() == []


@pytest.mark.parametrize("size", [0, 4, -1, 2.5, "2", None])
def test_other_antecedent_sizes_are_refused(size):
    with pytest.raises(InputError, match="max_antecedent"):
        RuleIndex(POOL, max_antecedent=size)


def test_a_row_number_needs_a_pool():
    index = RuleIndex()
    with pytest.raises(InputError, match="no pool"):
        index.add(0, 1)
    with pytest.raises(InputError, match="no pool"):
        index.rule_counts([0])


def test_only_what_was_added_can_be_removed():
    index = RuleIndex(POOL)
    index.add(0, 1)
    for row, grade in ((0, 0), (1, 1), (POOL[0], 1)):  # the last was labelled as row 0, not by its items
        with pytest.raises(InputError, match="cannot be removed"):
            index.remove(row, grade)
    index.remove(0, 1)
    with pytest.raises(InputError, match="cannot be removed"):
        index.remove(0, 1)
    assert len(index) == 0
