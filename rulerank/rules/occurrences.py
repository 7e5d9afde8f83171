"""How much a document shares with the labelled set, kept for a whole pool: one short pass a label."""

from __future__ import annotations

import numpy as np

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.rules.items import Ints, Items, as_columns
from rulerank.threads import over_rows

BLOCK = 4096
"""Pool documents at a time: their items stay in the processor's cache while one label after the other is counted."""

UNIT = 12_252_240
"""Counts are whole numbers of 1/UNIT. 1 to 18 divide it, so up to 19 shared items count exactly, and ties are ties; a
million labels of twenty thousand features still fit into 64 bits."""

MOST_FEATURES = 65_535
"""Shared items are counted in 16 bits."""


@kernel
def _add_shared(columns: Items, start: int, stop: int, labelled: Items, worth: Ints, counts: Ints) -> None:
    """Add worth[s] to each document of start..stop for every labelled document that shares s items with it."""
    features, labels = labelled.shape
    shared = np.empty(BLOCK, np.uint16)
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        size = end - block
        for label in range(labels):
            shared[:size] = 0
            for feature in range(features):
                value = labelled[feature, label]
                # A slice, not `block + u`: an index that cannot be negative is what lets the loop use vector lanes.
                column = columns[feature, block:end]
                for u in range(size):
                    shared[u] += np.uint16(column[u] == value)
            part = counts[block:end]
            for u in range(size):
                part[u] += worth[shared[u]]


class OccurrenceIndex:
    """How much labelled documents have in common with each pool document.

    A labelled document that shares s items with it counts s H(s), where H(s) = 1 + 1/2 + ... + 1/s. In antecedents,
    that is s + C(s, 2) - C(s, 3) / 2 + C(s, 4) / 3 - ...: each shared item and each shared pair once, less what the
    pairs of many items say twice. None of them is ever enumerated. Kept as whole numbers of 1/UNIT, so a label and its
    undo cancel and the order of the labels does not matter.
    """

    def __init__(self, items: Items) -> None:
        self._columns = as_columns(items)
        features = len(self._columns)
        if features > MOST_FEATURES:
            raise InputError(f"there are {features:,} features; this sampler takes at most {MOST_FEATURES:,}")
        harmonic = np.cumsum([0.0, *(1 / number for number in range(1, features + 1))])
        self._worth = np.rint(np.arange(features + 1) * harmonic * UNIT).astype(np.int64)
        self._counts: Ints = np.zeros(self._columns.shape[1], np.int64)
        self.copy = int(self._worth[-1])
        """What a labelled document counts that is the same in all items."""

    def add(self, rows: list[int]) -> None:
        """Enter labels of these pool documents."""
        self._pass(rows, self._worth)

    def remove(self, rows: list[int]) -> None:
        """Take labels of these pool documents back."""
        self._pass(rows, -self._worth)

    def _pass(self, rows: list[int], worth: Ints) -> None:
        labelled = np.ascontiguousarray(self._columns[:, rows])
        over_rows(
            lambda start, stop: _add_shared(self._columns, start, stop, labelled, worth, self._counts),
            self._counts.size,
        )

    def counts(self) -> Ints:
        """Return UNIT times that sum for each pool document (a read-only view that later labels update)."""
        view = self._counts.view()
        view.flags.writeable = False
        return view
