"""The labelled set D as the kernels read it: items feature by feature, grades, and where each one came from."""

from __future__ import annotations

import numpy as np

from rulerank.errors import InputError
from rulerank.rules.items import Ints, Items


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
