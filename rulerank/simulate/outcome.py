"""The outcome of one task: what a sampler chooses against known grades, and how good rankers are along its choice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from rulerank.curves import Training
from rulerank.curves import ceiling as ceiling_scores
from rulerank.registry import samplers
from rulerank.simulate.data import FoldArrays
from rulerank.simulate.learners import all_rankers
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Tick = Callable[[], None]


@dataclass(frozen=True)
class Choice:
    """What a sampler chose: rows of the pool in order, the seconds it had taken after each, and its natural stop.

    stopped_at: after how many labels every further document was redundant to the sampler; None if that did not happen.
    """

    rows: Ints
    seconds: Floats
    stopped_at: int | None


@dataclass(frozen=True)
class Outcome:
    """The result of a task.

    labels: the points; the grid's, and the natural stop's where it lies between (see `on_grid`). used: labels really
    spent at each point, fewer where a sampler had no more to choose. values, expected: rankers by points by metrics by
    test queries, the second over ties. seconds: training and ranking up to each point, rankers by points.
    """

    choice: Choice
    labels: Ints
    used: Ints
    on_grid: npt.NDArray[np.bool_]
    values: Floats
    expected: Floats
    seconds: Floats


def choose(
    strategy: Strategy, seed: int | None, fold: FoldArrays, labels: int, beyond_stop: bool, tick: Tick = lambda: None
) -> Choice:
    """Replay a sampler on a pool whose grades are known, one label at a time."""
    started = time.perf_counter()
    sampler = strategy.make(samplers, {} if seed is None else {"seed": seed})
    sampler.start(fold.items, features=fold.features, qids=fold.qids)
    rows: list[int] = []
    seconds: list[float] = []
    stopped_at: int | None = None
    while len(rows) < labels:
        tick()
        selection = sampler.propose(beyond=stopped_at is not None)
        if selection is not None and selection.stop:
            if stopped_at is None:
                stopped_at = len(rows)
            if not beyond_stop:
                break
            selection = sampler.propose(beyond=True)
        if selection is None or selection.stop:
            break
        sampler.record(selection.row, int(fold.grades[selection.row]))
        rows.append(selection.row)
        seconds.append(time.perf_counter() - started)
    return Choice(np.array(rows, np.int64), np.array(seconds), stopped_at)


def follow(
    plan: Plan, sampler: Strategy, seed: int | None, fold: FoldArrays, grid: list[int], tick: Tick = lambda: None
) -> Outcome:
    """Run a sampler on a fold up to the grid's last point, and measure every ranker at every point."""
    with noted(sampler.key):
        choice = choose(sampler, seed, fold, grid[-1], plan.beyond_stop, tick)
    points = sorted({*grid, *([choice.stopped_at] if choice.stopped_at else [])})
    used = np.minimum(points, len(choice.rows)).astype(np.int64)
    shape = (len(plan.rankers), len(points))
    values, expected, seconds = _room(plan, fold, *shape), _room(plan, fold, *shape), np.zeros(shape)
    labels = fold.labels(choice.rows)
    evaluation = fold.evaluation(plan.convention)
    for place, strategy in enumerate(plan.rankers):
        with noted(strategy.key):
            make, step = partial(strategy.make, all_rankers), grid[-1] / len(points)
            training = Training(make, fold.documents, evaluation.documents, step=step, tick=tick)
        spent = 0.0
        for point in range(len(points)):
            tick()
            if point and used[point] == used[point - 1]:  # nothing was added, so nothing changes
                values[place, point], expected[place, point] = values[place, point - 1], expected[place, point - 1]
            else:
                started = time.perf_counter()
                with noted(f"{strategy.key} after {used[point]} labels"):
                    scores = training.after(labels[: used[point]])
                spent += time.perf_counter() - started
                values[place, point], expected[place, point] = evaluation.per_query(scores, plan.measures)
            seconds[place, point] = spent
    on_grid = np.isin(points, grid)
    return Outcome(choice, np.array(points, np.int64), used, on_grid, values, expected, seconds)


@contextmanager
def noted(who: str) -> Iterator[None]:
    """Note on whatever is raised inside who was at work."""
    try:
        yield
    except Exception as error:
        error.add_note(who)
        raise


def ceiling(plan: Plan, ranker: Strategy, fold: FoldArrays) -> Outcome:
    """Train a ranker on all labels of the pool, and measure it."""
    started = time.perf_counter()
    evaluation = fold.evaluation(plan.convention)
    scores = ceiling_scores(partial(ranker.make, all_rankers), fold.documents, fold.grades, evaluation.documents)
    seconds = time.perf_counter() - started
    values, expected = (found[None, None] for found in evaluation.per_query(scores, plan.measures))
    everything = np.array([len(fold.grades)], np.int64)
    nothing = Choice(np.zeros(0, np.int64), np.zeros(0), None)
    return Outcome(nothing, everything, everything, np.array([True]), values, expected, np.array([[seconds]]))


def _room(plan: Plan, fold: FoldArrays, *shape: int) -> Floats:
    return np.zeros((*shape, len(plan.metrics), int(np.unique(fold.test_qids).size)))
