"""How good the ranker in training is, label by label: this campaign, random replays, and the full-label ceiling."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.campaign.evaluation import Evaluation, Values
from rulerank.metrics import Audience
from rulerank.ranking import RuleRanker
from rulerank.ranking.make import Terms, is_incremental, make_following, make_ranker
from rulerank.rules.items import Ints, Items

MOST_POINTS = 40
FOLDS = 5
BACKLOG = 200
"""Labels that a ranker learns one by one; with more to learn, all at once is sooner done, and gives the same."""


@dataclass(frozen=True)
class Point:
    """The metrics after so many labels; empty where they are not defined."""

    labels: int
    values: Values


@dataclass(frozen=True)
class Band:
    """Mean of random replays after so many labels, and the interval that holds 95% of the runs, for each metric."""

    labels: int
    mean: Values
    low: Values
    high: Values


def checkpoints(labels: int, most: int = MOST_POINTS) -> list[int]:
    """Return at which numbers of labels to measure: every one up to ten, then evenly, and always the last.

    Steps are powers of two, so that the points of a longer campaign are among those of a shorter one.
    """
    if labels <= 0:
        return []
    step = 1
    while labels > step * most:
        step *= 2
    return sorted({*range(1, min(labels, 10) + 1), *range(step, labels + 1, step), labels})


class LearningCurve:
    """The curve of one ranker over a campaign's labels, kept up to date as labels come, change or go.

    Points are measured on the evaluation set; without one, by cross-validation on the labelled set. `follow` works out
    only what is missing: incremental rankers learn and forget label by label, the others learn anew at each point.
    """

    def __init__(
        self,
        pool: Items,
        qids: Ints,
        evaluation: Evaluation | None,
        *,
        ranker: str = "lrar",
        convention: str = "letor",
        most: int = MOST_POINTS,
        audience: Audience | None = None,
        terms: Terms | None = None,
    ) -> None:
        """`audience` reads the pool, where there is no evaluation set; that set has its own. `terms` are by query."""
        self.ranker = ranker
        self.most = most
        self._pool = pool
        self._qids = qids
        self._evaluation = evaluation
        self._convention = convention
        self._audience = audience
        self._terms = terms
        self._labels: list[tuple[int, int]] = []  # (row, grade), in the order of labelling
        self._measured: dict[int, Values] = {}
        self._model: RuleRanker | None = None
        self._learnt = 0
        self._lock = threading.Lock()

    @property
    def stamp(self) -> str:
        """By whom the points are measured (`Audience.stamp`); empty where it is nobody."""
        read = self._audience if self._evaluation is None else self._evaluation.audience
        return "" if read is None else read.stamp

    @property
    def labels(self) -> int:
        """How many labels the curve has followed."""
        return len(self._labels)

    @property
    def points(self) -> list[Point]:
        """The points that are measured, the first one first."""
        measured = dict(self._measured)
        return [Point(n, measured[n]) for n in checkpoints(self.labels, self.most) if n in measured]

    @property
    def missing(self) -> list[int]:
        """The checkpoints that `follow` had no time for."""
        return [n for n in checkpoints(self.labels, self.most) if n not in self._measured]

    def follow(
        self,
        rows: Sequence[int],
        grades: Sequence[int],
        *,
        seconds: float | None = None,
        done: Callable[[int, int], None] = lambda done, total: None,
    ) -> bool:
        """Bring the curve up to these labels; stop after about `seconds`, and return whether no point is missing."""
        labels = list(zip(rows, grades, strict=True))
        end = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            same = _common(self._labels, labels)
            self._rewind(same)
            self._measured = {n: values for n, values in self._measured.items() if n <= same}
            self._labels = labels
            wanted = self.missing
            if not self._incremental or self.labels - self._learnt > BACKLOG:
                wanted = wanted[-1:] + wanted[:-1]  # how good it is now is asked first
            if self._incremental and wanted:
                self._rewind(min(wanted) - 1)
            for number, n in enumerate(wanted):
                if end is not None and time.monotonic() >= end:
                    return False
                self._measured[n] = self._measure(n)
                done(number + 1, len(wanted))
            return True

    @property
    def _incremental(self) -> bool:
        return is_incremental(self.ranker) and self._evaluation is not None

    def _rewind(self, labels: int) -> None:
        while self._model is not None and self._learnt > labels:
            self._learnt -= 1
            row, grade = self._labels[self._learnt]
            self._model.forget(self._pool[row], grade)

    def _measure(self, n: int) -> Values:
        rows = [row for row, _ in self._labels[:n]]
        grades = [grade for _, grade in self._labels[:n]]
        if self._evaluation is None:
            return cross_validated(
                self._pool[rows],
                grades,
                self._qids[rows],
                ranker=self.ranker,
                convention=self._convention,
                audience=None if self._audience is None else self._audience.of(rows),
                terms=self._terms,
            )
        if not self._incremental or n - self._learnt > BACKLOG:
            model = make_ranker(self.ranker, self._terms).fit(self._pool[rows], grades, self._qids[rows].tolist())
            return self._evaluation.measure(model.predict(self._evaluation.items, self._evaluation.qids))
        if self._model is None:
            self._model = make_following(self.ranker, self._evaluation.items, self._terms)
        for row, grade in self._labels[self._learnt : n]:
            self._model.partial_fit(self._pool[row], grade)
            self._learnt += 1
        return self._evaluation.measure(self._model.predict(self._evaluation.items))

    def to_dict(self) -> dict[str, Any]:
        """Return what is measured, and on which labels, as plain JSON types."""
        with self._lock:
            return {
                "rows": [int(row) for row, _ in self._labels],
                "grades": [int(grade) for _, grade in self._labels],
                "points": {str(n): values for n, values in self._measured.items()},
                "audience": self.stamp,
            }

    def load(self, saved: dict[str, Any]) -> None:
        """Take over what another process measured, as far as it rests on the same labels in the same order.

        What was measured by another audience is of no use.
        """
        if saved.get("audience", "") != self.stamp:
            return
        with self._lock:
            same = _common(self._labels, list(zip(saved["rows"], saved["grades"], strict=True)))
            for n, values in saved["points"].items():
                if int(n) <= same:
                    self._measured.setdefault(int(n), values)


def _common(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> int:
    """Return how many labels at the beginning of two lists are the same."""
    shorter = min(len(old), len(new))
    return next((place for place in range(shorter) if old[place] != new[place]), shorter)


def curve(
    items: Items,
    grades: Sequence[int],
    qids: Sequence[int],
    evaluation: Evaluation,
    *,
    ranker: str = "lrar",
    at: Iterable[int] | None = None,
    terms: Terms | None = None,
) -> list[Point]:
    """Return the metrics after the first n labels, for each n in `at`; items and grades in the order of labelling."""
    points = []
    quick = is_incremental(ranker)
    model = make_following(ranker, evaluation.items, terms) if quick else make_ranker(ranker, terms)
    known = 0
    for labels in sorted(at) if at is not None else checkpoints(len(grades)):
        if quick:
            for row in range(known, labels):
                model.partial_fit(items[row], int(grades[row]))
            known = labels
        else:
            model.fit(items[:labels], list(grades[:labels]), list(qids[:labels]))
        points.append(Point(labels, evaluation.measure(model.predict(evaluation.items, evaluation.qids))))
    return points


def cross_validated(
    items: Items,
    grades: Sequence[int],
    qids: Sequence[int] | Ints,
    *,
    ranker: str = "lrar",
    convention: str = "letor",
    folds: int = FOLDS,
    audience: Audience | None = None,
    terms: Terms | None = None,
) -> Values:
    """Return the metrics on the labelled set itself, each query ranked by a ranker that learnt from the others.

    For campaigns without an evaluation set. Undefined (empty) with labels in fewer than two queries.
    """
    levels, queries = np.asarray(grades, np.int64), np.asarray(qids)
    names = np.unique(queries)
    if names.size < 2:
        return {}
    scores = np.zeros(len(levels))
    parts = min(folds, names.size)
    for part in range(parts):
        held = np.isin(queries, names[part::parts])
        model = make_ranker(ranker, terms).fit(items[~held], levels[~held], queries[~held].tolist())
        scores[held] = model.predict(items[held], queries[held])
    return Evaluation(items, levels, queries, convention, audience).measure(scores)


def random_band(
    items: Items,
    known: Ints,
    evaluation: Evaluation,
    at: Sequence[int],
    *,
    ranker: str = "lrar",
    qids: Ints | None = None,
    runs: int = 20,
    seed: int = 0,
    done: Callable[[int, int], None] = lambda done, total: None,
    terms: Terms | None = None,
) -> list[Band]:
    """Return the band of `runs` random labelling orders of a pool whose grades are known."""
    rng = np.random.default_rng(seed)
    wanted = sorted(labels for labels in at if labels <= len(items))
    queries = np.zeros(len(items), np.int64) if qids is None else qids
    found: list[list[Point]] = []
    for run in range(runs if wanted else 0):
        order = rng.permutation(len(items))[: wanted[-1]]
        given = known[order].tolist(), queries[order].tolist()
        found.append(curve(items[order], *given, evaluation, ranker=ranker, at=wanted, terms=terms))
        done(run + 1, runs)
    bands = []
    for place, labels in enumerate(wanted):
        values = [run[place].values for run in found if run[place].values]
        if not values:
            continue
        table = np.array([list(value.values()) for value in values])
        low, high = np.quantile(table, (0.025, 0.975), axis=0)
        each = (dict(zip(values[0], row.tolist(), strict=True)) for row in (table.mean(axis=0), low, high))
        bands.append(Band(labels, *each))
    return bands


def ceiling(
    items: Items,
    known: Ints,
    evaluation: Evaluation,
    *,
    ranker: str = "lrar",
    qids: Ints | None = None,
    terms: Terms | None = None,
) -> Values:
    """Return the metrics of a ranker that learnt from the whole pool: what all labels would buy."""
    model = make_ranker(ranker, terms).fit(items, known, None if qids is None else qids.tolist())
    return evaluation.measure(model.predict(evaluation.items, evaluation.qids))
