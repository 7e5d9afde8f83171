"""Equal-width bins: the range of a feature cut into equal intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.discretize.base import BINS, Discretizer
from rulerank.discretize.checks import MAX_BINS, check_count
from rulerank.registry import discretizers


@discretizers.register("equal_width", "Equal width")
class EqualWidth(Discretizer):
    """Bins of equal width between a feature's least and greatest fitted value.

    bins: number of bins, 1 to 256. A feature whose range is too narrow for that many floats gets fewer.
    """

    params = (BINS,)

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def _find_edges(self, X: NDArray[np.float64], y: ArrayLike | None) -> list[NDArray[np.float64]]:
        bins = check_count(self.bins, "bins", 1, MAX_BINS)
        edges = []
        for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True):
            found = np.unique(np.linspace(low, high, bins + 1))
            edges.append(found if len(found) > 1 else np.array([low, high]))
        return edges
