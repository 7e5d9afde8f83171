"""Excel's workbooks (.xlsx): the rows of their sheets as texts, read one after the other."""

from __future__ import annotations

import datetime
import re
import struct
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast
from xml.etree.ElementTree import Element, ParseError, iterparse

from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.utils import column_index_from_string, get_column_letter, range_boundaries
from openpyxl.utils.datetime import from_excel, from_ISO8601
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS

from rulerank.errors import InputError
from rulerank.files import DAMAGED, BrokenStreamError
from rulerank.foreign.numbers import finite_number, is_whole
from rulerank.prepare.metered import BYTES_PER_TAG, PIECE, SAVE, Archive, Metered

MOST_ROWS = 1 << 20  # that a sheet can have
UNREADABLE = (
    *DAMAGED, ParseError, struct.error, ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What parts of a workbook raise that are not what they should be."""

_RETURN = "_x000D_"  # as a carriage return is written
_PLACE = re.compile(r"([A-Z]{1,3})[0-9]+")
_ROW, _CELL, _VALUE, _FORMULA, _DATA, _MERGED, _STRING, _INLINE, _TEXT, _RUN = (
    f"{{{SHEET_MAIN_NS}}}{name}" for name in ("row", "c", "v", "f", "sheetData", "mergeCells", "si", "is", "t", "r")
)


@dataclass(frozen=True)
class Sheet:
    """A sheet: its name, and its part of the zip."""

    title: str
    part: str


@dataclass(frozen=True)
class Book:
    """What the cells of a workbook refer to, and its sheets: those that are shown before those that are hidden."""

    strings: list[str]
    epoch: datetime.datetime
    dates: set[int]  # styles of cells
    durations: set[int]
    sheets: tuple[Sheet, ...]


@dataclass(frozen=True)
class SheetRow:
    """A row by its number, with its cells as texts, and what is wrong by the place of a cell."""

    number: int
    cells: list[str]
    faults: dict[int, str]


def load_book(archive: Archive) -> Book:
    """Read what all sheets share. Properties, themes, links and drawings are of no use here, and are not parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _loaded(archive)
    except InputError:
        raise
    except UNREADABLE as error:
        raise InputError(f"{archive.called}: the workbook cannot be read ({_said(error)}); {SAVE}") from error


def _loaded(archive: Archive) -> Book:
    reader = ExcelReader(archive.fp, read_only=True, data_only=True, keep_links=False)
    reader.archive = archive
    reader.read_manifest()
    reader.read_workbook()
    book = reader.wb
    apply_stylesheet(archive, book)
    texts = reader.package.find(SHARED_STRINGS)
    found = [
        (sheet.state != "visible", Sheet(str(sheet.name), relation.target))
        for sheet, relation in reader.parser.find_sheets()
        if relation.target in reader.valid_files and "worksheet" in relation.Type
    ]
    sheets = tuple(sheet for hidden, sheet in sorted(found, key=lambda each: each[0]))
    archive.weight = BYTES_PER_TAG
    strings = [] if texts is None else _strings(archive, texts.PartName[1:])
    return Book(strings, book.epoch, set(book._date_formats), set(book._timedelta_formats), sheets)


def _strings(archive: Archive, part: str) -> list[str]:
    """Return the texts that cells refer to by number."""
    found: list[str] = []
    kept = 0
    with archive.open(part) as source:
        for element in _elements(source, _STRING):
            found.append(_text(element))
            kept += sys.getsizeof(found[-1]) + 8
            cast(Metered, source).rest(kept)
    return found


def _text(element: Element | None) -> str:
    """Return a text without its fonts, and without how it is pronounced."""
    parts = () if element is None else (element, *element.iterfind(_RUN))
    return "".join(each.findtext(_TEXT) or "" for each in parts).replace(_RETURN, "")


def _elements(source: IO[bytes], *tags: str) -> Iterator[Element]:
    """Give the elements of these kinds; each is forgotten with what stands before it once the next one is asked for."""
    above: list[Element] = []
    for event, element in iterparse(source, ("start", "end")):
        if event == "start":
            above.append(element)
            continue
        above.pop()
        if element.tag in tags:
            yield element
            for parent in above[-1:]:
                parent.clear()


def sheet_rows(archive: Archive, book: Book, sheet: Sheet) -> Iterator[SheetRow]:
    """Give the rows of a sheet."""
    last = 0
    with archive.open(sheet.part) as source, _told_if_damaged():
        for element in _elements(source, _ROW):
            number = element.get("r", str(last + 1))
            if not is_whole(number, least=last + 1, most=MOST_ROWS):
                raise BrokenStreamError(f"after row {last} comes one that calls itself {number[:20]!r}; {SAVE}")
            last = int(number)
            yield _row(book, element, last)
            cast(Metered, source).rest()


@contextmanager
def _told_if_damaged() -> Iterator[None]:
    try:
        yield
    except (*DAMAGED, ParseError, NotImplementedError, struct.error) as error:
        raise BrokenStreamError(f"the sheet is damaged here ({_said(error)}); {SAVE}") from error


def _row(book: Book, element: Element, number: int) -> SheetRow:
    cells: list[str] = []
    faults: dict[int, str] = {}
    for cell in element.iterfind(_CELL):
        named = _PLACE.fullmatch(cell.get("r", ""))
        place = column_index_from_string(named[1]) - 1 if named else len(cells)
        try:
            text = _value(book, cell)
            fault = _fault(cell, text)
        except UNREADABLE as error:
            text, fault = "", f"cannot be read ({_said(error)}); write it again"
        cells += [""] * (place + 1 - len(cells))
        cells[place] = text
        if fault:
            faults[place] = f"the cell {letters(place)}{number} {fault}"
    return SheetRow(number, cells, faults)


def _value(book: Book, cell: Element) -> str:
    """Return what a cell holds as text, by the kind that it says it is of."""
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _text(cell.find(_INLINE))
    value = cell.findtext(_VALUE) or ""
    if kind in ("str", "e") or not value:
        return value.replace(_RETURN, "")
    if kind == "s":
        return book.strings[int(value)]
    if kind == "b":
        return text_of(bool(int(value)))
    if kind == "d":
        return text_of(from_ISO8601(value))
    style = int(cell.get("s", "0"))
    if style in book.dates:
        return text_of(from_excel(finite_number(value), book.epoch, timedelta=style in book.durations))
    return value if is_whole(value) else text_of(finite_number(value))


def _fault(cell: Element, text: str) -> str:
    if cell.get("t") == "e":
        return f"holds an error ({text}); mend it, or empty the cell"
    # A formula that comes to an empty text has an empty value, and says that it is a text.
    stored = text or (cell.find(_VALUE) is not None and cell.get("t") == "str")
    if cell.find(_FORMULA) is not None and not stored:
        return f"holds a formula without its value; {SAVE}: that stores the values"
    return ""


def merged_down(archive: Archive, sheet: Sheet) -> dict[tuple[int, int], int]:
    """Return the last row of each cell that is merged with cells below, by its row and its place in it."""
    with archive.open(sheet.part) as source, _told_if_damaged():
        rest, found = b"", False
        while not found and (piece := source.read(PIECE)):
            found, rest = b"mergeCell" in rest + piece, piece[-9:]
            cast(Metered, source).rest()
    if not found:
        return {}
    with archive.open(sheet.part) as source, _told_if_damaged():
        ranges = []
        for element in _elements(source, _ROW, _MERGED):
            ranges += [each.get("ref", "") for each in element if element.tag == _MERGED]
            cast(Metered, source).rest()
    return dict(filter(None, map(_downwards, ranges)))


def _downwards(area: str) -> tuple[tuple[int, int], int] | None:
    """Return row, place and last row of merged cells that stand below each other."""
    try:
        left, top, _, bottom = range_boundaries(area)
    except (ValueError, TypeError):
        return None
    return ((top, left - 1), bottom) if left and top and bottom and bottom > top else None


def letters(place: int) -> str:
    """Return what Excel calls the column at a place.

    >>> letters(0), letters(27)
    ('A', 'AB')
    """
    return str(get_column_letter(place + 1))


def text_of(value: object) -> str:
    """Return a cell's value as people see it.

    >>> text_of(7.0), text_of(0.1 + 0.2), text_of(datetime.datetime(2024, 5, 1)), text_of(True)
    ('7', '0.3', '2024-05-01', 'TRUE')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _said(error: BaseException) -> str:
    """Return what an error says in one short line."""
    return " ".join(str(error).split())[:120] or type(error).__name__
