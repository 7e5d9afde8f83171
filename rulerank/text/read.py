"""Files of texts, read record by record.

Queries come as TSV (`qid <tab> text [<tab> need]`) or JSONL, documents as TSV (`docid <tab> title <tab> body`) or
JSONL; which of the two a file is, its first line shows. A TSV may begin with a line of column names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rulerank.errors import InputError, MemoryLimitError, RulerankError
from rulerank.files import BrokenStreamError, Source, describe_foreign, open_source, source_name
from rulerank.foreign.decoding import LineBlocks, LineKind, Utf8Stream, decode_line, parse_json
from rulerank.foreign.storable import LONGEST_ID, LONGEST_LANGUAGE, storable, too_long, unstorable
from rulerank.memory import MemoryMeter
from rulerank.progress import Progress, silent
from rulerank.text.texts import DocumentText, QueryText

LONGEST_LINE = 1 << 26
SHOWN = 60
BYTES_PER_RECORD = 400  # of a record beside its texts: its object, and its places in tables

T = TypeVar("T")


@dataclass(frozen=True)
class TextProblem:
    """One thing that is wrong in a file of texts: its line (from 1), the beginning of that line, and what is wrong."""

    line: int
    text: str
    message: str


class TextFormatError(RulerankError, ValueError):
    """A file of texts has bad records; `problems` lists them all, up to the reader's limit."""

    def __init__(self, source: str, problems: list[TextProblem], *, truncated: bool = False) -> None:
        self.source = source
        self.problems = problems
        self.truncated = truncated
        rows = [f"{source}:{problem.line}: {problem.message} (found {problem.text!r})" for problem in problems]
        if truncated:
            rows.append(f"{source}: more problems follow; only the first {len(problems)} are listed")
        super().__init__("\n".join(rows))

    @property
    def line(self) -> int:
        """Line of the first problem."""
        return self.problems[0].line


class _BadRecordError(Exception):
    """A record cannot be read; the message says why."""


@dataclass(frozen=True)
class _Kind(Generic[T]):
    """What a file holds: how its ids and columns are called, and how a record is made of its fields."""

    what: str
    unfit: re.Pattern[str]
    unfit_words: str
    ids: tuple[str, ...]
    columns: tuple[str, ...]
    fewest: int
    fields: dict[str, tuple[str, ...]]
    required: tuple[str, ...]
    make: Callable[[dict[str, Any]], T]
    lists: tuple[str, ...] = ()  # of words; JSONL alone has a place for them


_QUERIES = _Kind(
    what="query",
    unfit=re.compile(r"[\s#\0]"),  # a comment begins at '#', so a qid ends there
    unfit_words="blanks, '#' or NUL",
    ids=("qid", "_id", "id"),
    columns=("text", "need"),
    fewest=2,
    fields={"text": ("text", "query"), "need": ("need", "description")},
    required=("text",),
    make=lambda fields: QueryText(fields["text"], fields["need"], fields.get("terms")),
    lists=("terms",),
)
_DOCUMENTS = _Kind(
    what="document",
    unfit=re.compile(r"[\s\0]"),
    unfit_words="blanks or NUL",
    ids=("docid", "_id", "id"),
    columns=("title", "body"),
    fewest=3,
    fields={"title": ("title",), "body": ("text", "body"), "language": ("language",)},
    required=(),
    make=lambda fields: DocumentText(fields["title"], fields["body"], fields.get("language") or None),
)


def read_queries(source: Source, *, max_errors: int = 100, progress: Progress = silent) -> dict[str, QueryText]:
    """Read the texts of queries, by qid, from a path or a binary file object (plain, gz, xz, bz2 or zip; UTF-8).

    TSV: qid, text and (optionally) need. JSONL: objects with "qid" (or "_id", "id"), "text" (or "query") and
    optionally "need" (or "description") and "terms", a list of words. Bad records, up to `max_errors`, raise one
    TextFormatError.
    `progress(done, total)` is called with bytes (`total` None if unknown) and may raise to stop the reading.
    """
    return _read(source, _QUERIES, max_errors, progress)


def read_documents(source: Source, *, max_errors: int = 100, progress: Progress = silent) -> dict[str, DocumentText]:
    """Read the texts of documents, by docid, from a path or a binary file object (plain, gz, xz, bz2 or zip; UTF-8).

    TSV: docid, title and body; a body may hold tabs. JSONL: objects with "docid" (or "_id", "id"), "text" (or "body"),
    and optionally "title" and "language". `max_errors` and `progress` are as in `read_queries`.
    """
    return _read(source, _DOCUMENTS, max_errors, progress)


def _read(source: Source, kind: _Kind[T], max_errors: int, progress: Progress) -> dict[str, T]:
    if isinstance(max_errors, bool) or not isinstance(max_errors, int) or max_errors < 1:
        raise InputError(f"max_errors must be a whole number of at least 1, not {max_errors!r}")
    if not hasattr(source, "read") and not isinstance(source, str) and not hasattr(source, "__fspath__"):
        raise InputError(f"texts come from a path or a file object, not from {type(source).__name__}")
    reader = _Reader(kind, max_errors)
    name = source_name(source)
    try:
        with open_source(source) as stream:
            name = stream.name
            reader.read(_lines(stream, progress))
    except BrokenStreamError as exc:
        reader.complain(b"", str(exc))
    if not reader.line and not reader.problems:
        reader.line = 1
        reader.complain(b"", f"the file is empty: it holds no {kind.what}")
    if reader.problems:
        raise TextFormatError(name, reader.problems, truncated=reader.truncated)
    return reader.records


def _lines(stream: Any, progress: Progress) -> Iterator[bytes]:
    """Give the lines of a stream, without their ends and without a byte order mark."""
    blocks = LineBlocks(Utf8Stream(stream), LONGEST_LINE)
    if foreign := describe_foreign(blocks.peek()):
        raise InputError(f"{stream.name}: {foreign}")
    for kind, block in blocks:
        progress(stream.done(), stream.total)
        if kind is LineKind.TOO_LONG:
            raise InputError(f"{stream.name}: a line is longer than {LONGEST_LINE} bytes; give one record per line")
        yield from block.split(b"\n")[:-1]
    progress(stream.done(), stream.total)


class _Reader(Generic[T]):
    """Turns lines into records and remembers where each id stood."""

    def __init__(self, kind: _Kind[T], limit: int) -> None:
        self.records: dict[str, T] = {}
        self.problems: list[TextProblem] = []
        self.truncated = False
        self.line = 0
        self._kind = kind
        self._limit = limit
        self._places: dict[str, int] = {}
        self._meter = MemoryMeter(f"the texts up to here ({kind.what} by {kind.what})", "bring fewer at a time")

    def read(self, lines: Iterator[bytes]) -> None:
        """Read every record, or as many as it takes to know that there are too many problems."""
        split: Callable[[str], tuple[str, dict[str, Any]]] | None = None
        for number, raw in enumerate(lines, 1):
            raw = raw.rstrip(b"\r")
            if not raw.strip():
                continue
            self.line = number
            try:
                text = decode_line(raw)
                if split is None:
                    is_json = text.lstrip()[:1] in ("{", "[")
                    split = self._from_json if is_json else self._from_columns
                    if not is_json and self._is_header(text):
                        continue
                self._keep(*split(text))
            except _BadRecordError as exc:
                self.complain(raw, str(exc))
            except MemoryLimitError:
                raise
            except InputError as exc:
                self.complain(raw, str(exc))
            if self.truncated:
                return

    def complain(self, raw: bytes, message: str) -> None:
        """Note a problem of the present line, unless the limit is reached."""
        if len(self.problems) == self._limit:
            self.truncated = True
            return
        shown = raw[: 4 * SHOWN].decode("utf-8", "backslashreplace")
        shown = shown if len(shown) <= SHOWN and len(raw) <= 4 * SHOWN else shown[: SHOWN - 3] + "..."
        self.problems.append(TextProblem(max(self.line, 1), shown, message))

    def _keep(self, key: str, fields: dict[str, Any]) -> None:
        key = key.strip()
        if not key or self._kind.unfit.search(key):
            raise _BadRecordError(f"the id {key!r} must be text without {self._kind.unfit_words}, as LETOR's ids are")
        if fault := unstorable(key):
            raise _BadRecordError(f"the id {key!r}: {fault}")
        if len(key) > LONGEST_ID:
            raise _BadRecordError(too_long(self._kind.ids[0], key))
        if key in self._places:
            raise _BadRecordError(f"the id {key!r} stands in line {self._places[key]} already; keep one of the two")
        clean = {name: _clean(value) for name, value in fields.items()}
        for name in self._kind.required:
            if not clean[name]:
                raise _BadRecordError(f"the {self._kind.what}'s {name} is empty")
        if not any(clean[name] for name in self._kind.fields if name in clean):
            raise _BadRecordError(f"the {self._kind.what} has no text at all")
        if len(clean.get("language") or "") > LONGEST_LANGUAGE:
            raise _BadRecordError(f"{clean['language'][:SHOWN]!r} is no language code such as 'en'")
        self._meter.add(BYTES_PER_RECORD + sys.getsizeof(key) + sum(map(sys.getsizeof, clean.values())))
        self._places[key] = self.line
        self.records[key] = self._kind.make(clean)

    def _is_header(self, text: str) -> bool:
        """Say whether a first line names the columns."""
        names = [cell.strip().lower() for cell in text.split("\t")]
        known = {name for names in self._kind.fields.values() for name in names}
        return len(names) > 1 and names[0] in self._kind.ids and all(name in known for name in names[1:])

    def _from_columns(self, text: str) -> tuple[str, dict[str, Any]]:
        kind = self._kind
        cells = text.split("\t", len(kind.columns))
        if len(cells) < kind.fewest:
            columns = ", ".join((kind.ids[0], *kind.columns))
            raise _BadRecordError(
                f"expected {kind.fewest} columns or more, divided by tabs ({columns}), but found {len(cells)}"
            )
        cells += [""] * (len(kind.columns) + 1 - len(cells))
        return cells[0], dict(zip(kind.columns, cells[1:], strict=True))

    def _from_json(self, text: str) -> tuple[str, dict[str, Any]]:
        kind = self._kind
        try:
            record = parse_json(text)
        except MemoryLimitError:
            raise
        except InputError as exc:
            raise _BadRecordError(f"not a JSON object on one line ({exc})") from exc
        if not isinstance(record, dict):
            raise _BadRecordError(f"a {kind.what} is a JSON object {{...}} on one line, not a {type(record).__name__}")
        key = _first(record, kind.ids)
        if key is None:
            raise _BadRecordError(f'the id is missing: give "{kind.ids[0]}" (or {_quoted(kind.ids[1:])})')
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise _BadRecordError(f"the id must be text or a whole number, not {key!r}")
        fields: dict[str, Any] = {}
        for name, spellings in kind.fields.items():
            value = _first(record, spellings)
            if value is None and name in kind.required:
                raise _BadRecordError(f"the {kind.what}'s text is missing: give {_quoted(spellings)}")
            if value is not None and not isinstance(value, str):
                raise _BadRecordError(f"{_quoted(spellings)} must be text, not {type(value).__name__}")
            fields[name] = value or ""
        for name in kind.lists:
            value = record.get(name)
            if value is None:
                continue
            if not isinstance(value, list) or not all(isinstance(word, str) and word.strip() for word in value):
                raise _BadRecordError(f'"{name}" must be a list of words such as ["wing", "lift"], not {value!r:.40}')
            fields[name] = tuple(dict.fromkeys(map(_clean, value)))
        return str(key), fields


def _clean(value: Any) -> Any:
    return storable(value.strip()) if isinstance(value, str) else value


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _quoted(names: tuple[str, ...]) -> str:
    return " or ".join(f'"{name}"' for name in names)
