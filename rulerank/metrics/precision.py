"""Precision at the cut-offs 1..k."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.registry import metrics


@kernel
def _measure(
    starts: NDArray[np.int64],
    low: int,
    high: int,
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    past_end: bool,
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> None:
    k = values.shape[1]
    for query in range(low, high):
        begin = starts[query]
        size = starts[query + 1] - begin
        hits = 0
        for i in range(k):
            if i < size:
                hits += grades[begin + i] > 0
            values[query, i] = hits / (i + 1) if i < size or past_end else 0.0
        expected[query] = values[query]
        if not mixed[query]:
            continue

        before, first = 0, 0
        while first < min(k, size):
            end = tie_ends[begin + first]
            relevant = 0
            for i in range(first, end):
                relevant += grades[begin + i] > 0
            for i in range(first, min(k, end)):
                expected[query, i] = (before + relevant * (i + 1 - first) / (end - first)) / (i + 1)
            before += relevant
            first = end


@metrics.register("precision", "Precision (P@k)")
@metric("P", cutoffs=True)
def precision(rankings: Rankings, k: int) -> Values:
    """Share of relevant documents among the first k."""
    values, expected = room(rankings, k)
    rankings.over_queries(_measure, rankings.convention.precision_past_end, values, expected)
    return values, expected
