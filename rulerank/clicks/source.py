"""Where a click log comes from: a path or an open file as lines with their numbers; and the rows that are no use."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from rulerank.errors import InputError, RulerankError
from rulerank.files import DAMAGED, Source, source_name, unpacked
from rulerank.foreign.decoding import LineBlocks, LineKind, Utf8Stream, bad_lines, is_utf8, without_bad_bytes

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
        lines = [f"{source}:{row.line}: {row.message}" for row in rows]
        if total > len(rows):
            lines.append(f"{source}: {total} bad rows in all; the first {len(rows)} are listed")
        lines.append("fix these rows, or ask to skip bad rows")
        super().__init__("\n".join(lines))


class RowProblems:
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


LONGEST_LINE = 1 << 26


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Yield a source as bytes, unpacked where its first bytes say that it is gzip, xz or bz2."""
    name = source_name(source)
    try:
        if isinstance(source, str | os.PathLike):
            with open(source, "rb") as file:
                yield _unpacked(file)
        else:
            start = source.tell()
            try:
                raw = (
                    source
                    if isinstance(source.read(0), bytes)
                    else io.BytesIO(source.read().encode("utf-8", "surrogatepass"))
                )
                yield _unpacked(cast(IO[bytes], raw))
            finally:
                source.seek(start)  # so that it can be read again
    except IsADirectoryError:
        raise InputError(f"{name} is a folder; give the file of the log") from None
    except DAMAGED as error:
        raise InputError(f"{name} is damaged or ends too soon: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    start = file.tell()
    head = file.read(8)
    file.seek(start)
    return unpacked(file, head)[1]


class LogLines:
    """The lines of a log as text, with their ends; what is no text in a line is its `fault`, for the row to refuse."""

    name: str
    total: int | None = None

    def __init__(self, file: IO[bytes], name: str = "the log") -> None:
        self.name = name
        self._file = file
        self._fault = ""

    def check(self) -> None:
        """Raise a RowError if a line that was given since the last check is no text."""
        if self._fault:
            fault, self._fault = self._fault, ""
            raise RowError(fault)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of the file."""
        return self._file.read(size)

    def done(self) -> int:
        """Return how many bytes were read; nobody asks."""
        return 0

    def __iter__(self) -> Iterator[str]:
        stream = Utf8Stream(self)
        for kind, block in LineBlocks(stream, LONGEST_LINE):
            if kind is LineKind.TOO_LONG:
                raise InputError(f"{self.name}: a line is longer than {LONGEST_LINE} bytes; is this a click log?")
            faults = {} if is_utf8(block) else {line: (column, block[at]) for line, column, at in bad_lines(block)}
            lines = (without_bad_bytes(block) if faults else block).decode("utf-8").split("\n")[:-1]
            for number, line in enumerate(lines):
                if number in faults:
                    column, byte = faults[number]
                    self._fault = f"column {column}: {stream.refusal(byte)}; save the file as UTF-8"
                yield line + "\n"
