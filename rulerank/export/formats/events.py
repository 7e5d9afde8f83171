"""The label log: every act of every annotator, in the order in which they came."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, csv_line, csv_rows, formats, quoted_all
from rulerank.export.pieces import Pieces, cut

TABLE, LINES = "events.csv", "events.jsonl"

_NUMBERS = {int, float, type(None)}
_FLAT = {str, bool, *_NUMBERS}

_as_json = json.JSONEncoder(ensure_ascii=False).encode
_in_lines = json.JSONEncoder(ensure_ascii=False, separators=("\n", ": ")).encode
_from_json = json.JSONDecoder().raw_decode


@formats.register("events", "Label log, CSV and JSON lines")
class EventLog(Format):
    """Every event of the label log in order: as a table, and as JSON, one event a line, which keeps types and nesting.

    In the table an empty cell is a value that is missing, and what is nested stands as JSON.
    """

    def names(self, export: Export) -> list[str]:
        """Return the names of the table and of the JSON lines."""
        return [TABLE, LINES]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give both files."""
        cells = [quoted_all(_cells(values)) for values in export.event_columns.values()]
        rows = [csv_line(map(_cell, export.event_columns))[:-1], *map(",".join, zip(*cells, strict=True)), ""]
        yield TABLE, cut("\n".join(rows).encode())
        yield LINES, cut(_json_lines(export))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Read the log again and compare it with the one that came in."""
        if name == LINES:
            same = _are_lines(data, export.events)
        else:
            header, cells = [*map(_cell, export.event_columns)], [*map(_cells, export.event_columns.values())]
            same = _is_table(data.decode("utf-8", "replace"), header, cells)
        return [] if same else [f"{name}: the events are not those of the log ({len(export.events)} were meant)"]


def _is_table(text: str, header: list[str], cells: list[list[str]]) -> bool:
    """Read a table and say whether it is the one that is meant."""
    # Row by row: lists of all of them would keep Python's collector of garbage busy.
    try:
        found = csv.reader(io.StringIO(text, newline=""), strict=True)
        rows = zip(*cells, strict=True)
        if next(found, None) == header and all(a == [*b] for a, b in zip_longest(found, rows, fillvalue=())):
            return True
    except csv.Error:
        pass
    # Python's reader refuses long cells, and has no row with a single empty one.
    return csv_rows(text) == [header, *map(list, zip(*cells, strict=True))]


def _are_lines(data: bytes, events: Sequence[dict[str, Any]]) -> bool:
    """Read JSON, one value a line, and say whether it is the events."""
    at = 0
    try:
        text = data.decode()
        for event in events:
            found, end = _from_json(text, at)
            if found != event or text[end : end + 1] != "\n":
                return False
            at = end + 1
    except ValueError:
        return False
    return at == len(text)


def _cells(values: list[Any]) -> list[str]:
    """Return a column's values as cells."""
    kinds = set(map(type, values))
    if kinds <= {str} and "".join(values).isascii():
        return values
    if kinds <= _NUMBERS:
        return ["" if value is None else repr(value) for value in values]
    return list(map(_cell, values))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _as_json(value)
    # Half a surrogate pair has no place in UTF-8 but as an escape.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _json_lines(export: Export) -> bytes:
    """Return the events as JSON lines; where all have the same keys, column by column, which is faster."""
    keys = list(export.event_columns)
    if export.events and all(list(event) == keys for event in export.events):
        columns = map(_json_column, export.event_columns.values())
        form = "{" + ", ".join(f"{_as_json(key)}: ".replace("%", "%%") + "%s" for key in keys) + "}\n"
        try:
            return "".join([form % row for row in zip(*columns, strict=True)]).encode()
        except UnicodeEncodeError:  # half a surrogate pair again
            pass
    return b"".join(map(_line, export.events))


def _json_column(values: list[Any]) -> list[str]:
    if set(map(type, values)) <= _FLAT:
        return _in_lines(values)[1:-1].split("\n")  # within JSON's strings a line break is an escape
    return list(map(_as_json, values))


def _line(event: dict[str, Any]) -> bytes:
    try:
        return _as_json(event).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(event).encode() + b"\n"
