"""RE-QR: one function a training query, weighed by how competent each is likely to be on a document."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.ranking.base import (
    MIN_CONFIDENCE,
    MIN_SUPPORT,
    Floats,
    RuleRanker,
    expected_grades,
    group_rows,
    normalise,
)
from rulerank.ranking.lrar import thresholds_from
from rulerank.registry import rankers
from rulerank.rules.items import Ints, Items, antecedent_param, as_columns, as_grades, as_items, check_antecedent
from rulerank.rules.mine import FEW, few_rule_sums, rule_sums
from rulerank.rules.query_sums import query_sums


@rankers.register("query_level_rules", "RE-QR (query-level rules)")
class QueryLevelRules(RuleRanker):
    """Eq. 5 to 11 of Learning to Rank using Query-Level Rules.

    Each training query q has a function rank(q, d) from the rules of its own documents (eq. 5-7). The competence
    Delta(q, d) = |rank(q, d) - grade(d)| (eq. 8) of all functions on the training documents gives D*, which names for
    each training document its most competent query (a tie: the query seen first; estimates leave the document itself
    in, as the paper's example does). Rules X -> q on D* give p(q|d) (eq. 9-10), which weighs the functions (eq. 11).

    A function without any rule for a document says nothing about it: its competence there is not a number, D* never
    names it, and in eq. 11 the weights of the functions that do speak are scaled to sum to 1. A stand-in such as the
    query's own grade distribution would be rewarded for silence: a query with no relevant document would look
    perfectly competent on every irrelevant document that it knows nothing of.

    >>> ranker = QueryLevelRules().fit([[0, 0], [1, 1], [0, 1], [1, 0]], grades=[2, 0, 1, 0], qids=["p", "p", "q", "q"])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.438, 0.187]
    """

    params = (antecedent_param(), MIN_SUPPORT, MIN_CONFIDENCE)

    def __init__(self, max_antecedent: int = 2, min_support: int = 1, min_confidence: float = 0.001) -> None:
        self.max_antecedent = max_antecedent
        self.min_support = min_support
        self.min_confidence = min_confidence
        self._best: Ints | None = None
        self._best_for: tuple[float, ...] | None = None

    def _changed(
        self, document: Items | None = None, grade: int = -1, sign: int = 0, qid: Hashable | None = None
    ) -> None:
        self._best = None

    @property
    def queries_(self) -> list[Hashable]:
        """The training queries, in first-seen order: the rows of the competence matrix."""
        return group_rows(self._qids)[0]

    def _functions(self, columns: Items) -> Iterator[Floats]:
        """Yield p(r|d, q), documents by grades, one training query after the other (eq. 5-6).

        A row is not a number where the query has no rule for the document.
        """
        labelled, grades = self.training
        width, nothing = self.grades_.size, np.full(self.grades_.size, np.nan)
        found = query_sums(
            labelled,
            grades,
            group_rows(self._qids)[1],
            width,
            columns,
            max_antecedent=check_antecedent(self.max_antecedent),
            thresholds=thresholds_from(self.min_support, self.min_confidence),
        )
        for sums in found:
            yield normalise(sums.scores(), nothing)

    def query_ranks(self, items: Any) -> Floats:
        """Return rank(q, d), queries by documents (eq. 7); not a number where q has no rule for d."""
        columns = as_columns(as_items(items, features=self.features))
        out = np.empty((len(self.queries_), columns.shape[1]))
        for number, share in enumerate(self._functions(columns)):
            out[number] = expected_grades(share)
        return out

    def competence(self, items: Any = None, grades: Any = None) -> Floats:
        """Return Delta(q, d) = |rank(q, d) - grade(d)|, queries by documents (eq. 8); low is competent.

        Without arguments: of the training documents. Not a number where q has no rule for d.
        """
        if items is None:
            columns, levels = self.training
            items, grades = columns.T, levels
        elif grades is None:
            raise InputError("competence needs the documents' grades beside their items")
        ranks = self.query_ranks(items)
        return np.abs(ranks - as_grades(grades, ranks.shape[1]))

    @property
    def most_competent_(self) -> Ints:
        """D*: for each training document the place in `queries_` of its most competent query (-1: none speaks)."""
        settings = (self.max_antecedent, self.min_support, self.min_confidence)
        if self._best is None or self._best_for not in (None, settings):
            columns, grades = self.training
            best = np.full(grades.size, -1, np.int64)
            least = np.full(grades.size, np.inf)
            for number, share in enumerate(self._functions(columns)):
                delta = np.abs(expected_grades(share) - grades)
                better = delta < least - 1e-12
                best[better] = number
                least[better] = delta[better]
            self._best, self._best_for = best, settings
        return self._best

    def set_most_competent(self, queries: list[Hashable]) -> None:
        """Use a given D*: the most competent query of each training document, by name."""
        place = {qid: number for number, qid in enumerate(self.queries_)}
        if len(queries) != self._set.count or any(qid not in place for qid in queries):
            raise InputError("give one training query for each training document")
        self._best = np.array([place[qid] for qid in queries], np.int64)
        self._best_for = None  # given, so no setting makes it stale

    def query_weights(self, items: Any) -> Floats:
        """Return p(q|d), documents by queries, from the rules X -> q of D* (eq. 9-10)."""
        return self._weights(as_columns(as_items(items, features=self.features)))

    def _weights(self, columns: Items) -> Floats:
        best = self.most_competent_
        labelled, _ = self.training
        known = best >= 0
        width = len(self.queries_)
        size = check_antecedent(self.max_antecedent)
        thresholds = thresholds_from(self.min_support, self.min_confidence)
        few = columns.shape[1] <= FEW and size <= 2 and not thresholds.projection_share
        method = few_rule_sums if few else rule_sums
        named = np.ascontiguousarray(labelled[:, known])
        found = method(named, best[known], width, columns, max_antecedent=size, thresholds=thresholds)
        return normalise(found.scores(), np.bincount(best[known], minlength=width) / max(1, int(known.sum())))

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        weights = self._weights(columns)
        total = np.zeros((columns.shape[1], self.grades_.size))
        for number, share in enumerate(self._functions(columns)):
            total += weights[:, number, None] * np.nan_to_num(share, copy=False)  # silent functions add nothing
        return normalise(total, self._prior())
