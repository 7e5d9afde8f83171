"""What a metric is: a measure over rankings that can also be called on plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.metrics.inputs import check_k
from rulerank.metrics.rankings import Rankings, rank
from rulerank.registry import metrics
from rulerank.strategy import Param, Strategy

Values = tuple[NDArray[np.float64], NDArray[np.float64]]
"""A metric's values for each query, and their exact expectation over uniformly random orders of equal scores.

One value per query, or one row per query with the values at 1..k."""

Measuring = Callable[..., Values]
"""Takes rankings, k, and the metric's parameters by name, each with a default."""


class Metric:
    """A metric: `measure` works on rankings, a call on arrays gives the mean over the queries.

    >>> from rulerank.registry import metrics
    >>> metrics["precision"]([0, 2, 1], [0.9, 0.8, 0.7], ["a", "a", "a"], k=2)
    0.5
    """

    name: str
    label: str
    params: tuple[Param, ...]

    def __init__(self, measure: Measuring, *, short: str, cutoffs: bool, of_one_query: str = "") -> None:
        self.measure = measure
        self.short = short
        """What it is called in tables and above curves, without a cut-off: NDCG."""
        self.cutoffs = cutoffs
        """Whether the metric has a value at each cut-off 1..k, or one value for the whole list."""
        self.of_one_query = of_one_query
        """What its value for a single query is called, where that is not `short`: average precision."""
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
        **params: Any,
    ) -> float:
        """Return the mean over the queries, at cut-off k if the metric has cut-offs; `params`: its parameters."""
        k = check_k(k)
        Strategy(self.name, params).check(metrics)
        rankings = rank(grades, scores, qids, convention=convention, docids=docids, max_grade=max_grade)
        mean = mean_over_queries(self.measure(rankings, k, **params)[0])
        return float(mean[k - 1] if self.cutoffs else mean)


def metric(short: str, *, cutoffs: bool = False, of_one_query: str = "") -> Callable[[Measuring], Metric]:
    """Decorate what measures rankings to make it a Metric; `short` is its name in tables, such as NDCG."""

    def wrap(measure: Measuring) -> Metric:
        return Metric(measure, short=short, cutoffs=cutoffs, of_one_query=of_one_query)

    return wrap


def mean_over_queries(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column; numpy sums pairwise, so more exactly, only along contiguous values."""
    return np.asarray(np.ascontiguousarray(values.T).mean(axis=-1))


def room(rankings: Rankings, *shape: int) -> Values:
    """Return empty arrays for the values and their expectations, with one row for each query."""
    full = (len(rankings.qids), *shape)
    return np.empty(full, dtype=np.float64), np.empty(full, dtype=np.float64)
