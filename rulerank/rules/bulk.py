"""Rule counts of a whole pool from many labels at once, as they are needed when a campaign is opened again.

Label by label costs a pass over the pool each. Here a table says of every item, and of every pair of items, with which
grades it was labelled; one pass over the labelled set fills it, and one pass over the pool reads it.
"""

from __future__ import annotations

import numpy as np

from rulerank.kernels import kernel
from rulerank.rules.items import Ints, Items
from rulerank.threads import over_rows

LARGEST_TABLE = 64 * 1024**2
"""Bytes of the table of pairs; with more bins than fit, labels are entered one by one."""

MOST_GRADES = 16


@kernel
def _mark(columns, bits, offsets, size, ones, twos):
    """Note the grades (as bits) of every item, and of every pair of items, of the labelled documents."""
    features, rows = columns.shape
    for row in range(rows):
        bit = bits[row]
        for first in range(features):
            item = offsets[first] + columns[first, row]
            ones[item] |= bit
            if size > 1:
                for second in range(first + 1, features):
                    twos[item, offsets[second] + columns[second, row]] |= bit


@kernel
def _count(columns, start, stop, offsets, known, size, ones, twos, members, counts):
    """Add up, for each document of the pool, the grades of its items and pairs of items."""
    features = columns.shape[0]
    for row in range(start, stop):
        total = 0
        for first in range(features):
            if columns[first, row] >= known[first]:
                continue
            item = offsets[first] + columns[first, row]
            total += members[ones[item]]
            # A pair is labelled with no grade that its first item was not labelled with.
            if size > 1 and ones[item]:
                for second in range(first + 1, features):
                    if columns[second, row] < known[second]:
                        total += members[twos[item, offsets[second] + columns[second, row]]]
        counts[row] = total


def bulk_counts(pool: Items, labelled: Items, grades: Ints, size: int) -> Ints | None:
    """Return the rule count of each pool document (columns: features by documents), or None where no table fits."""
    levels, place = np.unique(grades, return_inverse=True)
    if size > 2 or levels.size > MOST_GRADES or not grades.size:
        return None
    known = labelled.max(axis=1).astype(np.int64) + 1
    items = int(known.sum())
    if size > 1 and 2 * items * items > LARGEST_TABLE:
        return None
    offsets = np.cumsum(known) - known
    ones = np.zeros(items, np.uint16)
    twos = np.zeros((items, items) if size > 1 else (1, 1), np.uint16)
    _mark(np.ascontiguousarray(labelled), (1 << place).astype(np.uint16), offsets, size, ones, twos)
    members = np.array([number.bit_count() for number in range(1 << levels.size)], np.int64)
    counts = np.zeros(pool.shape[1], np.int64)
    over_rows(
        lambda start, stop: _count(pool, start, stop, offsets, known, size, ones, twos, members, counts), counts.size
    )
    return counts
