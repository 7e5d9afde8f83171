"""Tables that people open in a spreadsheet: a text there is never taken for a formula.

Excel, LibreOffice and Google Sheets run a cell that begins with one of `= + - @` as a formula, which may call other
programs or send what stands beside it away; and qids, docids, names and notes come from anybody. In the files for
spreadsheets such a text has an apostrophe before it, which the programs show. Files for machines are exact, and no
cell of theirs is changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

BOM = "\ufeff"
"""At the head of a file it tells Excel that the text is UTF-8; without it, letters beyond ASCII come out wrong."""

MARK = "'"
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"  # ours, full-width, small, and the true minus
_SEPARATORS = ",;|\t\r\n"
_UNSEEN = '\\s"\\x00-\\x1f\u200b-\u200f\u2060\ufeff'  # what a program may skip before it looks at the first character
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

_BEGINS = rf"(?:^|(?<=[{_SEPARATORS}]))"  # for a program that separates cells by another character than we do, too
_RISKY = re.compile(rf"{_BEGINS}(?![ ]*{_NUMBER}[ ]*\Z)(?=[{_UNSEEN}]*[{_SIGNS}])|^(?=[\t\r])")


def defused(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula; numbers and harmless texts stay as they are.

    >>> defused("=HYPERLINK(1)"), defused("-0.5"), defused("plain")
    ("'=HYPERLINK(1)", '-0.5', 'plain')
    """
    found = _RISKY.sub(MARK, text)
    # Half a surrogate pair, which stands for a byte that is no text, has no place in UTF-8 but as an escape.
    return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()


def defused_all(texts: Sequence[str]) -> Sequence[str]:
    """Return texts as such cells; the very same list where one look at all of them tells that none needs a change."""
    whole = "\n".join(texts)
    if whole.isascii() and not _RISKY.search(whole):  # a line break ends a cell, so each begins as it does alone
        return texts
    changed = list(map(defused, texts))
    return texts if changed == list(texts) else changed


def spreadsheet_csv(table: pd.DataFrame) -> bytes:
    """Return a table as a CSV file for spreadsheets: texts and column names defused, numbers as they are."""
    safe = table.map(lambda value: defused(value) if isinstance(value, str) else value)
    safe.columns = [defused(str(name)) for name in table.columns]
    return (BOM + safe.to_csv(index=False, lineterminator="\n")).encode()
