"""The classical SDBN: every document of every query has an attraction and a satisfaction of its own.

Chapelle and Zhang (WWW 2009), simplified DBN (no abandonment). Results up to the last click were examined, all of them
where nothing was clicked; then both have a closed form:

    attraction = clicks / examinations        satisfaction = last clicks / clicks

Their product, last clicks / examinations, is the document's relevance: what the models by grade call pRel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog, Ints
from rulerank.clicks.predict import log_likelihood
from rulerank.errors import InputError

FORMAT = "rulerank click model by document 1"
SMOOTHING = 1.0
"""Sessions of the average document that every document is given, so that rare ones are not called certain."""


@dataclass(frozen=True, eq=False)
class DocumentFit:
    """Counts of every (query, document) pair, and the probabilities that they give.

    >>> from rulerank.clicks import LogBuilder
    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1], sessions=9)
    >>> found = fit_documents(builder.finish())
    >>> found.attraction.round(2).tolist()
    [0.05, 0.95]
    """

    model: str
    label: str
    pairs: dict[tuple[str, str], int]
    """Row of each query and document in the counts."""
    examined: Ints
    clicked: Ints
    last: Ints
    """Examinations, clicks and last clicks of each pair."""
    loglik: float
    sessions: int
    smoothing: float
    converged: bool = True

    @property
    def free_parameters(self) -> int:
        """Two for every document of every query."""
        return 2 * len(self.pairs)

    @property
    def attraction(self) -> Floats:
        """P(click | examined) of each pair."""
        return _rate(self.clicked, self.examined, self.smoothing)

    @property
    def satisfaction(self) -> Floats:
        """P(satisfied | clicked) of each pair."""
        return _rate(self.last, self.clicked, self.smoothing)

    def stops(self, log: ClickLog) -> Floats:
        """Return P(no stop) and P(stop at k) of every configuration of a log, as `Fit.stops` does."""
        return _stops(*self.by_position(log), log)[0]

    def click_probabilities(self, log: ClickLog) -> Floats:
        """Return P(click at k) of every configuration: examined and attracted, satisfied or not."""
        attraction, satisfaction = self.by_position(log)
        return _stops(attraction, satisfaction, log)[1] * attraction

    def err(self, log: ClickLog) -> Floats:
        """Return the mean of 1 / k over where users stop, for every configuration."""
        return self.stops(log)[:, 1:] @ (1.0 / np.arange(1, log.depth + 1))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        rows = zip(self.pairs, self.examined.tolist(), self.clicked.tolist(), self.last.tolist(), strict=True)
        return {
            "format": FORMAT,
            "model": self.model,
            "label": self.label,
            "loglik": self.loglik,
            "sessions": self.sessions,
            "smoothing": self.smoothing,
            "free_parameters": self.free_parameters,
            "documents": [[*pair, *counts] for pair, *counts in rows],
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> DocumentFit:
        """Make the fit that `to_dict` described."""
        try:
            rows = list(saved["documents"])
            counts = np.array([row[2:] for row in rows], np.int64).reshape(len(rows), 3)
            return cls(
                str(saved["model"]),
                str(saved["label"]),
                {(str(row[0]), str(row[1])): place for place, row in enumerate(rows)},
                counts[:, 0],
                counts[:, 1],
                counts[:, 2],
                float(saved["loglik"]),
                int(saved["sessions"]),
                float(saved["smoothing"]),
            )
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the saved click model is not whole: {error!r}") from error

    def by_position(self, log: ClickLog) -> tuple[Floats, Floats]:
        """Return attraction and satisfaction at each position of every configuration; 0 past the end."""
        places = np.full(log.document.shape, -1, np.int64)
        for config, (query, documents) in enumerate(zip(log.query.tolist(), log.document.tolist(), strict=True)):
            name = log.queries[query]
            for position, document in enumerate(documents):
                if document >= 0:
                    places[config, position] = self.pairs.get((name, log.documents[document]), -1)
        return _predicted(self.examined, self.clicked, self.last, self.smoothing, places, log)


@dataclass(frozen=True, eq=False)
class DocumentCounts:
    """The pairs of one log as numbers: what splits of it share."""

    log: ClickLog
    pair: Ints
    """Pair of each configuration and position, -1 past the end."""
    keys: Ints
    """Query * documents + document of each pair."""

    @classmethod
    def of(cls, log: ClickLog) -> DocumentCounts:
        """Number the pairs of a log."""
        held = log.document >= 0
        keys = log.query[:, None].astype(np.int64) * len(log.documents) + log.document
        distinct, place = np.unique(keys[held], return_inverse=True)
        pair = np.full(log.document.shape, -1, np.int64)
        pair[held] = place
        return cls(log, pair, distinct)

    def tally(self, count: Ints) -> tuple[Ints, Ints, Ints]:
        """Return examinations, clicks and last clicks of each pair, for a weighing of the log's rows."""
        position = np.arange(1, self.log.depth + 1)
        stop = self.log.row_stop[:, None]
        pair = self.pair[self.log.row_config]
        shown = pair >= 0
        weight = np.broadcast_to(count[:, None], pair.shape)

        def total(mask: np.ndarray) -> Ints:
            kept = mask & shown
            return np.bincount(pair[kept], weights=weight[kept], minlength=len(self.keys)).astype(np.int64)

        return total((stop == 0) | (position <= stop)), total(self.log.row_clicked), total(position == stop)

    def predicted(self, count: Ints, smoothing: float = SMOOTHING) -> tuple[Floats, Floats]:
        """Return P(stop) (column 0: none) and P(click) per configuration, learned from `count` sessions per row."""
        attraction, satisfaction = _predicted(*self.tally(count), smoothing, self.pair, self.log)
        stops, looking = _stops(attraction, satisfaction, self.log)
        return stops, looking * attraction


def fit_documents(log: ClickLog, smoothing: float = SMOOTHING) -> DocumentFit:
    """Count every query's documents; `smoothing=0` gives the plain shares (the average where there is nothing)."""
    if smoothing < 0:
        raise InputError(f"smoothing is a number of sessions from 0 up, not {smoothing!r}")
    counts = DocumentCounts.of(log)
    examined, clicked, last = counts.tally(log.count)
    stops, _ = counts.predicted(log.count, smoothing)
    names = {
        (log.queries[key // len(log.documents)], log.documents[key % len(log.documents)]): row
        for row, key in enumerate(counts.keys.tolist())
    }
    return DocumentFit(
        "documents",
        "SDBN by document",
        names,
        examined,
        clicked,
        last,
        log_likelihood(stops, log),
        log.sessions,
        smoothing,
    )


def _rate(part: Ints, whole: Ints, smoothing: float) -> Floats:
    """part / whole, with `smoothing` more of the average; the average itself where there is nothing to divide."""
    average = part.sum() / max(whole.sum(), 1)
    below = whole + smoothing
    return np.where(below > 0, (part + smoothing * average) / np.where(below > 0, below, 1.0), average)


def _predicted(
    examined: Ints, clicked: Ints, last: Ints, smoothing: float, places: Ints, log: ClickLog
) -> tuple[Floats, Floats]:
    """Attraction and satisfaction at each position; pairs never seen have the averages, places past the end 0."""
    shown = log.document >= 0
    tables = []
    for part, whole in ((clicked, examined), (last, clicked)):
        average = part.sum() / max(whole.sum(), 1)
        rates = np.append(_rate(part, whole, smoothing), average)
        tables.append(np.where(shown, rates[places], 0.0))
    return tables[0], tables[1]


def _stops(attraction: Floats, satisfaction: Floats, log: ClickLog) -> tuple[Floats, Floats]:
    """Return P(stop) of every configuration (column 0: none), and P(examined) of every position."""
    chances = attraction * satisfaction
    looking = np.cumprod(1.0 - chances, axis=1)
    examined = np.concatenate([np.ones((len(chances), 1)), looking[:, :-1]], axis=1)
    return np.concatenate([looking[:, -1:], chances * examined], axis=1), examined
