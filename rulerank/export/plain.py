"""Events of any origin as plain rows: texts, numbers, true, false and nothing, as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from enum import Enum
from typing import Any, TypeGuard
from uuid import UUID

import numpy as np

from rulerank.errors import InputError

_TEXT = {str}
_AS_IT_IS = {*_TEXT, int, bool, type(None)}
_WITH_FLOATS = {*_AS_IT_IS, float}


def plain_rows(events: Any) -> tuple[dict[str, Any], ...]:
    """Return events (dictionaries, or a pandas frame) with plain values, or say which one cannot be written."""
    if hasattr(events, "to_dict"):
        events = events.to_dict("records")
    if isinstance(events, str | bytes | Mapping) or not isinstance(events, Iterable):
        raise InputError(f"events must be a list of dictionaries, not {type(events).__name__}")
    rows: list[dict[str, Any]] = []
    for number, event in enumerate(events, 1):
        if not isinstance(event, Mapping):
            raise InputError(f"event {number} must be a dictionary, not {type(event).__name__}")
        if _is_plain(event):
            rows.append(event)  # as nearly all are
            continue
        rows.append({str(key): _plain(value, f"event {number}, {key!r}") for key, value in event.items()})
    return tuple(rows)


def _is_plain(event: object) -> TypeGuard[dict[str, Any]]:
    """Say whether an event can stay as it is."""
    if type(event) is not dict or not _TEXT.issuperset(map(type, event)):
        return False
    kinds = set(map(type, event.values()))
    if kinds <= _AS_IT_IS:
        return True
    return kinds <= _WITH_FLOATS and all(math.isfinite(value) for value in event.values() if type(value) is float)


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
