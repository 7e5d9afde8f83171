"""AR(R): rules mined once from the whole labelled set, with thresholds, then those that apply."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace

from rulerank.errors import InputError
from rulerank.ranking.base import MIN_CONFIDENCE, Floats, RuleRanker
from rulerank.registry import rankers
from rulerank.rules.items import Items, antecedent_param, check_antecedent
from rulerank.rules.mine import Thresholds, class_shares, rule_sums
from rulerank.strategy import Param


@rankers.register("eager_rules", "AR(R) (rules mined ahead)")
class EagerRules(RuleRanker):
    """Algorithm 1 of Learning to Rank at Query-Time: one rule set R for all documents.

    A rule is in R if its support is at least `min_support` (a share of the labelled set) and its confidence at least
    `min_confidence`; both cut-offs are the same for every document, which is what makes AR(R) miss rules that rare
    documents need. Whether R is listed first or each document looks up its own antecedents in the same counts gives
    the same numbers; the second is done.

    >>> ranker = EagerRules().fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.625, 0.375]
    """

    params = (
        antecedent_param(),
        Param("min_support", float, 0.001, "Share of the labelled set that a rule must hold in.", low=0, high=1),
        replace(MIN_CONFIDENCE, default=0.25),
    )

    def __init__(self, max_antecedent: int = 2, min_support: float = 0.001, min_confidence: float = 0.25) -> None:
        self.max_antecedent = max_antecedent
        self.min_support = min_support
        self.min_confidence = min_confidence

    def _thresholds(self) -> Thresholds:
        if not 0 <= self.min_support <= 1:
            raise InputError(f"min_support is a share of the labelled set, 0..1, not {self.min_support}")
        if not 0 <= self.min_confidence <= 1:
            raise InputError(f"min_confidence must lie in 0..1, not {self.min_confidence}")
        least = max(1, math.ceil(self.min_support * self._set.count - 1e-9))
        return Thresholds(support=least, confidence=self.min_confidence)

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        labelled, grades = self.training
        found = rule_sums(
            labelled,
            grades,
            self.grades_.size,
            columns,
            max_antecedent=check_antecedent(self.max_antecedent),
            thresholds=self._thresholds(),
        )
        return class_shares(found, self._prior())
