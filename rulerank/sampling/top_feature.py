"""The highest value of one feature first: the papers' BM25 baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.rules.items import as_whole
from rulerank.sampling.base import Sampler
from rulerank.sampling.selection import Key
from rulerank.strategy import Param


@samplers.register("top_feature", "Highest BM25 (one feature)")
class TopFeature(Sampler):
    """Chooses the document with the highest value of one feature (LBM25 of the active-sampling paper).

    `feature` counts from 0; take the column that holds BM25. Feature values are used where they are given, items
    otherwise; a tie: the earlier row.

    >>> items, features = [[0, 0], [0, 0], [0, 1], [1, 1]], [[0.3], [0.9], [0.1], [0.5]]
    >>> TopFeature(feature=0).run(items, grades=[2, 2, 1, 0], features=features).order
    [1, 3, 0, 2]
    """

    params = (Param("feature", int, 0, "The feature whose highest values come first.", low=0, counts_from_zero=True),)

    def __init__(self, feature: int = 0) -> None:
        self.feature = feature

    def _begin(self) -> None:
        values = self.pool if self._features is None else self._features
        if as_whole(self.feature) is None or not 0 <= self.feature < values.shape[1]:
            raise InputError(
                f"feature must be a whole number from 0 (LETOR's feature 1) to {values.shape[1] - 1}, "
                f"not {self.feature!r}"
            )
        self._value = values[:, self.feature].astype(float)
        self._row_number = np.arange(len(self.pool))

    def _keys(self) -> Sequence[Key]:
        return (Key("value", self._value, largest=True), Key("row", self._row_number))

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"its feature {self.feature + 1} is {keys['value']:g}, the highest of those without a grade"
