"""Events of any origin as plain rows, and as cells of tables in which no text is taken for a formula."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard
from uuid import UUID

import numpy as np

from rulerank.errors import InputError

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


_NUMBERS = {int, float, type(None)}
_AS_IT_IS = {str, int, bool, type(None)}
_WITH_FLOATS = {*_AS_IT_IS, float}

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def plain_rows(events: Any) -> tuple[dict[str, Any], ...]:
    """Return events (dictionaries, or a pandas frame) with plain values, or say which one cannot be written."""
    if hasattr(events, "to_dict"):
        events = events.to_dict("records")
    if isinstance(events, str | bytes | Mapping) or not isinstance(events, Iterable):
        raise InputError(f"events must be a list of dictionaries, not {type(events).__name__}")
    rows = tuple(events)
    if _are_plain(rows):
        return rows  # as nearly all logs are
    for number, event in enumerate(rows, 1):
        if not isinstance(event, Mapping):
            raise InputError(f"event {number} must be a dictionary, not {type(event).__name__}")
    return tuple(
        {str(key): _plain(value, f"event {number}, {key!r}") for key, value in event.items()}
        for number, event in enumerate(rows, 1)
    )


def _are_plain(rows: tuple[Any, ...]) -> TypeGuard[tuple[dict[str, Any], ...]]:
    """Say whether all events can stay as they are; asked of all at once, for one by one takes four times as long."""
    if not {dict}.issuperset(map(type, rows)) or not {str}.issuperset(map(type, chain.from_iterable(rows))):
        return False
    values = list(chain.from_iterable(map(dict.values, rows)))
    kinds = set(map(type, values))
    if float in kinds and not all(map(math.isfinite, (value for value in values if type(value) is float))):
        return False
    return kinds <= _WITH_FLOATS


def _plain(value: Any, where: str) -> Any:
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None  # JSON has no other numbers
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, where) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(inner, where) for inner in value]
    raise InputError(f"{where}: a {type(value).__name__} cannot be written; give text, a number or a date")


def cells(values: list[Any]) -> list[str]:
    """Return a column's values as cells."""
    kinds = set(map(type, values))
    if kinds <= {str} and "".join(values).isascii():
        return values
    if kinds <= _NUMBERS:
        return ["" if value is None else repr(value) for value in values]
    return list(map(cell, values))


def cell(value: Any) -> str:
    """Return a value as a cell: nothing is empty, and what is nested stands as JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else _as_json(value)
    # Half a surrogate pair has no place in UTF-8 but as an escape.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
