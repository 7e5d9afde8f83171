"""Items, one byte per feature, checked and laid out as the kernels want them; and the labelled set D of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.strategy import Param

Items = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

MAX_ANTECEDENT = 3
MAX_GRADE = 32_767  # the LETOR reader's too; every grade up to the largest is a column of p(r|d)


def as_items(items: Any, *, features: int | None = None) -> Items:
    """Return `items` as a uint8 matrix, documents by features, or say what is wrong with it."""
    array = as_array(items, "items")
    if array.ndim != 2:
        raise InputError(f"items must be a matrix, documents by features; this has {array.ndim} dimension(s)")
    if array.shape[1] == 0:
        raise InputError("items has no feature; give at least one column")
    if features is not None and array.shape[1] != features:
        raise InputError(f"items has {array.shape[1]} features, but {features} are expected")
    if array.dtype != np.uint8:
        if array.dtype.kind not in "iub" and not (array.dtype.kind == "f" and np.all(array == np.floor(array))):
            raise InputError("items must be whole numbers (bins); run a discretizer on the feature values first")
        if array.size and (array.min() < 0 or array.max() > 255):
            raise InputError(f"items must lie in 0..255; found {array.min()} to {array.max()}")
        array = array.astype(np.uint8)
    return array


def as_array(values: Any, what: str) -> np.ndarray:
    """Return numbers as an array, or say that they make none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be an array of numbers, with rows of the same length") from None


def as_document(document: Any, *, features: int | None = None) -> Items:
    """Return one document's items as a uint8 vector of its own, one per feature."""
    array = as_array(document, "a document")
    if array.ndim != 1:
        raise InputError(f"a document is its items, one per feature; this has {array.ndim} dimension(s), not 1")
    return as_items(array[None, :], features=features)[0].copy()


def as_columns(items: Items) -> Items:
    """Return the items feature by feature (features by documents, contiguous), the kernels' layout.

    Always a copy: labelled sets are changed in place, and the caller's array must not change with them.
    """
    return np.array(items.T, order="C")


def as_grades(grades: Any, rows: int, *, unlabelled: bool = False) -> Ints:
    """Return whole-number grades of at least 0 (or -1 for unlabelled, where that is allowed)."""
    array = as_array(grades, "grades")
    if array.shape != (rows,):
        raise InputError(f"grades must be one number per document ({rows}); this has shape {array.shape}")
    if array.dtype.kind not in "iubf" or (array.dtype.kind == "f" and not np.all(array == np.floor(array))):
        raise InputError("grades must be whole numbers")
    if rows and array.max() > MAX_GRADE:
        raise InputError(f"grade of row {int(np.argmax(array))} is {array.max()}; grades go up to {MAX_GRADE}")
    array = array.astype(np.int64)
    least = -1 if unlabelled else 0
    if rows and array.min() < least:
        row = int(np.argmin(array))
        what = "unlabelled (-1)" if array[row] == -1 else f"{array[row]}"
        raise InputError(f"grade of row {row} is {what}; every grade must be {least} or more")
    return array


def as_grade(grade: Any) -> int:
    """Return one grade as an int of at least 0."""
    number = as_whole(grade)
    if number is None or not 0 <= number <= MAX_GRADE:
        raise InputError(f"a grade is a whole number from 0 to {MAX_GRADE}, not {grade!r}")
    return number


def as_row(row: Any, rows: int) -> int:
    """Return a row number of a pool of `rows` documents as an int."""
    number = as_whole(row)
    if number is None or not 0 <= number < rows:
        raise InputError(f"row {row!r} is not in the pool, whose rows are 0 to {rows - 1}")
    return number


def as_whole(value: Any) -> int | None:
    """Return a whole number of any numeric type as an int; None for all else (True and False are no numbers)."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer) or (isinstance(value, float | np.floating) and value.is_integer()):
        return int(value)
    return None


def antecedent_param(default: int = 2) -> Param:
    """Return the parameter that `check_antecedent` checks."""
    return Param("max_antecedent", int, default, "Items that a rule's antecedent has at most.", low=1, high=3)


def check_antecedent(size: int) -> int:
    """Return the largest antecedent size if it is 1, 2 or 3."""
    if size not in (1, 2, MAX_ANTECEDENT):
        raise InputError(f"max_antecedent must be 1, 2 or 3, not {size!r}: larger antecedents are too many to count")
    return int(size)


def antecedents(features: int, size: int) -> int:
    """Return how many sets of 1 to `size` features there are."""
    total = features
    if size >= 2:
        total += features * (features - 1) // 2
    if size >= 3:
        total += features * (features - 1) * (features - 2) // 6
    return total


class LabelledRows:
    """A growing, shrinking multiset of labelled documents; the order of labelling is kept."""

    def __init__(self, features: int) -> None:
        self.columns: Items = np.empty((features, 64), np.uint8)
        self.grades: Ints = np.empty(64, np.int64)
        self.rows: Ints = np.empty(64, np.int64)
        self.count = 0

    def add(self, document: Items, grade: int, row: int = -1) -> None:
        """Append a document (`row` is its number in the pool, or -1 if it is none of the pool's)."""
        if self.count == self.grades.shape[0]:
            room = self.count
            self.columns = np.concatenate([self.columns, np.empty((len(self.columns), room), np.uint8)], axis=1)
            self.grades = np.concatenate([self.grades, np.empty(room, np.int64)])
            self.rows = np.concatenate([self.rows, np.empty(room, np.int64)])
        self.columns[:, self.count] = document
        self.grades[self.count] = grade
        self.rows[self.count] = row
        self.count += 1

    def find(self, document: Items, grade: int, row: int = -1) -> int:
        """Return the latest place that holds this document with this grade, or say that there is none."""
        places = np.flatnonzero((self.grades[: self.count] == grade) & (self.rows[: self.count] == row))
        if row < 0 and places.size:
            places = places[(self.columns[:, places] == document[:, None]).all(axis=0)]
        if not places.size:
            what = f"row {row}" if row >= 0 else "this document"
            raise InputError(f"{what} is not labelled with grade {grade}, so that label cannot be removed")
        return int(places[-1])

    def remove(self, place: int) -> None:
        """Take the document at `place` out; the others keep their order."""
        last = self.count - 1
        self.columns[:, place:last] = self.columns[:, place + 1 : self.count]
        self.grades[place:last] = self.grades[place + 1 : self.count]
        self.rows[place:last] = self.rows[place + 1 : self.count]
        self.count = last

    def items(self) -> Items:
        """Return the labelled items, documents by features, in the order of labelling (a copy)."""
        return self.columns[:, : self.count].T.copy()

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return self.columns.nbytes + self.grades.nbytes + self.rows.nbytes
