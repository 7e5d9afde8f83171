"""SSAR: selective sampling using association rules (Rule-Based Active Sampling, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rulerank.registry import samplers
from rulerank.rules import Explanation, RuleIndex
from rulerank.rules.items import antecedent_param, check_antecedent
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key, Selection, pick
from rulerank.strategy import Param


@samplers.register("ssar", "SSAR (fewest rules)")
class SSAR(Sampler):
    """Chooses the document that draws the fewest rules from what is labelled so far (eq. 4).

    First of all: the document with the largest total occurrence of its items. Then: fewest rules; tie: the smaller
    total occurrence; still tied: the later row. Labelled documents stay in the pool, and when one of them would be
    chosen again every further document is redundant: the natural stop (Lemma 2). After the stop `propose` goes on
    saying so; `propose(beyond=True)` names the best document without a grade instead.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> SSAR().run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1]
    """

    counts_rules = True

    params: ClassVar[tuple[Param, ...]] = (antecedent_param(),)

    def __init__(self, max_antecedent: int = 2) -> None:
        self.max_antecedent = max_antecedent

    def _begin(self) -> None:
        self._index = RuleIndex(self.pool, max_antecedent=check_antecedent(self.max_antecedent))
        self._occurrence = total_occurrence(self.pool)

    def _added(self, row: int, grade: int) -> None:
        self._index.add(row, grade)

    def _load(self, taken: dict[int, int]) -> None:
        self._grades.update(taken)
        self._available[list(taken)] = False
        self._index.load(list(taken), list(taken.values()))

    def _removed(self, row: int, grade: int) -> None:
        self._index.remove(row, grade)

    def _keys(self) -> Sequence[Key]:
        return (Key("rules", self._index.rule_counts()), occurrence_key(self._occurrence, not self._grades))

    def propose(self, *, beyond: bool = False) -> Selection | None:
        """Return the next selection, with `stop` set once it is a labelled document."""
        self._started()
        row = self._fewest(beyond)
        return None if row < 0 else self._counted(row, self._keys(), stop=row in self._grades)

    def _fewest(self, beyond: bool) -> int:
        """Return the row with the fewest rules, a labelled one at the natural stop; -1 where none is left."""
        choice = self._available if beyond else (self._in_pool() if self._excluded else None)
        return pick(self._keys(), choice)

    def _counted(self, row: int, keys: Sequence[Key], *, stop: bool = False) -> Selection:
        return self._select(row, keys, rule_count=int(self._index.rule_counts()[row]), stop=stop)

    def _in_pool(self) -> np.ndarray:
        """Every document but those that were excluded; an excluded one with a grade stays, it marks the stop."""
        inside = np.ones(len(self.pool), bool)
        inside[[row for row in self._excluded if row not in self._grades]] = False
        return inside

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if not self._grades:
            return f"nothing is labelled yet, and its items are the most common: {keys['occurrence']:.0f} occurrences"
        rules = f"{keys['rules']:.0f} rules, the fewest of {len(self.pool)} documents"
        if row in self._grades:
            return f"{rules}, but it is labelled already: the natural stop"
        return f"it draws {rules}"

    @property
    def rule_counts(self) -> np.ndarray:
        """The rule count of every pool document as it stands."""
        self._started()
        return self._index.rule_counts()

    def explain(self, row: int) -> Explanation:
        """Return the rules a document draws (or drew, just before its label) and the items it brings anew."""
        self._started()
        return self._index.explain(row)
