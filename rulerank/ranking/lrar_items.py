"""LRAR of single items: a reading of LRAR that ranks better with few labels than the papers' own."""

from __future__ import annotations

from rulerank.ranking.base import MIN_CONFIDENCE
from rulerank.ranking.lrar import COUNT_OR_SHARE, LRAR
from rulerank.registry import rankers
from rulerank.rules.items import antecedent_param


@rankers.register("lrar_items", "LRAR of single items (few labels)")
class LRARItems(LRAR):
    """LRAR with antecedents of one item, its confidences averaged over all antecedents.

    From a few hundred labels, pairs of items are seen once or twice and their confidences are mostly chance; and the
    papers' mean over the rules of a grade leaves out the antecedents that never met it. This is
    `LRAR(max_antecedent=1, average="antecedents")`, as exact and as quick.

    >>> ranker = LRARItems().fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.75, 0.25]
    """

    params = (antecedent_param(1), COUNT_OR_SHARE, MIN_CONFIDENCE)

    def __init__(self, max_antecedent: int = 1, min_support: float = 1, min_confidence: float = 0.001) -> None:
        super().__init__(max_antecedent, min_support, min_confidence, average="antecedents")
