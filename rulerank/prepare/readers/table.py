"""Tables of documents or queries: CSV, TSV or JSONL, with columns that people choose or whose names tell."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal

from rulerank.errors import InputError, MemoryLimitError
from rulerank.foreign.numbers import NumberError, finite_value, is_whole
from rulerank.foreign.parsing import parse_json
from rulerank.prepare.files import DataFile, TextLines
from rulerank.prepare.gathered import Gatherer
from rulerank.prepare.problems import Problems
from rulerank.prepare.readers.columns import NAMES, Columns, guess_columns, unnamed_columns

MOST_COLUMNS = 10_000
SHOWN, LONGEST_SHOWN = 30, 60  # names of columns in a message, and characters of each
DELIMITERS = "\t,;|"
LONGEST_FIELD = 1 << 26


@dataclass(frozen=True)
class TableHead:
    """The beginning of a table, for choosing its columns: their names, the first rows, and what the names tell."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    guess: Columns | None


def table_head(file: DataFile, what: str, rows: int = 5, encoding: str | None = None) -> TableHead:
    """Look at the first rows of a table of `what` ("documents" or "queries")."""
    problems = Problems()
    table = _Table(TextLines(file, problems, encoding), what, None)
    found = [row for _, row in islice(table.rows(), rows)]
    problems.check()
    shown = tuple(tuple(str(row.get(name, "")) for name in table.names) for row in found)
    return TableHead(tuple(table.names), shown, table.columns)


def read_documents(lines: TextLines, into: Gatherer, columns: Columns | None = None) -> None:
    """Read documents; a column of numbers (popularity, links) becomes a feature of its name."""
    table = _Table(lines, "documents", columns)
    for line, row in table.rows():
        chosen = table.checked()
        numbers = {}
        for name in chosen.numbers:
            value = _number(row.get(name))
            if value is None:
                lines.complain(str(row.get(name)), f"the column {name!r} must hold finite numbers", line)
            else:
                numbers[name] = value
        into.document(
            lines,
            line,
            _joined(row, (chosen.id,)),
            _joined(row, chosen.title),
            _joined(row, chosen.body or chosen.text),
            _joined(row, chosen.language) or None,
            numbers,
        )


def read_queries(lines: TextLines, into: Gatherer, columns: Columns | None = None) -> None:
    """Read queries."""
    table = _Table(lines, "queries", columns)
    for line, row in table.rows():
        chosen = table.checked()
        text = chosen.text or chosen.title or chosen.body
        into.query(lines, line, _joined(row, (chosen.id,)), _joined(row, text), _joined(row, chosen.need))


class _Table:
    """The rows of a table by the names of its columns, whichever of the three formats it has."""

    def __init__(self, lines: TextLines, what: str, columns: Columns | None) -> None:
        self.names: list[str] = []
        self.columns = columns
        self._lines = lines
        self._what = what

    def checked(self) -> Columns:
        """Return the columns, or say that they cannot be told."""
        if self.columns is None:
            wanted = ", ".join(spellings[0] for spellings in NAMES[self._what].values())
            raise InputError(
                f"{self._lines.name}: the columns ({_listed(self.names)}) do not tell what they are; "
                f"choose them, or name them such as {wanted}"
            )
        return self.columns

    def rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Give each row with its line."""
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
                if self.columns is None or any(map(self._tells, new)):
                    self.columns = given
                    self._choose()
            if self.columns and self.columns.id not in row:
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
                if not any(cell.strip() for cell in cells):
                    continue
                if not self.names:
                    if self._is_header(cells):
                        continue
                elif len(cells) != len(self.names):
                    self._lines.complain(
                        delimiter.join(cells), f"{len(cells)} columns instead of {len(self.names)}", line
                    )
                    continue
                yield line, dict(zip(self.names, (cell.rstrip("\n") for cell in cells), strict=True))
        except csv.Error as error:
            self._lines.complain("", f"the table cannot be read on ({error})", begun + 1)

    def _tells(self, name: str) -> bool:
        """Say whether a column's name may tell what it is, or was asked for."""
        plain = name.strip().lower()
        return any(plain in spellings for spellings in NAMES[self._what].values())

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
        # So many columns cannot be told by their number: the first row must name them.
        if named or (chosen and not by_number) or (not chosen and numbered is None):
            self.names = names
            self._choose()
            return True
        self.names = [str(number) for number in range(1, len(names) + 1)]
        if self.columns is None and numbered:
            self.columns = numbered[1]
        return False

    def _choose(self) -> None:
        """Take the columns that were asked for, or those whose names tell; a name that is not there is an error."""
        if self.columns is None:
            self.columns = guess_columns(self.names, self._what)
        for name in self.columns.all() if self.columns else ():
            if name not in self.names and self.columns and name == self.columns.id:
                raise InputError(
                    f"{self._lines.name}: there is no column {name!r}; its columns are {_listed(self.names)}"
                )


def _listed(names: list[str]) -> str:
    """Return names for a sentence, but not all of very many, nor all of a long one."""
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(name[:LONGEST_SHOWN] for name in names[:SHOWN]) + more


def _joined(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return "\n\n".join(str(row[name]) for name in names if row.get(name) not in (None, ""))


def _number(value: Any) -> float | None:
    try:
        return finite_value(value) if value not in (None, "") else 0.0
    except NumberError:
        return None
