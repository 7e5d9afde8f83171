"""The arrays that a LETOR file is read into: they grow in place, in rows and in features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rulerank.collection.fields import ABSENT, PRESENT, Array
from rulerank.errors import MemoryLimitError
from rulerank.kernels import kernel
from rulerank.letor.size import Shape
from rulerank.memory import MemoryLimit

FIRST_CELLS = 1 << 16
MIN_ROWS = 16
UNMEASURED = 1 << 26  # bytes up to which a file is read without being counted before


@kernel
def _spread(cells: Array, rows: int, old: int, new: int, fill: int) -> None:
    """Move rows of `old` bytes apart to rows of `new` bytes, last row first, and fill what each row gains."""
    for row in range(rows - 1, -1, -1):
        for k in range(old - 1, -1, -1):
            cells[row * new + k] = cells[row * old + k]
        for k in range(old, new):
            cells[row * new + k] = fill


@kernel
def _close_up(cells: Array, rows: int, old: int, new: int) -> None:
    """Move rows of `old` bytes together to their first `new` bytes, first row first."""
    for row in range(rows):
        for k in range(new):
            cells[row * new + k] = cells[row * old + k]


class RowBuffer:
    """Features, codes and grades of the rows read so far, with room for more.

    Everything is resized in place, so that reading never holds the matrix twice. Codes are only there once a
    cell is missing. Before it grows beyond what is small anyway, `measure` reports (or refuses) what the whole file
    needs; it returns None for a stream that cannot be read twice, which is then checked as it grows.
    """

    def __init__(self, max_features: int, limit: MemoryLimit, measure: Callable[[], Shape | None]) -> None:
        self.max_features = max_features
        self.width = 0
        self.capacity = MIN_ROWS
        self.grades = np.zeros(MIN_ROWS, dtype=np.int32)
        self.seen = np.zeros(0, dtype=np.int64)
        self.runs = 0  # what the reader keeps beside the rows: runs of one query, and bytes of comments
        self.notes = 0
        self._limit = limit
        self._measure: Callable[[], Shape | None] | None = measure
        self._whole: Shape | None = None
        self._cells = np.zeros(0)
        self._codes: Array | None = None

    @property
    def features(self) -> Array:
        """The matrix as the kernel fills it, spare rows and columns included."""
        return self._cells.reshape(self.capacity, self.width)

    @property
    def codes(self) -> Array:
        """The codes of its cells; no rows at all while nothing is missing."""
        if self._codes is None:
            return np.zeros((0, self.width), dtype=np.uint8)
        return self._codes.reshape(self.capacity, self.width)

    def _resize(self, rows: int, width: int) -> None:
        try:
            self._cells.resize(rows * width, refcheck=False)
            self.grades.resize(rows, refcheck=False)
            if self._codes is not None:
                self._codes.resize(rows * width, refcheck=False)
        except MemoryError as exc:
            raise MemoryLimitError(f"no memory for {rows} rows of {width} features; read the file in parts") from exc
        self.capacity = rows

    def _shape(self, rows: int, width: int) -> Shape:
        return Shape(rows, width, self.runs, self.notes)

    def _check(self, rows: int, width: int) -> None:
        """Refuse what needs more than the limit: once for the whole file, if it can be counted, then for so much."""
        shape = self._shape(rows, width)
        if self._measure and shape.bytes > UNMEASURED:
            measure, self._measure = self._measure, None
            self._whole = measure()
        shape.check(self._limit, " or more")

    def check_beside(self, rows: int) -> None:
        """Refuse what the reader keeps beside the rows, if that is too much."""
        self._check(rows, self.width)

    def _wanted(self, rows: int, width: int) -> int:
        """Return how many rows to make room for: all there are, if that is known, or some more than these."""
        if self._whole and self._whole.rows > rows:
            return self._whole.rows
        wanted = rows + max(rows // 4, MIN_ROWS)
        return wanted if self._shape(wanted, width).bytes <= self._limit.bytes else rows + 1

    def add_rows(self) -> None:
        """Make room for more rows; all that there was room for are stored."""
        self._check(self.capacity + 1, self.width)
        if self._whole and self._whole.width > self.width:
            self.widen(self._whole.width, self.capacity)
        else:
            self._resize(self._wanted(self.capacity, self.width), self.width)

    def widen(self, needed: int, rows: int) -> None:
        """Make room for `needed` features in the next row; the `rows` stored ones lack the new features."""
        self._check(rows + 1, needed)
        width = needed
        if self._whole:
            width = max(needed, self._whole.width)
        elif rows:
            # Some slack, so that a file whose features grow row by row is not moved at every row.
            slack = max(needed, min(self.width + self.width // 4, self.max_features))
            width = slack if self._shape(rows + 1, slack).bytes <= self._limit.bytes else needed
        if rows:
            self.add_codes()
        old, self.width = self.width, width
        # The rows to spare were counted for narrow rows; as many wide ones could be far too much.
        self._resize(max(self._wanted(rows, width), FIRST_CELLS // width), width)
        self.seen = np.zeros(width, dtype=np.int64)
        if rows and self._codes is not None:
            _spread(self._cells.view(np.uint8), rows, old * 8, width * 8, 0)
            _spread(self._codes, rows, old, width, ABSENT)

    def add_codes(self) -> None:
        """Start to keep codes; every cell so far is present."""
        if self._codes is None:
            self._codes = np.full(self.capacity * self.width, PRESENT, dtype=np.uint8)

    def finish(self, rows: int, width: int) -> tuple[Array, Array | None, Array]:
        """Give up the room to spare and return features, codes and grades of `rows` rows and `width` features."""
        if self.width > width:
            _close_up(self._cells.view(np.uint8), rows, self.width * 8, width * 8)
            if self._codes is not None:
                _close_up(self._codes, rows, self.width, width)
            self.width = width
        self._resize(rows, self.width)
        codes = None if self._codes is None else self.codes
        return self.features, codes, self.grades
