"""Sufficient statistics of SDBN's likelihood: sessions that no model by grade can tell apart are one term.

A session whose last click is at position l says: the results above l were examined and did not satisfy, the one at l
did; a session without a click says that none did. Its likelihood given the intent is

    product over j < l of (1 - pRel(j))  *  pRel(l)        (without a click: product over all j)

So neither documents nor the order of the results above l matter: a term is the multiset of passed cells and the cell
of the stop, where a cell is a pair of language and grade. There are at most some thousands for five results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.distinct import distinct_rows
from rulerank.clicks.log import ClickLog, Codes, Ints


@dataclass(frozen=True, eq=False)
class Terms:
    """The distinct terms of a log."""

    passed: Codes
    """Cells that were passed by, padded with -1."""
    stop: Codes
    """Cell that satisfied, or -1."""
    of_row: Ints
    """Term of each row of the log."""
    cells: int
    """Number of cells there can be, languages * grades."""

    def weights(self, count: Ints) -> NDArray[np.float64]:
        """Return the sessions of each term, from those of each row of the log."""
        return np.bincount(self.of_row, weights=count, minlength=len(self.stop)).astype(np.float64)

    def examined(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often each cell was passed by, and how often it satisfied."""
        held, ended = self.passed >= 0, self.stop >= 0
        each = np.broadcast_to(weights[:, None], self.passed.shape)[held]
        passed = np.bincount(self.passed[held], weights=each, minlength=self.cells)
        stopped = np.bincount(self.stop[ended], weights=weights[ended], minlength=self.cells)
        return passed.astype(np.float64), stopped.astype(np.float64)


def terms_of(log: ClickLog) -> Terms:
    """Find the terms of a log; this is done once, and splits of the log only weigh them anew."""
    cells = log.cell[log.row_config]
    position = np.arange(1, log.depth + 1)
    stop_at = log.row_stop[:, None]
    above = (stop_at == 0) | (position < stop_at)
    passed = np.sort(np.where(above, cells, -1), axis=1)[:, ::-1]
    stop = np.where(position == stop_at, cells, -1).max(axis=1)
    table = np.concatenate([stop[:, None], passed], axis=1)
    size = len(log.languages) * log.grades
    first, place = distinct_rows(table, size + 1)
    kept = table[first]
    return Terms(np.ascontiguousarray(kept[:, 1:], np.int32), np.ascontiguousarray(kept[:, 0], np.int32), place, size)
