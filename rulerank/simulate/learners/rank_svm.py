"""Linear RankSVM: a support vector machine on differences of documents of the same query (Joachims 2002)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rulerank.errors import InputError
from rulerank.simulate.learners.base import Floats, Ints, Learner, learners, need
from rulerank.strategy import Param, seed_param

CHOICES = (1.0, 10.0, 100.0, 1_000.0, 10_000.0)
MIDDLE = 100.0
PARTS = 3


@learners.register("rank_svm", "RankSVM (linear, pairwise)")
class RankSVM(Learner):
    """Pairs of a query's documents with different grades; the better one should score higher by a margin.

    The loss is the squared hinge, as in the primal formulation of Chapelle and Keerthi (2010); scikit-learn's LinearSVC
    solves it. cost: what the mean loss of a pair counts against half the squared length of the weights; or "cv": the
    one of 1, 10, 100, 1000, 10000 that orders most pairs right when the labelled queries are held out in three parts (a
    tie: the smallest; with fewer than three queries that have a pair: 100). Nothing but the labelled sample is looked
    at. max_pairs: beyond it pairs are drawn at random, with `seed`.

    >>> scores = RankSVM(cost=1.0).fit([[0.0], [0.5], [1.0]], [0, 1, 2], [1, 1, 1]).predict([[0.2], [0.8]])
    >>> bool(scores[0] < scores[1])
    True
    """

    package = "sklearn"

    params = (
        Param(
            "cost", float, "cv", "What a pair's loss counts; 'cv': found by cross-validation.", above=0, choices=("cv",)
        ),
        Param("max_pairs", int, 20_000, "Pairs beyond which some are drawn at random.", low=1),
        seed_param(),
    )

    def __init__(self, cost: float | Literal["cv"] = "cv", max_pairs: int = 20_000, seed: int = 0) -> None:
        self.cost = cost
        self.max_pairs = max_pairs
        self.seed = seed
        self.cost_ = MIDDLE
        """The cost that was used."""

    def _learn(self, features: Floats, grades: Ints, queries: Ints) -> None:
        if self.cost != "cv" and (isinstance(self.cost, str) or not self.cost > 0):
            raise InputError(f"cost must be a number above 0, or 'cv', not {self.cost!r}")
        if type(self.max_pairs) is not int or self.max_pairs < 1:
            raise InputError(f"max_pairs must be a whole number of at least 1, not {self.max_pairs!r}")
        svm = need("sklearn.svm", "RankSVM")
        better, worse = pairs(grades, queries)
        if better.size > self.max_pairs:
            kept = np.sort(np.random.default_rng(self.seed).choice(better.size, self.max_pairs, replace=False))
            better, worse = better[kept], worse[kept]
        self._weights = np.zeros(features.shape[1])
        if not better.size:
            return
        gaps, owner = features[better] - features[worse], queries[better]
        self.cost_ = self._choose(svm, gaps, owner) if self.cost == "cv" else float(self.cost)
        self._weights = _solve(svm, gaps, self.cost_)

    @staticmethod
    def _choose(svm: Any, gaps: Floats, owner: Ints) -> float:
        names = np.unique(owner)
        if names.size < PARTS:
            return MIDDLE
        right = np.zeros(len(CHOICES))
        for part in range(PARTS):
            held = np.isin(owner, names[part::PARTS])
            for place, cost in enumerate(CHOICES):
                margins = gaps[held] @ _solve(svm, gaps[~held], cost)
                right[place] += np.count_nonzero(margins > 0) + 0.5 * np.count_nonzero(margins == 0)
        return CHOICES[int(np.argmax(right))]

    def _score(self, features: Floats) -> Floats:
        # Not a matrix product: BLAS rounds by the place of a row, and equal documents must have equal scores.
        return (features * self._weights).sum(axis=1)


def pairs(grades: Ints, queries: Ints) -> tuple[Ints, Ints]:
    """Return the rows of the better and of the worse document of every pair within a query, query by query."""
    better, worse = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    order = np.argsort(queries, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(queries[order])) + 1):
        first, second = np.nonzero(grades[rows][:, None] > grades[rows][None, :])
        better.append(rows[first])
        worse.append(rows[second])
    return np.concatenate(better), np.concatenate(worse)


def _solve(svm: Any, gaps: Floats, cost: float) -> Floats:
    """Return the weights; every other pair is turned round, because the solver wants two classes."""
    signs = np.where(np.arange(len(gaps)) % 2, -1, 1)
    if len(gaps) == 1:
        gaps, signs = np.repeat(gaps, 2, axis=0), np.array([1, -1])
    model = svm.LinearSVC(C=cost / len(gaps), dual=False, fit_intercept=False, tol=1e-4, max_iter=2000)
    return np.asarray(model.fit(gaps * signs[:, None], signs).coef_[0], np.float64)
