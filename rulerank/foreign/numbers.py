"""Numbers that stand in files of others: plain ASCII, finite and within a range, or an error that shows the culprit.

Python's own `int` and `float` take more than a file format means: digits of other scripts, `1_000`, `nan`, `inf`,
`1e999` (which is infinite), and numbers that no array or database can hold.
"""

from __future__ import annotations

import math
import re
from typing import Any

from rulerank.errors import InputError

LARGEST = 2**53
"""The largest whole number up to which every one is exact in JSON, in a float and in a database."""
SHOWN = 40

_WHOLE = re.compile(r"([+-]?)([0-9]+)")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class NumberError(InputError):
    """A text is not the number that should stand there; the message shows it."""


def shown(value: Any) -> str:
    """Return what to show of a value that is wrong, however long it is."""
    text = repr(value[: 2 * SHOWN] if isinstance(value, str | bytes) else value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def whole_number(text: str, *, least: int = -LARGEST, most: int = LARGEST) -> int:
    """Return the whole number that a text is, in ASCII digits with or without a sign; blanks around it do not count."""
    found = _WHOLE.fullmatch(text.strip())
    if not found:
        raise NumberError(f"{shown(text)} is not a whole number")
    digits = found[2].lstrip("0") or "0"
    # A number of thousands of digits is out of range, and would take Python long to read.
    value = int(found[1] + digits) if len(digits) < 20 else None
    if value is None or not least <= value <= most:
        raise NumberError(f"{shown(text)} is not from {least} to {most}")
    return value


def is_whole(text: str, *, least: int = -LARGEST, most: int = LARGEST) -> bool:
    """Say whether a text is a whole number within a range."""
    try:
        whole_number(text, least=least, most=most)
    except NumberError:
        return False
    return True


def finite_number(text: str) -> float:
    """Return the finite number that a text is, in ASCII digits; blanks around it do not count."""
    plain = text.strip()
    value = float(plain) if _DECIMAL.fullmatch(plain) else math.nan
    if not math.isfinite(value):
        raise NumberError(f"{shown(text)} is not a finite number")
    return value


def finite_value(value: Any) -> float:
    """Return a value that a reader of JSON gave as a finite float: a number, or a text that is one."""
    if isinstance(value, str):
        return finite_number(value)
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise NumberError(f"{shown(value)} is not a finite number")
    return number
