"""How much the tests try: everything if RULERANK_THOROUGH is 1, as in CI; otherwise a quarter of the examples.

Fewer examples are for whoever waits for the result; every property is checked either way. So is every screen, though
not every way through it: a `thorough_only` test takes long, and others that run every day touch the same code.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

VARIABLE = "RULERANK_THOROUGH"
THOROUGH = os.environ.get(VARIABLE, "") == "1"
LEAST = 5
thorough_only = pytest.mark.skipif(not THOROUGH, reason=f"takes long; set {VARIABLE}=1")
SQLITE_FIRST = ["sqlite", pytest.param("postgresql", marks=thorough_only)]
"""Values for `backend` where processes are started and killed, and the database has little part in it."""


def tries(number: int) -> int:
    """Return how often to try in this run what a thorough run tries `number` times."""
    return number if THOROUGH else min(number, max(LEAST, number // 4))


def examples(number: int, **other: Any) -> settings:
    """Return Hypothesis's settings for a property that a thorough run tries on `number` examples."""
    return settings(max_examples=tries(number), **other)


def load_profile() -> None:
    """Set what holds for every property that does not choose otherwise."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    settings.register_profile("rulerank", deadline=None, max_examples=tries(60), suppress_health_check=slow)
    settings.load_profile("rulerank")
