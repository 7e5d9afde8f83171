"""What models of annotators have in common: documents with the same grades counted together, EM, and its result.

A model says how likely each annotator gives grade g to a document whose true grade is t. EM goes between two steps
until nothing moves: the chances of each document's true grades (E), and what fits them best (M). Documents that the
same people gave the same grades have the same chances, so EM sees each such pattern once, with its number of documents,
and in an order of its own: the result does not depend on the order of the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from rulerank.agreement.ratings import Ratings
from rulerank.rules.items import Ints

Floats = npt.NDArray[np.float64]

MOST_ROUNDS = 500
SETTLED = 1e-6
"""EM ends when no chance of a grade moved by more than this."""

EQUAL = 1e-4
"""Chances nearer than this count as equal, so that no difference in rounding between machines decides a grade."""


@dataclass(frozen=True)
class Patterns:
    """Distinct sets of grades, sorted; `annotator` and `grade` of pattern k stand at starts[k] to starts[k + 1].

    >>> from rulerank.agreement.ratings import ratings
    >>> found = patterns(ratings(["d1", "d2", "d3"], ["a", "a", "a"], [0, 2, 0]), {})
    >>> found.values.tolist(), found.count.tolist(), found.of_unit.tolist()
    ([0, 2], [2.0, 1.0], [0, 1, 0])
    """

    values: Ints  # the grades that occur, ascending
    people: int
    annotator: Ints
    grade: Ints  # place in `values`
    starts: Ints
    count: Floats  # documents with this pattern
    known: Ints  # place in `values` of the grade that was decided, -1: none was
    of_unit: Ints  # the pattern of each document

    @property
    def of_rating(self) -> Ints:
        """The pattern of each grade."""
        return np.repeat(np.arange(self.count.size), np.diff(self.starts))

    def begin(self) -> Floats:
        """Return the chances to begin with: the shares of the grades that each document got, or what was decided."""
        levels = self.values.size
        flat = np.bincount(self.of_rating * levels + self.grade, minlength=self.count.size * levels)
        return self.decided(flat.reshape(-1, levels) / np.diff(self.starts)[:, None])

    def decided(self, chances: Floats) -> Floats:
        """Return chances in which what was decided is certain."""
        sure = np.flatnonzero(self.known >= 0)
        chances[sure] = 0.0
        chances[sure, self.known[sure]] = 1.0
        return chances

    def shares(self, chances: Floats) -> Floats:
        """Return the share of each true grade among all documents: Dawid and Skene's (2.4)."""
        weighted = (chances * self.count[:, None]).sum(axis=0)
        return np.asarray(weighted / weighted.sum())

    def expected(self, chances: Floats) -> Floats:
        """Return how often each annotator is expected to have given grade g where t is true: (annotator, t, g)."""
        levels = self.values.size
        cell = self.annotator * levels + self.grade
        weight = (chances * self.count[:, None])[self.of_rating]
        sums = [np.bincount(cell, weight[:, t], minlength=self.people * levels) for t in range(levels)]
        return np.stack(sums).reshape(levels, self.people, levels).transpose(1, 0, 2).astype(np.float64)

    def chances(self, shares: Floats, log_given: Floats) -> Floats:
        """Return the chances of each pattern's true grades by Bayes: Dawid and Skene's (2.5)."""
        with np.errstate(divide="ignore"):
            log_shares = np.log(shares)
        found = log_shares + np.add.reduceat(log_given[self.annotator, :, self.grade], self.starts[:-1], axis=0)
        return self.decided(np.exp(found - logsumexp(found, axis=1, keepdims=True)))


def patterns(table: Ratings, known: Mapping[Hashable, int]) -> Patterns:
    """Return the patterns of some grades, with those decisions that were taken on graded documents."""
    decided = np.array([known.get(unit, -1) for unit in table.units], np.int64)
    values = np.unique(np.concatenate([table.grade, decided[decided >= 0]])).astype(np.int64)
    grade = np.searchsorted(values, table.grade)
    place = np.where(decided >= 0, np.searchsorted(values, decided), -1).tolist()
    cells = list(zip(table.annotator.tolist(), grade.tolist(), strict=True))
    starts = table.starts.tolist()
    keys = [(place[k], *cells[starts[k] : starts[k + 1]]) for k in range(len(table.units))]
    distinct = sorted(set(keys), key=lambda key: (key[0], key[1:]))
    number = {key: k for k, key in enumerate(distinct)}
    of_unit = np.array([number[key] for key in keys], np.int64)
    flat = np.array([cell for key in distinct for cell in key[1:]], np.int64).reshape(-1, 2)
    return Patterns(
        values=values,
        people=len(table.annotators),
        annotator=flat[:, 0],
        grade=flat[:, 1],
        starts=np.cumsum([0, *(len(key) - 1 for key in distinct)]),
        count=np.bincount(of_unit, minlength=len(distinct)).astype(np.float64),
        known=np.array([key[0] for key in distinct], np.int64),
        of_unit=of_unit,
    )


class Annotators(Protocol):
    """What a model supposes about annotators, as far as it is known by now."""

    def given(self) -> Floats:
        """Return the log of the chance that an annotator gives g where t is true: (annotator, t, g)."""

    def better(self, expected: Floats) -> Self:
        """Return what fits these expected counts best (the M step)."""


@dataclass(frozen=True)
class GradeModel:
    """What a model makes of the grades: the chances of each document's true grade, and what it holds of each annotator.

    >>> from rulerank.agreement import fit_dawid_skene
    >>> model = fit_dawid_skene([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, [0, 0, 1, 1, 1, 1])
    >>> model.grades()
    {1: 0, 2: 1}
    >>> model.annotators, model.accuracy.round(2).tolist()
    (('a', 'b', 'c'), [0.81, 0.81, 0.69])
    """

    units: tuple[Hashable, ...]
    annotators: tuple[Hashable, ...]
    values: Ints  # the grades that occur, ascending
    chances: Floats  # (unit, grade)
    shares: Floats  # of each grade among the documents
    given: Floats  # (annotator, true grade, grade given): chances that sum to 1 over the last
    labels: Ints  # of each annotator
    offered: npt.NDArray[np.bool_]  # (unit, grade): whether somebody gave the document this grade
    rounds: int
    settled: bool  # whether EM ended because nothing moved any more

    @property
    def accuracy(self) -> Floats:
        """How likely each annotator gives the true grade, over documents as they are in this collection."""
        return np.asarray(np.einsum("jtt,t->j", self.given, self.shares))

    @property
    def bias(self) -> Floats:
        """By how much each annotator's grade is above the true one on average; below 0: stricter."""
        off = self.values[None, :] - self.values[:, None]
        return np.asarray(np.einsum("jtg,tg,t->j", self.given, off, self.shares))

    def grades(self) -> dict[Hashable, int]:
        """Return the likeliest grade of each document among those that somebody gave it.

        So the model decides whom to believe, and never grades by itself. Of equal chances the middle grade is taken, of
        an even number the lower middle, as majority does.
        """
        if not self.units:
            return {}
        chances = np.where(self.offered, self.chances, -1.0)
        best = chances >= chances.max(axis=1, keepdims=True) - EQUAL
        wanted = (best.sum(axis=1) - 1) // 2
        place = np.argmax(best.cumsum(axis=1) > wanted[:, None], axis=1)
        return dict(zip(self.units, self.values[place].tolist(), strict=True))


def expectation_maximisation(
    table: Ratings, known: Mapping[Hashable, int], start: Callable[[Patterns], Annotators]
) -> GradeModel:
    """Fit a model of annotators; `known` are decided grades, which are certain. `start` makes the first annotators."""
    if not table.units:
        none, nobody = np.zeros(0, np.int64), np.zeros((0, 0))
        return GradeModel((), (), none, nobody, np.zeros(0), np.zeros((0, 0, 0)), none, nobody > 0, 0, settled=True)
    seen = patterns(table, known)
    chances, people = seen.begin(), start(seen)
    moved, rounds = np.inf, 0
    while moved > SETTLED and rounds < MOST_ROUNDS:
        people = people.better(seen.expected(chances))
        fresh = seen.chances(seen.shares(chances), people.given())
        moved, chances, rounds = float(np.abs(fresh - chances).max(initial=0.0)), fresh, rounds + 1
    offered = np.zeros((len(table.units), seen.values.size), bool)
    offered[table.unit, np.searchsorted(seen.values, table.grade)] = True
    return GradeModel(
        units=table.units,
        annotators=table.annotators,
        values=seen.values,
        chances=chances[seen.of_unit],
        shares=seen.shares(chances),
        given=np.exp(people.given()),
        labels=np.bincount(table.annotator, minlength=len(table.annotators)),
        offered=offered,
        rounds=rounds,
        settled=moved <= SETTLED,
    )
