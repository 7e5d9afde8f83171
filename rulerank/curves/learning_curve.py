"""Learning curves: how good the ranker in training is, label by label."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.curves import training
from rulerank.curves.evaluation import Evaluation, Values, measured_by
from rulerank.curves.training import Documents, Floats, Label, Make, Training, common, fitted_scores
from rulerank.metrics import Audience
from rulerank.rules.items import Ints, Items

MOST_POINTS = 40
FOLDS = 5


@dataclass(frozen=True)
class Point:
    """The metrics after so many labels; empty where they are not defined."""

    labels: int
    values: Values


def checkpoints(labels: int, most: int = MOST_POINTS) -> list[int]:
    """Return at which numbers of labels to measure: every one up to ten, then evenly, and always the last.

    Steps are powers of two, so that the points of a longer campaign are among those of a shorter one.

    >>> checkpoints(30, most=12)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 28, 30]
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

    >>> from rulerank.ranking import LRAR
    >>> pool = Documents(np.array([[0], [1], [0]], np.uint8), np.array([1, 1, 2]))
    >>> shown = Evaluation(np.array([[1], [0]], np.uint8), np.array([0, 2]), np.array([3, 3]))
    >>> kept = LearningCurve(LRAR, pool, shown)
    >>> kept.follow([0, 1], [2, 0])
    True
    >>> [(point.labels, point.values["map"]) for point in kept.points]
    [(1, 0.5), (2, 1.0)]
    """

    def __init__(
        self,
        make: Make,
        pool: Documents,
        evaluation: Evaluation | None,
        *,
        convention: str = "letor",
        most: int = MOST_POINTS,
        audience: Audience | None = None,
    ) -> None:
        """`make` returns a new ranker. `audience` reads the pool; an evaluation set has its own."""
        self.most = most
        self._make = make
        self._pool = pool
        self._evaluation = evaluation
        self._convention = convention
        self._audience = audience
        self._labels: list[Label] = []  # in the order of labelling
        self._measured: dict[int, Values] = {}
        self._training = None if evaluation is None else Training(make, pool, evaluation.documents)
        self._lock = threading.Lock()

    @property
    def stamp(self) -> str:
        """A name for all that the points hold (`measured_by`)."""
        if self._evaluation is not None:
            return measured_by(self._evaluation.audience, self._evaluation.convention)
        return measured_by(self._audience, self._convention)

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
        labels = [(int(row), int(grade)) for row, grade in zip(rows, grades, strict=True)]
        end = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            same = common(self._labels, labels)
            self._measured = {n: values for n, values in self._measured.items() if n <= same}
            self._labels = labels
            wanted = self.missing
            learner = self._training
            if learner is None or not learner.incremental or learner.distance(labels) > training.BACKLOG:
                wanted = wanted[-1:] + wanted[:-1]  # how good it is now is asked first
            for number, n in enumerate(wanted):
                if end is not None and time.monotonic() >= end:
                    return False
                self._measured[n] = self._measure(n)
                done(number + 1, len(wanted))
            return True

    def _measure(self, n: int) -> Values:
        if self._evaluation is not None and self._training is not None:
            return self._evaluation.measure(self._training.after(self._labels[:n]))
        rows = [row for row, _ in self._labels[:n]]
        return cross_validated(
            self._make,
            self._pool.items[rows],
            [grade for _, grade in self._labels[:n]],
            self._pool.queries(rows),
            convention=self._convention,
            audience=None if self._audience is None else self._audience.of(rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what is measured, and on which labels, as plain JSON types."""
        with self._lock:
            return {
                "rows": [int(row) for row, _ in self._labels],
                "grades": [int(grade) for _, grade in self._labels],
                "points": {str(n): values for n, values in self._measured.items()},
                "measured_by": self.stamp,
            }

    def load(self, saved: dict[str, Any]) -> None:
        """Take over what another process measured, as far as it rests on the same labels in the same order.

        What other measures or another audience gave is of no use.
        """
        if saved.get("measured_by") != self.stamp:
            return
        with self._lock:
            same = common(self._labels, list(zip(saved["rows"], saved["grades"], strict=True)))
            for n, values in saved["points"].items():
                if int(n) <= same:
                    self._measured.setdefault(int(n), values)


def curve(
    make: Make, pool: Documents, labels: Sequence[Label], evaluation: Evaluation, *, at: Iterable[int] | None = None
) -> list[Point]:
    """Return the metrics after the first n labels, for each n in `at`; labels in the order of labelling."""
    wanted = sorted(at) if at is not None else checkpoints(len(labels))
    step = wanted[-1] / len(wanted) if wanted else 1.0
    learner = Training(make, pool, evaluation.documents, step=step)
    return [Point(n, evaluation.measure(learner.after(labels[:n]))) for n in wanted]


def cross_validated(
    make: Make,
    items: Items,
    grades: Sequence[int],
    qids: Sequence[int] | Ints,
    *,
    convention: str = "letor",
    folds: int = FOLDS,
    audience: Audience | None = None,
) -> Values:
    """Return the metrics on the labelled set itself, each query ranked by a ranker that learnt from the others.

    For campaigns without an evaluation set. Undefined (empty) with labels in fewer than two queries.
    """
    levels, queries = np.asarray(grades, np.int64), np.asarray(qids)
    scores = out_of_fold(make, items, levels, queries, folds=folds)
    return {} if scores is None else Evaluation(items, levels, queries, convention, audience).measure(scores)


def out_of_fold(make: Make, items: Items, grades: Ints, qids: Ints, *, folds: int = FOLDS) -> Floats | None:
    """Return a score for each labelled document by a ranker that learnt from other queries only; None for one query."""
    names = np.unique(qids)
    if names.size < 2:
        return None
    pool = Documents(items, qids)
    labels = list(enumerate(grades.tolist()))
    scores = np.zeros(len(grades))
    parts = min(folds, names.size)
    for part in range(parts):
        held = np.isin(qids, names[part::parts])
        others = [label for label, out in zip(labels, held, strict=True) if not out]
        scores[held] = fitted_scores(make, pool, others, Documents(items[held], qids[held]))
    return scores
