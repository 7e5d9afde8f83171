"""SSAR even over queries: the fewest rules among a few documents drawn by lot from a query with the fewest labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.rules.items import antecedent_param, as_whole
from rulerank.sampling.base import Seed, query_numbers
from rulerank.sampling.selection import Key, Selection, pick
from rulerank.sampling.ssar import SSAR
from rulerank.strategy import Param, seed_param

LOT = Param("lot", int, 16, "Documents drawn by lot from a query without labels; fewer the more it has.", low=1)
LEAST = 2  # a smaller lot leaves no choice


@samplers.register("ssar_even", "SSAR, even over queries")
class SSAREven(SSAR):
    """Chooses, of some documents drawn by lot from a query with the fewest labels, the one with the fewest rules.

    SSAR looks for the newest document of the whole pool. Where new means odd, a ranker that has seen little else learns
    what is odd, and is behind one from random labels. The newest of a few documents that chance has put together is
    still new, but no longer the oddest of thousands: what is labelled stays close to what the pool is made of. Newness
    pays most while little is known, so a query with n labels has lot / (n + 1) documents drawn, rounded down, and never
    fewer than two. And no query is left behind.

    lot: the documents drawn from a query without labels; 1 is chance, even over queries (`query_random`). A lot is the
    first documents without a grade of an order that was drawn at the start with `seed`; of the queries with as few
    labels, the first of such an order has its turn. Tie: the smaller total occurrence (for the very first document the
    largest); still tied: the later row. The natural stop: no document of the pool comes before one that is labelled, by
    SSAR's count of rules and occurrence (chance has a say in what is labelled, so a tie is a stop here).

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> SSAREven(seed=1).run(items, grades=[2, 2, 1, 0], qids=["p", "p", "p", "q"]).order
    [2, 3, 1]
    """

    params: ClassVar[tuple[Param, ...]] = (LOT, antecedent_param(), seed_param())

    def __init__(self, lot: int = LOT.default, max_antecedent: int = 2, seed: Seed = 0) -> None:
        super().__init__(max_antecedent)
        self.lot = lot
        self.seed = seed

    def _begin(self) -> None:
        if (as_whole(self.lot) or 0) < 1:
            raise InputError(f"lot must be a whole number of at least 1, not {self.lot!r}")
        super()._begin()
        self._query, queries = query_numbers(self._qids)
        self._turn = self._rng.permutation(queries)
        self._place = self._rng.permutation(len(self.pool))
        self._count = np.zeros(queries, np.int64)

    def _added(self, row: int, grade: int) -> None:
        super()._added(row, grade)
        self._count[self._query[row]] += 1

    def _load(self, taken: dict[int, int]) -> None:
        super()._load(taken)
        np.add.at(self._count, self._query[list(taken)], 1)

    def _removed(self, row: int, grade: int) -> None:
        super()._removed(row, grade)
        self._count[self._query[row]] -= 1

    def propose(self, *, beyond: bool = False) -> Selection | None:
        """Return the next selection, with `stop` set once no document has fewer rules than a labelled one."""
        self._started()
        fewest = self._fewest(beyond)
        if fewest < 0:
            return None
        if fewest in self._grades:
            return self._counted(fewest, self._keys(), stop=True)
        admitted = np.zeros(len(self.pool), bool)
        admitted[self._drawn()] = True
        return self._counted(pick(self._keys(), admitted), (*self._query_keys(), *self._keys()))

    def _fewest(self, beyond: bool) -> int:
        """Return the row with the fewest rules, a labelled one if any has as few; -1 where none is left."""
        rows = np.flatnonzero(self._available if beyond else self._in_pool())
        if not rows.size:
            return -1
        for key in self._keys():
            rows = key.best(rows)
        return int(rows[np.argmin(self._available[rows])])

    def _query_keys(self) -> Sequence[Key]:
        """Return what decides between queries."""
        return (Key("labels of the query", self._count[self._query]), Key("turn of the query", self._turn[self._query]))

    def _drawn(self) -> npt.NDArray[np.intp]:
        """Return the rows of the lot."""
        rows = np.flatnonzero(self._available)
        for key in self._query_keys():
            rows = key.best(rows)
        labels = self._count[self._query[rows[0]]]
        size = max(self.lot // (labels + 1), min(self.lot, LEAST))
        return rows[np.argsort(self._place[rows])[:size]]

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if row in self._grades:
            return super()._reason(row, keys)
        drawn = self._drawn().size
        lot = f"{drawn} documents" if drawn > 1 else "one document"
        query = f"{lot} drawn by lot from {self._said_of_the_query(keys)}"
        if drawn == 1:
            return f"{query}; it draws {keys['rules']:.0f} rules"
        if not self._grades:
            return f"nothing is labelled yet, and its items are the most common of {query}"
        return f"it draws {keys['rules']:.0f} rules, the fewest of {query}"

    def _said_of_the_query(self, keys: dict[str, float]) -> str:
        number = int(keys["labels of the query"])
        return f"a query with {number} label{'' if number == 1 else 's'}, the fewest of all queries"
