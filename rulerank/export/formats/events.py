"""The label log: every act of every annotator, in the order in which they came."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import orjson

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, csv_line, csv_rows, formats, quoted_all
from rulerank.export.lines import Piece, Pieces, cut
from rulerank.export.plain import BOM, defused_all

TABLE, SHEET, LINES = "events-for-machines.csv", "events-for-spreadsheets.csv", "events.jsonl"


@formats.register("events", "Label log, CSV and JSON lines")
class EventLog(Format):
    """Every event of the label log in order: as tables, and as JSON, one event per line, which keeps types and nesting.

    In the tables an empty cell is a value that is missing, and what is nested stands as JSON.

    >>> from rulerank.collection import Collection
    >>> collection = Collection.from_arrays([[0.5]], ["q1"], [2])
    >>> export = Export.prepare(collection, events=[{"kind": "grade", "grade": 2}])
    >>> print(dict(EventLog().files(export))["events.jsonl"].decode(), end="")
    {"kind":"grade","grade":2}
    """

    has_sheets = True

    def names(self, export: Export) -> list[str]:
        """Return the names of the tables and of the JSON lines."""
        return [TABLE, SHEET, LINES]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the files; the table for spreadsheets has the other one's pieces where no cell is risky."""
        exact, safe = export.event_cells, _safe_cells(export)
        table = _table(exact)
        yield TABLE, table
        yield SHEET, [Piece(BOM.encode()), *(table if safe is exact else _table(safe))]
        yield LINES, cut(b"".join(map(_line, export.events)))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Read the log again and compare it with the one that came in."""
        if name == LINES:
            same = _are_lines(data, export.events)
        else:
            is_exact = name == TABLE
            header, *cells = export.event_cells if is_exact else _safe_cells(export)
            text = data.decode("utf-8", "replace")
            same = (is_exact or text.startswith(BOM)) and _is_table(text.removeprefix(BOM), header, cells)
        return [] if same else [f"{name}: the events are not those of the log ({len(export.events)} were meant)"]


def _safe_cells(export: Export) -> list[list[str]]:
    """Return the header and the columns for spreadsheets; the very same ones where no cell is risky."""
    exact = export.event_cells
    safe = [list(column) if (column := defused_all(each)) is not each else each for each in exact]
    return exact if all(one is other for one, other in zip(safe, exact, strict=True)) else safe


def _table(cells: list[list[str]]) -> Pieces:
    header, *columns = cells
    rows = [csv_line(header)[:-1], *map(",".join, zip(*map(quoted_all, columns), strict=True)), ""]
    return cut("\n".join(rows).encode())


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
    """Read JSON, one value per line, and say whether it is the events."""
    lines = data.split(b"\n")
    return (
        len(lines) == len(events) + 1
        and lines.pop() == b""
        and all(_is_event(line, event) for line, event in zip(lines, events, strict=True))
    )


def _is_event(line: bytes, event: dict[str, Any]) -> bool:
    try:
        if orjson.loads(line) == event:
            return True
    except ValueError:
        pass
    # A number of more than 64 bits, or half a surrogate pair: only the standard library reads them.
    try:
        return bool(json.loads(line) == event)
    except ValueError:
        return False


def _line(event: dict[str, Any]) -> bytes:
    """Return an event as a line of JSON."""
    try:
        return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # half a surrogate pair, which has no place in UTF-8, or a number of more than 64 bits
        return json.dumps(event, separators=(",", ":")).encode() + b"\n"
