"""Random sampling, plain and stratified by query: the baselines of the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.registry import samplers
from rulerank.sampling.base import Sampler, Seed, query_numbers
from rulerank.sampling.selection import Key
from rulerank.strategy import seed_param


@samplers.register("random", "Random")
class Random(Sampler):
    """Chooses in a random order, drawn once at the start: every document is equally likely to be next.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> Random(seed=3).run(items, grades=[2, 2, 1, 0]).order
    [3, 2, 1, 0]
    """

    is_baseline = True
    params = (seed_param(),)

    def __init__(self, seed: Seed = 0) -> None:
        self.seed = seed

    def _begin(self) -> None:
        self._place = self._rng.permutation(len(self.pool))

    def _keys(self) -> Sequence[Key]:
        return (Key("place", self._place),)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"number {keys['place'] + 1:.0f} of a random order of {len(self.pool)} documents"


@samplers.register("query_random", "Random, even over queries")
class QueryStratifiedRandom(Sampler):
    """Chooses at random from a query with the fewest labels, so that no query is left behind.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> QueryStratifiedRandom(seed=3).run(items, grades=[2, 2, 1, 0], qids=["p", "p", "p", "q"]).order
    [3, 0, 2, 1]
    """

    params = (seed_param(),)

    def __init__(self, seed: Seed = 0) -> None:
        self.seed = seed

    def _begin(self) -> None:
        self._query, queries = query_numbers(self._qids)
        self._turn = self._rng.permutation(queries)
        self._place = self._rng.permutation(len(self.pool))
        self._count = np.zeros(queries, np.int64)

    def _added(self, row: int, grade: int) -> None:
        self._count[self._query[row]] += 1

    def _removed(self, row: int, grade: int) -> None:
        self._count[self._query[row]] -= 1

    def _keys(self) -> Sequence[Key]:
        return (
            Key("labels of the query", self._count[self._query]),
            Key("turn of the query", self._turn[self._query]),
            Key("place", self._place),
        )

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"a random document of a query with {keys['labels of the query']:.0f} labels, the fewest"
