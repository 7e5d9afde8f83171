"""The rule index: how many rules each pool document draws from the labelled set, exact after every label."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulerank.errors import InputError, MemoryLimitError
from rulerank.kernels import over_rows
from rulerank.rules.items import (
    Ints,
    Items,
    LabelledRows,
    as_array,
    as_columns,
    as_document,
    as_grade,
    as_items,
    as_row,
    as_whole,
    check_antecedent,
)
from rulerank.rules.masks import bulk_counts, fresh_antecedents, gain_rules
from rulerank.rules.rule import Explanation, mine_document

MEMORY_LIMIT = 2 * 1024**3

MANY = 20
"""Labels from which on a table pays."""


class RuleIndex:
    """RuleCount of every pool document: pairs (X, r), X within the document, count(X, r) >= 1.

    `add(row, grade)` labels a document of the pool by its row number (or any document by its items); `remove` takes
    that label back. Either costs one pass over the pool, however many labels there are: the antecedents that are new
    for the grade come from one (much shorter) pass over the labelled set, so no table of counts is kept and neither
    the number of bins nor of features is limited by memory for it. Both directions are exact.

    >>> index = RuleIndex([[0, 0], [0, 1], [1, 1]])
    >>> index.add(0, grade=2)
    >>> index.rule_counts().tolist()
    [3, 1, 0]
    >>> index.remove(0, grade=2)
    >>> index.rule_counts().tolist()
    [0, 0, 0]
    """

    def __init__(self, items: Any = None, *, max_antecedent: int = 2, memory_limit: int = MEMORY_LIMIT) -> None:
        self.max_antecedent = check_antecedent(max_antecedent)
        self.memory_limit = memory_limit
        self._pool: Items | None = None
        self._columns: Items | None = None
        self._counts: Ints = np.zeros(0, np.int64)
        self._labelled: LabelledRows | None = None
        if items is not None:
            self._watch(as_items(items))

    @staticmethod
    def bytes_needed(rows: int, features: int, max_antecedent: int = 2) -> int:
        """Return the bytes an index over a pool of this shape takes: items once more, counts, fresh-antecedent rows."""
        words = -(-features // 64)
        fresh = 8 * words * (1 + features * (max_antecedent >= 2) + features**2 * (max_antecedent >= 3))
        return rows * features + 8 * rows + fresh

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds now, the labelled set included and the caller's own items not."""
        columns = self._columns.nbytes if self._columns is not None else 0
        labelled = self._labelled.nbytes if self._labelled is not None else 0
        return columns + self._counts.nbytes + labelled + sum(part.nbytes for part in self._fresh)

    def __len__(self) -> int:
        """Return the number of labels."""
        return self._labelled.count if self._labelled else 0

    @property
    def columns(self) -> Items:
        """The pool's items, feature by feature (shared, not to be written)."""
        if self._columns is None:
            raise InputError("this index has no pool yet; give items to RuleIndex(items) or rule_counts(items)")
        return self._columns

    def _watch(self, items: Items) -> None:
        rows, features = items.shape
        self._allow(self.bytes_needed(rows, features, self.max_antecedent))
        self._pool = items
        self._columns = as_columns(items)
        self._counts = np.zeros(rows, np.int64)
        self._prepare(features)

    def _allow(self, needed: int) -> None:
        if needed > self.memory_limit:
            raise MemoryLimitError(
                f"the rule index would take {needed / 1e6:,.0f} MB, more than memory_limit "
                f"({self.memory_limit / 1e6:,.0f} MB); raise memory_limit, or use fewer features or max_antecedent=2"
            )

    def _prepare(self, features: int) -> LabelledRows:
        if self._labelled is None:
            words = -(-features // 64)
            self._allow(self.bytes_needed(0, features, self.max_antecedent))
            twos = features if self.max_antecedent >= 2 else 0
            threes = features if self.max_antecedent >= 3 else 0
            self._labelled = LabelledRows(features)
            self._fresh = (
                np.zeros(words, np.uint64),
                np.zeros((twos, words), np.uint64),
                np.zeros((threes, threes, words), np.uint64),
            )
        return self._labelled

    _fresh: tuple[np.ndarray, ...] = ()

    def _document(self, row: Any) -> tuple[Items, int]:
        """Return a document's items and its row number in the pool (-1 if it was given by its items)."""
        if as_whole(row) is not None:
            columns = self.columns
            number = as_row(row, columns.shape[1])
            return columns[:, number].copy(), number
        return as_document(row, features=self._features), -1

    @property
    def _features(self) -> int | None:
        return None if self._labelled is None else len(self._labelled.columns)

    def add(self, row: Any, grade: int) -> None:
        """Enter a label: `row` is a row number of the pool, or the items of a document from anywhere."""
        document, number = self._document(row)
        grade = as_grade(grade)
        labelled = self._prepare(document.size)
        self._pass(labelled, document, grade, 1)
        labelled.add(document, grade, number)

    def load(self, rows: Any, grades: Any) -> None:
        """Enter many labels of pool documents at once: the same as `add` one after the other, but quicker."""
        numbers = self._rows(as_array(rows, "row numbers"))
        given = [as_grade(grade) for grade in grades]
        if len(given) != numbers.size:
            raise InputError(f"there are {numbers.size} rows, but {len(given)} grades")
        if numbers.size < MANY:
            for number, grade in zip(numbers.tolist(), given, strict=True):
                self.add(number, grade)
            return
        labelled = self._prepare(len(self.columns))
        for number, grade in zip(numbers.tolist(), given, strict=True):
            labelled.add(self.columns[:, number], grade, number)
        self._counts[:] = self._recount(self.columns)

    def remove(self, row: Any, grade: int) -> None:
        """Take back a label that was entered with the same `row` and `grade`."""
        document, number = self._document(row)
        labelled = self._prepare(document.size)
        labelled.remove(labelled.find(document, as_grade(grade), number))
        self._pass(labelled, document, as_grade(grade), -1)

    def _pass(self, labelled: LabelledRows, document: Items, grade: int, sign: int) -> None:
        size, fresh = self.max_antecedent, self._fresh
        fresh_antecedents(labelled.columns, labelled.grades, labelled.count, document, grade, size, *fresh)
        self._gain(self._columns, document, sign, self._counts)

    def _gain(self, columns: Items | None, document: Items, sign: int, counts: Ints) -> None:
        if columns is None:
            return
        over_rows(
            lambda start, stop: gain_rules(
                columns, start, stop, document, self.max_antecedent, *self._fresh, sign, counts
            ),
            counts.size,
        )

    def rule_counts(self, pool: Any = None) -> Ints:
        """Return the rule count of each pool document (a read-only view that later labels update).

        `pool` may be row numbers of the pool (then a copy for those rows), or an items matrix: the first matrix given
        to an index without a pool becomes its pool; for any other matrix the counts are made from the labels anew.
        """
        if pool is None or (pool is self._pool and self._pool is not None):
            view = self._counts.view()
            view.flags.writeable = False
            return view
        pool = as_array(pool, "a pool")
        if pool.ndim == 1:
            return self._counts[self._rows(pool)]
        items = as_items(pool, features=self._features)
        fresh_pool = self._columns is None
        if fresh_pool:
            self._watch(items)
        counts = self._recount(as_columns(items))
        if fresh_pool:
            self._counts[:] = counts
            return self.rule_counts()
        return counts

    def _rows(self, numbers: np.ndarray) -> np.ndarray:
        rows = self.columns.shape[1]
        if numbers.size and numbers.dtype.kind not in "iu":
            raise InputError("row numbers must be whole numbers; of a mask, give np.flatnonzero(mask)")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < rows:
            raise InputError(f"row numbers go from 0 to {rows - 1}; found {numbers.min()} to {numbers.max()}")
        return numbers.astype(np.intp)

    def _recount(self, columns: Items) -> Ints:
        """Return the rule counts of documents from all labels: by a table, or the labels one after the other."""
        labelled = self._prepare(len(columns))
        count = labelled.count
        found = bulk_counts(columns, labelled.columns[:, :count], labelled.grades[:count], self.max_antecedent)
        if found is not None:
            return found
        counts = np.zeros(columns.shape[1], np.int64)
        for place in range(labelled.count):
            document = np.ascontiguousarray(labelled.columns[:, place])
            grade = labelled.grades[place]
            fresh_antecedents(
                labelled.columns, labelled.grades, place, document, grade, self.max_antecedent, *self._fresh
            )
            self._gain(columns, document, 1, counts)
        return counts

    def explain(self, row: Any) -> Explanation:
        """Return the rules a document draws, and its items that no document labelled before it holds.

        Of a labelled document of the pool, both are given as they stood just before its (latest) label.
        """
        document, number = self._document(row)
        labelled = self._prepare(document.size)
        count = labelled.count
        places = np.flatnonzero(labelled.rows[:count] == number) if number >= 0 else np.zeros(0, np.intp)
        if places.size:
            count = int(places[-1])
        items = labelled.columns[:, :count].T
        rules = mine_document(
            document, items, labelled.grades[:count], max_antecedent=self.max_antecedent, min_confidence=0.0
        )
        held = (items == document).any(axis=0)
        new = tuple((int(feature), int(document[feature])) for feature in np.flatnonzero(~held))
        return Explanation(number, tuple(rules), new)
