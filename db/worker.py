"""The background worker: takes jobs from the table and does them, in a process of its own at a low priority.

    python -m db.worker --database sqlite:///rulerank.db

What it can do is in `db.jobs.HANDLERS`; `db/handlers.py` fills that in.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from db.copying import describe
from db.engine import Database
from db.jobs import HANDLERS, LEASE_SECONDS, Handler, Job, Jobs, JobStoppedError
from db.migrate import migrate
from rulerank.errors import RulerankError

POLL_SECONDS = 0.5
URL_VARIABLE = "RULERANK_DATABASE"
NICE_VARIABLE = "RULERANK_WORKER_NICE"
UNEXPECTED = "unexpected problem; see the worker's log"
GRACE_SECONDS = 5.0
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
        written = self._latest
        written_at = time.monotonic()
        while not self._over.wait(self.worker.poll) and not self.unwanted:
            latest = self._latest
            try:
                if latest != written or time.monotonic() - written_at > LEASE_SECONDS / 3:
                    self.unwanted = not self.worker.jobs.beat(self.job, *latest)
                    written, written_at = latest, time.monotonic()
                else:
                    self.unwanted = not self.worker.jobs.wanted(self.job)
            except sa.exc.DBAPIError as error:
                # The lease outlasts a short trouble; a long one gives the job to another worker.
                _log.warning("job %d: no heartbeat: %s", self.job.id, error.orig)


class Worker:
    """Does jobs, one at a time."""

    def __init__(
        self,
        database: Database,
        *,
        handlers: Mapping[str, Handler] = HANDLERS,
        kinds: Collection[str] | None = None,
        poll: float = POLL_SECONDS,
    ) -> None:
        self.database = database
        self.handlers = handlers
        self.kinds = kinds  # what it takes; None: everything, and what it cannot do fails with a word
        self.poll = poll
        self.jobs = Jobs(database)
        self.owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"
        self.ending = False  # a plain flag, because a signal may come at any moment

    def run(self) -> None:
        """Do jobs until `ending` is set."""
        while not self.ending:
            try:
                if self.run_once():
                    continue
            except sa.exc.DBAPIError as error:
                _log.warning("the database does not answer, trying again: %s", error.orig)
            time.sleep(self.poll)

    def run_once(self) -> bool:
        """Take a job and do it; False if there was none."""
        job = self.jobs.take(self.owner, self.kinds)
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
                result = handler(self.database, dict(job.arguments), watch.progress)
            mine, outcome = self.jobs.finish(job, result), "done"
        except JobStoppedError:
            if self.ending and not watch.unwanted:
                mine, outcome = self.jobs.give_back(job), "given back"
            else:
                mine, outcome = self.jobs.stopped(job), "stopped"
        except RulerankError as error:
            mine, outcome = self.jobs.fail(job, str(error)), "failed"
        except Exception:
            _log.exception("job %d (%s) met an unexpected problem", job.id, job.kind)
            mine, outcome = self.jobs.fail(job, UNEXPECTED), "failed"
        return outcome if mine else f"{outcome}, but another worker holds it now"


def start_worker(url: str | sa.URL, *, log: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a worker beside this process, at whose end it ends too; it writes to this process's stderr, or to `log`.

    The URL goes through the environment, because everybody on a machine can read the arguments of a process.
    """
    if isinstance(url, sa.URL):
        url = url.render_as_string(hide_password=False)
    root = str(Path(__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, URL_VARIABLE: url, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "db.worker", "--parent", str(os.getpid())]
    if log is None:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    with log.open("ab") as file:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)


def stop_worker(process: subprocess.Popen[bytes]) -> None:
    """End a worker: its job goes back into the queue if it notices in time, and is taken up again in any case."""
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def watch_parent(parent: int, worker: Worker) -> None:
    """Let the worker end when its parent has: by itself if it can, and else at once, so that no orphan stays."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    _log.info("the process that started this worker is gone; ending")
    worker.ending = True
    time.sleep(GRACE_SECONDS)
    os._exit(1)


def load_handlers() -> None:
    """Let the module with the handlers fill in what this worker can do."""
    if importlib.util.find_spec("db.handlers") is not None:
        importlib.import_module("db.handlers")


def main(arguments: list[str] | None = None) -> int:
    """Run a worker until it is told to end, or its parent ends."""
    parser = argparse.ArgumentParser(prog="python -m db.worker", description="Do rulerank's long work.")
    parser.add_argument("--database", default=os.environ.get(URL_VARIABLE), help=f"URL (else ${URL_VARIABLE})")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="end when this parent process does")
    parser.add_argument(
        "--nice",
        type=int,
        choices=range(20),
        metavar="0..19",
        default=os.environ.get(NICE_VARIABLE, "19"),
        help=f"how much others go first: 0 not at all, 19 always (else ${NICE_VARIABLE}, else 19)",
    )
    options = parser.parse_args(arguments)
    if not options.database:
        parser.error(f"which database? Give --database sqlite:///path/to/file.db, or set {URL_VARIABLE}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker: %(message)s", stream=sys.stderr)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with suppress(OSError, AttributeError):
        os.nice(options.nice)
    try:
        database = Database(options.database)
        migrate(database)
    except RulerankError as error:
        print(f"worker: {error}", file=sys.stderr)
        return 1
    load_handlers()
    worker = Worker(database)

    def end(number: int, frame: object) -> None:
        worker.ending = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    threading.Thread(target=watch_parent, args=(options.parent, worker), daemon=True).start()
    _log.info("ready for %s: %s", describe(database), ", ".join(sorted(HANDLERS)) or "no handlers")
    worker.run()
    database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
