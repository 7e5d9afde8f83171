"""Events of any origin as plain rows: texts, numbers, true, false and nothing, as JSON has them; and as cells."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from enum import Enum
from itertools import chain
from typing import Any, TypeGuard
from uuid import UUID

import numpy as np

from rulerank.errors import InputError

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
