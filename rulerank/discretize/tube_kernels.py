"""Kernels of TUBE: cut candidates, the greedy tree, and its held-out log-likelihood. Arrays in and out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel

BESIDE = 1e-4
"""How far beside a value the original program puts a cut."""

NEAR = 2 * BESIDE * (1 + 1e-9)
"""Neighbours up to this far apart share one cut; the slack is for rounding, as at 2e-4 all three coincide."""

TIE = 1e-10
"""Gains that differ by less, per row, are equal: a width of 1e-6 within [0, 1] has such a rounding error."""

LEAST_SHARE = 1e-290
"""A cut that leaves a side no more of the bin's width is passed over: its density would not be a number."""


@kernel
def candidates(values: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the possible cuts, rising, and how many rows lie below each; values with count 0 are left out.

    Neighbouring values a < b give the cuts a + 1e-4 and b - 1e-4, or their midpoint where they are nearer
    than 2e-4.
    """
    cuts = np.empty(2 * len(values), np.float64)
    below = np.empty(2 * len(values), np.int64)
    found = 0
    rows = 0
    previous = -1
    for i in range(len(values)):
        if counts[i] == 0:
            continue
        if previous >= 0:
            a = values[previous]
            b = values[i]
            if b - a <= NEAR or np.nextafter(a, b) == b:
                middle = (a + b) / 2
                cuts[found] = middle if middle < b else a
                below[found] = rows
                found += 1
            else:
                # Beside a huge value 1e-4 is lost to rounding; the next float then stands in.
                cuts[found] = max(a + BESIDE, np.nextafter(a, b))
                cuts[found + 1] = min(b - BESIDE, np.nextafter(b, a))
                below[found] = rows
                below[found + 1] = rows
                found += 2
        rows += counts[i]
        previous = i
    return cuts[:found], below[:found]


@kernel
def _part(rows: int, rows_of_bin: int, share_of_width: float) -> float:
    return rows * math.log(rows / rows_of_bin / share_of_width) if rows > 0 else 0.0


@kernel
def _best_cut(
    cuts: NDArray[np.float64], below: NDArray[np.int64], edges: tuple[float, float], rows: tuple[int, int]
) -> tuple[int, float]:
    """Find the lowest of the best cuts of one bin and its gain; -1 where there is none.

    The bin has these two edges, and rows[0] rows lie below the one, rows[1] below the other. The gain in
    log-likelihood is the sum of n_i log((n_i / n) / (w_i / w)) over both sides: it equals the difference of
    the terms n log(n / (w N)), but does not cancel large numbers. A bin with a cut inside has rows.
    """
    n = rows[1] - rows[0]
    width = edges[1] - edges[0]
    gains = np.empty(len(cuts), np.float64)
    best = -math.inf
    for i in range(len(cuts)):
        left = (cuts[i] - edges[0]) / width
        right = (edges[1] - cuts[i]) / width
        if left <= LEAST_SHARE or right <= LEAST_SHARE:
            gains[i] = -math.inf
        else:
            gains[i] = _part(below[i] - rows[0], n, left) + _part(rows[1] - below[i], n, right)
            best = max(best, gains[i])
    if best > -math.inf:
        for i in range(len(cuts)):
            if gains[i] >= best - TIE * n:
                return i, best
    return -1, best


@kernel
def grow(
    cuts: NDArray[np.float64], below: NDArray[np.int64], edges: tuple[float, float], rows: int, bins: int
) -> NDArray[np.int64]:
    """Split greedily, best gain first, and return the indices of the cuts in the order they were made.

    Each bin's best cut is searched once, when the bin is made. The first k - 1 cuts are the tree with k bins.
    """
    # Bin b lies between the cuts start[b] and stop[b]; -1 and len(cuts) stand for the outer edges.
    start = np.full(bins, -1, np.int64)
    stop = np.full(bins, len(cuts), np.int64)
    cut = np.empty(bins, np.int64)
    gain = np.empty(bins, np.float64)
    fresh = np.ones(bins, np.bool_)
    order = np.empty(bins - 1, np.int64)
    for made in range(1, bins):
        best = -math.inf
        for b in range(made):
            if fresh[b]:
                low, low_rows = (cuts[start[b]], below[start[b]]) if start[b] >= 0 else (edges[0], 0)
                high, high_rows = (cuts[stop[b]], below[stop[b]]) if stop[b] < len(cuts) else (edges[1], rows)
                inside = slice(start[b] + 1, stop[b])
                found, gain[b] = _best_cut(cuts[inside], below[inside], (low, high), (low_rows, high_rows))
                cut[b] = start[b] + 1 + found
                fresh[b] = False
            best = max(best, gain[b])
        if best == -math.inf:
            return order[: made - 1]
        parent = -1
        for b in range(made):
            if gain[b] >= best - TIE * rows and (parent < 0 or start[b] < start[parent]):
                parent = b
        order[made - 1] = cut[parent]
        start[made] = cut[parent]
        stop[made] = stop[parent]
        stop[parent] = cut[parent]
        fresh[parent] = True
    return order


@kernel
def held_out(
    values: NDArray[np.float64], ranks: NDArray[np.int64], fold: NDArray[np.int64], folds: int, bins: int
) -> NDArray[np.float64]:
    """Return the cross-validated log-likelihood of trees with 1..bins bins, summed over all rows.

    values are the distinct values of the column; ranks[r] is the value of its r-th row in rising order, and
    fold[r] the fold that holds this row out. A bin with n of N training rows has the density
    (n + 1) / ((N + k) w) among k bins, so that a held-out row in an empty bin costs much, but not everything.
    Where a tree cannot reach some number of bins, the largest tree it has stands in.
    """
    total = np.zeros(bins, np.float64)
    edges = (values[0], values[-1])
    chosen = np.empty(bins, np.int64)
    for f in range(folds):
        train = np.zeros(len(values), np.int64)
        test = np.zeros(len(values), np.int64)
        tests = 0
        for r in range(len(ranks)):
            if fold[r] == f:
                test[ranks[r]] += 1
                tests += 1
            else:
                train[ranks[r]] += 1
        trains = len(ranks) - tests
        cuts, below = candidates(values, train)
        test_below = np.zeros(len(cuts), np.int64)
        v = 0
        rows = 0
        for i in range(len(cuts)):
            while values[v] <= cuts[i]:
                rows += test[v]
                v += 1
            test_below[i] = rows
        order = grow(cuts, below, edges, trains, bins)
        count = 0
        for k in range(bins):
            if 0 < k <= len(order):
                # Keep the cuts made so far in rising order.
                place = count
                while place > 0 and chosen[place - 1] > order[k - 1]:
                    chosen[place] = chosen[place - 1]
                    place -= 1
                chosen[place] = order[k - 1]
                count += 1
            low, train_low, test_low = edges[0], 0, 0
            for b in range(count + 1):
                high, train_high, test_high = edges[1], trains, tests
                if b < count:
                    i = chosen[b]
                    high, train_high, test_high = cuts[i], below[i], test_below[i]
                share = (train_high - train_low + 1) / (trains + count + 1)
                total[k] += (test_high - test_low) * (math.log(share) - math.log(high - low))
                low, train_low, test_low = high, train_high, test_high
    return total
