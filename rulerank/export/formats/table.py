"""A plain table for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from rulerank.collection import PRESENT
from rulerank.collection.codes import Array
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, csv_line, formats, quoted, text_of
from rulerank.kernels import kernel

COLUMNS = ("qid", "docid", "grade")


@formats.register("csv", "CSV table")
class Table(Format):
    """A table with a header: qid, docid, grade, then one column a feature; an empty cell is a missing value."""

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["documents.csv"]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give the file."""
        header = csv_line([*COLUMNS, *export.collection.feature_names])
        width = len(export.collection.feature_names)
        text = np.frombuffer(b"\n".join(export.values) + b"\n", dtype=np.uint8)
        out = np.empty(text.size + len(export.values) * width, dtype=np.uint8)
        cells = out[: _cells(text, width, out)].tobytes().split(b"\n")
        qids = [bytes_of(quoted(qid)) for qid in export.collection.queries]
        queries, grades = export.collection.query_index.tolist(), export.collection.grades.tolist()
        rows = (
            b"%s,%s,%d%s\n" % (qids[query], bytes_of(quoted(docid)), grade, values)
            for query, docid, grade, values in zip(queries, export.ids, grades, cells, strict=False)
        )
        yield "documents.csv", bytes_of(header) + b"".join(rows)

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare every cell with the collection, numbers bit for bit."""
        try:
            problem = self._first_problem(export, csv.reader(io.StringIO(text_of(data), newline="")))
        except (csv.Error, ValueError) as exc:
            problem = f"cannot be read back: {exc}"
        return [f"{name}: {problem}"] if problem else []

    @staticmethod
    def _first_problem(export: Export, table: Iterator[list[str]]) -> str | None:
        collection = export.collection
        if next(table, None) != [*COLUMNS, *collection.feature_names]:
            return "the header does not name the columns"
        width = len(collection.feature_names)
        queries, grades = collection.query_index.tolist(), list(map(str, collection.grades.tolist()))
        rows = 0
        for row, cells in enumerate(table):
            rows += 1
            if rows > len(collection) or len(cells) != width + 3:
                return f"row {rows} is one too many, or has {len(cells)} cells"
            texts = cells[3:]
            if collection.missing is not None:
                if [not text for text in texts] != (collection.missing[row] != PRESENT).tolist():
                    return f"row {rows} has other empty cells than was meant"
                texts = [text or "0" for text in texts]
            values = np.fromiter(map(float, texts), np.float64, width)
            meant = [collection.queries[queries[row]], export.ids[row], grades[row]]
            if cells[:3] != meant or values.tobytes() != collection.features[row].tobytes():
                return f"row {rows} is not what was meant"
        return None if rows == len(collection) else f"{rows} documents are in the file, {len(collection)} were meant"

    def conflicts(self, export: Export) -> list[str]:
        """Find features that are named like the table's own columns."""
        same = [name for name in export.collection.feature_names if name in COLUMNS]
        if not same:
            return []
        return [
            f"documents.csv: a feature is named {same[0]!r}, as a column of ours is; rename it, or leave the CSV out"
        ]


@kernel
def _cells(text: Array, width: int, out: Array) -> int:
    """Turn lines of pairs `1:value 3:value` into `,value,,value`: a comma before every cell, NULL an empty one."""
    at = 0
    i = 0
    while i < text.size:
        column = 0
        while text[i] != 10:
            number = 0
            while text[i] != 58:
                number = number * 10 + text[i] - 48
                i += 1
            i += 1
            while column < number:
                out[at] = 44
                at += 1
                column += 1
            empty = text[i] == 78
            while text[i] != 32 and text[i] != 10:
                if not empty:
                    out[at] = text[i]
                    at += 1
                i += 1
            if text[i] == 32:
                i += 1
        while column < width:
            out[at] = 44
            at += 1
            column += 1
        out[at] = 10
        at += 1
        i += 1
    return at
