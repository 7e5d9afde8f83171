"""A plain table for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from rulerank.collection import PRESENT
from rulerank.export.cells import read_table
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, csv_line, formats, quoted_all, text_of
from rulerank.export.lines import table_lines
from rulerank.export.pieces import Pieces, cut

COLUMNS = ("qid", "docid", "grade")


@formats.register("csv", "CSV table")
class Table(Format):
    """A table with a header: qid, docid, grade, then one column a feature; an empty cell is a missing value."""

    from_text = True

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["documents.csv"]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        collection = export.collection
        qids, ids = ([bytes_of(text) for text in quoted_all(texts)] for texts in (collection.queries, export.ids))
        lines = table_lines(export.text, collection.query_index, qids, ids, len(collection.feature_names))
        yield "documents.csv", [*cut(bytes_of(_header(export))), *cut(lines)]

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare every cell with the collection, numbers bit for bit."""
        head = len(bytes_of(_header(export)))
        if _is_header(export, data[:head]) and _is_meant(export, data[head:]):
            return []
        problem = _first_problem(export, data)
        return [f"{name}: {problem}"] if problem else []

    def conflicts(self, export: Export) -> list[str]:
        """Find features that are named like the table's own columns."""
        same = [name for name in export.collection.feature_names if name in COLUMNS]
        if not same:
            return []
        return [
            f"documents.csv: a feature is named {same[0]!r}, as a column of ours is; rename it, or leave the CSV out"
        ]


def _header(export: Export) -> str:
    return csv_line([*COLUMNS, *export.collection.feature_names])


def _is_header(export: Export, data: bytes) -> bool:
    return list(_rows(data)) == [[*COLUMNS, *export.collection.feature_names]]


def _is_meant(export: Export, body: bytes) -> bool:
    """Read the rows in compiled code, and those that it leaves in doubt in Python."""
    collection = export.collection
    found = read_table(body, collection)
    if found is None:
        return False
    qids, grades = collection.qids.tolist(), map(str, collection.grades.tolist())
    heads = "".join([f"{qid}\n{name}\n{grade}\n" for qid, name, grade in zip(qids, export.ids, grades, strict=True)])
    if found.heads != bytes_of(heads):
        return False
    starts = np.append(found.starts, len(body))
    for row in found.doubtful.tolist():
        cells = next(_rows(body[starts[row] : starts[row + 1]]), [])
        if _row_problem(export, row, cells):
            return False
    return True


def _rows(data: bytes) -> Iterator[list[str]]:
    """Give the rows of a table as Python's own reader reads them; one that it cannot read is the last."""
    try:
        yield from csv.reader(io.StringIO(text_of(data), newline=""))
    except csv.Error:
        yield []


def _first_problem(export: Export, data: bytes) -> str | None:
    """Read the whole table in Python, and say what is wrong first."""
    table = _rows(data)
    if next(table, None) != [*COLUMNS, *export.collection.feature_names]:
        return "the header does not name the columns"
    rows = 0
    for row, cells in enumerate(table):
        rows += 1
        problem = _row_problem(export, row, cells)
        if problem:
            return problem
    meant = len(export.collection)
    return None if rows == meant else f"{rows} documents are in the file, {meant} were meant"


def _row_problem(export: Export, row: int, cells: list[str]) -> str | None:
    collection = export.collection
    if row >= len(collection) or len(cells) != len(collection.feature_names) + len(COLUMNS):
        return f"row {row + 1} is one too many, or has {len(cells)} cells"
    texts = cells[len(COLUMNS) :]
    if collection.missing is not None:
        if [not text for text in texts] != (collection.missing[row] != PRESENT).tolist():
            return f"row {row + 1} has other empty cells than was meant"
        texts = [text or "0" for text in texts]
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return f"row {row + 1} has a cell that is not a number"
    meant = [collection.queries[collection.query_index[row]], export.ids[row], str(collection.grades[row])]
    if cells[: len(COLUMNS)] != meant or values.tobytes() != collection.features[row].tobytes():
        return f"row {row + 1} is not what was meant"
    return None
