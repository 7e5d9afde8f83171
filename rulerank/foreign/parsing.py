"""JSON from elsewhere: parsed within the limit of memory, or refused in words."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from rulerank.errors import InputError
from rulerank.foreign.numbers import shown
from rulerank.memory import check_memory

SMALL = 1 << 20  # characters that cannot become much memory
BYTES_PER_CHARACTER = 4
BYTES_PER_VALUE = 72  # the shortest values, `{}` and `[]`, are the most wasteful


def parse_json(text: str) -> Any:
    """Return what a JSON text says; an InputError tells why it is none, or that it needs too much memory."""
    if len(text) > SMALL:
        values = sum(map(text.count, ",:[{"))
        check_memory(BYTES_PER_CHARACTER * len(text) + BYTES_PER_VALUE * values, "a JSON text of this size")
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise InputError("values are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(error)) from error


def _refuse(constant: str) -> NoReturn:
    raise InputError(f"{shown(constant)} is no number in JSON")
