"""Rankers that learn along a sequence of labels: after each stretch of it they rank the documents to measure on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.rules.items import Ints, Items

Floats = npt.NDArray[np.float64]
Label = tuple[int, int]
"""A row of the pool, and its grade."""

Make = Callable[[], Any]
"""Returns a new ranker: one on rules (`RuleRanker`), or a learner on feature values."""

SHORT_STEP = 6
"""Up to so many labels between two points, scores kept up to date label by label are sooner had than mined anew."""

BACKLOG = 200
"""Labels that a ranker learns one by one; with more to learn, all at once is sooner done, and gives the same."""


@dataclass(frozen=True)
class Documents:
    """Documents as rankers see them.

    items: for rankers on rules. qids: the query of each; None where their numbers mean nothing to a ranker that learnt
    from other documents. values: for learners, feature values scaled within each query.

    >>> pool = Documents(np.array([[0, 1], [1, 1]], np.uint8), np.array([7, 8]))
    >>> pool.queries([1])
    [8]
    """

    items: Items
    qids: Ints | None = None
    values: Floats | None = None

    def seen_by(self, ranker: Any) -> Any:
        """Return what a ranker learns from and ranks by: items, or feature values."""
        return self.values if ranker.on_features else self.items

    def queries(self, rows: Any) -> list[int]:
        """Return the queries of some rows; all the same where they have none."""
        return [0] * len(rows) if self.qids is None else self.qids[rows].tolist()


class Training:
    """One ranker on its way along a sequence of labels, which may grow, change and shrink.

    A ranker that can (`incremental`) learns and forgets label by label, which gives to the last bit what learning anew
    does; the others learn anew each time. `step`: about how many labels lie between two points.

    >>> from rulerank.ranking import LRAR
    >>> pool = Documents(np.array([[0, 1], [1, 1], [0, 0]], np.uint8))
    >>> training = Training(LRAR, pool, Documents(np.array([[0, 1], [1, 0]], np.uint8)))
    >>> training.after([(0, 2)]).tolist()
    [2.0, 2.0]
    >>> training.after([(0, 2), (1, 0)]).round(3).tolist()
    [1.25, 0.0]
    >>> training.after([(0, 2)]).tolist()
    [2.0, 2.0]
    """

    def __init__(
        self, make: Make, pool: Documents, test: Documents, *, step: float = 1.0, tick: Callable[[], None] | None = None
    ) -> None:
        """`tick` is called for each label that is learnt by itself, and may raise to stop."""
        self._model = make()
        self._pool = pool
        self._test = test
        self._tick = tick or (lambda: None)
        self._close = step <= SHORT_STEP
        self._learnt: list[Label] | None = None

    @property
    def incremental(self) -> bool:
        """Whether the ranker learns and forgets label by label at little cost."""
        return bool(self._model.incremental)

    def distance(self, labels: Sequence[Label]) -> int:
        """Return how many labels there are to forget and to learn on the way to these."""
        learnt = self._learnt or []
        return len(learnt) + len(labels) - 2 * common(learnt, labels)

    def after(self, labels: Sequence[Label]) -> Floats:
        """Return the scores of the documents to measure on, after learning exactly these labels."""
        if not self.incremental or self._learnt is None or self.distance(labels) > BACKLOG:
            if self._learnt is None and self.incremental and self._close:
                self._model.watch(self._test.items)
            self._learnt = None
            fit(self._model, self._pool, labels)
            self._learnt = list(labels)
        else:
            self._move(self._learnt, labels)
        return predicted(self._model, self._test)

    def _move(self, learnt: list[Label], labels: Sequence[Label]) -> None:
        """Forget what is too much, the last label first, and learn what is missing."""
        same = common(learnt, labels)
        while len(learnt) > same:
            self._model.forget(*self._one(learnt[-1]))
            learnt.pop()
        for label in labels[same:]:
            self._model.partial_fit(*self._one(label))
            learnt.append(label)
            self._tick()

    def _one(self, label: Label) -> tuple[Items, int, int]:
        row, grade = label
        return self._pool.items[row], int(grade), self._pool.queries([row])[0]


def common(first: Sequence[Label], second: Sequence[Label]) -> int:
    """Return how many labels at the beginning of two sequences are the same."""
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)


def fit(ranker: Any, pool: Documents, labels: Sequence[Label]) -> None:
    """Make a ranker learn exactly these labels."""
    rows = np.array([row for row, _ in labels], np.int64)
    grades = np.array([grade for _, grade in labels], np.int64)
    ranker.fit(pool.seen_by(ranker)[rows], grades, pool.queries(rows))


def predicted(ranker: Any, test: Documents) -> Floats:
    """Return the scores that a ranker gives documents; one on rules is also given their queries."""
    if ranker.on_features or test.qids is None:
        return np.asarray(ranker.predict(test.seen_by(ranker)), np.float64)
    return np.asarray(ranker.predict(test.items, test.qids), np.float64)


def fitted_scores(make: Make, pool: Documents, labels: Sequence[Label], test: Documents) -> Floats:
    """Return the scores of documents by a new ranker that learnt these labels at once."""
    ranker = make()
    fit(ranker, pool, labels)
    return predicted(ranker, test)
