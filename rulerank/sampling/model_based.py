"""Samplers that ask a ranker in training, uncertainty and committee, and the bagged learners that samplers use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.ranking.base import normalise
from rulerank.registry import samplers
from rulerank.rules import PoolScores
from rulerank.rules.items import Ints, Items, antecedent_param, as_columns, check_antecedent
from rulerank.sampling.base import Floats, Sampler, Seed, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key
from rulerank.strategy import Param, seed_param


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
            # Members that know nothing learn all there is at the first label they are given.
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


class Member:
    """One LRAR over the pool, kept up to date; grades beyond those seen so far widen it."""

    def __init__(self, columns: Items, max_antecedent: int, copies: Ints | None = None) -> None:
        self.columns = columns
        self.max_antecedent = max_antecedent
        self.copies = copies
        self._scores: PoolScores | None = None

    def follow(self, row: int, grade: int, sign: int, grades: dict[int, int]) -> None:
        """Enter (sign 1) or take out (sign -1) a label; `grades` are all that hold afterwards."""
        scores = self._scores
        if scores is None or grade >= scores.width:
            width = max(2, 1 + max([grade, *grades.values()]))
            self._scores = scores = PoolScores(self.columns, width, max_antecedent=self.max_antecedent)
            rows = [other for other in grades for _ in range(self._times(other))]
            levels = np.array([grades[other] for other in rows], np.int64)
            scores.load(np.ascontiguousarray(self.columns[:, rows]), levels)
            return
        step = scores.add if sign > 0 else scores.remove
        for _ in range(self._times(row)):
            step(np.ascontiguousarray(self.columns[:, row]), grade)

    def _times(self, row: int) -> int:
        return 1 if self.copies is None else int(self.copies[row])

    def proba(self, width: int) -> Floats:
        """Return p(r|d), documents by `width` grades; even where nothing is known."""
        out = np.full((self.columns.shape[1], width), 1.0 / width)
        if self._scores is not None and len(self._scores):
            counts = self._scores.grade_counts()
            share = normalise(self._scores.rule_sums.scores(), counts / counts.sum())
            out[:] = 0.0
            out[:, : share.shape[1]] = share[:, :width]
        return out


def entropy(share: Floats) -> Floats:
    """Return the entropy of each row, in nats."""
    return -np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=1)


class _ModelBased(Sampler):
    """A score of doubt from one or several members; ties as in SSAR."""

    max_antecedent: int

    def _begin(self) -> None:
        self._occurrence = total_occurrence(self.pool)
        self._members = self._assemble(as_columns(self.pool), check_antecedent(self.max_antecedent))

    def _assemble(self, columns: Items, max_antecedent: int) -> list[Member]:
        raise NotImplementedError

    def _doubt(self, shares: list[Floats]) -> Floats:
        raise NotImplementedError

    def _added(self, row: int, grade: int) -> None:
        for member in self._members:
            member.follow(row, grade, 1, self._grades)

    def _removed(self, row: int, grade: int) -> None:
        for member in self._members:
            member.follow(row, grade, -1, self._grades)

    def _keys(self) -> Sequence[Key]:
        width = max(2, 1 + max(self._grades.values(), default=0))
        # Rounded, so that a difference in the last bit does not decide before the tie-break does.
        doubt = np.round(self._doubt([member.proba(width) for member in self._members]), 12)
        return (Key("doubt", doubt, largest=True), occurrence_key(self._occurrence, not self._grades))


@samplers.register("uncertainty", "Uncertainty (entropy of LRAR)")
class Uncertainty(_ModelBased):
    """Chooses the document whose grade LRAR, trained on the labels so far, is least sure of (highest entropy).

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> Uncertainty().run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1, 0]
    """

    params = (antecedent_param(),)

    def __init__(self, max_antecedent: int = 2) -> None:
        self.max_antecedent = max_antecedent

    def _assemble(self, columns: Items, max_antecedent: int) -> list[Member]:
        return [Member(columns, max_antecedent)]

    def _doubt(self, shares: list[Floats]) -> Floats:
        return entropy(shares[0])

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"LRAR is least sure of its grade: entropy {keys['doubt']:.3f}"


@samplers.register("committee", "Query by committee (bagged LRAR)")
class Committee(_ModelBased):
    """Query by committee (Seung et al. 1992): chooses where `members` bagged LRARs disagree most.

    Each member counts each document Poisson(1) times (online bagging), drawn once at the start. Disagreement is the
    Jensen-Shannon divergence of the members' p(r|d).

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> Committee(members=3).run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1, 0]
    """

    params = (
        Param("members", int, 5, "Bagged rankers that vote.", low=2),
        seed_param(),
        antecedent_param(),
    )

    def __init__(self, members: int = 5, seed: Seed = 0, max_antecedent: int = 2) -> None:
        self.members = members
        self.seed = seed
        self.max_antecedent = max_antecedent

    def _assemble(self, columns: Items, max_antecedent: int) -> list[Member]:
        if self.members < 2:
            raise InputError(f"a committee needs at least 2 members, not {self.members}")
        copies = self._rng.poisson(1.0, (self.members, columns.shape[1]))
        return [Member(columns, max_antecedent, copies[number]) for number in range(self.members)]

    def _doubt(self, shares: list[Floats]) -> Floats:
        mean = np.mean(shares, axis=0)
        return entropy(mean) - np.mean([entropy(share) for share in shares], axis=0)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"the {self.members} members disagree most on its grade: divergence {keys['doubt']:.3f}"
