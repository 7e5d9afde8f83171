"""Excel workbooks for tests."""

from __future__ import annotations

import io

import openpyxl

from tests.prepare.pair_table import HEADER, rows


def workbook(*sheets: tuple[str, list], change=lambda book: None) -> bytes:
    """Return a workbook of these sheets, each with a title and rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, lines in sheets:
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append(line)
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def helpdesk(*, bad: bool = False) -> bytes:
    """Return the table of pairs as a workbook with numbers for grades, and a second sheet."""
    lines = [list(HEADER), *([*row[:4], int(row[4]) if row[4] else None, row[5]] for row in rows())]
    if bad:
        lines[3][0] = None
        lines[7][2] = "=A1"
    return workbook(("Data", lines), ("Notes", [["asked in May"]]))
