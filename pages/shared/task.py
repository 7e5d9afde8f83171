"""Work that a person waits for: in a thread beside the page or by the worker, with a progress bar and a way to cancel.

Threads do compressing, parsing and packing, which leave the interpreter free for other people's pages.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import context
from pages.shared.layout import plain, with_actions
from rulerank.errors import RulerankError
from rulerank.progress import Progress

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
    problem = context.workspace().worker_problem()
    if problem is not None:
        return plain(problem)
    if job is None or job.over:
        return None
    if worker_is_away(job):
        return NO_WORKER
    if job.state == "running" and not job.held(time.time()):
        return "The worker that did this has not been heard of for a while; another one will take it up."
    return None


def show_progress(place: DeltaGenerator, job: Job, share: float, words: str) -> None:
    """Show a job's progress in a place; instead of a bar that would stand still, what keeps the worker from it."""
    problem = trouble(job)
    if problem is None:
        place.progress(share, text=words)
    elif job.held(time.time()):  # another worker does it, or the same one again
        place.progress(share, text=words)
        place.caption(problem)
    else:
        place.warning(problem, icon=":material/warning:")


T = TypeVar("T")

QUICK = 0.7
"""Seconds that a page waits before it shows a progress bar: small files are read by then."""

LOOK_SECONDS = 0.05
"""Between two looks at a job."""

_log = logging.getLogger("rulerank")


class CancelledError(RulerankError):
    """Somebody pressed Cancel; whatever was begun is undone."""


class BackgroundTask(Generic[T]):
    """A function that runs in a thread: `work(progress)`, where progress raises once the task is cancelled."""

    def __init__(self, work: Callable[[Progress], T], words: str) -> None:
        self.words = words
        self.result: T | None = None
        self.error: RulerankError | None = None
        self.share: float | None = None
        self._work = work
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rulerank-task", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread.is_alive()

    @property
    def cancelled(self) -> bool:
        """Whether it was ended before its result was there."""
        return isinstance(self.error, CancelledError)

    def cancel(self) -> None:
        """End it at its next step."""
        self._cancelled.set()

    def close(self) -> None:
        """End it, if it is not over: nobody wants its result any more."""
        self.cancel()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end, so that quick work needs no progress bar; False if it goes on."""
        self._thread.join(seconds)
        return not self.running

    def _progress(self, done: int, total: int | None = None, what: str = "", /) -> None:
        if self._cancelled.is_set():
            raise CancelledError("cancelled; nothing was kept")
        self.share = min(1.0, done / total) if total else None

    def _run(self) -> None:
        try:
            self.result = self._work(self._progress)
        except RulerankError as error:
            self.error = error
        except MemoryError:
            self.error = RulerankError("there is not enough memory for this; try a smaller file")
        except Exception:
            _log.exception("%s failed", self.words)
            self.error = RulerankError(f"{self.words} failed, and nothing was kept; the server's log says more")


class JobTask(Generic[T]):
    """A job, with what `BackgroundTask` has: `running`, `result`, `error`, `cancel`.

    finish: makes the result of what the job returned; an error that it raises is the task's error.
    token: the folder of uploads that goes with it, removed with the task.
    """

    def __init__(
        self,
        kind: str,
        arguments: dict[str, Any],
        words: str,
        *,
        finish: Callable[[Any], T],
        token: str = "",
        person: int | None = None,
    ) -> None:
        self.words = words
        self.token = token
        self.result: T | None = None
        self.error: RulerankError | None = None
        self._jobs = context.workspace().jobs
        self._finish = finish
        self._number = self._jobs.ask(kind, arguments, person)
        self._job: Job | None = None
        self._looked = 0.0
        self._closed = False
        self._look()

    @property
    def job(self) -> Job | None:
        """The job as it stood at the last look."""
        return self._job

    @property
    def running(self) -> bool:
        """Whether it is not over yet."""
        self._look()
        return self.result is None and self.error is None

    @property
    def cancelled(self) -> bool:
        """Whether it was ended before its result was there."""
        return isinstance(self.error, CancelledError)

    @property
    def share(self) -> float | None:
        """How much is done, from 0 to 1, where that is known."""
        return None if self._job is None else self._job.share

    def cancel(self) -> None:
        """End it at its next step."""
        self._jobs.stop(self._number)
        self._looked = 0.0

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end, so that quick work needs no progress bar; False if it goes on."""
        end = None if seconds is None else time.monotonic() + seconds
        while self.running:
            if end is not None and time.monotonic() >= end:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def close(self) -> None:
        """End it if it is not over, and remove what it left: the job, its result, and the uploaded files."""
        if self._closed:
            return
        self.cancel()
        job = self._jobs.get(self._number)
        if job is not None and not job.over:
            return  # its worker removes the files when it notices, and the job is forgotten later
        self._closed = True
        self._jobs.forget(self._number)
        if self.token:
            context.workspace().uploads.remove(self.token)

    def _look(self) -> None:
        if self.result is not None or self.error is not None or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        self._job = self._jobs.get(self._number)
        if self._job is None:
            self.error = RulerankError(f"{self.words} was given up by somebody else; begin again")
        elif self._job.state == "stopped":
            self.error = CancelledError("cancelled; nothing was kept")
        elif self._job.state == "failed":
            self.error = RulerankError(self._job.message)
        elif self._job.state == "done":
            try:
                self.result = self._finish(self._job.result)
            except RulerankError as error:
                self.error = error


class Watched(Protocol):
    """Work that can be watched: a `BackgroundTask` in this process, or a job of the worker's."""

    words: str

    @property
    def running(self) -> bool:
        """Whether it is still at work."""

    @property
    def share(self) -> float | None:
        """How much is done, from 0 to 1, where that is known."""

    def cancel(self) -> None:
        """End it at its next step."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end; False if it goes on."""


def watch(task: Watched, *, key: str) -> bool:
    """Show the progress of a task with a button to cancel it; True once it is over. Ends the page's run until then."""
    if task.wait(QUICK):
        return True
    _bar(task, key)
    return False


@st.fragment(run_every=0.3)
def _bar(task: Watched, key: str) -> None:
    if not task.running:
        st.rerun()
    bar, button = with_actions(key)
    share = f" {task.share:.0%}" if task.share is not None else ""
    words = f"{task.words}...{share}"
    job = getattr(task, "job", None)
    if job is None:
        bar.progress(task.share or 0.0, text=words)
    else:
        show_progress(bar, job, task.share or 0.0, words)
    if button.button("Cancel", key=f"cancel-{key}", icon=":material/close:"):
        task.cancel()
        st.toast("Cancelling; nothing will be kept.")
