"""Kendall's tau-b between two rankings of the same documents, in n log n."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.rules.items import Ints, as_array


def kendall_tau(scores_a: Any, scores_b: Any) -> float | None:
    """Return tau-b (Kendall 1945), which allows for ties; None if one of the two ranks nothing above anything.

    tau-b = (concordant - discordant) / sqrt((n0 - ties of a) (n0 - ties of b)), n0 = n (n - 1) / 2. The discordant
    pairs are the exchanges of a merge sort (Knight 1966).

    scipy.stats.kendalltau gives the same to 1e-12, but works out a p-value too: 0.3 to 0.5 ms instead of 0.08 for the
    10 to 40 documents of a query, and a page asks for every query and every pair of people. Loading it takes 1.1 s.
    """
    a, b = _ranks(scores_a, "scores_a"), _ranks(scores_b, "scores_b")
    if a.size != b.size:
        raise InputError(f"{a.size} and {b.size} scores; both rankings must score the same documents")
    pairs = a.size * (a.size - 1) // 2
    tied_a, tied_b = _tied(a), _tied(b)
    if pairs in (tied_a, tied_b):
        return None
    both = np.sort(a * a.size + b)  # by a, then by b: one number a document sorts faster than two keys
    tied_both = _tied(np.cumsum(np.diff(both, prepend=both[0]) != 0))
    discordant = int(_exchanges(both % a.size))
    # What is neither tied in a nor in b is concordant or discordant.
    difference = pairs - tied_a - tied_b + tied_both - 2 * discordant
    return max(-1.0, min(1.0, difference / (math.sqrt(pairs - tied_a) * math.sqrt(pairs - tied_b))))


def _ranks(scores: Any, name: str) -> Ints:
    """Return the place of each score among the distinct ones."""
    array = as_array(scores, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iubf"):
        raise InputError(f"{name} must be numbers, one a document")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InputError(f"{name} is not a number at row {int(np.flatnonzero(np.isnan(array))[0])}; mend it first")
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def _tied(ranks: Ints) -> int:
    counts = np.bincount(ranks)
    return int((counts * (counts - 1) // 2).sum())


@kernel
def _exchanges(values: Ints) -> int:
    """Sort the values by merging, and count the pairs in which a larger one stood before a smaller one."""
    spare = np.empty_like(values)
    size = values.size
    count = 0
    width = 1
    while width < size:
        for low in range(0, size, 2 * width):
            middle = min(low + width, size)
            high = min(low + 2 * width, size)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or values[i] <= values[j]):
                    spare[k] = values[i]
                    i += 1
                else:
                    spare[k] = values[j]
                    count += middle - i
                    j += 1
        values, spare = spare, values
        width *= 2
    return count
