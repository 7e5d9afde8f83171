"""Equal bins: about the same number of rows in each, or intervals of the same width."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.discretize.base import BINS, MAX_BINS, Discretizer, check_count, map_columns, midway
from rulerank.registry import discretizers


@discretizers.register("equal_frequency", "Equal frequency")
class EqualFrequency(Discretizer):
    """Bins that hold about the same number of rows each.

    The k-th cut should leave k/bins of the rows on its left. Equal values must stay together, so it lies
    midway between the two neighbouring distinct values that come nearest to that share (the lower pair on a
    tie); cuts that fall together are merged, and one that would leave a side empty is dropped. So a feature
    that is mostly 0 keeps a bin for the 0s.

    bins: number of bins wanted, 1 to 256.

    >>> EqualFrequency(bins=2).fit_transform([[0.0], [1.0], [2.0], [10.0]]).tolist()
    [[0], [0], [1], [1]]
    """

    params = (BINS,)

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def _find_edges(self, X: NDArray[np.float64], y: ArrayLike | None) -> list[NDArray[np.float64]]:
        bins = check_count(self.bins, "bins", 1, MAX_BINS)
        return map_columns(lambda column: _column_edges(column, bins), X)


def _column_edges(column: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    values, counts = np.unique(column, return_counts=True)
    below = np.concatenate(([0], np.cumsum(counts)))
    # Ranks are compared as whole numbers, times `bins`, so that ties are exact.
    wanted = len(column) * np.arange(1, bins)
    upper = np.searchsorted(below * bins, wanted, side="left")
    nearer_lower = wanted - below[upper - 1] * bins <= below[upper] * bins - wanted
    boundary = np.unique(np.where(nearer_lower, upper - 1, upper))
    boundary = boundary[(boundary > 0) & (boundary < len(values))]
    return np.concatenate((values[:1], midway(values[boundary - 1], values[boundary]), values[-1:]))


@discretizers.register("equal_width", "Equal width")
class EqualWidth(Discretizer):
    """Bins of equal width between a feature's least and greatest fitted value.

    bins: number of bins, 1 to 256. A feature whose range is too narrow for that many floats gets fewer.

    >>> EqualWidth(bins=2).fit_transform([[0.0], [1.0], [2.0], [10.0]]).tolist()
    [[0], [0], [0], [1]]
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
