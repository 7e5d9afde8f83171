"""Query-level normalisation: features of a query's documents brought to 0..1, as in LETOR's QueryLevelNorm."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def normalise_by_query(features: Any, queries: Any) -> npt.NDArray[np.float64]:
    """Return (x - min) / (max - min), with the extremes of each feature within each query; 0 where they are equal.

    queries: the query of each row, as a number or a name. No grade is looked at, so a whole pool may be scaled before
    any of it is labelled. Qin, Liu, Xu and Li, "LETOR: A Benchmark Collection for Research on Learning to Rank for
    Information Retrieval" (2010), section 4. Scores of different queries compare only so: a rule that holds for one
    says something of others.

    >>> normalise_by_query([[2.0], [4.0], [3.0], [7.0]], ["a", "a", "a", "b"]).tolist()
    [[0.0], [1.0], [0.5], [0.0]]
    """
    matrix = np.asarray(features, np.float64)
    if not len(matrix):
        return matrix.copy()
    codes, low, high = _extremes(matrix, queries)
    spread = np.where(high > low, high - low, 1.0)
    return (matrix - low[codes]) / spread[codes]


def normalised_by_query(features: Any, queries: Any) -> npt.NDArray[np.bool_]:
    """Return, for each feature, whether its values are as `normalise_by_query` leaves them.

    That is: the least of each query is 0, and the greatest is 1, or 0 too.

    >>> normalised_by_query([[0.0, 2.0], [1.0, 4.0], [0.0, 0.0]], ["a", "a", "b"]).tolist()
    [True, False]
    """
    matrix = np.asarray(features)
    if not len(matrix):
        return np.zeros(matrix.shape[1], bool)
    _, low, high = _extremes(matrix, queries)
    return np.asarray((low == 0).all(axis=0) & ((high == 1) | (high == 0)).all(axis=0))


def _extremes(matrix: npt.NDArray[Any], queries: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the number of each row's query, and the least and the greatest values of each query."""
    _, codes = np.unique(np.asarray(queries), return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    ranked = matrix[order]
    return codes, np.minimum.reduceat(ranked, starts), np.maximum.reduceat(ranked, starts)
