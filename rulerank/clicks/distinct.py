"""Distinct rows of a table of small whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distinct_rows(table: NDArray[np.integer], base: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each kind, and each row's kind; entries are from -1 to base - 2.

    Rows are written as one number in the given base, a column at a time; numbers that grow too long are replaced by
    their rank. That is much quicker than sorting rows.
    """
    key, span = np.zeros(len(table), np.int64), 1
    for column in table.T:
        if span > (1 << 62) // base:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key = key * base + (column.astype(np.int64) + 1)
        span *= base
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), place.astype(np.int64)
