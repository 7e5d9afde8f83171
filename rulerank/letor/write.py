"""The LETOR writer: numbers in their shortest form, one document per line, rows of a query together."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from rulerank.collection import Collection
from rulerank.collection.fields import ABSENT, NULL, Array
from rulerank.errors import InputError
from rulerank.kernels import Scalar, kernel, over_rows
from rulerank.letor.numbers import EXACT_POWER, LEFT_TO_PYTHON, fives, scale, tens
from rulerank.letor.target import Target, open_target

VALUES_AT_ONCE = 1 << 14
STEPS_AT_ONCE = 64  # shared among the threads before any of their text is written
LONGEST_NUMBER = 32  # of those that the kernel writes
LONGEST_GRADE = 8

_TEN = np.uint64(10)
_WHOLE_TENS = np.array([10**k for k in range(19)])


def write_letor(collection: Collection, target: Target, *, decimals: int | None = None) -> None:
    """Write a Collection to a path or a file object (binary or text, which is left open).

    Numbers take the shortest form that reads back as the same float, whole ones without a point, so that
    `read_letor` gives an equal Collection; or exactly `decimals` decimals. Absent features stay absent, NULL stays
    NULL. A path ending in .gz, .xz, .bz2 or .zip is compressed. A path is replaced only once all is written; after an
    error or Ctrl-C it is as it was before.
    """
    if not isinstance(collection, Collection):
        raise InputError(f"write_letor writes a Collection, not {type(collection).__name__}")
    if decimals is not None and (
        not isinstance(decimals, int | np.integer) or isinstance(decimals, bool) or not 0 <= decimals <= EXACT_POWER
    ):
        raise InputError(f"decimals must be None or a whole number from 0 to {EXACT_POWER}, not {decimals!r}")
    with open_target(target) as write:
        for data in _lines(collection, -1 if decimals is None else int(decimals)):
            write(data)


def _lines(collection: Collection, wanted: int) -> Iterable[bytes]:
    """Yield the text, some rows at a time."""
    rows, width = collection.features.shape
    step = max(VALUES_AT_ONCE // max(width, 1), 1)
    writer = _RowWriter(collection, wanted, step)
    for first in range(0, rows, step * STEPS_AT_ONCE):
        found: dict[int, list[bytes]] = {}

        def work(start: int, stop: int, first: int = first, found: dict[int, list[bytes]] = found) -> None:
            found[start] = writer.lines(first + start, first + stop)

        over_rows(work, min(step * STEPS_AT_ONCE, rows - first), least=step)
        for start in sorted(found):
            yield from found[start]


class _RowWriter:
    """Writes rows of one collection; several threads may use it at once."""

    def __init__(self, collection: Collection, wanted: int, step: int) -> None:
        width = collection.features.shape[1]
        self._collection = collection
        self._wanted = wanted
        self._step = step
        self._labels, self._label_ends = _joined([f" {feature}:".encode() for feature in range(1, width + 1)])
        self._qids, self._qid_ends = _joined([qid.encode("utf-8") for qid in collection.queries])
        self._qid_sizes = np.diff(self._qid_ends)
        longest_label = int(np.diff(self._label_ends).max()) if width else 0
        self._row_room = width * (longest_label + LONGEST_NUMBER) + LONGEST_GRADE + 8
        self._no_codes = np.zeros((0, width), dtype=np.uint8)
        self._no_codes.flags.writeable = False

    def lines(self, start: int, stop: int) -> list[bytes]:
        """Return the text of these rows."""
        cells = self._step * self._collection.features.shape[1]
        mantissas, places = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
        steps = range(start, stop, self._step)
        return [self._some(slice(at, min(at + self._step, stop)), mantissas, places) for at in steps]

    def _some(self, part: slice, mantissas: Array, places: Array) -> bytes:
        collection, wanted = self._collection, self._wanted
        values = collection.features[part]
        flat = values.reshape(-1)
        left = scale(flat, wanted, tens(), fives(), mantissas, places)
        texts: list[bytes] = []
        if left:
            texts = [_in_python(v, wanted) for v in flat[places[: flat.size] == LEFT_TO_PYTHON].tolist()]
        others, other_ends = _joined(texts)
        notes = ("\n".join(collection.comments[part]) + "\n").encode("utf-8")
        index = collection.query_index[part]
        room = len(values) * self._row_room + others.size + len(notes) + int(self._qid_sizes[index].sum())
        out = np.empty(room, dtype=np.uint8)
        size = _lay_out(
            values,
            self._no_codes if collection.missing is None else collection.missing[part],
            collection.grades[part],
            index,
            mantissas,
            places,
            wanted >= 0,
            self._labels,
            self._label_ends,
            self._qids,
            self._qid_ends,
            others,
            other_ends,
            np.frombuffer(notes, dtype=np.uint8),
            out,
        )
        return out[:size].tobytes()


def _joined(texts: list[bytes]) -> tuple[Array, Array]:
    """Return the texts as one array of bytes, and where each ends (with a zero in front)."""
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=ends[1:])
    return np.frombuffer(b"".join(texts), dtype=np.uint8), ends


def _in_python(value: float, wanted: int) -> bytes:
    """Write one value that the kernel left."""
    if wanted >= 0:
        return f"{value:.{wanted}f}".encode()
    return repr(value).removesuffix(".0").encode()


@kernel(error_model="numpy")
def _put(out: Array, at: int, text: Array, start: int, stop: int) -> int:
    """Copy text[start:stop] to `at` and return the position after it."""
    for i in range(start, stop):
        out[at] = text[i]
        at += 1
    return at


@kernel(error_model="numpy")
def _put_digits(out: Array, at: int, number: int, count: int) -> Scalar:
    """Write the last `count` digits of a number and return what is left of it."""
    rest = np.uint64(number)
    for i in range(at + count - 1, at - 1, -1):
        tenth = rest // _TEN
        out[i] = np.uint64(48) + rest - tenth * _TEN
        rest = tenth
    return np.int64(rest)


@kernel(error_model="numpy")
def _count_digits(number: int) -> int:
    """Count the digits of a number below 10**18."""
    count = 1
    while number >= _WHOLE_TENS[count]:
        count += 1
    return count


@kernel(error_model="numpy")
def _put_number(out: Array, at: int, mantissa: int, decimals: int, plain: bool) -> int:
    """Write mantissa / 10**decimals; below 0.0001 with an exponent, as `repr` does, unless `plain`."""
    count = _count_digits(mantissa)
    if decimals == 0:
        _put_digits(out, at, mantissa, count)
        return at + count
    if decimals - count < 4 or plain:
        before = max(count - decimals, 1)
        rest = _put_digits(out, at + before + 1, mantissa, decimals)
        out[at + before] = 46
        _put_digits(out, at, rest, before)
        return at + before + 1 + decimals
    size = count
    if count > 1:
        mantissa = _put_digits(out, at + 2, mantissa, count - 1)
        out[at + 1] = 46
        size += 1
    _put_digits(out, at, mantissa, 1)
    at += size
    out[at], out[at + 1] = 101, 45
    _put_digits(out, at + 2, decimals - count + 1, 2)
    return at + 4


@kernel(error_model="numpy")
def _lay_out(
    values: Array,
    codes: Array,
    grades: Array,
    index: Array,
    mantissas: Array,
    places: Array,
    plain: bool,
    labels: Array,
    label_ends: Array,
    qids: Array,
    qid_ends: Array,
    others: Array,
    other_ends: Array,
    notes: Array,
    out: Array,
) -> int:
    """Write the rows as lines into `out` and return their length."""
    at = 0
    note = 0
    other = 0
    cell = 0
    for row in range(values.shape[0]):
        grade = np.int64(grades[row])
        if grade < 0:
            out[at] = 45
            at += 1
            grade = -grade
        size = _count_digits(grade)
        _put_digits(out, at, grade, size)
        at += size
        out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = 32, 113, 105, 100, 58
        at = _put(out, at + 5, qids, qid_ends[index[row]], qid_ends[index[row] + 1])
        for column in range(values.shape[1]):
            code = codes[row, column] if len(codes) > 0 else 0
            if code != ABSENT:
                at = _put(out, at, labels, label_ends[column], label_ends[column + 1])
            if code == NULL:
                out[at], out[at + 1], out[at + 2], out[at + 3] = 78, 85, 76, 76
                at += 4
            elif code != ABSENT:
                if places[cell] == LEFT_TO_PYTHON:
                    at = _put(out, at, others, other_ends[other], other_ends[other + 1])
                    other += 1
                else:
                    if math.copysign(1.0, values[row, column]) < 0:
                        out[at] = 45
                        at += 1
                    at = _put_number(out, at, mantissas[cell], places[cell], plain)
            cell += 1
        if notes[note] != 10:
            out[at], out[at + 1] = 32, 35
            at += 2
            while notes[note] != 10:
                out[at] = notes[note]
                at += 1
                note += 1
        note += 1
        out[at] = 10
        at += 1
    return at
