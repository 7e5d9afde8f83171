"""Samplers side by side on a campaign whose grades are known: what each asks for, label by label, and what it buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from rulerank.campaign.curves import Done
from rulerank.campaign.opened import OpenCampaign
from rulerank.curves import Training
from rulerank.errors import InputError
from rulerank.metrics import Measure
from rulerank.ranking import RECOMMENDED as RANKER
from rulerank.registry import samplers
from rulerank.sampling import RECOMMENDED
from rulerank.statistics import first_reached
from rulerank.strategy import Strategy

SAMPLERS = tuple(dict.fromkeys(("ssar", RECOMMENDED, "random")))
LABELS = 60
RUNS = 20
FORMAT = 1
"""Of what is kept; another number makes it unknown."""


@dataclass(frozen=True)
class Replayed:
    """One sampler's replays: the metric after each label, and one run's documents with their grades.

    mean, low, high: over the runs, and the interval that holds 95% of them; None where the metric is not defined.
    rows, grades: what the run asked for that has this campaign's own seed; a sampler without chance has one run.
    """

    sampler: str
    runs: int
    mean: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    rows: tuple[int, ...]
    grades: tuple[int, ...]


@dataclass(frozen=True)
class SideBySide:
    """Several samplers on the same pool, each followed for the same number of labels.

    >>> from rulerank.campaign import MemoryLog, OpenCampaign, Settings
    >>> from rulerank.campaign.opened import set_up
    >>> from rulerank.synthetic import planted_collection
    >>> collection, settings = planted_collection(queries=6, documents=12, features=6), Settings(grades_known=True)
    >>> made = set_up(collection, settings, evaluation_rows=range(48, 72))
    >>> opened = OpenCampaign(1, "planted", settings, 1, collection, made, MemoryLog())
    >>> shown = side_by_side(opened, ("ssar", "random"), labels=8, runs=3)
    >>> [(each.sampler, each.runs, len(each.rows)) for each in shown.samplers]
    [('ssar', 1, 8), ('random', 3, 8)]
    >>> SideBySide.from_dict(shown.to_dict()) == shown
    True
    """

    ranker: str
    measure: str
    samplers: tuple[Replayed, ...]

    @property
    def labels(self) -> int:
        """How many labels were followed."""
        return max((len(each.mean) for each in self.samplers), default=0)

    @property
    def baseline(self) -> Replayed | None:
        """Chance, which the others are compared with."""
        return next((each for each in self.samplers if samplers[Strategy.parse(each.sampler).name].is_baseline), None)

    def caught_up(self) -> dict[str, int | None]:
        """Return after how many labels each other sampler has, and keeps, what chance has in the end, on average.

        None: not within these labels. Empty where chance is not among them, or the metric is not defined.
        """
        chance = self.baseline
        if chance is None or not chance.mean or chance.mean[-1] is None:
            return {}
        found: dict[str, int | None] = {}
        for each in self.samplers:
            if each is not chance:
                values = [np.nan if value is None else value for value in each.mean]
                found[each.sampler] = first_reached(range(1, len(values) + 1), values, chance.mean[-1])[1]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON types."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self | None:
        """Rebuild what `to_dict` returned; None for what another version kept."""
        if saved.get("format") != FORMAT:
            return None
        lists = ("mean", "low", "high", "rows", "grades")
        each = [Replayed(**{**one, **{name: tuple(one[name]) for name in lists}}) for one in saved["samplers"]]
        return cls(saved["ranker"], saved["measure"], tuple(each))


def why_not(opened: OpenCampaign) -> str | None:
    """Return in a sentence why samplers cannot be replayed on a campaign; None where they can."""
    if opened.known_grades is None:
        return "A replay needs grades of the whole pool. Those of this campaign are not known beforehand."
    if opened.evaluation is None:
        return "A replay needs an evaluation set to measure on, which this campaign does not have."
    return None


def side_by_side(
    opened: OpenCampaign,
    wanted: Sequence[str] = SAMPLERS,
    *,
    ranker: str = RANKER,
    measure: str = "map",
    labels: int = LABELS,
    runs: int = RUNS,
    done: Done = lambda done, total: None,
) -> SideBySide:
    """Replay samplers (by their strategies' keys) with the known grades; those with a seed run with 0, 1, ...

    All go on past a natural stop, so that they are compared at the same number of labels.
    """
    problem = why_not(opened)
    if problem is not None:
        raise InputError(problem)
    strategies = [Strategy.parse(key).check(samplers) for key in wanted]
    seeded = [strategy.is_seeded(samplers) for strategy in strategies]
    total, finished = sum(runs if each else 1 for each in seeded), 0
    found = []
    for strategy, by_chance in zip(strategies, seeded, strict=True):
        order = partial(_order, opened, strategy, min(labels, len(opened.items)))
        curves = []
        for seed in range(runs) if by_chance else (None,):
            curves.append(_curve(opened, ranker, measure, order(seed)))
            finished += 1
            done(finished, total)
        rows = order(opened.settings.seed if by_chance else None)
        grades = tuple(_known(opened)[rows].tolist())
        mean, low, high = _spread(curves)
        found.append(Replayed(strategy.key, len(curves), mean, low, high, tuple(rows), grades))
    return SideBySide(ranker, measure, tuple(found))


def _known(opened: OpenCampaign) -> np.ndarray:
    assert opened.known_grades is not None
    return opened.known_grades


def _order(opened: OpenCampaign, strategy: Strategy, labels: int, seed: int | None) -> list[int]:
    sampler = strategy.make(samplers, {} if seed is None else {"seed": seed})
    features = opened.collection.features[opened.pool_rows]
    run: Callable[..., Any] = sampler.run
    return list(
        run(opened.items, _known(opened), features=features, qids=opened.query_index, budget=labels, beyond=True).order
    )


def _curve(opened: OpenCampaign, ranker: str, measure: str, rows: list[int]) -> list[float]:
    """Return the metric after each label; not a number where it is not defined."""
    evaluation = opened.evaluation
    assert evaluation is not None
    if evaluation.queries_without_relevant == evaluation.queries:
        return [np.nan] * len(rows)
    given = list(zip(rows, _known(opened)[rows].tolist(), strict=True))
    training = Training(partial(opened.ranker, ranker), opened.documents, evaluation.documents)
    asked = [Measure.parse(measure)]
    return [float(evaluation.per_query(training.after(given[: n + 1]), asked)[0].mean()) for n in range(len(given))]


def _spread(curves: Sequence[Sequence[float]]) -> tuple[tuple[float | None, ...], ...]:
    """Return the mean of curves and the interval that holds 95% of them, point by point."""
    table = np.array(curves, np.float64)
    edges = (table.mean(axis=0), *np.quantile(table, (0.025, 0.975), axis=0))
    return tuple(tuple(float(value) if np.isfinite(value) else None for value in edge) for edge in edges)
