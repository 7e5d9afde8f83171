"""Rankers fitted on the labels of a campaign so far, and one query's documents in their order."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.opened import OpenCampaign
from rulerank.discretize import items_of
from rulerank.metrics import Audience, Measure, evaluate
from rulerank.metrics.conventions import conventions
from rulerank.metrics.measure import at_cut_offs
from rulerank.metrics.measure import offered as offered_measures
from rulerank.ranking import RuleRanker
from rulerank.registry import rankers
from rulerank.rules.items import Ints, Items
from rulerank.strategy import Strategy

CUT = 10
"""The cut-off of a query's metrics."""


@dataclass(frozen=True)
class Fitted:
    """A ranker, and the labelled set it learnt from."""

    name: str
    model: RuleRanker
    rows: tuple[int, ...]
    items: Items
    grades: Ints
    qids: Ints

    @property
    def label(self) -> str:
        """The ranker's name on the screen."""
        return Strategy.parse(self.name).label(rankers)


@dataclass(frozen=True)
class QueryDocuments:
    """The documents of one query: rows of the collection, of the pool (-1: evaluation set), items and grades."""

    query: int
    rows: Ints
    pool_rows: Ints
    items: Items
    docids: tuple[str, ...]
    given: tuple[int | None, ...]
    known: Ints | None

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def graded(self) -> int:
        """How many have a grade that may be shown."""
        return sum(grade is not None for grade in self.given)


_fitted: WeakKeyDictionary[OpenCampaign, dict[str, Fitted]] = WeakKeyDictionary()
_lock = threading.Lock()


def offered(opened: OpenCampaign | None = None) -> dict[str, str]:
    """Return the rankers that can work here, by the keys of their strategies, with their labels.

    Those with query terms only where queries have terms; the campaign's own first, where it has parameters.
    """
    terms = opened is not None and bool(opened.terms)
    found = {entry.name: entry.label for entry in rankers if terms or not entry.value.takes_terms}
    if opened is not None and opened.settings.ranker.params and opened.settings.ranker.name in found:
        return {opened.settings.ranker.key: opened.settings.ranker.label(rankers), **found}
    return found


def fit(opened: OpenCampaign, name: str) -> Fitted | None:
    """Return a ranker fitted on the labels so far, kept until a label changes; None without labels."""
    rows, given = opened.labelled()
    if not rows:
        return None
    grades = np.array(given, np.int64)
    with _lock:
        kept = _fitted.setdefault(opened, {}).get(name)
    if kept is not None and kept.rows == tuple(rows) and np.array_equal(kept.grades, grades):
        return kept
    items, qids = opened.items[rows], opened.query_index[rows]
    model = opened.ranker(name).fit(items, grades, qids.tolist())
    made = Fitted(name, model, tuple(rows), items, grades, qids)
    with _lock:
        _fitted.setdefault(opened, {})[name] = made
    return made


def queries_of(opened: OpenCampaign) -> list[int]:
    """Return the queries that have documents in the pool or in the evaluation set, in the collection's order."""
    rows = np.concatenate([opened.pool_rows, opened.evaluation_rows])
    return [int(number) for number in np.unique(opened.collection.query_index[rows])]


def documents_of(opened: OpenCampaign, query: int) -> QueryDocuments:
    """Return a query's documents in file order, those of the pool and of the evaluation set."""
    collection = opened.collection
    mine = np.flatnonzero(collection.query_index == query)
    place = {int(row): number for number, row in enumerate(opened.pool_rows)}
    held = set(opened.evaluation_rows.tolist())
    rows = np.array([row for row in mine.tolist() if row in place or row in held], np.int64)
    pool_rows = np.array([place.get(int(row), -1) for row in rows], np.int64)
    items = items_of(opened.discretizer, collection.features[rows], opened.useful)
    current = opened.live.fold.current()
    given = tuple(
        current.get(int(at)) if at >= 0 else int(collection.grades[row])
        for row, at in zip(rows, pool_rows, strict=True)
    )
    # The pool's grades are known only where the campaign says so; the evaluation set's always are.
    known = collection.grades[rows].astype(np.int64)
    certain = bool((pool_rows < 0).all()) or opened.known_grades is not None
    if not certain and all(grade is not None for grade in given):
        known, certain = np.array(given, np.int64), True
    return QueryDocuments(
        query,
        rows,
        pool_rows,
        np.ascontiguousarray(items),
        tuple(collection.docids[row] for row in rows),
        given,
        known if certain else None,
    )


def scores_of(fitted: Fitted, documents: QueryDocuments) -> np.ndarray:
    """Return the score of each document, in file order."""
    return fitted.model.predict(documents.items, [documents.query] * len(documents))


def order_of(scores: np.ndarray, documents: QueryDocuments, convention: str) -> Ints:
    """Return the documents, best first; equal scores as the convention orders them."""
    if conventions[convention].docids_break_ties:
        by_name = np.array(sorted(range(len(documents)), key=lambda place: documents.docids[place], reverse=True))
        return by_name[np.argsort(-scores[by_name].astype(np.float32), kind="stable")]
    return np.argsort(-scores, kind="stable")


def measures_of_query(readers: Audience) -> list[Measure]:
    """Return what one query's ranking can be measured by; readers: of all that the campaign is measured on."""
    return offered_measures([CUT], readers)


def metrics_of(
    opened: OpenCampaign, documents: QueryDocuments, scores: np.ndarray, readers: Audience | None = None
) -> dict[str, float] | None:
    """Return a query's value by every measure up to the cut-off, by their names; fewer where readers are not able.

    None where grades or relevant documents are lacking. `readers` are of these documents, and may ask for more metrics.
    """
    if documents.known is None or not (documents.known > 0).any():
        return None
    asks = () if readers is None else readers.asks
    found: dict[str, Any] = evaluate(
        documents.known,
        scores,
        [0] * len(documents),
        opened.settings.convention,
        k=CUT,
        docids=documents.docids,
        others=asks,
    )
    each_cut = range(1, CUT + 1)
    measures = [*offered_measures(each_cut), *(each for name in asks for each in at_cut_offs(name, each_cut))]
    values = ((each, found[each.metric]) for each in measures)
    shown = {each.name: float(value if each.cut is None else value[each.cut - 1]) for each, value in values}
    if readers is not None:
        read = readers.measure(
            documents.known,
            scores,
            [0] * len(documents),
            convention=opened.settings.convention,
            docids=documents.docids,
        )
        shown |= {name: each.mean for name, each in read.items()}
    return shown


def changes(first: Ints, second: Ints) -> dict[int, int]:
    """Return by how many places each document stands higher in the second order than in the first."""
    before = {int(document): place for place, document in enumerate(first)}
    return {int(document): before[int(document)] - place for place, document in enumerate(second)}
