"""Random replays: what labelling in a random order gives; and the ceiling: what all labels of the pool give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rulerank.curves.evaluation import Evaluation, Values
from rulerank.curves.learning_curve import Point, curve
from rulerank.curves.training import Documents, Floats, Make, predicted
from rulerank.rules.items import Ints
from rulerank.statistics import t_quantile


@dataclass(frozen=True)
class Band:
    """Mean of random replays after so many labels, and the interval that holds 95% of the runs, for each metric.

    margin: half the width of the mean's own 95% interval (Student), which is what a second set of runs may differ by.
    """

    labels: int
    mean: Values
    low: Values
    high: Values
    margin: Values = field(default_factory=dict)


def random_band(
    make: Make,
    pool: Documents,
    known: Ints,
    evaluation: Evaluation,
    at: Sequence[int],
    *,
    runs: int = 20,
    seed: int = 0,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> list[Band]:
    """Return the band of `runs` random labelling orders of a pool whose grades are known, at each of these points."""
    rng = np.random.default_rng(seed)
    wanted = sorted(labels for labels in at if labels <= len(known))
    found: list[list[Point]] = []
    for run in range(runs if wanted else 0):
        order = rng.permutation(len(known))[: wanted[-1]]
        labels = list(zip(order.tolist(), known[order].tolist(), strict=True))
        found.append(curve(make, pool, labels, evaluation, at=wanted))
        done(run + 1, runs)
    bands = []
    for place, count in enumerate(wanted):
        values = [run[place].values for run in found if run[place].values]
        if not values:
            continue
        table = np.array([list(value.values()) for value in values])
        low, high = np.quantile(table, (0.025, 0.975), axis=0)
        edges = [table.mean(axis=0), low, high]
        if len(table) > 1:
            edges.append(t_quantile(len(table) - 1) * table.std(axis=0, ddof=1) / np.sqrt(len(table)))
        each = (dict(zip(values[0], row.tolist(), strict=True)) for row in edges)
        bands.append(Band(count, *each))
    return bands


def ceiling(make: Make, pool: Documents, known: Ints, test: Documents) -> Floats:
    """Return the scores of documents by a ranker that learnt from the whole pool: what all labels would give.

    >>> from rulerank.ranking import LRAR
    >>> pool = Documents(np.array([[0, 1], [1, 1], [0, 0]], np.uint8))
    >>> ceiling(LRAR, pool, np.array([2, 0, 2]), Documents(np.array([[0, 1], [1, 0]], np.uint8))).round(3).tolist()
    [1.25, 1.0]
    """
    ranker = make()
    ranker.fit(pool.seen_by(ranker), known, pool.qids)
    return predicted(ranker, test)
