"""Plain tables, one for data frames and one for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rulerank.collection import PRESENT
from rulerank.export.cells import read_table
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, csv_line, formats, quoted_all, text_of
from rulerank.export.lines import Piece, Pieces, cut, table_lines
from rulerank.export.plain import BOM, defused_all

COLUMNS = ("qid", "docid", "grade")
TABLE, SHEET = "documents-for-machines.csv", "documents-for-spreadsheets.csv"


@dataclass(frozen=True)
class TableWords:
    """The texts of a table: names of features, queries, and the ids of documents; exact, or safe for spreadsheets."""

    features: Sequence[str]
    queries: Sequence[str]
    ids: Sequence[str]

    @property
    def header(self) -> list[str]:
        """The first row."""
        return [*COLUMNS, *self.features]

    def defused(self) -> TableWords:
        """Return them for spreadsheets; the very same object where none is risky."""
        safe = TableWords(defused_all(self.features), defused_all(self.queries), defused_all(self.ids))
        same = safe.features is self.features and safe.queries is self.queries and safe.ids is self.ids
        return self if same else safe


def _words(export: Export, name: str = TABLE) -> TableWords:
    exact = TableWords(export.collection.feature_names, export.collection.queries, export.ids)
    return exact if name == TABLE else exact.defused()


@formats.register("csv", "CSV tables")
class Table(Format):
    """Tables with a header: qid, docid, grade, then one column per feature; an empty cell is a missing value.

    >>> from rulerank.collection import Collection
    >>> from rulerank.export.export import Export
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> name, data = next(Table().files(Export.prepare(collection)))
    >>> name
    'documents-for-machines.csv'
    >>> print(data.decode(), end="")
    qid,docid,grade,1
    q1,a,2,0.5
    q1,b,0,0.25
    """

    from_text = True
    has_sheets = True
    loading = """\
        import pandas
        frame = pandas.read_csv("documents-for-machines.csv", dtype={"qid": str, "docid": str})
        """

    def names(self, export: Export) -> list[str]:
        """Return the files' names: for machines, and for spreadsheets."""
        return [TABLE, SHEET]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the files; the one for spreadsheets has the other one's pieces where no text is risky."""
        exact, safe = _words(export), _words(export, SHEET)
        table = _table(export, exact)
        yield TABLE, table
        yield SHEET, [Piece(BOM.encode()), *(table if safe == exact else _table(export, safe))]

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare every cell with the collection, numbers bit for bit."""
        words, mark = _words(export, name), b"" if name == TABLE else BOM.encode()
        if not data.startswith(mark):
            return [f"{name}: the mark that it is UTF-8 is missing"]
        data = data[len(mark) :]
        head = len(bytes_of(csv_line(words.header)))
        if list(_rows(data[:head])) == [words.header] and _is_meant(export, words, data[head:]):
            return []
        problem = _first_problem(export, words, data)
        return [f"{name}: {problem}"] if problem else []

    def conflicts(self, export: Export) -> list[str]:
        """Find features that are named like the table's own columns."""
        same = [name for name in export.collection.feature_names if name in COLUMNS]
        if not same:
            return []
        return [
            f"{TABLE}: a feature is named {same[0]!r}, as a column of ours is; rename it, or leave the CSV tables out"
        ]


def _table(export: Export, words: TableWords) -> Pieces:
    qids, ids = ([bytes_of(text) for text in quoted_all(texts)] for texts in (words.queries, words.ids))
    lines = table_lines(export.text, export.collection.query_index, qids, ids, len(words.features))
    return [*cut(bytes_of(csv_line(words.header))), *cut(lines)]


def _is_meant(export: Export, words: TableWords, body: bytes) -> bool:
    """Read the rows in compiled code, and those that it leaves in doubt in Python."""
    collection = export.collection
    found = read_table(body, collection)
    if found is None:
        return False
    qids = [words.queries[query] for query in collection.query_index.tolist()]
    grades = map(str, collection.grades.tolist())
    heads = "".join([f"{qid}\n{name}\n{grade}\n" for qid, name, grade in zip(qids, words.ids, grades, strict=True)])
    if found.heads != bytes_of(heads):
        return False
    starts = np.append(found.starts, len(body))
    for row in found.doubtful.tolist():
        cells = next(_rows(body[starts[row] : starts[row + 1]]), [])
        if _row_problem(export, words, row, cells):
            return False
    return True


def _rows(data: bytes) -> Iterator[list[str]]:
    """Give the rows of a table as Python's own reader reads them; one that it cannot read is the last."""
    try:
        yield from csv.reader(io.StringIO(text_of(data), newline=""))
    except csv.Error:
        yield []


def _first_problem(export: Export, words: TableWords, data: bytes) -> str | None:
    """Read the whole table in Python, and say what is wrong first."""
    table = _rows(data)
    if next(table, None) != words.header:
        return "the header does not name the columns"
    rows = 0
    for row, cells in enumerate(table):
        rows += 1
        problem = _row_problem(export, words, row, cells)
        if problem:
            return problem
    meant = len(export.collection)
    return None if rows == meant else f"{rows} documents are in the file, {meant} were meant"


def _row_problem(export: Export, words: TableWords, row: int, cells: list[str]) -> str | None:
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
    meant = [words.queries[collection.query_index[row]], words.ids[row], str(collection.grades[row])]
    if cells[: len(COLUMNS)] != meant or values.tobytes() != collection.features[row].tobytes():
        return f"row {row + 1} is not what was meant"
    return None
