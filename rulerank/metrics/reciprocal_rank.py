"""Mean reciprocal rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.registry import metrics


@kernel
def _reciprocal_rank(grades: NDArray[np.int64]) -> float:
    for i in range(len(grades)):
        if grades[i] > 0:
            return 1.0 / (i + 1)
    return 0.0


@kernel
def _expected_reciprocal_rank(grades: NDArray[np.int64], tie_ends: NDArray[np.int64]) -> float:
    """Sum 1 / position over the positions that the first relevant document of its tie group may take."""
    begin = 0
    while begin < len(grades):
        end = tie_ends[begin]
        size, relevant = end - begin, 0
        for i in range(begin, end):
            relevant += grades[i] > 0
        if relevant > 0:
            total, none_yet = 0.0, 1.0
            for drawn in range(size - relevant + 1):
                hit = relevant / (size - drawn)
                total += none_yet * hit / (begin + drawn + 1)
                none_yet *= 1.0 - hit
            return total
        begin = end
    return 0.0


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
        values[query] = _reciprocal_rank(own)
        expected[query] = values[query]
        if mixed[query]:
            expected[query] = _expected_reciprocal_rank(own, tie_ends[starts[query] : starts[query + 1]])


@metrics.register("mrr", "Mean reciprocal rank (MRR)")
@metric("MRR", of_one_query="Reciprocal rank")
def mean_reciprocal_rank(rankings: Rankings, k: int) -> Values:
    """One divided by the position of the first relevant document, over the whole list."""
    values, expected = room(rankings)
    rankings.over_queries(_measure, values, expected)
    return values, expected
