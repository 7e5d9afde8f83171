"""Checks on what discretizers are given: every refusal says what was wrong, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.errors import InputError

MAX_BINS = 256
"""Items are bytes, so a feature has at most this many bins."""

LARGEST = 1e300
"""Larger magnitudes would overflow when two values are added or subtracted."""


def check_matrix(X: ArrayLike, names: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return X as float64 [rows, features]; refuse other shapes and types, and values that are not finite."""
    try:
        matrix = np.asarray(X)
        if matrix.dtype.kind not in "fiubc":
            matrix = matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X must be a matrix of numbers [rows, features]; it could not be read as one: {error}"
        ) from None
    if matrix.dtype.kind == "c" or matrix.ndim != 2:
        raise InputError(
            f"X must be a real matrix [rows, features]; it has shape {matrix.shape} and type {matrix.dtype}"
            + ("; for a single feature pass X.reshape(-1, 1)" if matrix.ndim == 1 else "")
        )
    matrix = matrix.astype(np.float64, copy=False)
    if matrix.size and not (np.abs(matrix) <= LARGEST).all():
        row, column = (int(i) for i in np.argwhere(~(np.abs(matrix) <= LARGEST))[0])
        where = f"column {column}" + (f" ({names[column]})" if names is not None and column < len(names) else "")
        raise InputError(
            f"X has the value {matrix[row, column]} in row {row}, {where} (both count from 0); "
            f"values must be finite and at most {LARGEST:g} in size: fill or drop it first"
        )
    return matrix


def check_names(names: Sequence[str] | None, features: int) -> tuple[str, ...]:
    """Return one name a feature; without names, "feature 1", "feature 2", ... as LETOR counts them."""
    if names is None:
        return tuple(f"feature {j + 1}" for j in range(features))
    if isinstance(names, str) or len(names) != features:
        raise InputError(f"feature_names must hold {features} names, one a column of X; got {names!r}")
    return tuple(str(name) for name in names)


def check_count(value: object, name: str, low: int, high: int | None) -> int:
    """Return value as an int within [low, high], or refuse it under its parameter's name."""
    bounds = f"at least {low}" if high is None else f"from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be a whole number {bounds}; got {value!r}")
    if value < low or (high is not None and value > high):
        raise InputError(f"{name} must be {bounds}; got {value}")
    return int(value)


def check_grades(y: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    """Return y as int64 grades, one a row of X; -1 stands for a row without a grade."""
    if y is None:
        raise InputError("MDLP is supervised: call fit(X, y) with y holding one grade a row (-1 for unlabelled rows)")
    try:
        numbers = np.asarray(y).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("y must hold whole numbers (grades 0..k, or -1 for unlabelled rows)") from None
    if numbers.shape != (rows,):
        raise InputError(f"y must hold one grade a row of X, {rows} in all; it has shape {numbers.shape}")
    bad = ~((numbers == np.floor(numbers)) & (numbers >= -1) & (numbers <= 2**31))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"y has {numbers[row]} in row {row} (counting from 0); "
            "grades are whole numbers 0..k, or -1 for unlabelled rows"
        )
    return numbers.astype(np.int64)
