"""A selection and its reason, the run that a list of them makes, and the one selector that breaks ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Selection:
    """The document chosen next, and why.

    row: its row number in the pool. rule_count: the rules it draws from the labelled set, where the sampler counts
    rules. keys: the values that decided, by name, the first one first. round: 1 for the first selection. partition:
    the feature partition that chose (from 0), where there are partitions. stop: the document is labelled already, and
    the sampler's natural stop is reached. reason: the same in a sentence.

    >>> from rulerank.sampling import SSAR
    >>> print(SSAR().start([[0, 0], [0, 0], [0, 1]]).propose().reason)
    nothing is labelled yet, and its items are the most common: 5 occurrences
    """

    row: int
    sampler: str
    round: int
    reason: str
    rule_count: int | None = None
    keys: tuple[tuple[str, float], ...] = ()
    partition: int | None = None
    stop: bool = False


@dataclass(frozen=True)
class Run:
    """A whole replay: rows in the order of their selection, rule counts (the stopping one's last), and the stop.

    >>> from rulerank.sampling import SSAR
    >>> run = SSAR().run([[0, 0], [0, 0], [0, 1], [1, 1]], grades=[2, 2, 1, 0])
    >>> run.order, run.stopped_on
    ([2, 3, 1], 3)
    """

    order: list[int]
    rule_counts: list[int | None]
    stopped_on: int | None
    selections: tuple[Selection, ...] = field(repr=False, default=())

    def __len__(self) -> int:
        return len(self.order)


class Key(NamedTuple):
    """One value per document to choose by: the smallest wins, or the largest."""

    name: str
    values: npt.NDArray[Any]
    largest: bool = False

    def best(self, rows: npt.NDArray[np.intp] | None = None) -> npt.NDArray[np.intp]:
        """Return which of `rows` (None: all) hold the winning value."""
        values = self.values if rows is None else self.values[rows]
        won = np.flatnonzero(values == (values.max() if self.largest else values.min()))
        return won if rows is None else rows[won]


def pick(keys: Sequence[Key], available: npt.NDArray[np.bool_] | None = None) -> int:
    """Return the row that wins by the keys, compared one after the other; still tied: the later row; none: -1."""
    rows = None if available is None else np.flatnonzero(available)
    for key in keys:
        if rows is not None and rows.size <= 1:
            break
        rows = key.best(rows)
    return int(rows[-1]) if rows is not None and rows.size else -1
