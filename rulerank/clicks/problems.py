"""Rows of a click log that cannot be used: counted, told by line, and skipped only where that was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.errors import RulerankError

SHOWN = 20
"""So many bad rows are listed; the others are only counted, so that a bad log does not fill the memory."""


class RowError(ValueError):
    """What is wrong with one row, in words; the reader knows the line."""


@dataclass(frozen=True)
class BadRow:
    """One row that could not be used; lines count from 1 (in parquet: rows)."""

    line: int
    message: str


class ClickLogError(RulerankError, ValueError):
    """A click log has rows that cannot be used; `rows` lists the first of them, `total` counts them all."""

    def __init__(self, source: str, rows: list[BadRow], total: int) -> None:
        self.source, self.rows, self.total = source, rows, total
        told = [f"{source}:{row.line}: {row.message}" for row in rows]
        if total > len(rows):
            told.append(f"{source}: {total} bad rows in all; the first {len(rows)} are listed")
        told.append("mend these rows, or ask to skip bad rows")
        super().__init__("\n".join(told))


class Problems:
    """Collects the bad rows of one reading."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.total = 0
        self.rows: list[BadRow] = []

    def add(self, line: int, message: object) -> None:
        """Count a bad row, and remember it if it is among the first."""
        self.total += 1
        if len(self.rows) < SHOWN:
            self.rows.append(BadRow(line, str(message)))

    def end(self, *, skip: bool) -> None:
        """Raise if there was any bad row and skipping was not asked for."""
        if self.total and not skip:
            raise ClickLogError(self.source, self.rows, self.total)
