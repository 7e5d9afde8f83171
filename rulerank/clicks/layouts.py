"""Our own layout of a click log, one session per row: query, documents, grades, clicks, languages and sessions.

| column | CSV | JSON lines and parquet |
| --- | --- | --- |
| `query` | text | text |
| `documents` | names in ranked order, separated by spaces | list of texts |
| `grades` | whole numbers from 0 up, separated by spaces; -1: not judged | list of numbers; null or -1: not judged |
| `clicks` | 0 or 1 for each document, separated by spaces | list of 0 and 1, or of false and true |
| `languages` (optional) | names separated by spaces | list of texts |
| `sessions` (optional) | how many such sessions the row stands for | the same |

Other columns (a session's id, a time) are ignored. The first line of a CSV names the columns.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import IO, Any, TypeVar

from rulerank.clicks.builder import LogBuilder
from rulerank.clicks.source import LogLines, RowError, RowProblems
from rulerank.errors import InputError, MemoryLimitError
from rulerank.foreign.decoding import parse_json
from rulerank.foreign.numbers import NumberError, shown, whole_number

K = TypeVar("K")
V = TypeVar("V")

NEEDED = ("query", "documents", "grades", "clicks")
OPTIONAL = ("languages", "sessions")
CACHED = 100_000
"""So many lists and patterns of clicks are remembered with what they mean: a log repeats itself, and parsing is most of
the work. Apart from each other, because few lists with few patterns make many different rows."""
CACHED_CHARACTERS = 1 << 25
BATCH = 20_000


def read_csv(file: IO[bytes], builder: LogBuilder, problems: RowProblems) -> None:
    """Read our layout as CSV, in a stream."""
    lines = LogLines(file, problems.source)
    reader = csv.reader(iter(lines))
    try:
        heads = [head.strip().lower() for head in next(reader, [])]
        lines.check()
    except (csv.Error, RowError) as error:
        raise InputError(f"{problems.source} is not a CSV: {error}") from None
    missing = [name for name in NEEDED if name not in heads]
    if missing:
        raise InputError(
            f"{problems.source}: the first line must name the columns {', '.join(NEEDED)}; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        )
    spoken, times = (heads.index(name) if name in heads else None for name in OPTIONAL)
    list_of = itemgetter(*(heads.index(name) for name in NEEDED[:3]), *([] if spoken is None else [spoken]))
    clicked = heads.index("clicks")
    lists = _Remembered[tuple[str, ...], tuple[int, int]](lambda key: sum(map(len, key)))
    patterns = _Remembered[tuple[str, int], int](lambda key: len(key[0]))
    while True:
        try:
            row = next(reader, None)
            if row is None:
                return
            lines.check()
            if not row:
                continue
            if len(row) != len(heads):
                raise RowError(f"{len(heads)} columns are named, but the row has {len(row)}")
            sessions = 1
            if times is not None:
                sessions = _whole(row[times])
                builder.check_sessions(sessions)
            key, clicks = list_of(row), row[clicked]
            found = lists.get(key)
            length = len(key[1].split()) if found is None else found[1]
            pattern = patterns.get((clicks, length))
            if pattern is None:
                pattern = patterns[clicks, length] = builder.pattern(_wholes(clicks), length)
            if found is None:
                languages = None if spoken is None else key[3].split()
                found = builder.configuration(key[0].strip(), key[1].split(), _wholes(key[2]), languages), length
                lists[key] = found
            builder.count(found[0], pattern, sessions)
        except (RowError, csv.Error) as error:
            problems.add(reader.line_num, error)


class _Remembered(dict[K, V]):
    """What texts of a log mean, forgotten all at once when there are too many of them or they are too long."""

    def __init__(self, size_of: Callable[[K], int]) -> None:
        super().__init__()
        self._size_of = size_of
        self._size = 0

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= CACHED or self._size > CACHED_CHARACTERS:
            self.clear()
            self._size = 0
        self._size += self._size_of(key)
        super().__setitem__(key, value)


def _wholes(text: str) -> list[int]:
    return [_whole(part) for part in text.split()]


def _whole(text: str) -> int:
    try:
        return whole_number(text)
    except NumberError as error:
        raise RowError(str(error)) from None


def read_jsonl(file: IO[bytes], builder: LogBuilder, problems: RowProblems) -> None:
    """Read our layout as JSON lines, in a stream."""
    lines = LogLines(file, problems.source)
    for line, text in enumerate(lines, 1):
        try:
            lines.check()
            if not text.strip():
                continue
            try:
                row = parse_json(text)
            except MemoryLimitError:
                raise
            except InputError as error:
                raise RowError(f"not a JSON object: {error}") from None
            if not isinstance(row, dict):
                raise RowError("not a JSON object")
            _add(row, builder)
        except RowError as error:
            problems.add(line, error)


def read_parquet(file: IO[bytes], builder: LogBuilder, problems: RowProblems) -> None:
    """Read our layout as parquet, batch by batch; bad rows are reported by the number of their row."""
    arrow, parquet = arrow_module("pyarrow"), arrow_module("pyarrow.parquet")
    try:
        table = parquet.ParquetFile(file)
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"{problems.source} is not a parquet file: {error}") from None
    names = table.schema_arrow.names
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise InputError(f"{problems.source}: the columns {', '.join(missing)} are missing")
    line = 0
    try:
        for batch in table.iter_batches(BATCH, columns=[name for name in (*NEEDED, *OPTIONAL) if name in names]):
            for row in batch.to_pylist():
                line += 1
                try:
                    _add(row, builder)
                except RowError as error:
                    problems.add(line, error)
    except (arrow.ArrowException, OSError, ValueError) as error:  # ValueError: texts that are not UTF-8
        raise InputError(f"{problems.source} is damaged after row {line}: {error}") from None


def arrow_module(name: str) -> Any:
    """Import a module of pyarrow, or say that it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError("parquet files need the package pyarrow, which is not installed; use .csv or .jsonl") from None


def _add(row: Mapping[str, Any], builder: LogBuilder) -> None:
    """Count a row whose values already have types."""
    missing = [name for name in NEEDED if row.get(name) is None]
    if missing:
        raise RowError(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    query = row["query"]
    if not isinstance(query, str | int) or isinstance(query, bool):
        raise RowError(f"query is a text, not {shown(query)}")
    languages, sessions = row.get("languages"), row.get("sessions")
    documents = _names(row["documents"], "documents")
    builder.add(
        str(query),
        documents,
        _listed(row["grades"], "grades"),
        _listed(row["clicks"], "clicks"),
        None if languages is None else _names(languages, "languages"),
        1 if sessions is None else sessions,
    )


def _listed(values: Any, name: str) -> Sequence[Any]:
    if not isinstance(values, list):
        raise RowError(f"{name} is a list, one value for each document, not {shown(values)}")
    return values


def _names(values: Any, name: str) -> list[str]:
    found = _listed(values, name)
    for value in found:
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise RowError(f"{name} are texts, not {shown(value)}")
    return [str(value) for value in found]


READERS = {"csv": read_csv, "jsonl": read_jsonl, "parquet": read_parquet}
