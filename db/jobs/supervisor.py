"""Keeps the background workers alive: starts them, notices when one ends or hangs, starts it again, and says so.

Two workers stand beside a server: one does only what somebody waits for before a page (reading an upload, storing a
campaign, a replay), the other simulations of hours, and whatever waits because the first is busy.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import sqlalchemy as sa

from db.jobs.process import GRACE_SECONDS, end_surely, new_owner, start_worker
from db.jobs.queue import Jobs
from db.jobs.worker import RENEW_CODE
from rulerank.errors import RulerankError

PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0)
"""Seconds before a worker is started again: after its first end in a row, its second, ... After the last it is not."""

SETTLED_SECONDS = 180.0
"""A worker that has lived so long is well: an end after that is the first one again."""

SILENCE_SECONDS = 30.0
"""A worker that gives no sign of life for so long hangs (it gives one a second), and is replaced."""

START_SECONDS = 120.0
"""The same until its first sign: a busy machine may take long to load it."""

LOOK_SECONDS = 0.2
_log = logging.getLogger("rulerank.supervisor")


@dataclass
class _Post:
    """The place of one worker: the process that fills it now, and what became of those before."""

    options: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    owner: str = ""
    signs: int = -1  # the end of the pipe that its signs of life come out of
    started: float = 0.0
    heard: float | None = None  # when the last sign came
    ends: int = 0  # in a row
    start_at: float = 0.0
    orphaned: list[str] = field(default_factory=list)  # dead owners whose jobs are not given back yet

    @property
    def given_up(self) -> bool:
        """Whether it has ended so often that it is not started any more."""
        return self.process is None and self.ends > len(PAUSES)


class Supervisor:
    """Keeps workers beside this process; start it once, and stop it at the end."""

    def __init__(
        self,
        jobs: Jobs,
        *,
        start: Callable[..., subprocess.Popen[bytes]] = start_worker,
        workers: Sequence[tuple[str, ...]] = (("--short",), ("--long",)),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._jobs = jobs
        self._start = start
        self._clock = clock
        self._posts = [_Post(options) for options in workers]
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rulerank-supervisor", daemon=True)

    def start(self) -> Supervisor:
        """Start the workers, and watch them in a thread until `stop`."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the workers, and wait until they have ended; what they were doing waits for the next ones."""
        with self._lock:
            self._over.set()
            for post in self._posts:
                if post.process is not None:
                    post.process.terminate()
                    post.process.send_signal(signal.SIGCONT)  # one that was halted could not end
        if self._thread.is_alive():
            self._thread.join(GRACE_SECONDS)  # it may be waiting for the database, which may never answer
        for post in self._posts:
            if post.process is not None:
                end_surely(post.process)
                self._bury(post)
                self._give_back(post)

    def processes(self) -> list[int]:
        """Return the process numbers of the workers that are alive."""
        with self._lock:
            return [post.process.pid for post in self._posts if post.process is not None]

    def problem(self) -> str | None:
        """Return in a sentence or two what is wrong with the workers; None if they are well."""
        with self._lock:
            if self._over.is_set():
                return None
            ailing = [post for post in self._posts if post.ends and not self._is_well(post)]
            if not ailing:
                return None
            worst = max(ailing, key=lambda post: (post.given_up, post.ends))
            if worst.given_up:
                return (
                    f"The background worker keeps ending ({worst.ends} times in a row) and is not started any more; "
                    "long work stands still. Ask the administrator: the server's log says why, and a restart of the "
                    "server starts it again."
                )
            times = "once" if worst.ends == 1 else f"{worst.ends} times"
            if worst.process is not None:
                return f"The background worker has ended {times} and was started again; work goes on where it was."
            seconds = max(1, round(worst.start_at - self._clock()))
            return f"The background worker has ended {times} and is started again in {seconds} s; work waits for it."

    def _is_well(self, post: _Post) -> bool:
        """A first end that was fixed at once is no trouble any more as soon as the new process gives signs of life."""
        return post.process is not None and post.heard is not None and (post.ends == 1 or self._has_settled(post))

    def _has_settled(self, post: _Post) -> bool:
        return self._clock() - post.started > SETTLED_SECONDS

    # In the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        # A process is notified when the thread that started it ends, so that all are started here.
        while not self._over.is_set():
            for post in self._posts:
                try:
                    self._look_after(post)
                except Exception:
                    # Whatever it is, the other worker must be looked after all the same, and this one at the next look.
                    _log.exception("looking after a worker failed")
                    post.start_at = self._clock() + PAUSES[-1]
            self._over.wait(LOOK_SECONDS)

    def _look_after(self, post: _Post) -> None:
        self._give_back(post)
        if post.process is None:
            if not post.given_up and self._clock() >= post.start_at:
                try:
                    self._begin(post)
                except OSError as error:
                    _log.error("a worker cannot be started: %s", error)
                    self._count_end(post)
            return
        code = post.process.poll()
        self._listen(post)
        if code is None and self._is_silent(post):
            _log.error("the worker %d gives no sign of life and is ended", post.process.pid)
            post.process.kill()
            code = post.process.wait()
        if code is not None and not self._over.is_set():
            self._note_end(post, code)

    def _begin(self, post: _Post) -> None:
        with self._lock:
            if self._over.is_set():
                return
            ours, its = os.pipe()
            os.set_blocking(ours, False)
            owner = new_owner()
            try:
                given = (*post.options, "--owner", owner)
                post.process = self._start(self._jobs.database.url, options=given, signs=its)
            finally:
                os.close(its)
                if post.process is None:
                    os.close(ours)
            post.owner, post.signs = owner, ours
            post.started, post.heard = self._clock(), None

    def _listen(self, post: _Post) -> None:
        with suppress(BlockingIOError):
            while os.read(post.signs, 65_536):
                post.heard = self._clock()

    def _is_silent(self, post: _Post) -> bool:
        if post.heard is None:
            return self._clock() - post.started > START_SECONDS
        return self._clock() - post.heard > SILENCE_SECONDS

    def _note_end(self, post: _Post, code: int) -> None:
        """Write down that a worker has ended, and when the next one starts."""
        with self._lock:
            settled = self._has_settled(post)
            self._bury(post)
            if code == RENEW_CODE:
                post.start_at = self._clock()
                return
            post.ends = 0 if settled else post.ends
        pause = self._count_end(post)
        why = f"by signal {-code}" if code < 0 else f"with code {code}"
        if post.given_up:
            _log.error("a worker ended %s, %d times in a row; it is not started any more", why, post.ends)
        else:
            _log.warning("a worker ended %s; it is started again in %g s", why, pause)

    def _count_end(self, post: _Post) -> float:
        """Count one more end in a row, and return how long it is until the next start."""
        with self._lock:
            post.ends += 1
            pause = PAUSES[min(post.ends, len(PAUSES)) - 1]
            post.start_at = self._clock() + pause
        return pause

    def _bury(self, post: _Post) -> None:
        os.close(post.signs)
        post.orphaned.append(post.owner)
        post.process, post.signs = None, -1

    def _give_back(self, post: _Post) -> None:
        """Give back what dead workers held, so that it need not wait until a lease runs out."""
        try:
            while post.orphaned:
                count = self._jobs.release(post.orphaned[-1])
                post.orphaned.pop()
                if count:
                    _log.info("%d job of a worker that has ended waits for the next one", count)
        except (sa.exc.DBAPIError, RulerankError) as error:
            _log.warning("a dead worker's jobs wait for the database: %s", error)
