"""Normalised discounted cumulative gain: at the cut-offs 1..k, and its mean over all positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.registry import metrics


@kernel
def _cumulate(
    grades: NDArray[np.int64],
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    total = 0.0
    for i in range(len(out)):
        total += gains[grades[i]] * discounts[i]
        out[i] = total


@kernel
def _cumulate_expected(
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """McSherry and Najork (ECIR 2008): every position of a tie group has the group's mean gain."""
    total, begin = 0.0, 0
    while begin < len(out):
        end = tie_ends[begin]
        gain = 0.0
        for i in range(begin, end):
            gain += gains[grades[i]]
        gain /= end - begin
        for i in range(begin, min(end, len(out))):
            total += gain * discounts[i]
            out[i] = total
        begin = end


@kernel
def _cumulate_ideal(
    grades: NDArray[np.int64],
    counts: NDArray[np.int64],
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Cumulate with the best grades first; `counts` is scratch room, one place for each grade."""
    counts[:] = 0
    for i in range(len(grades)):
        counts[grades[i]] += 1
    total, grade = 0.0, len(counts) - 1
    for i in range(len(out)):
        while counts[grade] == 0:
            grade -= 1
        counts[grade] -= 1
        total += gains[grade] * discounts[i]
        out[i] = total


@kernel
def _measure(
    starts: NDArray[np.int64],
    low: int,
    high: int,
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    deepest: int,
    ndcg: NDArray[np.float64],
    expected_ndcg: NDArray[np.float64],
    means: NDArray[np.float64],
    expected_means: NDArray[np.float64],
) -> None:
    """Fill in NDCG at the first positions, and the mean of NDCG over the first `deepest` positions.

    `ndcg` stays as it is beyond the last document of a query.
    """
    counts = np.empty(len(gains), np.int64)
    ideal, found, hoped = np.empty(deepest), np.empty(deepest), np.empty(deepest)
    for query in range(low, high):
        begin, end = starts[query], starts[query + 1]
        own, ties = grades[begin:end], tie_ends[begin:end]
        depth = min(end - begin, deepest)
        _cumulate_ideal(own, counts, gains, discounts, ideal[:depth])
        means[query] = expected_means[query] = 0.0
        shown = min(depth, ndcg.shape[1])
        if ideal[0] == 0.0:  # the best document comes first, so there is no relevant one
            ndcg[query, :shown] = 0.0
            expected_ndcg[query, :shown] = 0.0
            continue
        _cumulate(own, gains, discounts, found[:depth])
        for i in range(depth):
            found[i] /= ideal[i]
            means[query] += found[i] / depth
        ndcg[query, :shown] = found[:shown]
        if not mixed[query]:
            expected_ndcg[query, :shown] = found[:shown]
            expected_means[query] = means[query]
            continue
        _cumulate_expected(own, ties, gains, discounts, hoped[:depth])
        for i in range(depth):
            hoped[i] /= ideal[i]
            expected_means[query] += hoped[i] / depth
        expected_ndcg[query, :shown] = hoped[:shown]


def _run(rankings: Rankings, k: int, deepest: int) -> tuple[Values, Values]:
    rules = rankings.convention
    gains = rules.gain(np.arange(rankings.max_grade + 1.0))
    discounts = rules.discount(np.arange(1.0, deepest + 1.0))
    at_cutoffs, means = room(rankings, k), room(rankings)
    rankings.over_queries(_measure, gains, discounts, deepest, *at_cutoffs, *means)
    return at_cutoffs, means


@metrics.register("ndcg", "Normalised discounted cumulative gain (NDCG@k)")
@metric("NDCG", cutoffs=True)
def normalised_discounted_cumulative_gain(rankings: Rankings, k: int) -> Values:
    """Discounted gain of the first k documents, divided by that of the best order.

    Järvelin and Kekäläinen (TOIS 2002), with the convention's gain and discount.
    """
    both = _run(rankings, k, k)[0]
    sizes = np.diff(rankings.starts)
    for query in np.flatnonzero(sizes < k):
        for values in both:
            last = values[query, sizes[query] - 1]
            values[query, sizes[query] :] = last if rankings.convention.ndcg_past_end else 0.0
    return both


@metrics.register("mean_ndcg", "NDCG, mean over all positions (MeanNDCG)")
@metric("MeanNDCG")
def mean_ndcg(rankings: Rankings, k: int) -> Values:
    """Mean of NDCG@1..@n over all n positions of a query, as LETOR's Eval-Score-4.0 prints it."""
    return _run(rankings, 1, int(np.diff(rankings.starts).max()))[1]
