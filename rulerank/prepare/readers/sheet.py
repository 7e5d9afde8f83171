"""The table in an Excel workbook: the first sheet that has rows, with merged cells read as their first one."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rulerank.errors import InputError
from rulerank.files import BrokenStreamError
from rulerank.memory import check_memory
from rulerank.prepare.files import DataFile, TextLines
from rulerank.prepare.gathered import LeftOut
from rulerank.prepare.metered import SAVE, Archive
from rulerank.prepare.problems import TextProblems
from rulerank.prepare.workbook import Sheet, SheetRow, load_book, merged_down, sheet_rows


def lines_of(
    file: DataFile,
    problems: TextProblems,
    encoding: str | None = None,
    count: Callable[[int], None] = lambda size: None,
) -> TextLines:
    """Return the lines of a text, or the rows of a workbook."""
    return (SheetLines if file.is_workbook else TextLines)(file, problems, encoding, count)


class SheetLines(TextLines):
    """The rows of a workbook's first sheet that has any; a problem's line is the row, as Excel counts."""

    unit = "row"

    def _start(self, encoding: str | None) -> None:
        """Find the sheet; a workbook has one encoding, so that what is given does not matter."""
        with self._opened() as archive:
            self._book = load_book(archive)
            self._sheet = self._first(archive)
            self._merged = self._found_merged(archive)
        self.name = f"{self._file.name}, sheet {self._sheet.title}"
        self.format = f"Excel (sheet {self._sheet.title})"
        others = [sheet.title for sheet in self._book.sheets if sheet is not self._sheet]
        if others:
            why = f"only {self._sheet.title}, the first sheet that has rows, is read"
            self.left_out = (LeftOut.of("sheets", others, why),)
        if self._merged:
            words = "cells are merged with cells below, which were read as if each held the same"
            self.notes = (f"{self.name}: {len(self._merged):,} {words}",)

    @contextmanager
    def _opened(self, *, counting: bool = False) -> Iterator[Archive]:
        def count(share: float) -> None:
            self._count(round(share * self._file.size))

        with ExitStack() as stack:
            source = self._file.opened(stack)
            if isinstance(source, zipfile.ZipExtFile):
                # Within a zip every step back would unpack it from its beginning again.
                check_memory(self._file.size, f"{self._file.name}: the workbook", "take it out of the zip")
                source = io.BytesIO(source.read())
            try:
                archive = stack.enter_context(Archive(source, self._file.name, *((count,) if counting else ())))
            except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, ValueError) as error:
                words = f"the workbook ends too soon or is damaged ({error}); fetch it again, or {SAVE}"
                raise InputError(f"{self._file.name}: {words}") from error
            yield archive

    def _first(self, archive: Archive) -> Sheet:
        try:
            for sheet in self._book.sheets:
                if any(any(row.cells) or row.faults for row in sheet_rows(archive, self._book, sheet)):
                    return sheet
        except BrokenStreamError as error:
            raise InputError(f"{self._file.name}, sheet {sheet.title}: {error}") from error
        raise InputError(f"{self._file.name}: no sheet of the workbook has rows; is it the right file? If so, {SAVE}")

    def _found_merged(self, archive: Archive) -> dict[tuple[int, int], int]:
        try:
            return merged_down(archive, self._sheet)
        except BrokenStreamError:
            return {}  # reported when the rows are read

    def cells(self) -> Iterator[SheetRow]:
        """Give the rows that hold anything."""
        self.line = 0
        above: dict[int, tuple[int, str]] = {}  # the last row and the text of what is merged, by column
        try:
            with self._opened(counting=True) as archive:
                for row in sheet_rows(archive, self._book, self._sheet):
                    self.line = row.number
                    if row.faults or any(cell.strip() for cell in row.cells):
                        self._fill(row, above)
                        yield row
        except BrokenStreamError as error:
            self._complain_broken(error)

    def _fill(self, row: SheetRow, above: dict[int, tuple[int, str]]) -> None:
        """Give cells that are merged with one above what stands there."""
        for place, (last, text) in list(above.items()):
            if row.number > last:
                del above[place]
            else:
                row.cells.extend([""] * (place + 1 - len(row.cells)))
                row.cells[place] = row.cells[place] or text
        for place, text in enumerate(row.cells if self._merged else ()):
            if text and (row.number, place) in self._merged:
                above[place] = self._merged[row.number, place], text

    def __iter__(self) -> Iterator[str]:
        """Give the rows as lines, with a tab between cells."""
        for row in self.cells():
            for fault in row.faults.values():
                self.complain("", fault)
            yield "\t".join(" ".join(cell.split()) for cell in row.cells)
