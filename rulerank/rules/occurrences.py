"""How often a document's antecedents occur in the labelled set, kept for a whole pool: one short pass a label."""

from __future__ import annotations

from math import perm

import numpy as np

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.rules.items import Ints, Items, as_columns, check_antecedent
from rulerank.threads import over_rows

BLOCK = 4096
"""Pool documents at a time: their items stay in the processor's cache while one label after the other is counted."""

MOST = 1 << 43
"""The largest scale: a million labels then still fit into 64 bits."""


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
    """How many labelled documents hold an antecedent of each pool document, on average; each length counts alike.

    Two documents that share s of F items share C(s, k) of C(F, k) antecedents of k items, so no antecedent is ever
    enumerated: a label is worth the mean of these shares over the lengths k. Kept as whole numbers, of which `scale`
    make one label, so a label and its undo cancel and the order of the labels does not matter.
    """

    def __init__(self, items: Items, *, max_antecedent: int = 2) -> None:
        size = check_antecedent(max_antecedent)
        self._columns = as_columns(items)
        features = len(self._columns)
        longest = min(size, features)
        self.scale = longest * perm(features, longest)
        if self.scale > MOST:
            raise InputError(f"{features} features are too many for antecedents of {size} items; set max_antecedent=2")
        self._worth = np.array([_worth(shared, features, longest) for shared in range(features + 1)], np.int64)
        self._counts: Ints = np.zeros(self._columns.shape[1], np.int64)

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
        """Return `scale` times that mean for each pool document (a read-only view that later labels update)."""
        view = self._counts.view()
        view.flags.writeable = False
        return view


def _worth(shared: int, features: int, longest: int) -> int:
    """Return longest! C(features, longest) times the sum over k of C(shared, k) / C(features, k)."""
    return sum(perm(shared, k) * perm(features - k, longest - k) for k in range(1, longest + 1))
