"""Random sampling, plain and stratified by query: the baselines of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.sampling.base import Sampler, Seed
from rulerank.sampling.selection import Key
from rulerank.strategy import seed_param


@samplers.register("random", "Random")
class Random(Sampler):
    """Chooses in a random order, drawn once at the start: every document is equally likely to be next."""

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
    """Chooses at random from a query with the fewest labels, so that no query is left behind."""

    params = (seed_param(),)

    def __init__(self, seed: Seed = 0) -> None:
        self.seed = seed

    def _begin(self) -> None:
        if self._qids is None:
            raise InputError("this sampler needs the query of every document: start(items, qids=...)")
        number: dict[Any, int] = {}
        self._query = np.array([number.setdefault(qid, len(number)) for qid in self._qids], np.int64)
        self._turn = self._rng.permutation(len(number))
        self._place = self._rng.permutation(len(self.pool))
        self._count = np.zeros(len(number), np.int64)

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
