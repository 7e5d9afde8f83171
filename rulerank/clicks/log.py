"""A click log as counts: sessions with the same results and the same clicks are one row.

A *configuration* is a query with its ordered documents (and their grades and languages). A *pattern* is the set of
clicked positions, bit k - 1 for position k. All that the models and metrics need are the numbers of sessions by
configuration and pattern, so memory grows with the distinct configurations and not with the sessions.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.source import BadRow
from rulerank.errors import InputError


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


DEEPEST = 62
"""A pattern is kept in one 64-bit number."""
LARGEST_GRADE = 100

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class LogReading:
    """What happened while a log was read.

    >>> from rulerank.clicks import LogBuilder
    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, None], clicks=[0, 1])
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1])
    >>> builder.finish().reading
    LogReading(rows=2, bad=0, bad_rows=(), unjudged=1, notes=())
    """

    rows: int = 0
    """Rows of the file that describe sessions."""
    bad: int = 0
    bad_rows: tuple[BadRow, ...] = ()
    """The first bad rows; `bad` counts them all."""
    unjudged: int = 0
    """Sessions left out because a result had no grade."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Counted sessions; the module's text says how. Results past a list's end are -1 in every table.

    >>> from rulerank.clicks import LogBuilder
    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1], sessions=3)
    >>> log = builder.finish()
    >>> log.sessions, log.queries, log.documents, log.grade.tolist()
    (3, ('jaguar',), ('d1', 'd2'), [[0, 2]])
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    languages: tuple[str, ...]
    max_grade: int
    query: Codes
    """Query of each configuration."""
    document: Codes
    """Document of each configuration and position."""
    language: Codes
    grade: Codes
    row_config: Ints
    """Configuration of each row; rows are sorted by configuration, then pattern."""
    row_pattern: Ints
    count: Ints
    """Sessions of each row."""
    reading: LogReading = field(default_factory=LogReading)

    @property
    def sessions(self) -> int:
        """Number of sessions."""
        return int(self.count.sum())

    @property
    def configurations(self) -> int:
        """Number of distinct configurations."""
        return len(self.query)

    @property
    def depth(self) -> int:
        """Results of the longest list (K of the paper)."""
        return self.document.shape[1]

    @property
    def grades(self) -> int:
        """Number of grades, 0 to max_grade."""
        return self.max_grade + 1

    @cached_property
    def length(self) -> Ints:
        """Number of results of each configuration."""
        return (self.document >= 0).sum(axis=1).astype(np.int64)

    @cached_property
    def cell(self) -> Codes:
        """Language and grade of each configuration and position as one number, language * grades + grade."""
        return np.where(self.grade >= 0, self.language * self.grades + self.grade, -1).astype(np.int32)

    @cached_property
    def shapes(self) -> tuple[Codes, Ints]:
        """The distinct sequences of cells, and that of each configuration: models by grade see no more of a list."""
        first, place = distinct_rows(self.cell, len(self.languages) * self.grades + 1)
        return self.cell[first], place

    @cached_property
    def row_stop(self) -> Ints:
        """Position of the last click of each row, 0 where nothing was clicked: where SDBN's user was satisfied."""
        found = np.zeros(len(self.row_pattern), np.int64)
        for position in range(1, self.depth + 1):
            found[(self.row_pattern >> (position - 1)) & 1 == 1] = position
        return found

    @cached_property
    def row_clicked(self) -> NDArray[np.bool_]:
        """Whether each position was clicked, by row."""
        return (self.row_pattern[:, None] >> np.arange(self.depth)) & 1 == 1

    def with_counts(self, count: Ints) -> ClickLog:
        """Return the same rows with other numbers of sessions, as a split of the log has them."""
        if count.shape != self.count.shape or (count < 0).any():
            raise InputError("counts must be one number from 0 up for each row of the log")
        return replace(self, count=count)

    def summary(self) -> dict[str, Any]:
        """Return what a reader wants to know first, as plain values."""
        sessions = max(self.sessions, 1)
        clicks = self.row_clicked.sum(axis=1)
        shown = self.cell[self.row_config]
        cells = np.bincount(
            shown[shown >= 0],
            weights=np.broadcast_to(self.count[:, None], shown.shape)[shown >= 0],
            minlength=len(self.languages) * self.grades,
        ).reshape(len(self.languages), self.grades)
        return {
            "sessions": self.sessions,
            "configurations": self.configurations,
            "queries": len(self.queries),
            "documents": len(self.documents),
            "languages": {name: int(total) for name, total in zip(self.languages, cells.sum(axis=1), strict=True)},
            "grades": {str(grade): int(total) for grade, total in enumerate(cells.sum(axis=0))},
            "depth": self.depth,
            "clicks": int((clicks * self.count).sum()),
            "sessions_with_a_click": float(self.count[clicks > 0].sum() / sessions),
            "sessions_with_several": float(self.count[clicks > 1].sum() / sessions),
            "rows": self.reading.rows,
            "bad_rows": self.reading.bad,
            "unjudged": self.reading.unjudged,
            "notes": list(self.reading.notes),
        }


def counted(config: Ints, pattern: Ints, sessions: Ints | None = None, depth: int = DEEPEST) -> tuple[Ints, Ints, Ints]:
    """Count sessions by configuration and pattern; return configuration, pattern and count, sorted."""
    weights = np.ones(len(config), np.int64) if sessions is None else sessions
    if len(config) == 0:
        return config.astype(np.int64), pattern.astype(np.int64), weights
    if int(config.max()).bit_length() + depth < 63:
        key = (config << depth) | pattern
        kept, place = np.unique(key, return_inverse=True)
        rows, patterns = kept >> depth, kept & ((1 << depth) - 1)
    else:
        order = np.lexsort((pattern, config))
        new = np.r_[True, (np.diff(config[order]) != 0) | (np.diff(pattern[order]) != 0)]
        place = np.empty(len(config), np.int64)
        place[order] = np.cumsum(new) - 1
        rows, patterns = config[order][new], pattern[order][new]
    totals = np.zeros(len(rows), np.int64)
    np.add.at(totals, place, weights)
    return rows.astype(np.int64), patterns.astype(np.int64), totals
