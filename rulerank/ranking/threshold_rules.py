"""Threshold rules: "feature j is in bin c or above" as antecedents, whose weights are learnt together."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
import scipy.linalg
from scipy.special import expit

from rulerank.errors import InputError, MemoryLimitError
from rulerank.kernels import kernel, one_blas_thread, over_rows
from rulerank.ranking.base import Floats, RuleRanker, group_rows
from rulerank.ranking.smooth_items import add_confidences
from rulerank.registry import rankers
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, as_document
from rulerank.rules.mine import BLOCK_LIMIT
from rulerank.strategy import Param

SCALE = 2**24
"""What is not whole is summed in multiples of 1 / SCALE: so labels and their undo cancel to the last bit."""

COPIES = 6  # of the matrix of products, that are in memory at the same time
BLOCK = 4096  # documents whose antecedents are written out at a time
LEAST = 0.001
ROOM = 2**8  # a vote may be more than a whole grade


@kernel
def _add_products(sums: Ints, row: Ints, sign: int) -> None:
    """Add (or take away) the products of a label's antecedents: the upper triangle."""
    for i in range(row.size):
        if row[i]:
            for j in range(i, row.size):
                sums[i, j] += sign * row[i] * row[j]


@kernel
def _add_level(shared: Ints, held: Ints, factor: float, sign: int) -> None:
    """Add (or take away) what the level of one query explains of the products: the upper triangle."""
    for i in range(held.size):
        if held[i]:
            for j in range(i, held.size):
                shared[i, j] += sign * np.int64(np.rint(np.float64(held[i] * held[j]) * factor))


@dataclass
class _Sums:
    """Sums over labels of the products of antecedents; behind those stand the constant 1 and the grade.

    plain: over all labels. shared: what the levels of queries explain of it, in multiples of 1 / SCALE. held: per
    query, how often each antecedent holds, its labels, and the sum of their grades.
    """

    bins: int
    query_labels: float
    plain: Ints
    shared: Ints
    held: dict[Hashable, Ints] = field(default_factory=dict)

    @classmethod
    def empty(cls, features: int, bins: int, query_labels: float) -> _Sums:
        """Return sums over no label."""
        size = features * (bins - 1) + 2
        if COPIES * 8 * size**2 > BLOCK_LIMIT:
            raise MemoryLimitError(
                f"{features} features in {bins} bins are {size - 2} rules, and their products would take "
                f"{COPIES * 8 * size**2 / 1e6:,.0f} MB, more than the limit of {BLOCK_LIMIT / 1e6:,.0f} MB; use fewer "
                "bins, or another ranker"
            )
        return cls(bins, query_labels, np.zeros((size, size), np.int64), np.zeros((size, size), np.int64))

    def rows_of(self, columns: Items, grades: Ints) -> Ints:
        """Return labels by antecedents, with 1 and the grade at the end of each row."""
        above = columns.T[:, :, None] >= np.arange(1, self.bins)
        return np.column_stack((above.reshape(len(grades), -1), np.ones_like(grades), grades)).astype(np.int64)

    def add_all(self, columns: Items, grades: Ints, qids: list[Hashable]) -> None:
        """Add labels of queries that have none yet."""
        queries, codes = group_rows(qids)
        held = np.zeros((len(queries), len(self.plain)), np.int64)
        for start in range(0, len(grades), BLOCK):
            some = slice(start, start + BLOCK)
            rows = self.rows_of(columns[:, some], grades[some])
            np.add.at(held, codes[some], rows)
            exact = rows.astype(np.float64)  # whole numbers far below 2^53
            self.plain += np.triu(exact.T @ exact).astype(np.int64)
        for query, sums in zip(queries, held, strict=True):
            self._level(sums, 1)
            self.held[query] = sums

    def add(self, document: Items, grade: int, qid: Hashable, sign: int) -> None:
        """Add one label, or take it away."""
        row = self.rows_of(document[:, None], np.array([grade]))[0]
        _add_products(self.plain, row, sign)
        before = self.held.pop(qid, np.zeros_like(row))
        self._level(before, -1)
        after = before + sign * row
        self._level(after, 1)
        if after[-2]:
            self.held[qid] = after

    def _level(self, held: Ints, sign: int) -> None:
        if held[-2]:
            _add_level(self.shared, held, SCALE / (held[-2] + self.query_labels), sign)


@dataclass(frozen=True)
class Effect:
    """What a document's item adds to its score, compared with what the feature adds on average over the labels.

    rules: how many of the feature's rules hold. labels: labelled documents with the same item.

    >>> ranker = ThresholdRules(penalty=1).fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> [effect.adds for effect in ranker.effects([0, 1])]
    [0.122, -0.122]
    """

    feature: int
    bin: int
    adds: float
    rules: int
    labels: int


@rankers.register("threshold_rules", "Threshold rules (best with many labels)")
class ThresholdRules(RuleRanker):
    """Every feature's bins, in order, become rules "in bin c or above", each of which adds its weight to the score.

    LRAR's mean over rules counts what ten similar features say ten times. Here the weights w of all rules are learnt
    together, by ridge regression: of a document d with the antecedents x(d), each 0 or 1, in query q,

        grade(d) = m + u(q) + sum over rules of w x(d) + error,    with the least
        sum over d of error^2 + penalty sqrt(n) |w|^2 + query_labels sum over q of u(q)^2

    for n labels. u(q) is the level of a query: where some queries have many relevant documents and others none, the
    features must not stand for the query. The penalty grows as the noise of the sums does: from few labels it is what
    all features say alike that counts, from many the differences between them.

    The score becomes p(r|d) as of so many throws as there are grades above the lowest, each with the probability
    1 / (1 + exp(2 - 4 s)) for a score s that is 0 at the lowest and 1 at the highest grade: about s itself around the
    middle, and never quite 0 or 1, so that documents stand in the order of their scores.

    Sums over labels are whole numbers (of 2^-24), so labels and their undo cancel to the last bit and their order says
    nothing; one label changes the sums of one query, and the weights come from one Cholesky decomposition.

    penalty, query_labels: as above.

    >>> ranker = ThresholdRules(penalty=1).fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.351, 0.649]
    """

    incremental = True

    params = (
        Param("penalty", float, 100.0, "How far weights are held back; it grows with the root of labels.", low=LEAST),
        Param("query_labels", float, 8.0, "Labels by which a query's level is half its own.", low=LEAST),
    )

    def __init__(self, penalty: float = 100.0, query_labels: float = 8.0) -> None:
        self.penalty = penalty
        self.query_labels = query_labels
        self._sums: _Sums | None = None
        self._votes: tuple[tuple[float, float], Floats, float] | None = None

    def _changed(
        self, document: Items | None = None, grade: int = -1, sign: int = 0, qid: Hashable | None = None
    ) -> None:
        self._votes = None
        if document is None or self._sums is None or document.max() >= self._sums.bins:
            self._sums = None
        else:
            self._sums.add(document, grade, qid, sign)

    def _settings(self) -> tuple[float, float]:
        for name in ("penalty", "query_labels"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not LEAST <= value < np.inf:
                raise InputError(f"{name} must be a number of at least {LEAST:g}, not {value!r}")
        return float(self.penalty), float(self.query_labels)

    def _summed(self, query_labels: float) -> _Sums:
        if self._sums is None or self._sums.query_labels != query_labels:
            columns, grades = self.training
            self._sums = _Sums.empty(len(columns), int(columns.max()) + 1, query_labels)
            self._sums.add_all(columns, grades, self._qids)
        return self._sums

    def votes(self) -> tuple[Floats, float]:
        """Return what each bin of a feature adds to the score (features by bins), and what it begins with."""
        settings = self._settings()
        if self._votes is None or self._votes[0] != settings:
            sums = self._summed(settings[1])
            weights, constant = _solve(sums, settings[0])
            votes = np.zeros((self.features, sums.bins))
            np.cumsum(weights.reshape(self.features, sums.bins - 1), axis=1, out=votes[:, 1:])
            self._votes = settings, votes, constant
        return self._votes[1:]

    def effects(self, document: Any) -> list[Effect]:
        """Return what each item of a document adds to its score, to a thousandth of a grade."""
        items = as_document(document, features=self.features)
        votes = self.votes()[0]
        columns, _ = self.training
        places = np.arange(len(votes))
        held = np.minimum(items, votes.shape[1] - 1)
        usual = np.array([vote[column].mean() for vote, column in zip(votes, columns, strict=True)])
        adds = (votes[places, held] - usual).round(3)
        same = (columns == items[:, None]).sum(axis=1)
        return [
            Effect(int(feature), int(items[feature]), float(adds[feature]), int(held[feature]), int(same[feature]))
            for feature in places
        ]

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        _, grades = self.training
        lowest, highest = int(grades.min()), int(grades.max())
        share = np.zeros((columns.shape[1], self.grades_.size))
        if lowest == highest:
            share[:, lowest] = 1.0
            return share
        (votes, constant), span = self.votes(), highest - lowest
        scale = scale_for(len(columns)) // ROOM
        fixed = np.rint(votes / span * scale).astype(np.int64)[:, :, None]
        sums = np.zeros((len(share), 1), np.int64)
        over_rows(lambda start, stop: add_confidences(columns, fixed, start, stop, sums), len(sums))
        chance = expit(4 * (sums[:, 0] / scale + (constant - lowest) / span) - 2)
        for grade in range(span + 1):
            share[:, lowest + grade] = comb(span, grade) * chance**grade * (1 - chance) ** (span - grade)
        return share


def _solve(sums: _Sums, penalty: float) -> tuple[Floats, float]:
    """Return the weights of all antecedents, 0 for those that hold in all labels or in none, and the constant."""
    labels = sums.plain[-2, -2]
    times = np.diag(sums.plain)[:-2]
    used = np.flatnonzero((times > 0) & (times < labels))
    whole = sums.plain * SCALE - sums.shared
    # In an order that depends on what was counted alone: rounding must not depend on the order of the features.
    whole = whole + np.triu(whole, 1).T
    used = used[np.lexsort((whole[used].sum(axis=1), np.diag(whole)[used], whole[used, -1]))]
    kept = np.append(used, len(times))
    matrix = whole[np.ix_(kept, kept)] / SCALE
    matrix[np.diag_indices(len(used))] += penalty * np.sqrt(labels)
    with one_blas_thread():
        found = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix), whole[kept, -1] / SCALE)
    weights = np.zeros(len(times))
    weights[used] = found[:-1]
    return weights, float(found[-1])
