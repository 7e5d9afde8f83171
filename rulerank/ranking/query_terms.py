"""AR(R_q_d): as LRAR, and the query's terms may stand in an antecedent beside items."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations

import numpy as np

from rulerank.errors import InputError
from rulerank.ranking.base import MIN_CONFIDENCE, MIN_SUPPORT, Floats, RuleRanker, Terms, group_rows
from rulerank.ranking.lrar import thresholds_from
from rulerank.registry import rankers
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, antecedent_param, antecedents, check_antecedent
from rulerank.rules.mine import RuleSums, class_shares, rule_sums


@rankers.register("query_term_rules", "AR(R_q_d) (rules with query terms)")
class QueryTermRules(RuleRanker):
    """Algorithm 3 of Learning to Rank at Query-Time: rules of the form terms & items -> r, beside items -> r.

    `terms` gives each query's terms, for labelled and for new queries alike. An antecedent holds at least one item:
    terms alone would say the same of every document of a query. A rule with the terms T is a rule of the labelled
    documents whose queries hold all of T, so its support and confidence are counted among those. Without terms, or
    for a query that has none, the method is LRAR.

    >>> ranker = QueryTermRules(terms={"p": ["jaguar", "car"], "q": ["jaguar", "cat"]})
    >>> ranker = ranker.fit([[0, 0], [1, 1], [0, 1], [1, 0]], grades=[2, 0, 1, 0], qids=["p", "p", "q", "q"])
    >>> ranker.predict([[0, 0], [1, 1]], qids=["p", "q"]).round(3).tolist()
    [1.125, 0.444]
    """

    params = (antecedent_param(), MIN_SUPPORT, MIN_CONFIDENCE)
    data_params = ("terms",)
    takes_terms = True

    def __init__(
        self,
        terms: Terms | None = None,
        max_antecedent: int = 2,
        min_support: int = 1,
        min_confidence: float = 0.001,
    ) -> None:
        self.terms = terms
        self.max_antecedent = max_antecedent
        self.min_support = min_support
        self.min_confidence = min_confidence

    def _terms_of(self, qid: Hashable) -> frozenset[str]:
        words = (self.terms or {}).get(qid, ())
        if isinstance(words, str):
            raise InputError(f"terms of query {qid!r} must be a list of words, not the text {words!r}; split it first")
        return frozenset(words)

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        size = check_antecedent(self.max_antecedent)
        labelled, grades = self.training
        everyone = np.ones(grades.size, bool)
        sums, numbers = self._sums(labelled, grades, everyone, columns, size)
        held_by = [self._terms_of(qid) for qid in self._qids]
        if qids is not None and self.terms and size >= 2:
            queries, codes = group_rows(qids)
            for number, qid in enumerate(queries):
                rows = np.flatnonzero(codes == number)
                words = sorted(self._terms_of(qid))
                for used in range(1, size):
                    for chosen in combinations(words, used):
                        some = np.fromiter((held.issuperset(chosen) for held in held_by), bool, len(held_by))
                        if some.any():
                            part = self._sums(labelled, grades, some, columns[:, rows], size - used)
                            sums[rows] += part[0]
                            numbers[rows] += part[1]
        return class_shares(RuleSums(sums, numbers, self._scale()), self._prior())

    def _scale(self) -> int:
        return scale_for(antecedents(self.features, self.max_antecedent))

    def _sums(self, labelled: Items, grades: Ints, some: np.ndarray, columns: Items, size: int) -> tuple[Ints, Ints]:
        """Return the sums over rules with at most `size` items, counted among `some` of the labelled documents."""
        found = rule_sums(
            np.ascontiguousarray(labelled[:, some]),
            grades[some],
            self.grades_.size,
            np.ascontiguousarray(columns),
            max_antecedent=size,
            thresholds=thresholds_from(self.min_support, self.min_confidence),
        )
        # Shorter antecedents are summed in finer units; bring all to the unit of the longest.
        return found.sums // (found.scale // self._scale()), found.numbers
