"""The plan of a simulation: what is compared, how far and how it is measured; and a rehearsal on made-up documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from rulerank.errors import InputError, RulerankError
from rulerank.metrics.conventions import conventions
from rulerank.metrics.measure import Measure
from rulerank.ranking import RECOMMENDED
from rulerank.registry import discretizers, rankers, samplers
from rulerank.sampling.base import RECOMMENDED as SAMPLER
from rulerank.simulate.learners import all_rankers, learners
from rulerank.simulate.learners.base import missing_package, need
from rulerank.strategy import MOST_SEEDS, Strategy, with_new_spelling

GEOMETRIC = "geometric"
FIRST, GROWTH = 10, 1.25
"""The geometric grid: 10 labels first, then each point at least a quarter more than the one before."""

DISCRETIZER = Strategy("tube")
SAMPLERS = (Strategy(SAMPLER), Strategy("ssar"), Strategy("random"))
"""What is compared unless something else is asked for."""


@dataclass(frozen=True)
class Plan:
    """What a simulation does.

    samplers, rankers: what is compared; every ranker learns from every sampler's selections. Names or `Strategy`s.
    discretizer: makes the items, from the pool's features alone.
    seeds: samplers that draw at random run this often, with the seeds 0, 1, ...; the others run once.
    folds: into how many parts a single collection is cut, query by query (folds that a folder brings stay as they are).
    split_seed: of the dealing of queries to those parts.
    budget: labels (2 or more) or a share of the pool (below 1, or exactly 1.0).
    every: measure after so many labels; or "geometric": 10 labels, then each point a quarter more.
    metrics, convention: what is measured, by whose rules.
    beyond_stop: whether samplers go on after their natural stop, so that all are compared at the same budget. The stop
        is noted and measured in any case.

    >>> plan = Plan(samplers=("ssar", "random:seeds=5"), budget=0.05, every=25)
    >>> plan.labels([1000, 1200]), plan.grid(60)
    (50, [25, 50, 60])
    >>> Plan.from_dict(plan.to_dict()) == plan
    True
    """

    samplers: tuple[Strategy, ...] = SAMPLERS
    rankers: tuple[Strategy, ...] = (Strategy(RECOMMENDED),)
    discretizer: Strategy = DISCRETIZER
    seeds: int = 20
    folds: int = 5
    split_seed: int = 0
    budget: float = 0.05
    every: int | Literal["geometric"] = 25
    metrics: tuple[str, ...] = ("map", "ndcg@10", "precision@10")
    convention: str = "letor"
    beyond_stop: bool = True

    def __post_init__(self) -> None:
        put = self.__dict__.__setitem__
        put("samplers", _strategies("samplers", self.samplers))
        put("rankers", _strategies("rankers", self.rankers))
        put("discretizer", Strategy.from_dict(self.discretizer))
        for sampler in self.samplers:
            sampler.check(samplers)
            if sampler.seeds is not None and not sampler.is_seeded(samplers):
                raise InputError(f"{sampler.key} does not draw at random (or its seed is given), so it has no seeds")
        for ranker in self.rankers:
            ranker.check(all_rankers)
            if ranker.seeds is not None:
                raise InputError(f"{ranker.key}: only samplers are repeated with seeds")
        cutter = discretizers[self.discretizer.name]
        if cutter.needs_grades:
            name = cutter.label.partition(" (")[0]
            raise InputError(f"{name} learns from grades, which are not known before they are labelled; choose another")
        self.discretizer.check(discretizers)
        if not isinstance(self.convention, str):
            raise InputError(f"convention must be a name, such as letor, not {self.convention!r}")
        conventions[self.convention]  # raises with a hint where the name is unknown
        _whole("seeds", self.seeds, 1, MOST_SEEDS)
        _whole("folds", self.folds, 2, 1000)
        _whole("split_seed", self.split_seed, 0, 2**63 - 1)
        if self.every != GEOMETRIC:
            _whole("every", self.every, 1, 10**9)
        put("budget", _budget(self.budget))
        if isinstance(self.metrics, str) or not isinstance(self.metrics, Sequence) or not self.metrics:
            raise InputError("choose at least one metric, as a list of names such as map and ndcg@10")
        put("metrics", tuple(dict.fromkeys(Measure.parse(name).name for name in self.metrics)))
        if not isinstance(self.beyond_stop, bool):
            raise InputError(f"beyond_stop must be true or false, not {self.beyond_stop!r}")

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The metrics, taken apart."""
        return tuple(Measure.parse(name, convention=self.convention) for name in self.metrics)

    def labels(self, pools: Iterable[int]) -> int:
        """Return the budget in labels, the same for every fold: a share counts in the smallest pool, rounded down."""
        smallest = min(pools)
        wanted = int(self.budget * smallest + 1e-9) if self.budget <= 1 else int(self.budget)
        if wanted < 1:
            raise InputError(f"a budget of {self.budget:.2%} of {smallest} documents is less than one label; raise it")
        return min(wanted, smallest)

    def grid(self, labels: int) -> list[int]:
        """Return after how many labels to measure, up to and including `labels`."""
        if self.every != GEOMETRIC:
            return [*range(int(self.every), labels, int(self.every)), labels]
        points, point = [], FIRST
        while point < labels:
            points.append(point)
            point = max(point + 1, int(point * GROWTH + 0.5))
        return [*points, labels]

    def seeds_of(self, sampler: Strategy) -> list[int | None]:
        """Return the seeds that a sampler is run with; [None] for one that does not draw at random."""
        if not sampler.is_seeded(samplers):
            return [None]
        return list(range(sampler.seeds or self.seeds))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        saved = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **saved,
            "samplers": [strategy.to_dict() for strategy in self.samplers],
            "rankers": [strategy.to_dict() for strategy in self.rankers],
            "discretizer": self.discretizer.to_dict(),
            "metrics": list(self.metrics),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Rebuild what `to_dict` returned, or what somebody wrote by hand: strategies may be plain names."""
        if not isinstance(saved, Mapping):
            raise InputError(f"a plan is a set of named settings, not {type(saved).__name__}")
        saved = with_new_spelling(saved)
        known = [each.name for each in fields(cls)]
        unknown = sorted(set(saved) - set(known))
        if unknown:
            raise InputError(f"a plan has no setting {', '.join(unknown)}; it has: {', '.join(known)}")
        return cls(**saved)


def _strategies(what: str, given: Any) -> tuple[Strategy, ...]:
    """Return strategies given as such, by name, or as saved; each only once."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"{what} must be a list")
    read = tuple(Strategy.from_dict(each) for each in given)
    if not read:
        raise InputError(f"choose at least one of the {what}")
    keys = [strategy.key for strategy in read]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        raise InputError(f"{what}: {twice} is there twice; give the second one other parameters, or leave it out")
    return read


def _whole(name: str, value: Any, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise InputError(f"{name} must be a whole number in {low} to {high}, not {value!r}")


def _budget(value: Any) -> float:
    """Return the budget: a share (a float up to 1.0) as a float, a number of labels as an int."""
    rule = "budget must be a share of the pool (above 0, at most 1.0) or a whole number of labels"
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise InputError(f"{rule}, not {value!r}")
    if isinstance(value, int) or (value > 1 and value.is_integer()):
        if value == 1:
            raise InputError(f"{rule}; 1 could mean either: write 1.0 for the whole pool, or 2 labels or more")
        return int(value)
    if value > 1:
        raise InputError(f"{rule}, not {value!r}")
    return float(value)


def usual_baseline(keys: Iterable[str]) -> str | None:
    """Return the first of these samplers, given by key, that is there to be compared with; None if none is.

    >>> usual_baseline(["ssar", "random", "ssarp"])
    'random'
    """
    names = {key: Strategy.parse(key).name for key in keys}
    # What a stored result names may be a sampler of a package that is no longer there.
    return next((key for key, name in names.items() if name in samplers and samplers[name].is_baseline), None)


QUERIES, DOCUMENTS = 6, 4
ROUNDS = 12
"""Labels that a sampler is given: more than the random ones that some begin with."""


def rehearse(plan: Plan, features: int, *, learn: bool = True) -> None:
    """Raise an InputError that names the strategy if one of the plan's cannot work; `features`: the collection's.

    Only strategies with parameters are tried: the others are known to work. learn: whether learners, whose packages
    take seconds to load, are tried too; that their packages are installed is looked at in any case.
    """
    rows = QUERIES * DOCUMENTS
    rng = np.random.default_rng(0)
    items = rng.integers(0, 3, (rows, features)).astype(np.uint8)
    qids = np.repeat(np.arange(QUERIES), DOCUMENTS)
    grades = np.tile(np.arange(DOCUMENTS) % 3, QUERIES).astype(np.int64)
    values = rng.random((rows, features))

    def select(strategy: Strategy) -> None:
        seed = {"seed": 0} if strategy.is_seeded(samplers) else {}
        strategy.make(samplers, seed).run(items, grades, features=values, qids=qids, budget=ROUNDS)

    def rank(strategy: Strategy) -> None:
        known = values if all_rankers[strategy.name].on_features else items
        strategy.make(all_rankers).fit(known, grades, qids).predict(known)

    for sampler in plan.samplers:
        _try(sampler, select)
    for ranker in plan.rankers:
        if ranker.name in learners and missing_package(ranker.name):
            need(missing_package(ranker.name), learners[ranker.name].label)
        if learn or ranker.name in rankers:
            _try(ranker, rank)


def _try(strategy: Strategy, do: Callable[[Strategy], Any]) -> None:
    if not strategy.params:
        return
    try:
        do(strategy)
    except RulerankError as error:
        raise InputError(f"{strategy.key}: {error}") from error
    except Exception as error:  # whatever a library says of a value that it cannot use
        raise InputError(f"{strategy.key} does not work; check its parameters ({error})") from error
