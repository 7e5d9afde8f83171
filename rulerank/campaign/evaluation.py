"""What a ranker of a campaign is measured on, and by which metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.metrics import Audience, evaluate
from rulerank.rules.items import Ints, Items

CUT_OFFS = tuple(range(1, 11))
EXPECTED = "expected "
"""Before a metric's name: its exact mean over all orders of documents with equal scores, not the file's order."""

Values = dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """The documents a ranker is measured on: items, grades, and the query of each; and who reads them."""

    items: Items
    grades: Ints
    qids: Ints
    convention: str = "letor"
    audience: Audience | None = None

    def measure(self, scores: np.ndarray) -> Values:
        """Return the metrics that the screens show, each also averaged over ties (`EXPECTED`).

        Empty, that is undefined, where no query has a relevant document.
        """
        found = evaluate(self.grades, scores, self.qids, self.convention, k=CUT_OFFS[-1])
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
