"""Mean average precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.registry import metrics


@kernel
def _average_precision(grades: NDArray[np.int64]) -> float:
    hits, total = 0, 0.0
    for i in range(len(grades)):
        if grades[i] > 0:
            hits += 1
            total += hits / (i + 1)
    return total / hits if hits > 0 else 0.0


@kernel
def _expected_average_precision(grades: NDArray[np.int64], tie_ends: NDArray[np.int64]) -> float:
    """McSherry and Najork (ECIR 2008): a tied position is relevant with its group's share of them."""
    hits, total, begin = 0, 0.0, 0
    while begin < len(grades):
        end = tie_ends[begin]
        size = end - begin
        relevant = 0
        for i in range(begin, end):
            relevant += grades[i] > 0
        if relevant > 0:
            # Given a relevant document here, the others of its group stand before it in this proportion.
            others = (relevant - 1) / (size - 1) if size > 1 else 0.0
            for i in range(begin, end):
                total += relevant / size * (hits + 1 + (i - begin) * others) / (i + 1)
            hits += relevant
        begin = end
    return total / hits if hits > 0 else 0.0


@kernel
def _measure(
    starts: NDArray[np.int64],
    low: int,
    high: int,
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> None:
    for query in range(low, high):
        own = grades[starts[query] : starts[query + 1]]
        values[query] = _average_precision(own)
        expected[query] = values[query]
        if mixed[query]:
            expected[query] = _expected_average_precision(own, tie_ends[starts[query] : starts[query + 1]])


@metrics.register("map", "Mean average precision (MAP)")
@metric("MAP", of_one_query="Average precision")
def mean_average_precision(rankings: Rankings, k: int) -> Values:
    """Mean over the relevant documents of the precision at their positions, over the whole list."""
    values, expected = room(rankings)
    rankings.over_queries(_measure, values, expected)
    return values, expected
