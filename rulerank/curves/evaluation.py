"""The documents that rankers are measured on: means of metrics for campaigns, values per query for simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.curves.training import Documents, Floats
from rulerank.metrics import Audience, evaluate
from rulerank.rules.items import Ints, Items

CUT_OFFS = tuple(range(1, 11))
EXPECTED = "expected "
"""Before a metric's name: its exact mean over all orders of documents with equal scores, not the file's order."""

Values = dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """The documents that a ranker is measured on: items, grades, and the query of each; and who reads them.

    values: scaled feature values, for learners. docids: order equal scores where the convention says so. max_grade: the
    best grade that ERR reckons with; None: the largest of these documents. known_queries: whether `qids` are the
    numbers that queries have in the pool too; if not, rankers are not given them.

    >>> shown = Evaluation(np.zeros((3, 1), np.uint8), np.array([0, 1, 0]), np.array([7, 7, 7]))
    >>> shown.measure(np.array([3.0, 2.0, 1.0]))["map"]
    0.5
    >>> shown.per_query(np.array([3.0, 3.0, 1.0]), [("map", None), ("precision", 1)])
    (array([[0.5],
           [0. ]]), array([[0.75],
           [0.5 ]]))
    """

    items: Items
    grades: Ints
    qids: Ints
    convention: str = "letor"
    audience: Audience | None = None
    values: Floats | None = None
    docids: tuple[str, ...] | None = None
    max_grade: int | None = None
    known_queries: bool = True

    @property
    def documents(self) -> Documents:
        """The documents as rankers see them."""
        return Documents(self.items, self.qids if self.known_queries else None, self.values)

    def _evaluate(self, scores: np.ndarray, k: int) -> dict[str, Any]:
        return evaluate(
            self.grades, scores, self.qids, self.convention, k=k, docids=self.docids, max_grade=self.max_grade
        )

    def per_query(self, scores: np.ndarray, metrics: Sequence[tuple[str, int | None]]) -> tuple[Floats, Floats]:
        """Return metrics, given by name and cut-off, by queries; and the same expected over ties."""
        found = self._evaluate(scores, max((cut or 1 for _, cut in metrics), default=1))["per_query"]

        def picked(values: dict[str, Any]) -> Floats:
            return np.array([values[name] if cut is None else values[name][:, cut - 1] for name, cut in metrics])

        return picked(found), picked(found["expected"])

    def measure(self, scores: np.ndarray) -> Values:
        """Return the metrics that the screens show, each also averaged over ties (`EXPECTED`).

        Empty, that is undefined, where no query has a relevant document.
        """
        found = self._evaluate(scores, CUT_OFFS[-1])
        if found["queries_without_relevant"] == found["queries"]:
            return {}
        values = {**_named(found), **{EXPECTED + name: value for name, value in _named(found["expected"]).items()}}
        if self.audience is not None:
            read = self.audience.measure(self.grades, scores, self.qids, convention=self.convention)
            values |= {name: each.mean for name, each in read.items()}
            values |= {EXPECTED + name: each.expected for name, each in read.items()}
        return values

    @property
    def queries(self) -> int:
        """How many queries the documents belong to."""
        return int(np.unique(self.qids).size)

    @property
    def queries_without_relevant(self) -> int:
        """How many of them have no relevant document; every metric counts them as 0."""
        return self.queries - int(np.unique(self.qids[self.grades > 0]).size)


def _named(found: dict[str, Any]) -> Values:
    cut = {f"{name}@{k}": found[name][k - 1] for name in ("ndcg", "precision") for k in CUT_OFFS}
    return {name: float(value) for name, value in {"map": found["map"], **cut, "mrr": found["mrr"]}.items()}
