"""Try a plan's strategies on a few made-up documents, so that a parameter that cannot work is told before the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rulerank.errors import InputError, RulerankError
from rulerank.registry import rankers, samplers
from rulerank.simulate.learners import all_rankers, learners
from rulerank.simulate.learners.base import missing_package, need
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy

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
        strategy.make(samplers, **seed).run(items, grades, features=values, qids=qids, budget=ROUNDS)

    def rank(strategy: Strategy) -> None:
        known = values if strategy.name in learners else items
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
