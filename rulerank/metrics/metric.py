"""What a metric is: a measure over rankings that can also be called on plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.metrics.inputs import check_k
from rulerank.metrics.rankings import Rankings, rank

Values = tuple[NDArray[np.float64], NDArray[np.float64]]
"""A metric's values for each query, and their exact expectation over uniformly random orders of equal scores.

One value a query, or one row a query with the values at 1..k."""

Measuring = Callable[[Rankings, int], Values]


class Metric:
    """A metric: `measure` works on rankings, a call on arrays gives the mean over the queries."""

    name: str
    label: str

    def __init__(self, measure: Measuring, *, short: str, cutoffs: bool) -> None:
        self.measure = measure
        self.short = short
        """What it is called in tables and above curves, without a cut-off: NDCG."""
        self.cutoffs = cutoffs
        """Whether the metric has a value at each cut-off 1..k, or one value for the whole list."""
        update_wrapper(self, measure)

    def __call__(
        self,
        grades: Any,
        scores: Any,
        qids: Iterable[Any],
        *,
        k: int = 10,
        convention: str = "letor",
        docids: Iterable[Any] | None = None,
        max_grade: int | None = None,
    ) -> float:
        """Return the mean over the queries, at cut-off k if the metric has cut-offs."""
        k = check_k(k)
        rankings = rank(grades, scores, qids, convention=convention, docids=docids, max_grade=max_grade)
        mean = mean_over_queries(self.measure(rankings, k)[0])
        return float(mean[k - 1] if self.cutoffs else mean)


def metric(short: str, *, cutoffs: bool = False) -> Callable[[Measuring], Metric]:
    """Decorate what measures rankings to make it a Metric; `short` is its name in tables, such as NDCG."""

    def wrap(measure: Measuring) -> Metric:
        return Metric(measure, short=short, cutoffs=cutoffs)

    return wrap


def mean_over_queries(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column; numpy sums pairwise, so more exactly, only along contiguous values."""
    return np.asarray(np.ascontiguousarray(values.T).mean(axis=-1))


def room(rankings: Rankings, *shape: int) -> Values:
    """Return empty arrays for the values and their expectations, with one row for each query."""
    full = (len(rankings.qids), *shape)
    return np.empty(full, dtype=np.float64), np.empty(full, dtype=np.float64)
