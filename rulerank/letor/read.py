"""Read LETOR files: `grade qid:Q 1:value 2:value ... #comment`, one document a line.

The format is that of LETOR 3.0 and 4.0 (Qin and Liu, "Introducing LETOR 4.0 datasets", 2013), itself an extension of
SVMlight's. What is accepted beyond the plain case: any number of features, in any order; features that a row lacks;
`NULL` values; grades that are absent or -1 (unlabelled); qids of any text; comments of any text; tabs, CRLF, blank
and comment-only lines (which are not kept); gzip, xz, bz2 and zip, told by their first bytes.
"""

from __future__ import annotations

import numpy as np

from rulerank.collection import Collection
from rulerank.collection.codes import ABSENT
from rulerank.collection.warnings import PossiblyCutOff
from rulerank.errors import InputError, LetorFormatError
from rulerank.letor.kernels import (
    AT,
    CODES,
    DONE,
    ENOUGH_PROBLEMS,
    LEFTOVERS,
    LINE,
    MAX_FEATURES,
    MORE_LEFTOVERS,
    MORE_ROWS,
    MORE_RUNS,
    MOST,
    NEEDED,
    NOTES,
    PROBLEMS,
    ROWS,
    RUNS,
    STATE_SIZE,
    WIDER,
    parse_rows,
)
from rulerank.letor.numbers import fives, tens
from rulerank.letor.problems import Problems
from rulerank.letor.rows import RowBuffer
from rulerank.letor.source import (
    BrokenStreamError,
    ByteSource,
    Source,
    describe_foreign,
    open_source,
    source_name,
)
from rulerank.letor.types import Array, Progress

CHUNK = 1 << 17  # bytes of text at a time: fits a processor's cache, and is small beside the arrays that result
LONGEST_LINE = 1 << 24  # beside what a line with all its features may need
BYTES_PER_PAIR = 40
BOM = b"\xef\xbb\xbf"


def read_letor(
    source: Source,
    *,
    max_features: int = 100_000,
    max_errors: int = 100,
    max_bytes: int = 8 << 30,
    progress: Progress | None = None,
) -> Collection:
    """Read a LETOR file from a path or a file object (binary or text, which is left open).

    Rows of a query that do not stand together are brought together, and `warnings` says so. Every float is the one
    that Python's `float` reads. The file's bad lines, up to `max_errors` of them, raise one LetorFormatError;
    a matrix of more than `max_bytes` raises MemoryLimitError before it is allocated. `progress(done, total)` is
    called with bytes (`total` None if unknown) and may raise to stop the reading.
    """
    for name, value in (("max_features", max_features), ("max_errors", max_errors), ("max_bytes", max_bytes)):
        if not isinstance(value, int | np.integer) or not 1 <= value <= 1 << 48:
            raise InputError(f"{name} must be a whole number of at least 1, not {value!r}")
    reader = _Reader(int(max_features), int(max_errors), int(max_bytes))
    name = source_name(source)
    try:
        with open_source(source) as stream:
            name = stream.name
            reader.read(stream, progress)
    except BrokenStreamError as exc:
        reader.problems.add(int(reader.state[LINE]), 1, reader.rest[:1000], str(exc))
    return reader.collection(name)


class _Reader:
    """Feeds whole lines to the kernel, gives it the room it asks for, and keeps what it finds."""

    def __init__(self, max_features: int, max_errors: int, max_bytes: int) -> None:
        self.problems = Problems(max_errors, max_features)
        self.rest = b""  # the beginning of a line whose end is not read yet
        self.state = np.zeros(STATE_SIZE, dtype=np.int64)
        self.state[LINE] = 1
        self.state[MAX_FEATURES] = max_features
        self._longest = LONGEST_LINE + BYTES_PER_PAIR * max_features
        self._rows = RowBuffer(max_features, max_bytes)
        self._runs = np.empty((1024, 4), dtype=np.int64)
        self._leftovers = np.empty((1024, 6), dtype=np.int64)
        self._notes = np.empty(0, dtype=np.uint8)
        self._comments: list[str] = []
        self._queries: dict[str, int] = {}
        self._run_lines: dict[int, int] = {}  # first row of a run of one query -> its line
        self._run_queries: list[int] = []
        self._open_end = False  # whether the last row's line has no newline

    def read(self, stream: ByteSource, progress: Progress | None) -> None:
        """Read the stream to its end, or until there are problems enough."""
        head = stream.read(CHUNK)
        foreign = describe_foreign(head)
        if foreign:
            self.problems.add(1, 1, head[:1000], foreign)
            return
        piece = head.removeprefix(BOM)
        while piece and not self.problems.truncated:
            if progress:
                progress(stream.done(), stream.total)
            piece = self._take(piece, stream)
        if self.rest and not self.problems.truncated:
            before = self.state[ROWS]
            self._parse(self.rest + b"\n")
            self._open_end = bool(self.state[ROWS] > before)
        if progress and not self.problems:
            progress(stream.done(), stream.total)

    def _take(self, piece: bytes, stream: ByteSource) -> bytes:
        """Parse the whole lines up to the end of `piece`, keep the rest, and return the next piece."""
        end = piece.rfind(b"\n") + 1
        if not end:
            parts = [self.rest]
            length = len(self.rest)
            while piece and not end and length <= self._longest:
                parts.append(piece)
                length += len(piece)
                piece = stream.read(CHUNK)
                end = piece.rfind(b"\n") + 1
            self.rest = b"".join(parts)
            if length > self._longest:
                return self._skip_line(piece, stream)
            if not piece:
                return b""
        text = self.rest + piece[:end]
        self.rest = piece[end:]
        self._parse(text)
        return stream.read(CHUNK)

    def _skip_line(self, piece: bytes, stream: ByteSource) -> bytes:
        """Report a line that is too long and go on after it."""
        message = f"the line is longer than {self._longest} bytes; is this a text file with one document a line?"
        self.problems.add(int(self.state[LINE]), 1, self.rest[:1000], message)
        self.rest = b""
        self.state[LINE] += 1
        while piece and b"\n" not in piece:
            piece = stream.read(CHUNK)
        return piece.partition(b"\n")[2] or stream.read(CHUNK)

    def _parse(self, text: bytes) -> None:
        """Parse whole lines."""
        state, rows = self.state, self._rows
        state[AT] = 0
        array = np.frombuffer(text, dtype=np.uint8)
        if len(self._notes) < len(text):
            self._notes = np.empty(len(text), dtype=np.uint8)
        found = np.empty((min(self.problems.room, 1000), 5), dtype=np.int64)
        reason = MORE_ROWS
        while reason != DONE and not self.problems.truncated:
            reason = parse_rows(
                array, tens(), fives(), state, rows.features, rows.codes, rows.seen, rows.grades,
                self._runs, self._notes, found, self._leftovers,
            )  # fmt: skip
            if reason == MORE_ROWS:
                rows.add_rows()
            elif reason == WIDER:
                rows.widen(int(state[NEEDED]), int(state[ROWS]))
            elif reason == CODES:
                rows.add_codes()
            elif reason == MORE_RUNS:
                self._keep_runs(text)
            elif reason == MORE_LEFTOVERS:
                if state[LEFTOVERS] == 0:
                    self._leftovers = np.empty((2 * len(self._leftovers), 6), dtype=np.int64)
                self._keep_leftovers(text)
            elif reason == ENOUGH_PROBLEMS:
                self._keep_problems(text, found)
        self._keep_runs(text)
        self._keep_leftovers(text)
        notes = self._notes[: state[NOTES]].tobytes().decode("utf-8", "surrogateescape")
        self._comments += notes.split("\n")[:-1]
        state[NOTES] = 0
        self._keep_problems(text, found)

    def _keep_runs(self, text: bytes) -> None:
        """Number the queries of the runs, first seen first."""
        for row, start, stop, line in self._runs[: self.state[RUNS]].tolist():
            qid = text[start:stop].decode("utf-8", "surrogateescape")
            self._run_lines[row] = line
            self._run_queries.append(self._queries.setdefault(qid, len(self._queries)))
        self.state[RUNS] = 0

    def _keep_problems(self, text: bytes, found: Array) -> None:
        self.problems.add_found(text, found[: self.state[PROBLEMS]])
        self.state[PROBLEMS] = 0

    def _keep_leftovers(self, text: bytes) -> None:
        """Let Python read the values that the kernel left."""
        features = self._rows.features
        for row, column, start, stop, line, line_start in self._leftovers[: self.state[LEFTOVERS]].tolist():
            value = float(text[start:stop].partition(b":")[2])
            if np.isinf(value):
                self.problems.add_huge(text, line, line_start, start, stop)
            features[row, column] = value
        self.state[LEFTOVERS] = 0

    def collection(self, name: str) -> Collection:
        """Return what was read, or raise what was wrong with it."""
        rows = int(self.state[ROWS])
        if not rows and not self.problems:
            self.problems.add(1, 1, b"", "the file is empty: it holds no line 'grade qid:Q 1:value ...'")
        if self.problems:
            raise LetorFormatError(name, self.problems.listed(), truncated=self.problems.truncated)
        features, codes, grades = self._rows.finish(rows, int(self.state[MOST]))
        starts = np.fromiter(self._run_lines, dtype=np.int64)
        index = np.repeat(np.array(self._run_queries, dtype=np.int64), np.diff(starts, append=rows))
        warnings: tuple[PossiblyCutOff, ...] = ()
        if self._open_end and codes is not None:
            absent = codes == ABSENT
            if rows > 1 and absent[-1].any() and not absent[:-1].any():
                warnings = (PossiblyCutOff(int(self.state[LINE]) - 1),)
        return Collection._grouped(
            features, grades, index, list(self._queries), self._comments, codes, (),
            self._run_lines.__getitem__, "line", warnings,
        )  # fmt: skip
