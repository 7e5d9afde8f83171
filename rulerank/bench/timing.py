"""How the benchmarks measure: calls that are compared take turns, and medians are divided."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Result:
    """One line of the report: what was measured, what came out, and the goal.

    value is what the goal speaks of, and good says whether it was met (None: there is no goal).
    """

    group: str
    what: str
    value: str
    goal: str
    good: bool | None


def turns(*calls: Callable[[], object], rounds: int = 15, pause: float = 0.0) -> list[float]:
    """Return the median seconds of each call; the calls take turns, so that a noisy moment hits all of them.

    `pause` seconds go by before each call: the threads of some libraries spin for a while after their work is done.
    """
    for call in calls:
        call()  # compile and warm up
    seconds = np.empty((rounds, len(calls)))
    for turn in range(rounds):
        for place, call in enumerate(calls):
            time.sleep(pause)
            start = time.perf_counter()
            call()
            seconds[turn, place] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds, axis=0)]
