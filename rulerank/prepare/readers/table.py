"""Tables of documents or queries: CSV, TSV, JSONL or Excel, with columns that people choose or recognised by name."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal

from rulerank.errors import InputError, MemoryLimitError, RulerankError
from rulerank.files import BrokenStreamError
from rulerank.foreign.decoding import parse_json
from rulerank.foreign.numbers import NumberError, finite_value, is_whole
from rulerank.prepare.files import DataFile, TextLines
from rulerank.prepare.gathered import Gatherer
from rulerank.prepare.problems import EnoughProblemsError, TextProblems
from rulerank.prepare.readers.columns import NAMES, Columns, guess_columns, tells, unnamed_columns
from rulerank.prepare.readers.sheet import lines_of
from rulerank.prepare.workbook import SheetRow, letters

MOST_COLUMNS = 10_000
SHOWN, LONGEST_SHOWN = 30, 60  # names of columns in a message, and characters of each
DELIMITERS = "\t,;|"
LONGEST_FIELD = 1 << 26


@dataclass(frozen=True)
class TableHead:
    """The beginning of a table, for choosing its columns: their names, the first rows, and what the names say."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    guess: Columns | None


def table_head(file: DataFile, what: str, rows: int = 5, encoding: str | None = None) -> TableHead:
    """Look at the first rows of a table of `what` ("documents", "queries" or "pairs")."""
    problems = TextProblems()
    table = Table(lines_of(file, problems, encoding), what, None)
    found = [row for _, row in islice(table.rows(), rows)]
    problems.check()
    shown = tuple(tuple(str(row.get(name, "")) for name in table.names) for row in found)
    return TableHead(tuple(table.names), shown, table.columns)


def holds_pairs(file: DataFile, *, alone: bool = False) -> bool:
    """Say whether the columns of a file are those of queries and documents in one table.

    What is wrong with a file that was brought alone is reported at once; with others beside it, when it is read.
    """
    try:
        table = Table(lines_of(file, TextProblems()), "pairs", None)
        with suppress(EnoughProblemsError):
            next(table.rows(), None)
    except (RulerankError, BrokenStreamError) as error:
        if alone and isinstance(error, InputError):
            raise
        return False
    return table.columns is not None


def read_documents(lines: TextLines, into: Gatherer, columns: Columns | None = None) -> None:
    """Read documents; a column of numbers (popularity, links) becomes a feature of its name."""
    table = Table(lines, "documents", columns)
    for line, row in table.rows():
        chosen = table.checked()
        numbers = {}
        for name in chosen.numbers:
            value = number(row.get(name))
            if value is None:
                lines.complain(str(row.get(name)), f"the column {name!r} must hold finite numbers", line)
            else:
                numbers[name] = value
        into.document(
            lines,
            line,
            joined(row, (chosen.id,)),
            joined(row, chosen.title),
            joined(row, chosen.body or chosen.text),
            joined(row, chosen.language) or None,
            numbers,
        )


def read_queries(lines: TextLines, into: Gatherer, columns: Columns | None = None) -> None:
    """Read queries."""
    table = Table(lines, "queries", columns)
    for line, row in table.rows():
        chosen = table.checked()
        text = chosen.text or chosen.title or chosen.body
        into.query(lines, line, joined(row, (chosen.id,)), joined(row, text), joined(row, chosen.need))


class Table:
    """The rows of a table by the names of its columns, whichever format it has."""

    def __init__(self, lines: TextLines, what: str, columns: Columns | None) -> None:
        self.names: list[str] = []
        self.columns = columns
        self._lines = lines
        self._what = what
        self.record = 0  # of the row at hand, as a spreadsheet counts its rows; 0: the file is no spreadsheet
        self._rectangular = True  # every row has the same columns

    def checked(self) -> Columns:
        """Return the columns, or say that they cannot be recognised."""
        if self.columns is None:
            wanted = ", ".join(spellings[0] for spellings in NAMES[self._what].values())
            raise InputError(
                f"{self._lines.name}: the columns ({_listed(self.names)}) do not say what they are; "
                f"choose them, or name them such as {wanted}"
            )
        return self.columns

    def rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Give each row with its line."""
        sheet = self._lines.cells()
        if sheet is not None:
            yield from self._sheet(sheet)
            return
        lines = iter(self._lines)
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            self._lines.complain("", f"the file is empty: it holds no {self._what}", 1)
        elif first.lstrip().startswith(("{", "[")):
            yield from self._objects(chain([first], lines))
        else:
            yield from self._cells(chain([first], lines), first)

    def _objects(self, lines: Iterator[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        given, known = self.columns, set[str]()
        self._rectangular = False
        for line in lines:
            if not line.strip():
                continue
            try:
                row = parse_json(line)
            except MemoryLimitError:
                raise
            except InputError as error:
                self._lines.complain(line, f"not a JSON object on one line ({error})")
                continue
            if not isinstance(row, dict):
                self._lines.complain(line, f"a record is a JSON object {{...}} on one line, not a {type(row).__name__}")
                continue
            new = [name for name in row if name not in known]
            if new:
                # Records need not have the same keys: a title that the first one lacks is a title all the same.
                known.update(new)
                self.names += new
                self._check_width(len(self.names))
                if self.columns is None or any(tells(name, self._what) for name in new):
                    self.columns = given
                    self._choose()
            if self.columns and self._what != "pairs" and self.columns.id not in row:
                self._lines.complain(line, f"the id is missing: there is no {self.columns.id!r}")
                continue
            yield self._lines.line, row

    def _cells(self, lines: Iterator[str], first: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        delimiter = max(DELIMITERS, key=lambda each: (first.count(each), -DELIMITERS.index(each)))
        # A quote within a tab-separated file is a quote; between other delimiters it may enclose them.
        quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_FIELD))
        offset = self._lines.line - 1
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, quoting=quoting, strict=False)
        begun = offset
        try:
            for cells in reader:
                line, begun = begun + 1, offset + reader.line_num
                self.record += 1
                if not any(cell.strip() for cell in cells):
                    continue
                if not self.names:
                    if self._is_header(cells):
                        continue
                elif len(cells) != len(self.names):
                    words = f"{len(cells)} columns instead of {len(self.names)}"
                    wide = len(cells) > len(self.names) and delimiter != "\t"
                    hint = f"; put quotes around a cell that holds {delimiter!r}" if wide else ""
                    self._lines.complain(delimiter.join(cells), words + hint, line)
                    continue
                yield line, dict(zip(self.names, (cell.rstrip("\n") for cell in cells), strict=True))
        except csv.Error as error:
            self._lines.complain("", f"the table cannot be read on ({error})", begun + 1)

    def _sheet(self, rows: Iterator[SheetRow]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for row in rows:
            cells = _without_end(row.cells)
            if not self.names and not row.faults and self._is_header(cells):
                self.names = [name or f"column {letters(place)}" for place, name in enumerate(self.names)]
                continue
            used = self.columns.all() if self.columns else self.names
            faults = [fault for place, fault in row.faults.items() if not self.names or self._at(place) in used]
            if len(cells) > len(self.names) > 0:
                words = f"the cell {letters(len(cells) - 1)}{row.number} is in a column without a name"
                faults.append(f"{words}; name it in the first row, or empty the cell")
            for fault in faults:
                self._lines.complain("", fault, row.number)
            if not faults:
                cells += [""] * (len(self.names) - len(cells))
                yield row.number, dict(zip(self.names, cells, strict=True))

    def _at(self, place: int) -> str:
        """Return the name of the column at a place, "" beyond the last."""
        return self.names[place] if place < len(self.names) else ""

    def _check_width(self, width: int) -> None:
        if width > MOST_COLUMNS:
            raise InputError(f"{self._lines.name}: {width:,} columns; {MOST_COLUMNS:,} is the most, so choose some")

    def _is_header(self, cells: list[str]) -> bool:
        """Name the columns by the first row if it holds names, else by their numbers."""
        self._check_width(len(cells))
        names = [cell.strip() for cell in cells]
        chosen = self.columns.all() if self.columns else []
        by_number = all(is_whole(name, least=1, most=len(names)) for name in chosen) and bool(chosen)
        named = guess_columns(names, self._what)
        numbered = unnamed_columns(len(names), self._what)
        # So many columns cannot be recognised by their number: the first row must name them.
        if named or (chosen and not by_number) or (not chosen and numbered is None):
            self.names = names
            self._choose()
            return True
        self.names = [str(number) for number in range(1, len(names) + 1)]
        if self.columns is None and numbered:
            self.columns = numbered[1]
        return False

    def _choose(self) -> None:
        """Take the columns that were asked for, or those whose names fit; a name that is not there is an error."""
        if self.columns is None:
            self.columns = guess_columns(self.names, self._what)
        for name in self.columns.all() if self.columns else ():
            # In a table of pairs every column counts: nothing that was asked for may be missing without a word.
            whole = self._what == "pairs" and self._rectangular
            if name not in self.names and self.columns and (name == self.columns.id or whole):
                raise InputError(
                    f"{self._lines.name}: there is no column {name!r}; its columns are {_listed(self.names)}"
                )


def _without_end(cells: list[str]) -> list[str]:
    """Return cells without the empty ones at the end."""
    last = next((place for place in range(len(cells), 0, -1) if cells[place - 1].strip()), 0)
    return cells[:last]


def _listed(names: list[str]) -> str:
    """Return names for a sentence, but not all of very many, nor all of a long one."""
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(name[:LONGEST_SHOWN] for name in names[:SHOWN]) + more


def joined(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the cells of these columns as one text."""
    return "\n\n".join(str(row[name]) for name in names if row.get(name) not in (None, ""))


def number(value: Any) -> float | None:
    """Return a cell as a number, an empty one as 0, and None for what is no number."""
    try:
        return finite_value(value) if value not in (None, "") else 0.0
    except NumberError:
        return None
