"""Work for the background worker that somebody waits for before a page: asked for, followed, and forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pages import context
from pages.shared.task import CancelledError
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.jobs.queue import Job

T = TypeVar("T")
LOOK_SECONDS = 0.05


class JobTask(Generic[T]):
    """A job, with what `import_task.Task` has: `running`, `result`, `error`, `cancel`.

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
