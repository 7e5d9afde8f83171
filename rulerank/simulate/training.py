"""Rankers that learn along a selection: after each stretch of labels they rank the test part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rulerank.ranking.base import RuleRanker
from rulerank.registry import rankers
from rulerank.simulate.learners import all_rankers
from rulerank.simulate.prepared import Prepared
from rulerank.strategy import Strategy

Floats = npt.NDArray[np.float64]
Tick = Callable[[], None]

SHORT_STEP = 6
"""Up to so many labels between two points, scores kept up to date label by label are sooner had than mined anew."""


class Trainee(Protocol):
    """A ranker on its way along one selection."""

    def after(self, rows: Sequence[int]) -> Floats:
        """Return the test part's scores after learning these rows; they begin with those of the call before."""


class RuleTrainee:
    """An associative ranker: it learns label by label, which gives to the last bit what learning anew does.

    LRAR also keeps the scores of the test part up to date with each label, where points are close together.
    """

    def __init__(self, strategy: Strategy, fold: Prepared, step: float, tick: Tick) -> None:
        self._fold = fold
        self._tick = tick
        self._model: RuleRanker = strategy.make(all_rankers)
        watch = getattr(self._model, "watch", None)
        if watch is not None and step <= SHORT_STEP:
            watch(fold.test_items)
        self._model.fit(fold.items[:0], [])
        self._known = 0

    def after(self, rows: Sequence[int]) -> Floats:
        """Learn the rows that are new, and rank the test part."""
        fold = self._fold
        for row in rows[self._known :]:
            self._model.partial_fit(fold.items[row], int(fold.grades[row]), int(fold.qids[row]))
            self._tick()
        self._known = len(rows)
        return self._model.predict(fold.test_items)


class LearnerTrainee:
    """A learner on feature values: it learns anew each time."""

    def __init__(self, strategy: Strategy, fold: Prepared) -> None:
        self._fold = fold
        self._model: Any = strategy.make(all_rankers)

    def after(self, rows: Sequence[int]) -> Floats:
        """Learn the rows, and rank the test part."""
        fold, chosen = self._fold, np.asarray(rows, np.int64)
        self._model.fit(fold.scaled[chosen], fold.grades[chosen], fold.qids[chosen])
        return np.asarray(self._model.predict(fold.test_scaled), np.float64)


def trainee(strategy: Strategy, fold: Prepared, step: float, tick: Tick = lambda: None) -> Trainee:
    """Return a ranker that is to learn along a selection with about `step` labels between two points."""
    if strategy.name in rankers:
        return RuleTrainee(strategy, fold, step, tick)
    return LearnerTrainee(strategy, fold)


def full_scores(strategy: Strategy, fold: Prepared) -> Floats:
    """Return the test part's scores of a ranker that learnt from the whole pool: what all labels would buy."""
    model = strategy.make(all_rankers)
    if strategy.name in rankers:
        model.fit(fold.items, fold.grades, fold.qids)
        return np.asarray(model.predict(fold.test_items), np.float64)
    model.fit(fold.scaled, fold.grades, fold.qids)
    return np.asarray(model.predict(fold.test_scaled), np.float64)
