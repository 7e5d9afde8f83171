"""SSAR query by query: several documents of a query before the next one, as trainers on pairs and lists need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.rules.items import antecedent_param, as_whole
from rulerank.sampling.base import Seed
from rulerank.sampling.selection import Key
from rulerank.sampling.ssar_even import LOT, SSAREven
from rulerank.strategy import Param, seed_param

BATCH = Param("batch", int, 4, "Documents of a query that are asked for before the next query.", low=1)


@samplers.register("ssar_queries", "SSAR, query by query")
class SSARQueries(SSAREven):
    """Chooses as `ssar_even` does, but stays with a query for `batch` documents.

    RankSVM and LambdaMART learn from pairs of documents of the same query: b labels of a query make up to b (b - 1) / 2
    pairs, and b labels of as many queries make none. So a query that has been begun is gone on with until a multiple of
    `batch` of its documents is labelled, or none is left; then the query with the fewest batches is next.

    batch: 1 is `ssar_even`. lot, ties and the natural stop: as there.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> SSARQueries(seed=3).run(items, grades=[2, 2, 1, 0], qids=["p", "p", "q", "q"]).order
    [2, 3, 1]
    """

    goes_by_query = True
    params: ClassVar[tuple[Param, ...]] = (BATCH, LOT, antecedent_param(), seed_param())

    def __init__(
        self, batch: int = BATCH.default, lot: int = LOT.default, max_antecedent: int = 2, seed: Seed = 0
    ) -> None:
        super().__init__(lot, max_antecedent, seed)
        self.batch = batch

    def _begin(self) -> None:
        if (as_whole(self.batch) or 0) < 1:
            raise InputError(f"batch must be a whole number of at least 1, not {self.batch!r}")
        super()._begin()

    def _query_keys(self) -> Sequence[Key]:
        batches, begun = self._count // self.batch, self._count % self.batch
        return (
            Key("batches of the query", batches[self._query]),
            Key("labels of its batch", begun[self._query], largest=True),
            Key("turn of the query", self._turn[self._query]),
        )

    def _said_of_the_query(self, keys: dict[str, float]) -> str:
        return f"the query in turn, of which {keys['labels of its batch']:.0f} of {self.batch} documents are labelled"
