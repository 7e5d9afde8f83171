"""SSAR and chance in turns: every second document draws the fewest rules, the one after it is drawn by lot."""

from __future__ import annotations

from rulerank.registry import samplers
from rulerank.rules.items import antecedent_param
from rulerank.sampling.base import Seed
from rulerank.sampling.selection import Key, Selection, pick
from rulerank.sampling.ssar import SSAR
from rulerank.strategy import seed_param


@samplers.register("ssar_turns", "SSAR and chance in turns")
class SSARTurns(SSAR):
    """Chooses as SSAR does and by lot, in turns, SSAR first.

    Documents with the fewest rules are new, and the newest of all are odd: a ranker that has seen little else learns
    what is odd. On ClueWeb09, where one document in six is relevant, it is then behind one from random labels, and the
    further the more labels there are. Documents drawn by lot are what the pool is made of, and SSAR counts their rules
    too: what chance has shown need not be asked for again. Neither half has to be right about a collection.

    A choice by lot is the next of an order that was drawn at the start with `seed`. The natural stop is SSAR's,
    whoever's turn it is. Whose turn it is depends on the number of labels alone, so undo leads back to the same
    document.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> SSARTurns(seed=1).run(items, grades=[2, 2, 1, 0]).order
    [2, 0, 3]
    """

    params = (antecedent_param(), seed_param())

    def __init__(self, max_antecedent: int = 2, seed: Seed = 0) -> None:
        super().__init__(max_antecedent)
        self.seed = seed

    def _begin(self) -> None:
        super()._begin()
        self._place = self._rng.permutation(len(self.pool))

    def propose(self, *, beyond: bool = False) -> Selection | None:
        """Return SSAR's choice, or in every second round the next by lot; `stop` is set where SSAR sets it."""
        fewest = super().propose(beyond=beyond)
        if fewest is None or fewest.stop or len(self._grades) % 2 == 0:
            return fewest
        keys = (Key("place", self._place), Key("rules", self._index.rule_counts()))
        return self._counted(pick(keys, self._available), keys)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if "place" not in keys:
            return super()._reason(row, keys)
        return f"it was drawn by lot, as every second document is; it draws {keys['rules']:.0f} rules"
