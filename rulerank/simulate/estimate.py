"""How much work a simulation is: how many runs and trainings, and about how long they take here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulerank.simulate.plan import Plan
from rulerank.threads import workers

SAMPLERS = {
    "committee": 0.26,
    "cover": 0.07,
    "elo_dcg": 0.65,
    "fewest_occurrences": 0.007,
    "k_center": 0.014,
    "query_random": 0.003,
    "random": 0.001,
    "ssar": 0.024,
    "ssarp": 0.033,
    "top_feature": 0.004,
    "uncertainty": 0.085,
}
"""Seconds of a core a label, for a million document-features of the pool; measured on OHSUMED."""

RANKERS = {
    "eager_rules": 0.25,
    "lambda_mart": 1.1,
    "lrar": 0.2,
    "lrar_items": 0.02,
    "query_level_rules": 4.0,
    "rank_svm": 1.1,
    "ridge": 0.8,
    "smooth_items": 0.08,
    "stable_rules": 0.35,
    "weighted_items": 0.08,
}
"""The same, a point of the learning curve."""

FULL = {"lambda_mart": 10.0, "rank_svm": 80.0}
"""The same, trained once on all labels, where that is much more than OTHER."""

UNKNOWN_SAMPLER, UNKNOWN_RANKER, OTHER = 0.1, 1.0, 3.0
START = 6.0
"""Seconds until the first run begins: processes start, features are cut into bins."""


@dataclass(frozen=True)
class Work:
    """The work of a plan: runs of samplers, trainings along them, and about how many seconds that is."""

    runs: int
    points: int
    trainings: int
    labels: int
    seconds: float

    @property
    def time(self) -> str:
        """The time in words; it is no more than an estimate."""
        if self.seconds < 45:
            return "less than a minute"
        minutes = self.seconds / 60
        if minutes < 55:
            number = max(1, round(minutes))
            return f"about {number} minute{'' if number == 1 else 's'}"
        hours = minutes / 60
        return "about an hour" if hours < 1.5 else f"about {round(hours):,d} hours"


def estimate(plan: Plan, documents: int, features: int, rates: Mapping[str, Mapping[str, float]] | None = None) -> Work:
    """Return the work of a plan on a collection of so many graded documents.

    rates: what samplers and rankers took in an earlier simulation on this machine (a job's result), where there is one.
    """
    pool = pool_of(documents, plan.folds)
    labels = plan.labels([pool])
    points = len(plan.grid(labels))
    runs = {sampler.key: plan.folds * len(plan.seeds_of(sampler)) for sampler in plan.samplers}
    size = pool * features / 1e6
    seen = rates or {}
    train = sum(
        _rate(seen.get("rankers"), ranker.key, RANKERS.get(ranker.name, UNKNOWN_RANKER)) for ranker in plan.rankers
    )
    seconds = plan.folds * size * sum(FULL.get(ranker.name, OTHER) for ranker in plan.rankers)
    for sampler in plan.samplers:
        choose = _rate(seen.get("samplers"), sampler.key, SAMPLERS.get(sampler.name, UNKNOWN_SAMPLER))
        seconds += runs[sampler.key] * size * (labels * choose + points * train)
    total = sum(runs.values())
    trainings = total * points * len(plan.rankers)
    return Work(total, points, trainings, labels, START + seconds / max(1, workers()))


def pool_of(documents: int, folds: int) -> int:
    """Return how many documents the pool of a fold has, on average."""
    return max(1, documents * (folds - 1) // folds)


def smallest_pool(sizes: Sequence[int], folds: int) -> int:
    """Return how many documents every pool has at least, however the queries (of these sizes) are dealt to folds."""
    tested = math.ceil(len(sizes) / folds)
    return sum(sorted(sizes)[: len(sizes) - tested])


def _rate(seen: Mapping[str, Any] | None, key: str, otherwise: float) -> float:
    found = (seen or {}).get(key)
    return float(found) if isinstance(found, int | float) and found > 0 else otherwise
