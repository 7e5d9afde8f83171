"""RE-SR: only rules that say (almost) the same whatever the query."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np

from rulerank.errors import InputError
from rulerank.ranking.base import MIN_CONFIDENCE, MIN_SUPPORT, Floats, RuleRanker, group_rows, normalise
from rulerank.ranking.lrar import thresholds_from
from rulerank.registry import rankers
from rulerank.rules.items import Items, antecedent_param, check_antecedent
from rulerank.rules.mine import RuleSums, Stability, rule_sums
from rulerank.strategy import Param


@rankers.register("stable_rules", "RE-SR (stable rules)")
class StableRules(RuleRanker):
    """Definition 4.2 and eq. 4 of Learning to Rank using Query-Level Rules.

    A rule X -> r is stable if |theta(X -> r) - theta(q & X -> r)| <= phi for the queries q whose documents hold X. Read
    to the letter (agreement=1, error=0) one query with a single document behind X, whose confidence can only be 0 or 1,
    breaks nearly every rule. So a query speaks against a rule only when the difference is beyond phi by more than
    sampling error, `error` x sqrt(theta (1 - theta) / n) for its n documents, and a rule is stable when at least the
    share `agreement` of the queries that hold X do not speak against it. The defaults keep the paper's phi.

    agreement="mean" instead asks that the differences, weighted by documents, are at most phi on average.
    min_documents: queries with fewer documents behind X are not asked. A document without stable rules is scored by all
    its rules, as the paper does.

    >>> ranker = StableRules().fit([[0, 0], [1, 1], [0, 1], [1, 0]], grades=[2, 0, 1, 0], qids=["p", "p", "q", "q"])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.1, 0.375]
    """

    params = (
        Param("phi", float, 0.10, "Difference in confidence up to which a query agrees with a rule.", low=0),
        Param(
            "agreement",
            float,
            0.8,
            "Share of the queries that must agree; 'mean': the mean difference decides.",
            above=0,
            high=1,
            choices=("mean",),
        ),
        Param("error", float, 1.96, "Standard errors that a query may differ by beyond phi.", low=0),
        Param("min_documents", int, 1, "Documents that a query must have behind a rule to be asked.", low=1),
        antecedent_param(),
        MIN_SUPPORT,
        MIN_CONFIDENCE,
    )

    def __init__(
        self,
        phi: float = 0.10,
        agreement: float | Literal["mean"] = 0.8,
        error: float = 1.96,
        min_documents: int = 1,
        max_antecedent: int = 2,
        min_support: int = 1,
        min_confidence: float = 0.001,
    ) -> None:
        self.phi = phi
        self.agreement = agreement
        self.error = error
        self.min_documents = min_documents
        self.max_antecedent = max_antecedent
        self.min_support = min_support
        self.min_confidence = min_confidence

    def _share(self) -> float:
        if self.agreement == "mean":
            return -1.0
        if isinstance(self.agreement, str) or not 0 < self.agreement <= 1:
            raise InputError(
                f"agreement is a share of the queries, above 0 and at most 1, or 'mean': {self.agreement!r}"
            )
        return float(self.agreement)

    def _sums(self, columns: Items, stable: bool) -> RuleSums:
        labelled, grades = self.training
        stability = None
        if stable:
            _, codes = group_rows(self._qids)
            order = np.argsort(codes, kind="stable")
            labelled, grades = np.ascontiguousarray(labelled[:, order]), grades[order]
            starts = np.searchsorted(codes[order], np.arange(codes.max() + 2))
            stability = Stability(starts.astype(np.int64), self.phi, self.error, self.min_documents, self._share())
        return rule_sums(
            labelled,
            grades,
            self.grades_.size,
            columns,
            max_antecedent=check_antecedent(self.max_antecedent),
            thresholds=thresholds_from(self.min_support, self.min_confidence),
            stability=stability,
        )

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        scores = self._sums(columns, stable=True).scores()
        silent = ~scores.any(axis=1)
        if silent.any():
            scores[silent] = self._sums(np.ascontiguousarray(columns[:, silent]), stable=False).scores()
        return normalise(scores, self._prior())
