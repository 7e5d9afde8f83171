"""Check what the caller hands in, and bring each query's rows together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.errors import InputError

# Beyond this the gain 2^grade no longer fits a float.
LARGEST_GRADE = 1000
LARGEST_K = 1000


@dataclass(frozen=True)
class Queries:
    """The queries in first-seen order; query i has the grouped rows starts[i] to starts[i + 1]."""

    qids: list[Any]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64] | None
    """File row of each grouped row, or None where the file already holds each query's rows together."""


def check_k(k: int) -> int:
    """Return k as an int, or say why it cannot be a number of cut-offs."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= LARGEST_K:
        raise InputError(f"k must be a whole number from 1 to {LARGEST_K}, not {k!r}")
    return int(k)


def check_max_grade(max_grade: int | None, largest: int) -> int:
    """Return the grade that ERR takes for the best: by default the largest one in the data."""
    if max_grade is None:
        return largest
    if isinstance(max_grade, bool) or not isinstance(max_grade, int | np.integer):
        raise InputError(f"max_grade must be a whole number, not {max_grade!r}")
    if not largest <= max_grade <= LARGEST_GRADE:
        raise InputError(
            f"max_grade is {max_grade}, but the data hold grade {largest}: "
            f"give a number from {largest} to {LARGEST_GRADE}, or leave max_grade out"
        )
    return int(max_grade)


def _numbers(name: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array of real numbers in one dimension."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} must be one flat list of numbers: {error}") from error
    if array.ndim != 1:
        raise InputError(f"{name} must have one dimension, but their shape is {array.shape}")
    if array.dtype.kind == "O":
        for row, value in enumerate(array):
            try:
                array[row : row + 1].astype(np.float64)
            except (TypeError, ValueError) as error:
                raise InputError(f"{name}: row {row} (counted from 0) is not a number but {value!r}") from error
        return array.astype(np.float64)
    if array.dtype.kind not in "iufb" and len(array):
        raise InputError(f"{name} must be numbers, but row 0 is {array[0].item()!r}")
    return array


def check_grades(values: Any) -> NDArray[np.int64]:
    """Return the grades as whole numbers from -1 (unlabelled) up."""
    array = _numbers("grades", values)
    if len(array) == 0:
        raise InputError("there are no documents, so no metric is defined: give at least one row")
    wrong = ~((array >= -1) & (array <= LARGEST_GRADE))
    if array.dtype.kind == "f":
        wrong |= np.floor(array) != array
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"grades: row {row} (counted from 0) holds {array[row].item()!r}; a grade is a whole number "
            f"from 0 to {LARGEST_GRADE}, or -1 for an unlabelled document"
        )
    return array.astype(np.int64)


def check_scores(values: Any, rows: int) -> NDArray[np.float64]:
    """Return the scores as finite floats, one for each row; the array is the caller's to change."""
    array = _numbers("scores", values)
    _check_length("scores", len(array), rows)
    # Adding zero copies, and turns -0.0 into 0.0: they are equal scores but not equal bits.
    scores = array.astype(np.float64) + 0.0
    wrong = ~np.isfinite(scores)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"scores: row {row} (counted from 0) holds {scores[row]}, which has no place in an order; "
            "every score must be finite"
        )
    return scores


def _check_length(name: str, length: int, rows: int) -> None:
    if length != rows:
        raise InputError(f"{name} have {length} rows, but grades have {rows}: give one for each document")


def _listed(name: str, values: Iterable[Any]) -> list[Any]:
    try:
        return list(values)
    except TypeError as error:
        raise InputError(f"{name} must be a list or an array, one for each document, not {values!r}") from error


def check_docids(values: Iterable[Any] | None, rows: int) -> list[Any] | None:
    """Return the docids in a form that can be indexed, one for each row."""
    if values is None:
        return None
    docids = _listed("docids", values)
    _check_length("docids", len(docids), rows)
    return docids


def _is_missing(qid: Any) -> bool:
    try:
        return qid is None or bool(qid != qid)  # noqa: PLR0124 (only NaN and its like differ from themselves)
    except (TypeError, ValueError):  # pandas' NA refuses to be true or false
        return True


def _encode(values: list[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Number the qids from 0 in first-seen order."""
    number: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    for row, qid in enumerate(values):
        try:
            codes[row] = number.setdefault(qid, len(number))
        except TypeError as error:
            raise InputError(f"qids: row {row} (counted from 0) holds {qid!r}, which cannot be hashed") from error
    return codes, list(number)


def group_queries(values: Iterable[Any], rows: int) -> Queries:
    """Bring each query's rows together, in file order; a query may stand in several places (1, 2, 1)."""
    array = np.asarray(values) if hasattr(values, "__array__") else None
    names: list[Any] | None = None
    if array is None or array.ndim != 1 or array.dtype.kind not in "iufbUS":
        listed = _listed("qids", values)
        _check_length("qids", len(listed), rows)
        array, names = _encode(listed)
    _check_length("qids", len(array), rows)

    heads = np.concatenate([[0], np.flatnonzero(array[1:] != array[:-1]) + 1])
    _, first, run_query = np.unique(array[heads], return_index=True, return_inverse=True)
    qids = array[heads[np.sort(first)]].tolist()
    if names is not None:
        qids = [names[code] for code in qids]
    missing = [query for query, qid in enumerate(qids) if _is_missing(qid)]
    if missing:
        row = int(heads[np.sort(first)[missing[0]]])
        raise InputError(f"qids: row {row} (counted from 0) has no query id")
    if len(qids) == len(heads):
        return Queries(qids, np.append(heads, rows).astype(np.int64), None)

    first_seen = np.argsort(np.argsort(first))
    codes = np.repeat(first_seen[run_query], np.diff(heads, append=rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    return Queries(qids, starts.astype(np.int64), np.argsort(codes, kind="stable"))
