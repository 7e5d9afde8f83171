"""What a LETOR file will need, before anything of it is kept: its rows and features are counted in a pass of their own.

A small file can be a large matrix: 20,000 rows that name one feature each, all different, are 325 kB of text and
400 million cells. So before the reader's arrays grow beyond what is small anyway, the file is counted from its
beginning, and refused as soon as it is known to need too much.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.collection.fields import Array
from rulerank.files import BrokenStreamError, Source, open_source
from rulerank.foreign.decoding import LineBlocks, LineKind, Utf8Stream
from rulerank.kernels import kernel
from rulerank.letor.numbers import ends_token, is_blank
from rulerank.memory import MemoryLimit, memory_limit

BYTES_PER_CELL = 9  # a float and a code
BYTES_PER_ROW = 100  # grade, place of the query, and a comment's text beside its characters
BYTES_PER_RUN = 300  # a query's id and where it stands, in several tables
BYTES_PER_FEATURE = 150  # its name, and when it was met last

# Places in the array of counts.
ROWS, WIDTH, RUNS, NOTES, LIMIT = range(5)

_NEWLINE, _HASH, _COLON = 10, 35, 58


@dataclass(frozen=True)
class Shape:
    """How large a file is: rows, features, runs of rows of one query, and bytes of comments and qids."""

    rows: int
    width: int
    runs: int = 0
    notes: int = 0

    @property
    def bytes(self) -> int:
        """What reading it takes at its peak, beside the file's text."""
        return (
            self.rows * self.width * BYTES_PER_CELL
            + self.rows * BYTES_PER_ROW
            + self.runs * BYTES_PER_RUN
            + self.width * BYTES_PER_FEATURE
            + 2 * self.notes
        )

    def check(self, limit: MemoryLimit, least: str = "") -> None:
        """Refuse what needs more than the limit; `least` says that there may be more rows than these."""
        rows = f"{self.rows:,}{least} rows" if self.rows != 1 else "a row"
        limit.check(
            self.bytes,
            f"{rows} of {self.width:,} features",
            "bring fewer rows or features (each row has a cell for every feature of the file)",
        )


@kernel(error_model="numpy")
def count_rows(text: Array, counts: Array) -> None:
    """Count the rows of whole lines, and find their highest feature up to `counts[LIMIT]`."""
    at = 0
    known = -1  # where the qid of the row before begins
    size = 0
    while at < text.size:
        while is_blank(text[at]):
            at += 1
        if text[at] != _NEWLINE and text[at] != _HASH:
            counts[ROWS] += 1
        while text[at] != _NEWLINE and text[at] != _HASH:
            start = at
            feature = np.int64(0)
            while 48 <= text[at] <= 57:
                feature = min(feature * 10 + np.int64(text[at]) - 48, counts[LIMIT] + 1)
                at += 1
            if text[at] == _COLON and counts[WIDTH] < feature <= counts[LIMIT]:
                counts[WIDTH] = feature
            while not ends_token(text[at]):
                at += 1
            if text[start] == 113:  # q of qid:
                new = known < 0 or at - start != size
                if not new:
                    for i in range(size):
                        if text[known + i] != text[start + i]:
                            new = True
                            break
                if new:
                    counts[RUNS] += 1
                    counts[NOTES] += at - start
                known = start
                size = at - start
            while is_blank(text[at]):
                at += 1
        start = at
        while text[at] != _NEWLINE:
            at += 1
        counts[NOTES] += at - start
        at += 1


class SizePass:
    """Counts a source from its beginning, where it can be read twice; made before anything is read of it."""

    def __init__(self, source: Source, encoding: str | None, max_features: int, longest: int) -> None:
        self._source = source
        self._encoding = encoding
        self._max_features = max_features
        self._longest = longest
        self._start = _place(source)

    def __call__(self, limit: MemoryLimit, still: Callable[[], None]) -> Shape | None:
        """Return what the source holds, or None if that cannot be found out; refuse it once it is too much.

        `still` is called now and then, and may raise to stop.
        """
        if self._start is None:
            return None
        counts = np.zeros(5, dtype=np.int64)
        counts[LIMIT] = self._max_features
        with _again(self._source, self._start), open_source(self._source) as stream:
            try:
                for kind, text in LineBlocks(Utf8Stream(stream, self._encoding), self._longest):
                    still()
                    if kind is not LineKind.TOO_LONG:
                        count_rows(np.frombuffer(text, dtype=np.uint8), counts)
                        _shape(counts).check(limit, " or more")
            except BrokenStreamError:
                pass  # reported by line when it is read
        return _shape(counts)


def measure_source(source: Source) -> Shape | None:
    """Return how large a source is, which stays as it was; None if it cannot be read twice."""
    return SizePass(source, None, 100_000, 1 << 24)(memory_limit(), lambda: None)


def _shape(counts: Array) -> Shape:
    return Shape(*(int(counts[place]) for place in (ROWS, WIDTH, RUNS, NOTES)))


def _place(source: Source) -> int | None:
    """Return where a source begins if it can be read from there again: a regular file, or a binary file object."""
    if isinstance(source, str | os.PathLike):
        try:
            return 0 if stat.S_ISREG(os.stat(source).st_mode) else None
        except (OSError, ValueError):
            return None
    try:
        if isinstance(source, io.TextIOBase) or not source.seekable():
            return None
        return int(source.tell())
    except (AttributeError, OSError, ValueError, TypeError):
        return None


@contextmanager
def _again(source: Any, start: int) -> Iterator[None]:
    """Set a file object back to its start, and afterwards to where it was; a path is opened anew by its reader."""
    if isinstance(source, str | os.PathLike):
        yield
        return
    here = source.tell()
    source.seek(start)
    try:
        yield
    finally:
        source.seek(here)
