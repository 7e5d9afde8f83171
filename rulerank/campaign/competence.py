"""The competence map of a campaign: Delta(q, d) on the labelled set, the most competent queries, and p(q|d)."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from rulerank.campaign.opened import OpenCampaign
from rulerank.progress import Progress, silent
from rulerank.ranking import QueryLevelRules
from rulerank.rules.items import Ints

STEP = 2500
"""Documents that are compared with every function before a word about it: a second's work or so."""


@dataclass(frozen=True)
class CompetenceMap:
    """The competence of the query-level functions as it stood at event `seen`; documents of a query stand together.

    `queries` are places in the collection's queries, one per function; `rows` are pool rows, one per document; `delta`
    is functions by documents, and `best` names for each document the place of its most competent function.
    """

    seen: int
    model: QueryLevelRules
    queries: list[int]
    rows: Ints
    grades: Ints
    own: Ints
    delta: np.ndarray
    best: Ints

    def weights(self, opened: OpenCampaign, document: int) -> np.ndarray:
        """Return p(q|d) of a document (eq. 9-10), one number per function."""
        return self.model.query_weights(opened.items[self.rows[document]][None, :])[0]

    def only_grade(self, query: int) -> int | None:
        """Return the one grade that all labels of a function's query have: it knows no other; None if they differ."""
        known = np.unique(self.grades[self.own == query])
        return int(known[0]) if known.size == 1 else None


_maps: WeakKeyDictionary[OpenCampaign, CompetenceMap] = WeakKeyDictionary()
_lock = threading.Lock()


def competence_map(opened: OpenCampaign, progress: Progress = silent) -> CompetenceMap | None:
    """Return the map of the labels so far, worked out once for all; None with labels in fewer than two queries.

    `progress` counts documents.
    """
    seen = opened.live.fold.seen
    with _lock:
        kept = _maps.get(opened)
    if kept is not None and kept.seen == seen:
        return kept
    found, given = opened.labelled()
    rows, grades = np.array(found, np.int64), np.array(given, np.int64)
    if np.unique(opened.query_index[rows]).size < 2:
        return None
    # Queries in the order of their first label, and their documents beside each other: who is competent on whose shows.
    order = {int(query): place for place, query in enumerate(dict.fromkeys(opened.query_index[rows].tolist()))}
    own = np.array([order[int(query)] for query in opened.query_index[rows]], np.int64)
    sorting = np.argsort(own, kind="stable")
    rows, grades, own = rows[sorting], grades[sorting], own[sorting]
    model = QueryLevelRules().fit(opened.items[rows], grades, opened.query_index[rows].tolist())
    delta = np.empty((len(order), rows.size))
    for start in range(0, rows.size, STEP):
        part = slice(start, start + STEP)
        delta[:, part] = model.competence(opened.items[rows[part]], grades[part])
        progress(min(start + STEP, rows.size), rows.size)
    best = most_competent(delta)
    if (best >= 0).all():
        names = model.queries_
        model.set_most_competent([names[place] for place in best])  # spares it the same work again
    made = CompetenceMap(seen, model, list(order), rows, grades, own, delta.astype(np.float32), best)
    with _lock:
        _maps[opened] = made
    return made


def most_competent(delta: np.ndarray) -> Ints:
    """Return D*: the place of each document's most competent function, the first one of equals; -1: none speaks."""
    known = np.where(np.isfinite(delta), delta, np.inf)
    least = known.min(axis=0)
    best = (known <= least + 1e-12).argmax(axis=0)
    return np.where(np.isfinite(least), best, -1)


def document_table(opened: OpenCampaign, found: CompetenceMap) -> pd.DataFrame:
    """Return the most competent query of each labelled document, beside its own."""
    qids, docids = opened.collection.queries, opened.collection.docids
    places = np.arange(found.rows.size)
    best = np.where(found.best >= 0, found.best, 0)
    silent = found.best < 0
    return pd.DataFrame(
        {
            "Document": [docids[opened.pool_rows[row]] or f"row {row}" for row in found.rows],
            "Query": [qids[found.queries[place]] for place in found.own],
            "Grade": found.grades,
            "Most competent query": [
                "none" if quiet else qids[found.queries[place]] for place, quiet in zip(best, silent, strict=True)
            ],
            "Δ there": np.where(silent, np.nan, found.delta[best, places]).round(3),
            "Δ of its own": found.delta[found.own, places].round(3),
        }
    )


def query_table(documents: pd.DataFrame, found: CompetenceMap, query: int) -> pd.DataFrame:
    """Return those of `document_table` that belong to a query: what its function makes of them, and whose is best."""
    return documents[found.own == query].drop(columns="Query")


def function_words(found: CompetenceMap, query: int) -> str:
    """Say how competent a function is, at home and abroad."""
    home, abroad = found.delta[query, found.own == query], found.delta[query, found.own != query]
    spoken = abroad[np.isfinite(abroad)]
    best = int((found.best == query).sum())
    away = (
        f"{float(spoken.mean()):.2f} on {spoken.size:,d} of the {abroad.size:,d} labelled pairs of other queries"
        if spoken.size
        else "not defined on other queries: it has no rule for their documents"
    )
    grade = found.only_grade(query)
    alone = (
        ""
        if grade is None
        else f" All its labels have grade {grade}: it knows no other, and gives every document that it has a rule for "
        f"{grade}."
    )
    return (
        f"Learnt from {home.size:,d} document{'s' * (home.size != 1)}. Mean Δ is {float(np.nanmean(home)):.2f} on "
        f"its own, and {away}. It is the most competent function for {best:,d} document{'s' * (best != 1)}."
        f"{alone}"
    )
