"""The background worker: takes jobs from the table and does them, in a process of its own at a low priority.

    python -m db.jobs.worker --database sqlite:///rulerank.db

What it can do is in `db.jobs.handlers`. The app's own workers are started, watched and started again by
`db.jobs.supervisor`.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress

import sqlalchemy as sa

from db.jobs.handlers import HANDLERS, Handler
from db.jobs.process import URL_VARIABLE, has_grown, new_owner, send_signs, wake_with_parent, watch_parent
from db.jobs.queue import LEASE_SECONDS, LONG_KINDS, Job, Jobs, JobStoppedError
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import migrate
from rulerank.errors import RulerankError

POLL_SECONDS = 0.5
QUICK_POLL_SECONDS = 0.1
"""Between two looks of the worker for short work: somebody sits before the page and waits for it."""

RENEW_CODE = 75
"""The exit code of a worker that ends because it has grown: another is to be started at once."""

NICE, NICE_SHORT = 19, 10
"""How much a worker lets others go first. Labels go before all; what somebody waits for goes before simulations."""

LATE_SECONDS = 2.0
"""After so long the worker for long work takes short work too: the other one must be busy."""

RETRY_SECONDS = 2.0
NICE_VARIABLE = "RULERANK_WORKER_NICE"
UNEXPECTED = "unexpected problem; see the worker's log"
_log = logging.getLogger("rulerank.worker")


class _Watch:
    """Keeps a job's lease alive and its progress written, in a thread, while its handler works.

    The handler's own thread never waits for the database here: it may be in the middle of a transaction.
    """

    def __init__(self, worker: Worker, job: Job) -> None:
        self.worker = worker
        self.job = job
        self.unwanted = False
        self._latest: tuple[int, int | None, str] = (0, None, "")
        self._written: tuple[int, int | None, str] = self._latest
        self._written_at = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"job {job.id}", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Note how far the job is; raise `JobStoppedError` if it must end."""
        self._latest = (done, total, message)
        if self.unwanted or self.worker.ending:
            raise JobStoppedError(f"job {self.job.id} is to end")

    def _run(self) -> None:
        while not self._over.wait(self.worker.poll) and not self.unwanted:
            self._look()
        if not self.unwanted and self._latest != self._written:
            self._look()  # progress is reported for a job that ended at once, too

    def _look(self) -> None:
        """Write how far the job is and hold it, or only see whether it is still wanted."""
        latest = self._latest
        try:
            if latest != self._written or time.monotonic() - self._written_at > LEASE_SECONDS / 3:
                self.unwanted = not self.worker.jobs.beat(self.job, *latest)
                self._written, self._written_at = latest, time.monotonic()
            else:
                self.unwanted = not self.worker.jobs.wanted(self.job)
        except (sa.exc.DBAPIError, RulerankError) as error:
            # The lease outlasts a short trouble; a long one gives the job to another worker.
            _log.warning("job %d: no heartbeat: %s", self.job.id, error)


class Worker:
    """Does jobs, one at a time."""

    def __init__(
        self,
        database: Database,
        *,
        handlers: Mapping[str, Handler] = HANDLERS,
        kinds: Collection[str] | None = None,
        late: float | None = None,
        poll: float = POLL_SECONDS,
        owner: str | None = None,
        renew: bool = False,
    ) -> None:
        self.database = database
        self.handlers = handlers
        self.kinds = kinds  # what it takes; None: everything, and what it cannot do fails with a word
        self.late = late  # what is not of these kinds it takes after so many seconds; None: never
        self.poll = poll
        self.jobs = Jobs(database)
        self.owner = owner or new_owner()
        self.renew = renew  # whether somebody starts another when this one ends because it has grown
        self.ending = False  # a plain flag, because a signal may come at any moment

    def run(self) -> None:
        """Do jobs until `ending` is set, or until a job has left so much memory behind that a new process is better."""
        while not self.ending:
            try:
                if self.run_once():
                    if self.renew and has_grown():
                        return
                    continue
            except (sa.exc.DBAPIError, RulerankError) as error:
                _log.warning("the database does not answer, trying again: %s", error)
                time.sleep(RETRY_SECONDS)
            time.sleep(self.poll)

    def run_once(self) -> bool:
        """Take a job and do it; False if there was none."""
        job = self.jobs.take(self.owner, self.kinds, late=self.late)
        if job is None:
            return False
        _log.info("job %d (%s) taken, try %d", job.id, job.kind, job.tries)
        started = time.monotonic()
        outcome = self._do(job)
        _log.info("job %d (%s) %s after %.1f s", job.id, job.kind, outcome, time.monotonic() - started)
        return True

    def _do(self, job: Job) -> str:
        """Do a job, write how it ended, and return that in a word."""
        handler = self.handlers.get(job.kind)
        if handler is None:
            self.jobs.fail(job, f"this worker cannot do jobs of the kind {job.kind!r}; is it the newest version?")
            return "failed"
        watch = _Watch(self, job)
        try:
            with watch:
                # The number tells a handler that is started again after a kill what it did the first time.
                result = handler(self.database, {**job.arguments, "job": job.id}, watch.progress)
            mine, outcome = self.jobs.finish(job, result), "done"
        except JobStoppedError:
            if self.ending and not watch.unwanted:
                mine, outcome = self.jobs.give_back(job), "given back"
            else:
                mine, outcome = self.jobs.stopped(job), "stopped"
        except RulerankError as error:
            mine, outcome = self.jobs.fail(job, str(error)), "failed"
        except MemoryError:
            _log.exception("job %d (%s) ran out of memory", job.id, job.kind)
            mine, outcome = self.jobs.fail(job, "there is not enough memory for this; try a smaller file"), "failed"
        except Exception:
            _log.exception("job %d (%s) met an unexpected problem", job.id, job.kind)
            mine, outcome = self.jobs.fail(job, UNEXPECTED), "failed"
        return outcome if mine else f"{outcome}, but another worker holds it now"


def warm_up() -> None:
    """Load what the first upload needs, so that whoever brings it does not wait for that."""
    importlib.import_module("db.jobs.read_files").warm_up()


def wait_for_schema(worker: Worker, *, patient: bool) -> None:
    """Bring the database to this version's schema; a patient worker waits for one that does not answer.

    A database that is away comes back, and a worker that ended for it each time would look as if it were broken.
    """
    while not worker.ending:
        try:
            migrate(worker.database)
            return
        except DatabaseError as error:
            if not patient or not isinstance(error.__cause__, sa.exc.OperationalError):
                raise
            _log.warning("waiting for the database: %s", error)
            time.sleep(RETRY_SECONDS)


def main(arguments: list[str] | None = None) -> int:
    """Run a worker until it is asked to end, or its parent ends."""
    parser = argparse.ArgumentParser(prog="python -m db.jobs.worker", description="Do rulerank's long work.")
    parser.add_argument("--database", default=os.environ.get(URL_VARIABLE), help=f"URL (else ${URL_VARIABLE})")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="end when this parent process does")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--short", action="store_true", help="do only what somebody waits for before a page")
    only.add_argument("--long", action="store_true", help="do the rest, and of the short work what has waited a while")
    parser.add_argument("--owner", default=None, help=argparse.SUPPRESS)
    parser.add_argument("--signs", type=int, default=None, help=argparse.SUPPRESS)
    parser.add_argument(
        "--nice",
        type=int,
        choices=range(20),
        metavar="0..19",
        default=os.environ.get(NICE_VARIABLE),
        help=f"how much others go first: 0 not at all, 19 always (else ${NICE_VARIABLE}, else 19; short work: 10)",
    )
    options = parser.parse_args(arguments)
    if not options.database:
        parser.error(f"which database? Give --database sqlite:///path/to/file.db, or set {URL_VARIABLE}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker: %(message)s", stream=sys.stderr)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    nice = (NICE_SHORT if options.short else NICE) if options.nice is None else options.nice
    with suppress(OSError, AttributeError):
        os.nice(nice)
    if options.signs is not None:
        wake_with_parent()
        threading.Thread(target=send_signs, args=(options.signs,), daemon=True).start()
    return _work(options)


def _work(options: argparse.Namespace) -> int:
    """Do jobs as the options say; returns the exit code."""
    supervised = options.signs is not None
    short = [kind for kind in HANDLERS if kind not in LONG_KINDS]
    try:
        worker = Worker(
            # Beside a server it finds a database; made anew here, one that vanished would come back empty.
            Database(options.database, create=False),
            kinds=short if options.short else LONG_KINDS if options.long else None,
            late=LATE_SECONDS if options.long else None,
            poll=QUICK_POLL_SECONDS if options.short else POLL_SECONDS,
            owner=options.owner,
            renew=supervised,
        )

        def end(*_: object) -> None:
            worker.ending = True

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        threading.Thread(target=watch_parent, args=(options.parent, end), daemon=True).start()
        wait_for_schema(worker, patient=supervised)
    except RulerankError as error:
        print(f"worker: {error}", file=sys.stderr)
        return 1
    able = sorted(short if options.short else HANDLERS)
    _log.info("ready for %s: %s", worker.database, ", ".join(able) or "no handlers")
    if options.short:
        warm_up()
    worker.run()
    worker.database.close()
    return 0 if worker.ending else RENEW_CODE


if __name__ == "__main__":
    sys.exit(main())
