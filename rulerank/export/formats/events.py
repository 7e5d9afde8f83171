"""The label log: every act of every annotator, in the order in which they came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, csv_line, csv_rows, formats

TABLE, LINES = "events.csv", "events.jsonl"

_as_json = json.JSONEncoder(ensure_ascii=False).encode


@formats.register("events", "Label log, CSV and JSON lines")
class EventLog(Format):
    """Every event of the label log in order: as a table, and as JSON, one event a line, which keeps types and nesting.

    In the table an empty cell is a value that is missing, and what is nested stands as JSON.
    """

    def names(self, export: Export) -> list[str]:
        """Return the names of the table and of the JSON lines."""
        return [TABLE, LINES]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give both files."""
        columns = _columns(export)
        rows = (csv_line(_cell(event.get(column)) for column in columns) for event in export.events)
        yield TABLE, (csv_line(map(_cell, columns)) + "".join(rows)).encode()
        yield LINES, b"".join(_line(event) for event in export.events)

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Read the log again and compare it with the one that came in."""
        if name == LINES:
            same = _read_lines(data) == list(export.events)
        else:
            columns = _columns(export)
            rows = [
                [*map(_cell, columns)],
                *([_cell(event.get(column)) for column in columns] for event in export.events),
            ]
            same = csv_rows(data.decode("utf-8", "replace")) == rows
        return [] if same else [f"{name}: the events are not those of the log ({len(export.events)} were meant)"]


def _read_lines(data: bytes) -> list[Any] | None:
    try:
        return [json.loads(line) for line in data.split(b"\n")[:-1]]
    except ValueError:
        return None


def _columns(export: Export) -> list[str]:
    """Return the keys of all events, first seen first."""
    return list(dict.fromkeys(key for event in export.events for key in event)) or ["event"]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _as_json(value)
    # Half a surrogate pair has no place in UTF-8 but as an escape.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _line(event: dict[str, Any]) -> bytes:
    try:
        return _as_json(event).encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair again
        return json.dumps(event).encode() + b"\n"
