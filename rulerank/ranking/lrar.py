"""LRAR, also called RE-GR and AR(R_d): rules mined on demand from each document's projection."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Self

from rulerank.errors import InputError
from rulerank.ranking.base import MIN_CONFIDENCE, Floats, RuleRanker
from rulerank.registry import rankers
from rulerank.rules.items import Ints, Items, antecedent_param, as_columns, as_items, check_antecedent
from rulerank.rules.mine import FEW, RuleSums, Thresholds, class_shares, few_rule_sums, rule_sums
from rulerank.rules.pool_scores import PoolScores
from rulerank.strategy import Param

AVERAGES = ("rules", "antecedents")

COUNT_OR_SHARE = Param(
    "min_support", float, 1, "Documents that a rule must hold in; below 1: that share of the projection.", low=0
)


def thresholds_from(min_support: float, min_confidence: float) -> Thresholds:
    """Read a support given as a count (a whole number) or as a share of the projection (below 1)."""
    if not 0 <= min_confidence <= 1:
        raise InputError(f"min_confidence must lie in 0..1, not {min_confidence}")
    if not min_support >= 0 or (min_support >= 1 and not float(min_support).is_integer()):
        raise InputError(f"min_support must be a count (1, 2, ...) or a share below 1, not {min_support}")
    if min_support >= 1:
        return Thresholds(support=int(min_support), confidence=min_confidence)
    return Thresholds(support=1, confidence=min_confidence, projection_share=min_support)


@rankers.register("lrar", "LRAR (rules on demand)")
class LRAR(RuleRanker):
    """Rules mined on demand for each document from its projection; eq. 1 to 3 of the papers.

    min_support: a count, or (below 1) a share of the projection, as AR(R_d) of the SIGIR paper has it (0.001).
    rule_offset: added to the number of rules that a grade's sum is divided by; the authors' program adds 1.
    average: over the "rules" of each grade, as the papers have it (eq. 1); or over all "antecedents" that the document
        draws rules from, counting 0 where one was never labelled with that grade. The papers' mean forgets how often a
        grade did not follow, so that a rare grade seen once weighs as much as a common one; with few labels the other
        one ranks better, best with single items (max_antecedent=1).

    >>> ranker = LRAR().fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.625, 0.375]
    """

    incremental = True

    params: ClassVar[tuple[Param, ...]] = (
        antecedent_param(),
        COUNT_OR_SHARE,
        MIN_CONFIDENCE,
        Param("rule_offset", int, 0, "Added to the number of rules that a grade's sum is divided by.", low=0),
        Param("average", str, "rules", "What a grade's confidences are averaged over.", choices=AVERAGES),
    )

    def __init__(
        self,
        max_antecedent: int = 2,
        min_support: float = 1,
        min_confidence: float = 0.001,
        rule_offset: int = 0,
        average: str = "rules",
    ) -> None:
        self.max_antecedent = max_antecedent
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.rule_offset = rule_offset
        self.average = average
        self._given: Any = None
        self._pool: Items | None = None
        self._scores: PoolScores | None = None

    def watch(self, items: Any) -> Self:
        """Keep the scores of this pool up to date with every `partial_fit` and `forget`.

        `predict(items)` on the very same array then costs no mining; a label costs one pass over the pool.
        """
        self._given = items
        self._pool = as_items(items)
        self._scores = None
        return self

    def _changed(
        self, document: Items | None = None, grade: int = -1, sign: int = 0, qid: Hashable | None = None
    ) -> None:
        scores = self._scores
        if scores is None:
            return
        if document is None or grade >= scores.width:
            self._scores = None
        elif sign > 0:
            scores.add(document, grade)
        else:
            scores.remove(document, grade)

    def _watched(self) -> PoolScores:
        assert self._pool is not None
        size = check_antecedent(self.max_antecedent)
        thresholds = thresholds_from(self.min_support, self.min_confidence)
        scores = self._scores
        if scores is None or (scores.max_antecedent, scores.thresholds) != (size, thresholds):
            pool = as_columns(as_items(self._pool, features=self.features))
            scores = PoolScores(pool, self.grades_.size, max_antecedent=size, thresholds=thresholds)
            scores.load(*self.training)
            self._scores = scores
        return scores

    def predict_proba(self, items: Any, qids: Any = None) -> Floats:
        """Return p(r|d), documents by grades (eq. 2)."""
        thresholds = thresholds_from(self.min_support, self.min_confidence)
        if self._pool is None or items is not self._given or not self._set.count or thresholds.projection_share:
            return super().predict_proba(items, qids)
        return self._shares(self._watched().rule_sums)

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        return self._shares(self._sums(columns))

    def _shares(self, found: RuleSums) -> Floats:
        if self.average not in AVERAGES:
            raise InputError(f"average must be one of {', '.join(AVERAGES)}, not {self.average!r}")
        return class_shares(found, self._prior(), self.rule_offset, whole=self.average == "antecedents")

    def _sums(self, columns: Items) -> RuleSums:
        labelled, grades = self.training
        size = check_antecedent(self.max_antecedent)
        thresholds = thresholds_from(self.min_support, self.min_confidence)
        few = columns.shape[1] <= FEW and size <= 2 and not thresholds.projection_share
        method = few_rule_sums if few else rule_sums
        return method(labelled, grades, self.grades_.size, columns, max_antecedent=size, thresholds=thresholds)

    def rule_numbers(self, items: Any) -> Ints:
        """Return how many rules each document draws, documents by grades."""
        return self._sums(as_columns(as_items(items, features=self.features))).numbers
