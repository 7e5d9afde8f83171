"""What may stand in the fields of a Collection: checks, normal forms, warnings, and errors that name the culprit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.foreign.numbers import shown
from rulerank.foreign.storable import LONGEST_ID, too_long, unstorable

Array = npt.NDArray[Any]

PRESENT, ABSENT, NULL = 0, 1, 2  # codes of `Collection.missing`
UNLABELLED = -1
MAX_GRADE = 32767


@dataclass(frozen=True)
class RegroupedQueries:
    """Rows of these queries did not stand together and were moved to their query's first row.

    `places[i]` is where `qids[i]` came up again: a line of the file, or a row or part of what was joined (`unit`).

    >>> print(RegroupedQueries(("q7",), (12,)))
    rows of 1 queries did not stand together and were regrouped: q7 (line 12)
    """

    qids: tuple[str, ...]
    places: tuple[int, ...]
    unit: str = "line"

    def __str__(self) -> str:
        more = ", ..." if len(self.qids) > 3 else ""
        pairs = zip(self.qids[:3], self.places[:3], strict=True)
        shown = ", ".join(f"{qid} ({self.unit} {place})" for qid, place in pairs)
        return f"rows of {len(self.qids)} queries did not stand together and were regrouped: {shown}{more}"


@dataclass(frozen=True)
class PossiblyCutOff:
    """The last line has no newline and lacks features that every other row has: the file may have been cut off."""

    line: int

    def __str__(self) -> str:
        return f"line {self.line}, the last, has fewer features than all others and no newline: is the file whole?"


CELLS_AT_ONCE = 1 << 20

_BLANK_OR_HASH = re.compile(r"[ \t\r\n\v\f#\0]")
_DOCID = re.compile(r"(?:^|\s)docid\s*=\s*(\S+)")


def frozen(values: Any, dtype: Any, name: str, ndim: int) -> Array:
    """Return the values as an array that nobody can write to; a copy, unless it is one already."""
    try:
        array = np.asarray(values)
        if array.dtype != dtype:
            array = _converted(array, np.dtype(dtype), name)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InputError(f"{name} must be an array of numbers: {exc}") from exc
    if array.ndim != ndim:
        raise InputError(f"{name} must have {ndim} dimension(s), not {array.ndim}")
    if not (array.flags.c_contiguous and _is_sealed(array)):
        array = np.array(array, order="C")
        array.flags.writeable = False
    return array


def _converted(array: Array, dtype: np.dtype[Any], name: str) -> Array:
    if array.dtype.kind not in "biuf" and array.size:
        raise InputError(f"{name} must be an array of numbers, not of {array.dtype}")
    with np.errstate(invalid="ignore"):
        result = array.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(result, array):
        raise InputError(f"{name} must be whole numbers within the range of {dtype}")
    return result


def _is_sealed(array: Array) -> bool:
    """Say whether neither the array nor what it is a view of can be written to."""
    base: Any = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    return base is None


def seal(array: Array) -> Array:
    """Make an array of our own read-only, with all that it is a view of."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base.flags.writeable = False
        base = base.base
    return array


def reorder(matrix: Array, order: Array) -> None:
    """Bring the rows of a matrix into an order, some columns at a time, so that it is never there twice."""
    step = max(CELLS_AT_ONCE // max(len(order), 1), 1)
    for start in range(0, matrix.shape[1], step):
        matrix[:, start : start + step] = matrix[order, start : start + step]


def check_features(features: Array, missing: Array | None) -> None:
    """Refuse a matrix that is not finite, or that does not hold 0.0 where a feature is missing."""
    if missing is not None and missing.shape != features.shape:
        raise InputError(f"`missing` has shape {missing.shape}, `features` {features.shape}; they must be equal")
    if missing is not None and missing.size and missing.max() > NULL:
        raise InputError(f"`missing` holds {missing.max()}; its codes are 0 (present), 1 (absent) and 2 (NULL)")
    # Some rows at a time: what is made for the check would else be as large as the matrix.
    step = max(CELLS_AT_ONCE // max(features.shape[1], 1), 1)
    for start in range(0, len(features), step):
        some = features[start : start + step]
        finite = np.isfinite(some)
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise InputError(
                f"row {start + row}, feature {column + 1}: {some[row, column]} is not a finite number; "
                "a missing value is 0.0 in `features` and marked in `missing`"
            )
        if missing is not None and some.view(np.int64)[missing[start : start + step] != PRESENT].any():
            raise InputError("`features` must be 0.0 wherever `missing` says that a feature is missing")


def check_grades(grades: Array, rows: int) -> None:
    """Refuse grades below -1 or beyond the largest, or not one for each row."""
    if grades.shape != (rows,):
        raise InputError(f"{len(grades)} grades for {rows} rows; give one for each, {UNLABELLED} where unlabelled")
    bad = np.flatnonzero((grades < UNLABELLED) | (grades > MAX_GRADE))
    if bad.size:
        raise InputError(f"row {bad[0]}: grade {grades[bad[0]]} is not in {UNLABELLED} (unlabelled) to {MAX_GRADE}")


def check_qids(qids: Iterable[Any], row_of: Callable[[int], object]) -> None:
    """Refuse a qid that could not be written to a LETOR file and read again, or not be kept.

    `row_of` gives the first row of a qid by its place.
    """
    for place, qid in enumerate(qids):
        if not isinstance(qid, str) or not qid or _BLANK_OR_HASH.search(qid):
            raise InputError(f"row {row_of(place)}: qid {shown(qid)} must be text without blanks, '#' or NUL")
        if fault := unstorable(qid):
            raise InputError(f"row {row_of(place)}: qid {shown(qid)}: {fault}")


def check_ids(what: str, ids: Iterable[str]) -> None:
    """Refuse a qid or docid (`what`) that is too long to be a key of a table."""
    for row, text in enumerate(ids):
        if len(text) > LONGEST_ID:
            raise InputError(f"row {row}: {too_long(what, text)}")


def check_comments(comments: Sequence[Any], rows: int) -> None:
    """Refuse comments that could not be written to a LETOR file and read again, or not one for each row."""
    if len(comments) != rows:
        raise InputError(f"{len(comments)} comments for {rows} rows; give one for each ('' for none)")
    for row, comment in enumerate(comments):
        if not isinstance(comment, str):
            raise InputError(f"row {row}: the comment must be text, not {type(comment).__name__}")
        if "\n" in comment or "\0" in comment or comment.endswith("\r"):
            raise InputError(f"row {row}: comment {comment[:60]!r} must be one line of text without NUL")
        if fault := unstorable(comment):
            raise InputError(f"row {row}: comment {comment[:60]!r}: {fault}")


def check_names(names: Sequence[Any], features: int) -> None:
    """Refuse feature names that are not distinct texts, or not one for each feature."""
    if len(names) != features:
        raise InputError(f"{len(names)} feature names for {features} features; give one for each")
    if any(not isinstance(name, str) or not name for name in names) or len(set(names)) < len(names):
        raise InputError("feature names must be distinct, non-empty texts")
    for number, name in enumerate(names, 1):
        if fault := unstorable(name):
            raise InputError(f"the name of feature {number}, {shown(name)}: {fault}")


def check_index(query_index: Array, queries: int, rows: int) -> None:
    """Refuse a query index whose rows do not stand together in the order of the queries."""
    grouped = len(query_index) == rows
    if grouped and rows:
        steps = np.diff(query_index)
        grouped = bool(query_index[0] == 0 and query_index[-1] == queries - 1 and np.isin(steps, (0, 1)).all())
    if not grouped or (queries > 0) != (rows > 0):
        raise InputError(
            "`query_index` must number the queries 0, 1, 2, ... with the rows of each standing together; "
            "Collection.from_arrays groups rows for you"
        )


def row_numbers(rows: Any, count: int) -> Array:
    """Turn numbers, a mask or a slice into row numbers, or say what is wrong with them."""
    if isinstance(rows, slice):
        return np.arange(count)[rows]
    picked = np.asarray(rows)
    if picked.dtype == bool:
        if picked.shape != (count,):
            raise InputError(f"a mask of {picked.size} rows for {count}; give one value for each row")
        return np.flatnonzero(picked)
    if picked.size == 0:
        return np.zeros(0, dtype=np.int64)
    if picked.ndim != 1 or picked.dtype.kind not in "iu":
        raise InputError("rows must be a list of row numbers, a mask or a slice")
    if picked.min() < 0 or picked.max() >= count:
        raise InputError(f"rows must lie in 0..{count - 1}; found {picked.min()} to {picked.max()}")
    return picked.astype(np.int64)


def docid_of(comment: str) -> str:
    """Return X of a comment that says `docid = X`, or an empty text."""
    found = _DOCID.search(comment)
    return found.group(1) if found else ""


def docid_comment(docid: Any) -> str:
    """Return the comment from which `docid_of` reads the docid again."""
    if docid is None or docid == "":
        return ""
    comment = f"docid = {docid}"
    if docid_of(comment) != str(docid):
        raise InputError(f"docid {docid!r} must be text without blanks")
    return comment
