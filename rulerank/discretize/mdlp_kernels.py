"""Kernel of MDLP: recursive entropy minimisation with the MDL criterion, on counts. Arrays in and out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel

TIE = 1e-12
"""Entropies (times N) that differ by less, relative to N log2 N, are equal: rounding can part them so far."""

MARGIN = 1e-9
"""How far (in bits) a gain must lie above the MDL bound to count as greater than it."""


@kernel
def _bits(below: NDArray[np.int64], start: int, stop: int, n_log_n: NDArray[np.float64]) -> tuple[float, int, int]:
    """Return N Ent(S) in bits, the number of grades present, and N, for the values start..stop - 1."""
    rows = 0
    present = 0
    total = 0.0
    for g in range(below.shape[1]):
        count = below[stop, g] - below[start, g]
        rows += count
        total += n_log_n[count]
        if count > 0:
            present += 1
    return n_log_n[rows] - total, present, rows


@kernel
def accepted_cuts(counts: NDArray[np.int64], n_log_n: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say of each cut whether it is accepted, for counts[v, g] rows with the v-th distinct value and grade g.

    Cut i parts the values before i from the rest (Fayyad and Irani 1993, section 3). n_log_n[n] is n log2 n
    for n from 0 to the number of rows. Only boundary points are tried: inside a run of values that all have
    one and the same grade the entropy is strictly concave in the cut, so the minimum is never there.
    """
    size, grades = counts.shape
    below = np.zeros((size + 1, grades), np.int64)
    boundary = np.zeros(size, np.bool_)
    only = -1
    for v in range(size):
        held = 0
        grade = -1
        for g in range(grades):
            below[v + 1, g] = below[v, g] + counts[v, g]
            if counts[v, g] > 0:
                held += 1
                grade = g
        if held > 1:
            grade = -1
        boundary[v] = grade < 0 or grade != only
        only = grade

    accepted = np.zeros(size, np.bool_)
    parts = np.empty(size, np.float64)
    starts = np.zeros(size + 1, np.int64)
    stops = np.full(size + 1, size, np.int64)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        start = starts[waiting]
        stop = stops[waiting]
        bits, present, rows = _bits(below, start, stop, n_log_n)
        if present < 2:
            continue
        least = math.inf
        for i in range(start + 1, stop):
            if boundary[i]:
                parts[i] = _bits(below, start, i, n_log_n)[0] + _bits(below, i, stop, n_log_n)[0]
                least = min(least, parts[i])
        cut = start + 1
        while cut < stop and not (boundary[cut] and parts[cut] <= least + TIE * n_log_n[rows]):
            cut += 1
        if cut == stop:
            continue
        left, present_left, rows_left = _bits(below, start, cut, n_log_n)
        right, present_right, rows_right = _bits(below, cut, stop, n_log_n)
        delta = math.log2(3.0**present - 2) - (
            present * bits / rows - present_left * left / rows_left - present_right * right / rows_right
        )
        # The criterion gain > (log2(N - 1) + delta) / N, times N.
        if bits - left - right > math.log2(rows - 1) + delta + MARGIN:
            accepted[cut] = True
            starts[waiting] = start
            stops[waiting] = cut
            starts[waiting + 1] = cut
            stops[waiting + 1] = stop
            waiting += 2
    return accepted
