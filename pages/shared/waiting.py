"""Waiting for the background worker: how far it is, or what keeps it from its work. One way on every page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamlit.delta_generator import DeltaGenerator

from pages import context
from pages.shared.markdown import plain

if TYPE_CHECKING:
    from db.jobs.queue import Job

PATIENCE = 6.0
"""Seconds that a job may wait while no worker is at work: a worker looks twice a second."""

NO_WORKER = "No background worker takes this up. Start the app with `python3 run.py`, which starts the workers too."


def worker_is_away(job: Job) -> bool:
    """Say whether a job has waited for long although no other is being done: then nobody takes it up."""
    # One that was taken up again has waited since then only: a lease in the past says when.
    waited = time.time() - max(job.created_at, job.lease_until or 0.0)
    # A clock that was set back makes it look as if the job were asked for in times to come.
    if job.state != "waiting" or -PATIENCE < waited < PATIENCE:
        return False
    now = time.time()
    return not any(other.held(now) for other in context.workspace().jobs.list(states=("running",), limit=20))


def trouble(job: Job | None = None) -> str | None:
    """Return in a sentence, as Markdown, what keeps the worker from its work (from this job); None if nothing does."""
    told = context.workspace().worker_problem()
    if told is not None:
        return plain(told)
    if job is None or job.over:
        return None
    if worker_is_away(job):
        return NO_WORKER
    if job.state == "running" and not job.held(time.time()):
        return "The worker that did this has not been heard of for a while; another one will take it up."
    return None


def show_progress(place: DeltaGenerator, job: Job, share: float, words: str) -> None:
    """Show a job's progress in a place; instead of a bar that would stand still, what keeps the worker from it."""
    told = trouble(job)
    if told is None:
        place.progress(share, text=words)
    elif job.held(time.time()):  # another worker does it, or the same one again
        place.progress(share, text=words)
        place.caption(told)
    else:
        place.warning(told, icon=":material/warning:")
