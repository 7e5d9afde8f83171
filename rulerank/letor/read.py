"""Read LETOR files: `grade qid:Q 1:value 2:value ... #comment`, one document per line.

The format is that of LETOR 3.0 and 4.0 (Qin and Liu, "Introducing LETOR 4.0 datasets", 2013), itself an extension of
SVMlight's. What is accepted beyond the plain case: any number of features, in any order; features that a row lacks;
`NULL` values; grades that are absent or -1 (unlabelled); qids of any text; comments of any text; tabs, CRLF, blank
and comment-only lines (which are not kept); gzip, xz, bz2 and zip, recognised by their first bytes; UTF-16 and UTF-32
with a byte order mark.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rulerank.collection import Collection
from rulerank.collection.fields import ABSENT, Array, PossiblyCutOff, docid_of
from rulerank.errors import InputError, LetorFormatError, MemoryLimitError
from rulerank.files import (
    BrokenStreamError,
    Source,
    describe_foreign,
    open_source,
    source_name,
)
from rulerank.foreign.decoding import LineBlocks, LineKind, Utf8Stream, bad_lines, is_utf8, without_bad_bytes
from rulerank.foreign.encodings import given_encoding
from rulerank.foreign.storable import LONGEST_ID, too_long, unstorable
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
from rulerank.letor.problems import LetorProblems
from rulerank.letor.rows import RowBuffer
from rulerank.letor.size import SizePass
from rulerank.memory import MemoryLimit, memory_limit
from rulerank.progress import Progress, silent

LONGEST_LINE = 1 << 24  # beside what a line with all its features may need
BYTES_PER_PAIR = 40


def read_letor(
    source: Source,
    *,
    max_features: int = 100_000,
    max_errors: int = 100,
    max_bytes: int | None = None,
    encoding: str | None = None,
    progress: Progress = silent,
) -> Collection:
    """Read a LETOR file from a path or a file object (binary or text, which is left open).

    The text is UTF-8, or UTF-16 or UTF-32 with a byte order mark, or in the named `encoding`; what is no text in it is
    refused by line and column. Rows of a query that do not stand together are brought together, and `warnings` says so.
    Every float is the one that Python's `float` reads. The file's bad lines, up to `max_errors` of them, raise one
    LetorFormatError; a file that needs more memory than `max_bytes` (by default `rulerank.memory.memory_limit`) raises
    MemoryLimitError before its arrays are allocated. `progress(done, total)` is called with bytes (`total` None if
    unknown) and may raise to stop the reading.
    """
    given = {"max_features": max_features, "max_errors": max_errors, "max_bytes": 1 if max_bytes is None else max_bytes}
    for option, value in given.items():
        if not isinstance(value, int | np.integer) or not 1 <= value <= 1 << 48:
            raise InputError(f"{option} must be a whole number of at least 1, not {value!r}")
    if encoding is not None:
        given_encoding(encoding)
    limit = memory_limit()
    if max_bytes is not None:
        limit = MemoryLimit(int(max_bytes), "max_bytes", "raise it: read_letor(..., max_bytes=...)")
    reader = _Reader(int(max_features), int(max_errors), limit, source, encoding)
    name = source_name(source)
    try:
        with open_source(source) as stream:
            name = stream.name
            reader.read(Utf8Stream(stream, encoding), progress)
    except BrokenStreamError as exc:
        rest = reader.blocks.rest if reader.blocks else b""
        reader.problems.add(int(reader.state[LINE]), 1, rest[:1000], str(exc))
    except MemoryLimitError as exc:
        raise MemoryLimitError(f"{name}: {exc}") from exc
    return reader.collection(name)


class _Reader:
    """Feeds whole lines to the kernel, gives it the room it asks for, and keeps what it finds."""

    def __init__(
        self, max_features: int, max_errors: int, limit: MemoryLimit, source: Source, encoding: str | None
    ) -> None:
        self.problems = LetorProblems(max_errors, max_features)
        self.blocks: LineBlocks | None = None
        self.state = np.zeros(STATE_SIZE, dtype=np.int64)
        self.state[LINE] = 1
        self.state[MAX_FEATURES] = max_features
        self._longest = LONGEST_LINE + BYTES_PER_PAIR * max_features
        measure = SizePass(source, encoding, max_features, self._longest)
        self._rows = RowBuffer(max_features, limit, lambda: measure(limit, self._tell))
        self._stream: Utf8Stream | None = None
        self._tell: Callable[[], None] = lambda: None
        self._runs = np.empty((1024, 4), dtype=np.int64)
        self._leftovers = np.empty((1024, 6), dtype=np.int64)
        self._notes = np.empty(0, dtype=np.uint8)
        self._comments: list[str] = []
        self._queries: dict[str, int] = {}
        self._run_lines: dict[int, int] = {}  # first row of a run of one query -> its line
        self._run_queries: list[int] = []
        self._open_end = False  # whether the last row's line has no newline

    def read(self, stream: Utf8Stream, progress: Progress) -> None:
        """Read the stream to its end, or until there are problems enough."""
        self._stream = stream
        self._tell = lambda: progress(stream.done(), stream.total)
        self.blocks = LineBlocks(stream, self._longest)
        foreign = describe_foreign(self.blocks.peek())
        if foreign:
            self.problems.add(1, 1, self.blocks.peek()[:1000], foreign)
            return
        for kind, text in self.blocks:
            self._tell()
            if kind is LineKind.TOO_LONG:
                message = (
                    f"the line is longer than {self._longest} bytes; is this a text file with one document per line?"
                )
                self.problems.add(int(self.state[LINE]), 1, text[:1000], message)
                self.state[LINE] += 1
            else:
                before = self.state[ROWS]
                self._parse(self._checked(text))
                self._open_end = kind is LineKind.LAST and bool(self.state[ROWS] > before)
            if self.problems.truncated:
                return
        if not self.problems:
            self._tell()

    def _checked(self, text: bytes) -> bytes:
        """Note each line that is no text, and return all lines with a question mark for each byte that is none."""
        if is_utf8(text):
            return text
        assert self._stream is not None
        for line, column, place in bad_lines(text):
            start = max(text.rfind(each, 0, place) for each in (b" ", b"\t", b"\n")) + 1
            token = text[max(start, place - 100) : place + 100].split()[:1]
            self.problems.add(
                int(self.state[LINE]) + line,
                column,
                token[0] if token else text[place : place + 1],
                f"{self._stream.refusal(text[place])}; save the file as UTF-8, or name the encoding it has",
            )
            if self.problems.truncated:
                break
        return without_bad_bytes(text)

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
        self._keep_problems(text, found)
        self._keep_notes(text)
        rows.check_beside(int(state[ROWS]))

    def _keep_notes(self, text: bytes) -> None:
        """Keep the comments; a docid that is too long is reported by its line."""
        size = int(self.state[NOTES])
        self._rows.notes += size
        notes = self._notes[:size].tobytes().decode("utf-8").split("\n")[:-1]
        self._comments += notes
        self.state[NOTES] = 0
        if any(len(note) > LONGEST_ID and len(docid_of(note)) > LONGEST_ID for note in notes):
            self._complain_docids(text)

    def _complain_docids(self, text: bytes) -> None:
        lines = text.decode("utf-8").split("\n")
        for number, line in enumerate(lines, int(self.state[LINE]) - len(lines) + 1):
            before, _, note = line.partition("#")
            docid = docid_of(note)
            if before.strip() and len(docid) > LONGEST_ID:
                column = len(before) + 2 + note.index(docid)
                self.problems.add(number, column, docid.encode(), too_long("docid", docid))

    def _keep_runs(self, text: bytes) -> None:
        """Number the queries of the runs, first seen first."""
        for row, start, stop, line in self._runs[: self.state[RUNS]].tolist():
            qid = text[start:stop].decode("utf-8")
            fault = too_long("qid", qid) if len(qid) > LONGEST_ID else unstorable(qid)
            if fault:
                column = len(text[text.rfind(b"\n", 0, start) + 1 : start].decode("utf-8")) + 1
                self.problems.add(line, column, text[start:stop], fault)
            self._rows.runs += 1
            self._rows.notes += stop - start
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
