"""Confidence sums of a whole pool, kept up to date label by label: retraining and ranking in one short pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError, MemoryLimitError
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, antecedents, as_document
from rulerank.rules.labelled import LabelledRows
from rulerank.rules.mine import RuleSums, Thresholds, rule_sums
from rulerank.rules.updates import apply_changes, label_changes
from rulerank.threads import over_rows

CHANGES_LIMIT = 512 * 1024**2


class PoolScores:
    """LRAR's sums for every document of a pool (`columns`: features by documents), exact after every label.

    Equal, to the last bit, to `rule_sums` from scratch. Thresholds must be absolute (counts and confidences).
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
