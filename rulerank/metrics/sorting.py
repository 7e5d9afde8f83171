"""Sort each query's rows by score, highest first; equal scores keep their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel

_SIGN = np.uint64(1 << 63)
_ALL_BUT_SIGN = np.uint64((1 << 63) - 1)
_BYTE = np.uint64(255)
_SMALL = 24


@kernel
def sort_queries(
    starts: NDArray[np.int64], low: int, high: int, scores: NDArray[np.float64], order: NDArray[np.int64]
) -> None:
    """Write into `order` the rows of the queries low to high - 1 by descending score.

    A stable radix sort on the scores' bits, least significant byte first: for a thousand documents it takes
    about a third of the time of a merge sort. Scores must not be NaN or -0.0.
    """
    longest = 0
    for query in range(low, high):
        longest = max(longest, starts[query + 1] - starts[query])
    keys, other_keys = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    rows, other_rows = np.empty(longest, np.int64), np.empty(longest, np.int64)
    counts = np.empty(256, np.int64)
    bits = scores.view(np.uint64)

    for query in range(low, high):
        begin = starts[query]
        size = starts[query + 1] - begin
        varying = np.uint64(0)
        for i in range(size):
            key = bits[begin + i]
            # The bits of negative floats already grow as the value falls; turn the others round to match.
            if key & _SIGN == 0:
                key ^= _ALL_BUT_SIGN
            keys[i] = key
            rows[i] = begin + i
            varying |= key ^ keys[0]

        if size <= _SMALL:
            for i in range(1, size):
                key, row, j = keys[i], rows[i], i
                while j > 0 and keys[j - 1] > key:
                    keys[j], rows[j] = keys[j - 1], rows[j - 1]
                    j -= 1
                keys[j], rows[j] = key, row
        else:
            for byte in range(8):
                shift = np.uint64(8 * byte)
                if (varying >> shift) & _BYTE == 0:
                    continue
                counts[:] = 0
                for i in range(size):
                    counts[np.int64((keys[i] >> shift) & _BYTE)] += 1
                total = 0
                for digit in range(256):
                    count = counts[digit]
                    counts[digit] = total
                    total += count
                for i in range(size):
                    bucket = np.int64((keys[i] >> shift) & _BYTE)
                    place = counts[bucket]
                    counts[bucket] = place + 1
                    other_keys[place], other_rows[place] = keys[i], rows[i]
                keys, other_keys = other_keys, keys
                rows, other_rows = other_rows, rows
        for i in range(size):
            order[begin + i] = rows[i]
