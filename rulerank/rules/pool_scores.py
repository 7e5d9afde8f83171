"""What is kept up to date for a whole pool, in one short pass per label: confidence sums, and what documents share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError, MemoryLimitError
from rulerank.kernels import kernel, over_rows
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, LabelledRows, antecedents, as_columns, as_document
from rulerank.rules.mine import RuleSums, Thresholds, rule_sums
from rulerank.rules.updates import apply_changes, label_changes

CHANGES_LIMIT = 512 * 1024**2


class PoolScores:
    """LRAR's sums for every document of a pool (`columns`: features by documents), exact after every label.

    Equal, to the last bit, to `rule_sums` from scratch. Thresholds must be absolute (counts and confidences).

    >>> scores = PoolScores(np.array([[0, 0, 1], [0, 1, 1]], np.uint8), grades=2)
    >>> scores.add(np.array([0, 0], np.uint8), grade=1)
    >>> scores.rule_sums.numbers.tolist()
    [[0, 3], [0, 1], [0, 0]]
    """

    def __init__(
        self,
        columns: Items,
        grades: int,
        *,
        max_antecedent: int = 2,
        thresholds: Thresholds | None = None,
        limit: int = CHANGES_LIMIT,
    ) -> None:
        features, documents = columns.shape
        self.columns = columns
        self.width = grades
        self.max_antecedent = max_antecedent
        self.thresholds = thresholds or Thresholds()
        if self.thresholds.projection_share:
            raise InputError("a support relative to the projection changes with every label; score from scratch")
        threes = features if max_antecedent >= 3 else 0
        needed = 16 * grades * (features**2 + threes**3)
        if needed > limit:
            raise MemoryLimitError(
                f"updating scores label by label would take {needed / 1e6:,.0f} MB, more than the limit of "
                f"{limit / 1e6:,.0f} MB; use max_antecedent=2 or score from scratch"
            )
        words = -(-features // 64)
        self._two = np.zeros((features, features, 2 * grades), np.int64)
        self._three = np.zeros((threes, threes, threes, 2 * grades), np.int64)
        self._open2 = np.zeros((features, words), np.uint64)
        self._open3 = np.zeros((threes, threes, words), np.uint64)
        self._labelled = LabelledRows(features)
        self.scale = scale_for(antecedents(features, max_antecedent))
        self._sums: Ints = np.zeros((documents, grades), np.int64)
        self._numbers: Ints = np.zeros((documents, grades), np.int64)

    def load(self, columns: Items, grades: Ints) -> None:
        """Replace the labelled set by these documents (features by documents) and score from scratch."""
        self._labelled = LabelledRows(len(self.columns))
        for place, grade in enumerate(grades):
            self._labelled.add(columns[:, place], int(grade))
        fresh = rule_sums(
            columns,
            grades,
            self.width,
            self.columns,
            max_antecedent=self.max_antecedent,
            thresholds=self.thresholds,
        )
        self._sums, self._numbers = fresh.sums, fresh.numbers

    def add(self, document: Items, grade: int) -> None:
        """Enter one labelled document, given by its items."""
        self._check(grade)
        document = as_document(document, features=len(self.columns))
        self._pass(document, grade, 1)
        self._labelled.add(document, grade)

    def remove(self, document: Items, grade: int) -> None:
        """Take one labelled document back."""
        document = as_document(document, features=len(self.columns))
        self._labelled.remove(self._labelled.find(document, grade))
        self._pass(document, grade, -1)

    def _check(self, grade: int) -> None:
        if not 0 <= grade < self.width:
            raise InputError(f"grade {grade} is outside 0 to {self.width - 1}, the grades these scores were made for")

    def _pass(self, document: Items, grade: int, sign: int) -> None:
        labelled, size = self._labelled, self.max_antecedent
        tables = (self._two, self._three, self._open2, self._open3)
        label_changes(
            labelled.columns,
            labelled.grades,
            labelled.count,
            document,
            grade,
            self.width,
            size,
            float(self.scale),
            int(self.thresholds.support),
            float(self.thresholds.confidence),
            *tables,
        )
        over_rows(
            lambda start, stop: apply_changes(
                self.columns,
                start,
                stop,
                document,
                self.width,
                size,
                *tables,
                sign,
                self._sums,
                self._numbers,
            ),
            self.columns.shape[1],
        )

    def __len__(self) -> int:
        """Return the number of labelled documents."""
        return self._labelled.count

    @property
    def rule_sums(self) -> RuleSums:
        """The sums as they stand (shared arrays, not to be written)."""
        return RuleSums(self._sums, self._numbers, self.scale)

    def grade_counts(self) -> npt.NDArray[np.int64]:
        """Return how many labelled documents have each grade."""
        return np.bincount(self._labelled.grades[: self._labelled.count], minlength=self.width)


BLOCK = 4096
"""Pool documents at a time: their items stay in the processor's cache while one label after the other is counted."""

UNIT = 12_252_240
"""Counts are whole numbers of 1/UNIT. 1 to 18 divide it, so up to 19 shared items count exactly, and ties are ties; a
million labels of twenty thousand features still fit into 64 bits."""

MOST_FEATURES = 65_535
"""Shared items are counted in 16 bits."""


@kernel
def _add_shared(columns: Items, start: int, stop: int, labelled: Items, worth: Ints, counts: Ints) -> None:
    """Add worth[s] to each document of start..stop for every labelled document that shares s items with it."""
    features, labels = labelled.shape
    shared = np.empty(BLOCK, np.uint16)
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        size = end - block
        for label in range(labels):
            shared[:size] = 0
            for feature in range(features):
                value = labelled[feature, label]
                # A slice, not `block + u`: an index that cannot be negative is what lets the loop use vector lanes.
                column = columns[feature, block:end]
                for u in range(size):
                    shared[u] += np.uint16(column[u] == value)
            part = counts[block:end]
            for u in range(size):
                part[u] += worth[shared[u]]


class OccurrenceIndex:
    """How much labelled documents have in common with each pool document.

    A labelled document that shares s items with it counts s H(s), where H(s) = 1 + 1/2 + ... + 1/s. In antecedents,
    that is s + C(s, 2) - C(s, 3) / 2 + C(s, 4) / 3 - ...: each shared item and each shared pair once, less what the
    pairs of many items say twice. None of them is ever enumerated. Kept as whole numbers of 1/UNIT, so a label and its
    undo cancel and the order of the labels does not matter.
    """

    def __init__(self, items: Items) -> None:
        self._columns = as_columns(items)
        features = len(self._columns)
        if features > MOST_FEATURES:
            raise InputError(f"there are {features:,} features; this sampler takes at most {MOST_FEATURES:,}")
        harmonic = np.cumsum([0.0, *(1 / number for number in range(1, features + 1))])
        self._worth = np.rint(np.arange(features + 1) * harmonic * UNIT).astype(np.int64)
        self._counts: Ints = np.zeros(self._columns.shape[1], np.int64)
        self.copy = int(self._worth[-1])
        """What a labelled document counts that is the same in all items."""

    def add(self, rows: list[int]) -> None:
        """Enter labels of these pool documents."""
        self._pass(rows, self._worth)

    def remove(self, rows: list[int]) -> None:
        """Take labels of these pool documents back."""
        self._pass(rows, -self._worth)

    def _pass(self, rows: list[int], worth: Ints) -> None:
        labelled = np.ascontiguousarray(self._columns[:, rows])
        over_rows(
            lambda start, stop: _add_shared(self._columns, start, stop, labelled, worth, self._counts),
            self._counts.size,
        )

    def counts(self) -> Ints:
        """Return UNIT times that sum for each pool document (a read-only view that later labels update)."""
        view = self._counts.view()
        view.flags.writeable = False
        return view
