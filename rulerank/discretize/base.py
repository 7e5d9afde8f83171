"""What all discretizers share: checks, fitted edges, items from values, bins in words, and saving."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.errors import InputError, NotFittedError
from rulerank.kernels import in_parts, workers
from rulerank.registry import discretizers
from rulerank.strategy import Configurable, Param

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
    """Return one name per feature; without names, "feature 1", "feature 2", ... as LETOR counts them."""
    if names is None:
        return tuple(f"feature {j + 1}" for j in range(features))
    if isinstance(names, str) or len(names) != features:
        raise InputError(f"feature_names must hold {features} names, one per column of X; got {names!r}")
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
    """Return y as int64 grades, one per row of X; -1 stands for a row without a grade."""
    if y is None:
        raise InputError("MDLP is supervised: call fit(X, y) with y holding one grade per row (-1 for unlabelled rows)")
    try:
        numbers = np.asarray(y).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("y must hold whole numbers (grades 0..k, or -1 for unlabelled rows)") from None
    if numbers.shape != (rows,):
        raise InputError(f"y must hold one grade per row of X, {rows} in all; it has shape {numbers.shape}")
    bad = ~((numbers == np.floor(numbers)) & (numbers >= -1) & (numbers <= 2**31))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"y has {numbers[row]} in row {row} (counting from 0); "
            "grades are whole numbers 0..k, or -1 for unlabelled rows"
        )
    return numbers.astype(np.int64)


SMALL = 50_000
"""Below this many numbers, starting threads costs more than it saves."""

BINS = Param("bins", int, 10, "Bins that each feature is cut into.", low=1, high=MAX_BINS)


class Discretizer(Configurable, ABC):
    """The base of every discretizer: a subclass only has to find the edges.

    After `fit`, `edges_` holds one float64 array per feature, both outer edges included: the first is the
    least fitted value and the last the greatest, so a feature has `len(edges) - 1` bins. A constant feature
    v has the edges [v, v] and one bin. Bin b holds the values x with edges[b] < x <= edges[b + 1] (a value
    equal to an edge goes left); the least value belongs to bin 0, and values outside the fitted range to the
    outer bins.

    >>> from rulerank.discretize import EqualWidth
    >>> cuts = EqualWidth(bins=2).fit([[0.0], [1.0], [4.0]])
    >>> cuts.edges_
    (array([0., 2., 4.]),)
    >>> cuts.transform([[1.9], [2.0], [2.1], [9.0]]).tolist()
    [[0], [0], [1], [1]]
    >>> Discretizer.from_dict(cuts.to_dict())
    EqualWidth(bins=2)
    """

    needs_grades: ClassVar[bool] = False
    """Whether it learns from grades, so that it cannot serve where they are not known beforehand."""
    edges_: tuple[NDArray[np.float64], ...]
    feature_names_: tuple[str, ...]

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, feature_names: Sequence[str] | None = None) -> Self:
        """Find the edges of every feature of X [rows, features]; y holds grades and only MDLP looks at it."""
        matrix = check_matrix(X, feature_names)
        if 0 in matrix.shape:
            raise InputError(f"X has shape {matrix.shape}; fitting needs at least one row and one feature")
        names = check_names(feature_names, matrix.shape[1])
        edges = self._find_edges(matrix, y)
        for name, found in zip(names, edges, strict=True):
            if len(found) - 1 > MAX_BINS:
                raise InputError(f"{name} would get {len(found) - 1} bins; items are bytes, so at most {MAX_BINS} fit")
        self.edges_ = tuple(edges)
        self.feature_names_ = names
        return self

    @abstractmethod
    def _find_edges(self, X: NDArray[np.float64], y: ArrayLike | None) -> list[NDArray[np.float64]]:
        """Check the parameters and return the edges of every column of X."""

    def transform(self, X: ArrayLike) -> NDArray[np.uint8]:
        """Return the items of X: the bin of every value, as bytes [rows, features]."""
        edges = self._fitted_edges()
        matrix = check_matrix(X, self.feature_names_)
        if matrix.shape[1] != len(edges):
            raise InputError(
                f"X has {matrix.shape[1]} features, but {type(self).__name__} was fitted on {len(edges)}: "
                "pass the same columns in the same order"
            )
        items = np.empty(matrix.shape, dtype=np.uint8)
        for j, found in enumerate(edges):
            items[:, j] = np.searchsorted(found[1:-1], matrix[:, j], side="left")
        return items

    def fit_transform(
        self, X: ArrayLike, y: ArrayLike | None = None, feature_names: Sequence[str] | None = None
    ) -> NDArray[np.uint8]:
        """Fit on X and return its items."""
        return self.fit(X, y, feature_names).transform(X)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The features' names, as given to `fit` or made there."""
        self._fitted_edges()
        return self.feature_names_

    @property
    def bins_(self) -> NDArray[np.int64]:
        """Number of bins of each feature."""
        return np.array([len(found) - 1 for found in self._fitted_edges()], dtype=np.int64)

    def describe(self, feature: int | str, bin: int) -> str:
        """Say an item in words ("BM25 is between 0.36 and 0.55"); feature is a column (from 0) or a name."""
        edges = self._fitted_edges()
        column = self._column(feature)
        inner = edges[column][1:-1]
        if isinstance(bin, bool) or not isinstance(bin, int | np.integer) or not 0 <= bin <= len(inner):
            raise InputError(f"{self.feature_names_[column]} has the bins 0..{len(inner)}; there is no bin {bin!r}")
        name = self.feature_names_[column]
        if not inner.size:
            return f"{name} has any value"
        # The bin's two edges among their neighbours: as many digits as tell these apart, and no more.
        start = max(int(bin) - 1, 0)
        words = _distinct_words(edges[column][start : bin + 3])
        low, high = words[bin - start], words[bin - start + 1]
        if bin == 0:
            return f"{name} is at most {high}"
        if bin == len(inner):
            return f"{name} is above {low}"
        return f"{name} is between {low} and {high}"

    def _column(self, feature: int | str) -> int:
        if isinstance(feature, str):
            if feature not in self.feature_names_:
                raise InputError(f"no feature is named {feature!r}; names are: {', '.join(self.feature_names_)}")
            return self.feature_names_.index(feature)
        if not isinstance(feature, int | np.integer) or not 0 <= feature < len(self.feature_names_):
            raise InputError(f"there is no feature {feature!r}; columns are 0..{len(self.feature_names_) - 1}")
        return int(feature)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted discretizer as plain JSON types; floats survive JSON exactly."""
        edges = self._fitted_edges()
        params = {
            key: value.item() if isinstance(value, np.generic) else value for key, value in self.get_params().items()
        }
        return {
            "name": self.name,
            "params": params,
            "feature_names": list(self.feature_names_),
            "edges": [found.tolist() for found in edges],
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Rebuild what `to_dict` saved; `Discretizer.from_dict` rebuilds any registered discretizer."""
        missing = [key for key in ("name", "params", "feature_names", "edges") if key not in saved]
        if missing:
            raise InputError(f"a saved discretizer needs {', '.join(missing)}; pass what to_dict() returned")
        kind = discretizers[saved["name"]]
        if not issubclass(kind, cls):
            raise InputError(f"the saved discretizer is {saved['name']!r}; load it with Discretizer.from_dict")
        try:
            loaded = kind(**saved["params"])
            edges = tuple(np.array(found, dtype=np.float64) for found in saved["edges"])
        except (TypeError, ValueError) as error:
            raise InputError(f"the saved {saved['name']} cannot be read: {error}") from None
        for j, found in enumerate(edges):
            if found.ndim != 1 or not 2 <= len(found) <= MAX_BINS + 1 or not _rising(found):
                raise InputError(f"the saved edges of column {j} must be 2 to {MAX_BINS + 1} rising numbers: {found}")
        loaded.feature_names_ = check_names(saved["feature_names"], len(edges))
        loaded.edges_ = edges
        return loaded

    def _fitted_edges(self) -> tuple[NDArray[np.float64], ...]:
        if not hasattr(self, "edges_"):
            raise NotFittedError(f"this {type(self).__name__} has no edges yet; call fit(X) first")
        return self.edges_


def _rising(numbers: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(numbers).all() and (np.diff(numbers) >= 0).all())


def _distinct_words(numbers: NDArray[np.float64]) -> list[str]:
    """Write rising numbers with the fewest significant digits, at least 3, that keep different ones apart."""
    different = len(np.unique(numbers))
    for digits in range(3, 17):
        words = [f"{float(f'{number:.{digits}g}'):.15g}" for number in numbers]  # no 1.23e+04
        if len(set(words)) == different:
            return words
    return [repr(float(number)) for number in numbers]


def map_columns(
    find: Callable[[NDArray[np.float64]], NDArray[np.float64]], X: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Call `find` on every column, on several cores where it pays: sorting and kernels release the GIL."""
    columns = X.shape[1]
    edges: list[NDArray[np.float64]] = [np.empty(0)] * columns

    def stripe(part: int, parts: int) -> None:
        for j in range(part, columns, parts):
            edges[j] = find(np.ascontiguousarray(X[:, j]))

    in_parts(stripe, 1 if X.size < SMALL else min(columns, workers()))
    return edges


def midway(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts with `left` on the left and `right` on the right, also where no float lies between them."""
    middle = (left + right) / 2
    return np.where(middle < right, middle, left)


def informative_features(items: ArrayLike) -> NDArray[np.bool_]:
    """Say of each feature whether it takes more than one item value; one with a single value is no help."""
    matrix = np.asarray(items)
    if matrix.ndim != 2:
        raise InputError(f"items must be a matrix [rows, features]; it has shape {matrix.shape}")
    if not len(matrix):
        return np.zeros(matrix.shape[1], dtype=np.bool_)
    return np.asarray((matrix != matrix[0]).any(axis=0))
