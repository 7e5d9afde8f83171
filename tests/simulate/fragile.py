"""A learner and a sampler that do what a file says: raise, abort, or be killed, each at one task of a small plan.

Importing it registers them; tests import it in every process (see `fragile` in test_simulate_failures.py).
"""

from __future__ import annotations

import os
from pathlib import Path

from rulerank.registry import samplers
from rulerank.sampling import Random
from rulerank.simulate.learners.base import Learner, learners

SMALLEST = 84
"""Documents in the pool of fold 1 of ten queries of fourteen documents: only its ceiling learns from so many."""


def misbehave(who: str) -> None:
    """Do what the file says of a strategy, and note that it was tried."""
    told = Path(os.environ["FRAGILE"])
    words = dict(line.split() for line in told.read_text().splitlines()) if told.exists() else {}
    if who not in words:
        return
    with told.with_suffix(".tries").open("a") as tries:
        tries.write(f"{who}\n")
    word = words[who]
    if word == "abort" or (word == "abort-once" and told.with_suffix(".tries").read_text().count(who) == 1):
        os.abort()
    if word == "kill":
        os.kill(os.getpid(), 9)
    if word == "raise":
        raise KeyError("best_split_info.left_count > 0")


@learners.register("fragile", "Fragile")
class FragileLearner(Learner):
    """Ranks by the first feature; on the one largest task it misbehaves."""

    def _learn(self, features, grades, queries):
        if len(grades) == SMALLEST:
            misbehave("learner")

    def _score(self, features):
        return features[:, 0]


@samplers.register("fragile", "Fragile")
class FragileSampler(Random):
    """Random, but with seed 1 it misbehaves."""

    def _begin(self):
        if self.seed == 1:
            misbehave("sampler")
        super()._begin()
