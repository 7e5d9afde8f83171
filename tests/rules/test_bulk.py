"""Many labels at once give the same index as one after the other, and as counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.rules import RuleIndex, masks
from rulerank.rules.items import as_columns
from rulerank.rules.masks import bulk_counts


def by_hand(items: np.ndarray, rows: list[int], grades: list[int], size: int) -> list[int]:
    """Count, for each document, the pairs of an antecedent within it and a grade it was labelled with."""
    counts = []
    for document in items:
        rules = set()
        for row, grade in zip(rows, grades, strict=True):
            shared = np.flatnonzero(items[row] == document).tolist()
            rules |= {(chosen, grade) for length in range(1, size + 1) for chosen in combinations(shared, length)}
        counts.append(len(rules))
    return counts


@given(st.data())
def test_a_table_counts_what_a_person_would_count(data):
    shape = data.draw(st.tuples(st.integers(1, 8), st.integers(1, 5)))
    items = np.array(data.draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
    items = items.reshape(shape).astype(np.uint8)
    size = data.draw(st.sampled_from([1, 2]))
    rows = data.draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, unique=True))
    grades = data.draw(st.lists(st.integers(0, 20), min_size=len(rows), max_size=len(rows)))
    columns = as_columns(items)
    found = bulk_counts(columns, columns[:, rows], np.array(grades, np.int64), size)
    assert found.tolist() == by_hand(items, rows, grades, size)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("bins", [3, 200])
def test_loading_equals_adding_and_can_be_taken_back(size, bins):
    rng = np.random.default_rng(bins)
    items = rng.integers(0, bins, (120, 6)).astype(np.uint8)
    grades = rng.integers(0, 4, 120)
    rows = rng.permutation(120)[:70]
    loaded, added = (RuleIndex(items, max_antecedent=size) for _ in range(2))
    loaded.load(rows[:5], grades[rows[:5]])
    loaded.load(rows[5:], grades[rows[5:]])
    for row in rows.tolist():
        added.add(row, int(grades[row]))
    assert loaded.rule_counts().tolist() == added.rule_counts().tolist()
    assert loaded.explain(int(rows[40])) == added.explain(int(rows[40]))
    for index in (loaded, added):
        index.remove(int(rows[9]), int(grades[rows[9]]))
    assert loaded.rule_counts().tolist() == added.rule_counts().tolist()


def test_where_no_table_fits_the_labels_are_entered_one_by_one(monkeypatch):
    items = np.random.default_rng(0).integers(0, 9, (60, 5)).astype(np.uint8)
    grades = np.arange(60) % 3
    expected = RuleIndex(items)
    expected.load(np.arange(40), grades[:40])
    monkeypatch.setattr(masks, "LARGEST_TABLE", 10)
    found = RuleIndex(items)
    found.load(np.arange(40), grades[:40])
    assert found.rule_counts().tolist() == expected.rule_counts().tolist()


def test_rows_and_grades_must_go_together():
    index = RuleIndex(np.zeros((3, 2), np.uint8))
    with pytest.raises(InputError, match="2 rows, but 1 grades"):
        index.load([0, 1], [0])
    with pytest.raises(InputError, match="0 to 2"):
        index.load([7], [0])
