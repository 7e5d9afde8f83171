"""The documents that rankers are measured on: means of metrics for campaigns, values per query for simulations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.curves.training import Documents, Floats
from rulerank.metrics import CUT_OFFS, EXPECTED, Audience, Measure, evaluate
from rulerank.metrics.measure import at_cut_offs, offered
from rulerank.rules.items import Ints, Items

Values = dict[str, float]
"""Values by the keys of their measures (`Measure.key`)."""


@dataclass(frozen=True)
class Evaluation:
    """The documents that a ranker is measured on: items, grades, and the query of each; and who reads them.

    values: scaled feature values, for learners. docids: order equal scores where the convention says so. max_grade: the
    best grade that ERR reckons with; None: the largest of these documents. known_queries: whether `qids` are the
    numbers that queries have in the pool too; if not, rankers are not given them.

    >>> shown = Evaluation(np.zeros((3, 1), np.uint8), np.array([0, 1, 0]), np.array([7, 7, 7]))
    >>> shown.measure(np.array([3.0, 2.0, 1.0]))["map"]
    0.5
    >>> shown.per_query(np.array([3.0, 3.0, 1.0]), [Measure("map"), Measure("precision", 1)])
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

    def _evaluate(self, scores: np.ndarray, k: int, metrics: Iterable[str]) -> dict[str, Any]:
        return evaluate(
            self.grades,
            scores,
            self.qids,
            self.convention,
            k=k,
            docids=self.docids,
            max_grade=self.max_grade,
            others=metrics,
        )

    def per_query(self, scores: np.ndarray, measures: Sequence[Measure]) -> tuple[Floats, Floats]:
        """Return measures by queries, in the convention's order of equal scores; and the same expected over ties."""
        deepest = max((each.cut or 1 for each in measures), default=1)
        found = self._evaluate(scores, deepest, [each.metric for each in measures])["per_query"]

        def picked(values: dict[str, Any]) -> Floats:
            columns = ((values[each.metric], each.cut) for each in measures)
            return np.array([column if cut is None else column[:, cut - 1] for column, cut in columns])

        return picked(found), picked(found["expected"])

    def measure(self, scores: np.ndarray) -> Values:
        """Return every registered metric, at `CUT_OFFS`, what the audience asks for, and readers' own; with ties too.

        Empty, that is undefined, where no query has a relevant document.
        """
        asks = () if self.audience is None else self.audience.asks
        found = self._evaluate(scores, CUT_OFFS[-1], asks)
        if found["queries_without_relevant"] == found["queries"]:
            return {}
        measures = [*offered(), *(each for name in asks for each in at_cut_offs(name))]
        expected = _named(found["expected"], measures)
        values = {**_named(found, measures), **{EXPECTED + name: value for name, value in expected.items()}}
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


def _named(found: dict[str, Any], measures: Sequence[Measure]) -> Values:
    values = ((each, found[each.metric]) for each in measures)
    return {each.name: float(value if each.cut is None else value[each.cut - 1]) for each, value in values}


def measured_by(audience: Audience | None, convention: str = "letor", *more: str) -> str:
    """Return a name for all that is measured, by which values that lack some of it are recognised.

    `more` names what else the values depend on.
    """
    about: list[Any] = [[each.name for each in offered()], "" if audience is None else audience.stamp, *more]
    if convention != "letor":
        about.append(convention)
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
