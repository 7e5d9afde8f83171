"""Bagged learners for samplers: each member scores the pool after learning from its own bootstrap of the labels."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from rulerank.rules.items import Ints, as_columns
from rulerank.sampling.base import Floats
from rulerank.sampling.model_based import Member


class Bag(Protocol):
    """Members that learn from grades by row; the same grades give the same scores, whatever was learnt before."""

    def scores(self, grades: dict[int, int]) -> Floats:
        """Return each member's estimate of every document's grade (members by documents)."""
        ...


class RidgeBag:
    """Ridge regressions of the grade on feature values (scaled to unit variance), solved in closed form.

    copies: how often each member counts each document (members by documents). penalty: added to the diagonal; the
    mean is not penalised. A member that counts no labelled document says the mean grade of them all.
    """

    def __init__(self, values: npt.NDArray[np.float64], copies: Ints, penalty: float) -> None:
        spread = values.std(axis=0)
        self._values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self._copies = copies
        self._penalty = penalty

    def scores(self, grades: dict[int, int]) -> Floats:
        """Return each member's estimate of every document's grade (members by documents)."""
        rows = sorted(grades)
        known, target = self._values[rows], np.array([grades[row] for row in rows], float)
        slopes, offsets = [], []
        for copies in self._copies[:, rows].astype(float):
            share = copies / copies.sum() if copies.any() else np.full(len(rows), 1 / len(rows))
            weight = copies[:, None]
            centre, level = share @ known, share @ target
            gap = known - centre
            matrix = gap.T @ (weight * gap) + self._penalty * np.eye(gap.shape[1])
            slope = np.linalg.solve(matrix, gap.T @ (copies * (target - level)))
            slopes.append(slope)
            offsets.append(level - centre @ slope)
        out: Floats = (self._values @ np.array(slopes).T + np.array(offsets)).T
        return out


FRESH = 32
"""Labels beyond which it is quicker to score the pool from scratch than label by label."""


class RuleBag:
    """LRARs on the items, kept up to date label by label, or from scratch where many change; both give the same."""

    def __init__(self, items: npt.NDArray[np.uint8], copies: Ints, max_antecedent: int) -> None:
        self._columns = as_columns(items)
        self._copies = copies
        self._max_antecedent = max_antecedent
        self._forget()

    def _forget(self) -> None:
        self._members = [Member(self._columns, self._max_antecedent, of) for of in self._copies]
        self._learnt: dict[int, int] = {}

    def scores(self, grades: dict[int, int]) -> Floats:
        """Return each member's estimate of every document's grade (members by documents)."""
        if len(self._learnt.items() ^ grades.items()) > FRESH:
            self._forget()
        for row in [row for row, grade in self._learnt.items() if grades.get(row) != grade]:
            self._follow(row, self._learnt.pop(row), -1)
        new = [row for row in grades if row not in self._learnt]
        if not self._learnt:
            # Members that know nothing learn all there is at the first label they are told of.
            self._forget()
            self._learnt = dict(grades)
            new = new[:1]
        for row in new:
            self._learnt[row] = grades[row]
            self._follow(row, grades[row], 1)
        width = max(2, 1 + max(grades.values()))
        return np.array([member.proba(width) @ np.arange(width) for member in self._members])

    def _follow(self, row: int, grade: int, sign: int) -> None:
        for member in self._members:
            member.follow(row, grade, sign, self._learnt)
