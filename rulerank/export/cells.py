"""Read tables and LETOR files back, in compiled code: numbers are compared as they are read, differences named."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.collection import ABSENT, Collection
from rulerank.collection.fields import Array
from rulerank.errors import RulerankError
from rulerank.kernels import kernel
from rulerank.letor import read_letor
from rulerank.letor.kernels import QUICK_DIGITS
from rulerank.letor.numbers import NOT_A_NUMBER, SETTLED, ends_token, fives, quick_digits, scan_number, tens, to_float

NO_NUMBER = -1  # beside the outcomes of `to_float`
HEADS = 3  # cells of text before the numbers

_NEWLINE, _RETURN, _BLANK, _QUOTE, _COMMA, _POINT, _COLON = 10, 13, 32, 34, 44, 46, 58
_COMMA_TO_BLANK = bytes.maketrans(b",", b" ")


@dataclass(frozen=True)
class ReadTable:
    """What the rows of a table hold."""

    heads: bytes  # the cells of text, each with a newline behind it
    starts: Array  # where each row begins in the data
    doubtful: Array  # rows with a number that is not the one meant, or that only Python can read


def read_table(body: bytes, meant: Collection) -> ReadTable | None:
    """Read the rows of a table and compare its numbers, bit for bit; None if it has not the shape that is meant."""
    rows = len(meant)
    if not body.endswith(b"\n"):
        return None
    heads = np.empty(len(body) + HEADS * rows, dtype=np.uint8)
    starts = np.empty(rows, dtype=np.int64)
    doubtful = np.zeros(rows, dtype=np.bool_)
    size = _read(
        np.frombuffer(body, dtype=np.uint8),
        # The reader of numbers stops at blanks.
        np.frombuffer(body.translate(_COMMA_TO_BLANK), dtype=np.uint8),
        meant.features,
        _codes(meant),
        tens(),
        fives(),
        heads,
        starts,
        doubtful,
    )
    return None if size < 0 else ReadTable(heads[:size].tobytes(), starts, np.flatnonzero(doubtful))


def are_pairs(data: bytes, meant: Collection) -> bool:
    """Say whether svmlight lines hold these documents, bit for bit; False also where only Python could tell."""
    if not data.endswith(b"\n"):
        return False
    text = np.frombuffer(data, dtype=np.uint8)
    return bool(_are_pairs(text, meant.grades, meant.features, _codes(meant), tens(), fives()))


def _codes(meant: Collection) -> Array:
    """Return what is missing as the kernels take it: no rows where nothing is."""
    codes = np.zeros((0, meant.features.shape[1]), dtype=np.uint8) if meant.missing is None else meant.missing
    codes.flags.writeable = False  # as those of a collection are: the kernel is compiled only once
    return codes


@kernel
def _head(text: Array, at: int, heads: Array, kept: int) -> tuple[Any, ...]:
    """Copy a cell of text and a newline: (position of the comma behind it, or -1; end of what is kept)."""
    if text[at] != _QUOTE:
        while text[at] != _COMMA:
            if text[at] == _QUOTE or text[at] == _NEWLINE or text[at] == _RETURN:
                return -1, kept
            heads[kept] = text[at]
            kept += 1
            at += 1
    else:
        at += 1
        while True:
            if at + 1 >= text.size:
                return -1, kept
            if text[at] == _QUOTE:
                at += 1
                if text[at] != _QUOTE:
                    break
            heads[kept] = text[at]
            kept += 1
            at += 1
        if text[at] != _COMMA:
            return -1, kept
    heads[kept] = _NEWLINE
    return at, kept + 1


@kernel(error_model="numpy")
def _number(text: Array, blanked: Array, at: int, tens: Array, fives: Array) -> tuple[Any, ...]:
    """Read a number: (what `to_float` says of it, or NO_NUMBER; its value; where it ends)."""
    # Nearly all numbers are short and plain; `scan_number` reads every other form.
    number, after = quick_digits(text, at, 0)
    has_whole = after > at
    decimals = 0
    if text[after] == _POINT:
        point = after + 1
        number, after = quick_digits(text, point, number)
        decimals = after - point
    if has_whole and after - at < QUICK_DIGITS and (text[after] == _COMMA or ends_token(text[after])):
        return SETTLED, np.float64(number) / tens[decimals], after
    kind, negative, digits, exponent, after = scan_number(blanked, at)
    if kind == NOT_A_NUMBER:
        return NO_NUMBER, 0.0, after
    outcome, value = to_float(kind, negative, digits, exponent, tens, fives)
    return outcome, value, after


@kernel
def _same(value: float, meant: float) -> bool:
    return value == meant and math.copysign(1.0, value) == math.copysign(1.0, meant)


@kernel(error_model="numpy")
def _are_pairs(text: Array, grades: Array, values: Array, codes: Array, tens: Array, fives: Array) -> bool:
    """Read svmlight lines to the end and say whether they are these documents, present values only."""
    at = 0
    for row in range(grades.size):
        if at >= text.size:
            return False
        grade, after = quick_digits(text, at, 0)
        if after == at or after - at >= QUICK_DIGITS or grade != grades[row]:
            return False
        at = after
        for column in range(values.shape[1]):
            if len(codes) > 0 and codes[row, column] != 0:
                continue
            if text[at] != _BLANK:
                return False
            feature, after = quick_digits(text, at + 1, 0)
            if feature != column + 1 or after - at > QUICK_DIGITS or text[after] != _COLON:
                return False
            outcome, value, at = _number(text, text, after + 1, tens, fives)
            if outcome != SETTLED or not ends_token(text[at]) or not _same(value, values[row, column]):
                return False
        if text[at] != _NEWLINE:
            return False
        at += 1
    return at == text.size


@kernel(error_model="numpy")
def _read(
    text: Array,
    blanked: Array,
    values: Array,
    codes: Array,
    tens: Array,
    fives: Array,
    heads: Array,
    starts: Array,
    doubtful: Array,
) -> int:
    """Read as many rows as there are values, to the end; return the size of `heads`, or -1 for another shape."""
    at = 0
    kept = 0
    width = values.shape[1]
    for row in range(values.shape[0]):
        if at >= text.size:
            return -1
        starts[row] = at
        for _ in range(2):
            at, kept = _head(text, at, heads, kept)
            if at < 0:
                return -1
            at += 1
        while text[at] != _COMMA and text[at] != _NEWLINE:
            heads[kept] = text[at]
            kept += 1
            at += 1
        heads[kept] = _NEWLINE
        kept += 1
        for column in range(width):
            if text[at] != _COMMA:
                return -1
            at += 1
            is_empty = text[at] == _COMMA or text[at] == _NEWLINE
            is_missing = len(codes) > 0 and codes[row, column] != 0
            if is_empty != is_missing:
                doubtful[row] = True
            if is_empty:
                continue
            outcome, value, after = _number(text, blanked, at, tens, fives)
            # A blank, which ends a number as well, is none of the table's own.
            if outcome == NO_NUMBER or (text[after] != _COMMA and text[after] != _NEWLINE):
                return -1
            if outcome != SETTLED or not _same(value, values[row, column]):
                doubtful[row] = True
            at = after
        if text[at] != _NEWLINE:
            return -1
        at += 1
    return kept if at == text.size else -1


def check_letor(name: str, data: bytes | memoryview, meant: Collection) -> list[str]:
    """Return every way in which a LETOR file differs from the collection it should hold, bit for bit."""
    try:
        found = read_letor(io.BytesIO(data))
    except RulerankError as exc:
        return [f"{name}: cannot be read back: {exc}"]
    return [*(f"{name}: {warning}" for warning in found.warnings), *differences(name, meant, found)]


def differences(name: str, meant: Collection, found: Collection) -> list[str]:
    """Say what differs; the names of features do not count, nor trailing features that no document has."""
    if len(found) != len(meant):
        return [f"{name}: {len(found)} documents are in the file, {len(meant)} were meant"]
    problems = []
    width = found.features.shape[1]
    if not _only_absent_beyond(meant, width):
        return [f"{name}: {width} features are in the file, {meant.features.shape[1]} were meant"]
    if found.queries != meant.queries or not np.array_equal(found.query_index, meant.query_index):
        row = _first(np.array(found.qids != meant.qids))
        problems.append(f"{name}: document {row + 1} has qid {found.qids[row]}, {meant.qids[row]} was meant")
    if not np.array_equal(found.grades, meant.grades):
        row = _first(found.grades != meant.grades)
        problems.append(f"{name}: document {row + 1} has grade {found.grades[row]}, {meant.grades[row]} was meant")
    if found.comments != meant.comments:
        row = next(k for k, pair in enumerate(zip(found.comments, meant.comments, strict=True)) if pair[0] != pair[1])
        problems.append(f"{name}: document {row + 1} has another comment than was meant")
    values = np.ascontiguousarray(meant.features[:, :width])
    wrong = values.view(np.int64) != found.features.view(np.int64)
    if meant.missing is not None or found.missing is not None:
        wrong |= _missing_codes(meant, width) != _missing_codes(found, width)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        problems.append(
            f"{name}: document {row + 1}, feature {column + 1} is {_shown(found, row, column)}, "
            f"{_shown(meant, row, column)} was meant ({np.count_nonzero(wrong)} values differ)"
        )
    return problems


def _only_absent_beyond(meant: Collection, width: int) -> bool:
    """Say whether the features beyond `width` are those that a file cannot show, because no document has them."""
    if width >= meant.features.shape[1]:
        return width == meant.features.shape[1]
    return meant.missing is not None and bool((meant.missing[:, width:] == ABSENT).all())


def _first(wrong: Array) -> int:
    return int(np.flatnonzero(wrong)[0])


def _missing_codes(collection: Collection, width: int) -> Array:
    """Return the codes of missing values of the first `width` features; zeros where every value is given."""
    if collection.missing is None:
        return np.zeros((len(collection), width), dtype=np.uint8)
    return collection.missing[:, :width]


def _shown(collection: Collection, row: int, column: int) -> str:
    code = 0 if collection.missing is None else int(collection.missing[row, column])
    return repr(float(collection.features[row, column])) if code == 0 else ("absent" if code == ABSENT else "NULL")
