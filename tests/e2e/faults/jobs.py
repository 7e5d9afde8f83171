"""A job for the worker to be killed over: it takes some seconds and hardly any processor."""

from __future__ import annotations

import time
from typing import Any

from db.jobs.handlers import HANDLERS
from db.store.engine import Database
from rulerank.progress import Progress

KIND = "trial_pause"
STEPS = 20


def pause(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Wait, and tell how far the waiting is."""
    for step in range(STEPS):
        progress(step, STEPS, "waiting")
        time.sleep(float(arguments["seconds"]) / STEPS)
    return {"waited": arguments["seconds"]}


def register() -> None:
    """Let the workers of the trial do this job."""
    HANDLERS[KIND] = pause
