"""k-center: the document farthest from everything labelled, a core set of the pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key
from rulerank.strategy import Param


@samplers.register("k_center", "k-center (farthest first)")
class KCenter(Sampler):
    """Greedy k-center (Gonzalez 1985): chooses the document whose nearest labelled document is farthest.

    space="items": distance is the number of features in different bins. space="features": Euclidean on feature values
    scaled to unit variance. The first choice is SSAR's: the largest total occurrence; ties go the same way.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> KCenter().run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1, 0]
    """

    params = (Param("space", str, "items", "What documents are compared by.", choices=("items", "features")),)

    def __init__(self, space: str = "items") -> None:
        self.space = space

    def _begin(self) -> None:
        if self.space not in ("items", "features"):
            raise InputError(f"space must be 'items' or 'features', not {self.space!r}")
        if self.space == "features":
            if self._features is None:
                raise InputError("space='features' needs the feature values: start(items, features=...)")
            spread = self._features.std(axis=0)
            self._scaled = self._features / np.where(spread > 0, spread, 1.0)
        self._occurrence = total_occurrence(self.pool)
        self._distance = np.full(len(self.pool), np.inf)

    def _to(self, row: int) -> np.ndarray:
        if self.space == "items":
            return np.count_nonzero(self.pool != self.pool[row], axis=1).astype(float)
        gap = self._scaled - self._scaled[row]
        return np.sqrt(np.einsum("ij,ij->i", gap, gap))

    def _added(self, row: int, grade: int) -> None:
        np.minimum(self._distance, self._to(row), out=self._distance)

    def _removed(self, row: int, grade: int) -> None:
        self._distance = np.full(len(self.pool), np.inf)
        for other in self._grades:
            self._added(other, self._grades[other])

    def _keys(self) -> Sequence[Key]:
        return (
            Key("distance", self._distance, largest=True),
            occurrence_key(self._occurrence, not self._grades),
        )

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if not self._grades:
            return "nothing is labelled yet, and its items are the most common"
        return f"its distance to the nearest labelled document is {keys['distance']:g}, the largest"
