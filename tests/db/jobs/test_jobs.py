"""Jobs: taken once, kept by a heartbeat, stopped on request, taken up again after a kill; and their worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from db.jobs.process import URL_VARIABLE, start_worker, stop_worker
from db.jobs.queue import LEASE_SECONDS, Job, Jobs
from db.jobs.worker import UNEXPECTED, Worker, main
from db.store.engine import Database
from rulerank.errors import InputError

ROOT = Path(__file__).parents[3]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(database, clock) -> Jobs:
    return Jobs(database, clock=clock)


def until(true: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def state(jobs: Jobs, job_id: int) -> str:
    job = jobs.get(job_id)
    assert job is not None
    return job.state


# The table --------------------------------------------------------------------------------------------------------


def test_a_job_goes_from_asked_to_done(jobs):
    number = jobs.ask("export", {"campaign": 3, "names": ["ä", None]})
    assert jobs.get(number).state == "waiting"
    job = jobs.take("me")
    assert (job.id, job.kind, job.state, job.owner, job.tries) == (number, "export", "running", "me", 1)
    assert job.arguments == {"campaign": 3, "names": ["ä", None]}
    assert jobs.take("other") is None
    assert jobs.beat(job, 5, 20, "writing")
    seen = jobs.get(number)
    assert (seen.done, seen.total, seen.message, seen.share, seen.over) == (5, 20, "writing", 0.25, False)
    assert jobs.finish(job, {"rows": 20})
    seen = jobs.get(number)
    assert (seen.state, seen.result, seen.share, seen.over) == ("done", {"rows": 20}, 1.0, True)
    assert jobs.get(99) is None
    assert not jobs.finish(job, "again")
    assert not jobs.fail(job, "again")
    assert jobs.get(number) == seen


def test_the_oldest_comes_first_and_the_list_starts_with_the_latest(jobs):
    numbers = [jobs.ask("export"), jobs.ask("import"), jobs.ask("export")]
    assert [jobs.take("me").id for _ in numbers] == numbers
    assert [job.id for job in jobs.list()] == numbers[::-1]
    assert [job.id for job in jobs.list(kind="export")] == [numbers[2], numbers[0]]
    assert [job.id for job in jobs.list(limit=1)] == [numbers[2]]
    assert jobs.list(states=("waiting",)) == ()


def test_no_job_is_taken_twice(database):
    jobs = Jobs(database)
    asked = {jobs.ask("export", {"number": number}) for number in range(40)}
    other = Database(database.url.render_as_string(hide_password=False))

    def take(number: int) -> list[int]:
        mine, at = [], Jobs(other if number % 2 else database)
        # On PostgreSQL a job that another worker is just taking is passed over, so None is not yet the end.
        while jobs.list(states=("waiting",), limit=1):
            job = at.take(f"worker {number}")
            if job is not None:
                mine.append(job.id)
        return mine

    with ThreadPoolExecutor(8) as pool:
        taken = [job for some in pool.map(take, range(8)) for job in some]
    other.close()
    assert sorted(taken) == sorted(asked)


def test_a_lease_that_runs_out_gives_the_job_to_another_worker(jobs, clock):
    jobs.ask("import")
    first = jobs.take("first")
    clock.now += LEASE_SECONDS - 1
    assert jobs.beat(first, 1)
    clock.now += LEASE_SECONDS - 1
    assert jobs.take("second") is None
    clock.now += 2
    second = jobs.take("second")
    assert (second.id, second.tries, second.done) == (first.id, 2, 0)
    for late in (jobs.beat(first, 9), jobs.wanted(first), jobs.finish(first, "late"), jobs.give_back(first)):
        assert late is False
    assert jobs.beat(second, 2)
    assert jobs.finish(second, "in time")
    assert jobs.get(first.id).result == "in time"


def test_an_owner_that_takes_its_own_job_again_does_not_answer_for_the_first_time(jobs, clock):
    jobs.ask("import")
    first = jobs.take("me")
    clock.now += LEASE_SECONDS + 1
    again = jobs.take("me")
    assert not jobs.finish(first, "first")
    assert jobs.finish(again, "again")


def test_a_late_heartbeat_keeps_a_job_that_nobody_else_took(jobs, clock):
    jobs.ask("import")
    job = jobs.take("me")
    clock.now += LEASE_SECONDS + 1
    assert jobs.beat(job, 1)
    assert jobs.take("other") is None


def test_after_three_workers_a_job_has_failed(jobs, clock):
    number, next_number = jobs.ask("import"), jobs.ask("export")
    for tries in (1, 2, 3):
        job = jobs.take(f"worker {tries}")
        assert (job.id, job.tries) == (number, tries)
        clock.now += LEASE_SECONDS + 1
    assert jobs.take("worker 4").id == next_number
    assert jobs.get(number).state == "failed"
    assert "tried 3 times" in jobs.get(number).message


def test_a_job_can_be_stopped_at_any_time(jobs, clock):
    waiting = jobs.ask("import")
    assert jobs.stop(waiting)
    assert jobs.get(waiting).state == "stopped"
    assert not jobs.stop(waiting)
    running = jobs.ask("import")
    job = jobs.take("me")
    assert jobs.wanted(job)
    assert jobs.stop(running)
    assert not jobs.wanted(job)
    assert not jobs.beat(job, 1)
    assert jobs.stopped(job)
    assert jobs.get(running).state == "stopped"
    # Asked to stop, and then its worker was killed: nobody takes it up again.
    lost = jobs.ask("import")
    jobs.take("me")
    jobs.stop(lost)
    clock.now += LEASE_SECONDS + 1
    assert jobs.take("other") is None
    assert jobs.get(lost).state == "stopped"
    assert not jobs.stop(99)


def test_a_job_that_is_given_back_does_not_lose_a_try(jobs):
    number = jobs.ask("import")
    for _ in range(5):
        job = jobs.take("me")
        assert (job.id, job.tries) == (number, 1)
        assert jobs.give_back(job)


@pytest.mark.parametrize("value", [{"x": object()}, {"x": float("nan")}, {"x": {1, 2}}])
def test_what_json_cannot_write_is_refused_in_words(sqlite_database, value):
    jobs = Jobs(sqlite_database)
    with pytest.raises(InputError, match="plain values that JSON can write"):
        jobs.ask("import", value)
    assert jobs.list() == ()


# The worker, in this process --------------------------------------------------------------------------------------


def worker(database: Database, **handlers: object) -> Worker:
    return Worker(database, handlers=handlers, poll=0.02)


def do(database: Database, handler: object, arguments: dict[str, object] | None = None) -> Job:
    jobs = Jobs(database)
    number = jobs.ask("work", arguments)
    assert worker(database, work=handler).run_once()
    job = jobs.get(number)
    assert job is not None
    return job


def test_a_worker_stores_the_result(database):
    def add(given: Database, arguments: dict[str, int], progress: object) -> int:
        assert given is database
        return arguments["a"] + arguments["b"]

    assert do(database, add, {"a": 2, "b": 3}).result == 5
    assert not worker(database).run_once()


def test_an_error_of_ours_is_told_and_another_is_not(sqlite_database, caplog):
    def ours(*_: object) -> None:
        raise InputError("line 3 has no qid; add one")

    def bug(*_: object) -> None:
        raise KeyError("internal detail")

    job = do(sqlite_database, ours)
    assert (job.state, job.message) == ("failed", "line 3 has no qid; add one")
    job = do(sqlite_database, bug)
    assert (job.state, job.message) == ("failed", UNEXPECTED)
    assert "internal detail" in caplog.text
    assert "Traceback" in caplog.text
    job = do(sqlite_database, lambda *_: object())
    assert (job.state, job.result) == ("failed", None)
    Jobs(sqlite_database).ask("unheard of")
    assert worker(sqlite_database).run_once()
    assert "kind 'unheard of'" in Jobs(sqlite_database).list()[0].message


def test_progress_is_seen_and_a_stop_is_obeyed(database):
    jobs = Jobs(database)
    number = jobs.ask("long")
    undone = []

    def long(given: Database, arguments: object, progress: Callable[..., None]) -> None:
        try:
            for step in range(10_000):
                progress(step, 10_000, "counting")
                time.sleep(0.01)
        finally:
            undone.append(True)

    running = threading.Thread(target=worker(database, long=long).run_once, daemon=True)
    running.start()
    until(lambda: jobs.get(number).done > 0)
    assert (jobs.get(number).total, jobs.get(number).message) == (10_000, "counting")
    jobs.stop(number)
    running.join(20)
    assert not running.is_alive()
    assert (jobs.get(number).state, undone) == ("stopped", [True])


def test_progress_inside_a_transaction_does_not_wait_for_itself(sqlite_database):
    def handler(given: Database, arguments: object, progress: Callable[..., None]) -> str:
        with given.write() as connection:
            for step in range(10):
                progress(step)
                time.sleep(0.02)
            connection.exec_driver_sql("INSERT INTO settings VALUES ('written', 'yes')")
        return "written"

    assert do(sqlite_database, handler).result == "written"


def test_a_silent_handler_keeps_its_lease(database, monkeypatch):
    monkeypatch.setattr("db.jobs.queue.LEASE_SECONDS", 1.5)  # long enough for a busy machine to renew it in time
    monkeypatch.setattr("db.jobs.worker.LEASE_SECONDS", 1.5)
    jobs = Jobs(database)
    number = jobs.ask("silent")
    running = threading.Thread(target=worker(database, silent=lambda *_: time.sleep(4)).run_once, daemon=True)
    running.start()
    until(lambda: state(jobs, number) == "running")
    while running.is_alive():
        assert jobs.take("thief") is None
        time.sleep(0.05)
    assert (state(jobs, number), jobs.get(number).tries) == ("done", 1)


def test_a_worker_that_ends_gives_its_job_back(database):
    jobs = Jobs(database)
    number = jobs.ask("long")

    def long(given: Database, arguments: object, progress: Callable[..., None]) -> None:
        this.ending = True
        progress(1)

    this = worker(database, long=long)
    this.run()
    assert (state(jobs, number), jobs.get(number).tries) == ("waiting", 0)


# The worker, as a process -----------------------------------------------------------------------------------------

# A worker with a job that tells which process does it and then goes on for as long as the file is there.
PROGRAM = """
import os, sys, time
import db.jobs.handlers, db.jobs.process, db.jobs.queue, db.jobs.worker
db.jobs.queue.LEASE_SECONDS = db.jobs.worker.LEASE_SECONDS = 1.0
db.jobs.process.GRACE_SECONDS = 1.0
def hold(database, arguments, progress):
    while os.path.exists(arguments["while"]):
        if not arguments.get("silent"):
            progress(os.getpid())
        time.sleep(0.05)
    return os.getpid()
db.jobs.handlers.HANDLERS["hold"] = hold
sys.exit(db.jobs.worker.main(["--parent", sys.argv[1]] if len(sys.argv) > 1 else []))
"""


@pytest.fixture
def start(database) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    started = []
    environment = {**os.environ, URL_VARIABLE: database.url.render_as_string(hide_password=False)}

    def run() -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


def test_the_job_of_a_killed_worker_is_taken_up_again(database, start, tmp_path):
    flag = tmp_path / "flag"
    flag.touch()
    jobs = Jobs(database)
    number = jobs.ask("hold", {"while": str(flag)})
    first = start()
    until(lambda: jobs.get(number).done == first.pid)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert state(jobs, number) == "running"
    second = start()
    until(lambda: jobs.get(number).done == second.pid)
    assert jobs.get(number).tries == 2
    flag.unlink()
    until(lambda: state(jobs, number) == "done")
    assert jobs.get(number).result == second.pid
    # And a worker that is asked to end does so by itself.
    flag.touch()
    another = jobs.ask("hold", {"while": str(flag)})
    until(lambda: state(jobs, another) == "running")
    second.terminate()
    assert second.wait(20) == 0
    assert (state(jobs, another), jobs.get(another).tries) == ("waiting", 0)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended stays in the table until its new parent looks.
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(("silent", "left"), [(False, ("waiting", 0)), (True, ("running", 1))])
def test_a_worker_ends_with_its_parent_even_in_the_middle_of_a_job(sqlite_database, tmp_path, silent, left):
    flag = tmp_path / "flag"
    flag.touch()
    jobs = Jobs(sqlite_database)
    number = jobs.ask("hold", {"while": str(flag), "silent": silent})
    parent_program = (
        "import os, subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-c', sys.argv[1], str(os.getpid())]); "
        "print(child.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", parent_program, PROGRAM],
        cwd=ROOT,
        env={**os.environ, URL_VARIABLE: str(sqlite_database.url)},
        stdout=subprocess.PIPE,
    )
    child = int(parent.stdout.readline())
    until(lambda: f":{child}:" in (jobs.get(number).owner or ""))
    parent.kill()
    parent.wait()
    until(lambda: not alive(child))
    assert (state(jobs, number), jobs.get(number).tries) == left


def test_the_helper_starts_a_worker_and_stops_it(sqlite_database, tmp_path, monkeypatch):
    monkeypatch.setattr("db.jobs.process.GRACE_SECONDS", 60.0)  # of the lowest priority, it may be long in coming
    jobs = Jobs(sqlite_database)
    number = jobs.ask("no such kind")
    log = tmp_path / "worker.log"
    process = start_worker(sqlite_database.url, log=log)
    try:
        until(lambda: state(jobs, number) == "failed")
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
        assert str(sqlite_database.path) not in str(process.args)
    finally:
        stop_worker(process)
    assert process.returncode == 0
    assert "Traceback" not in log.read_text()


def test_the_command_says_what_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(SystemExit):
        main([])
    assert "which database?" in capsys.readouterr().err
    monkeypatch.setenv("RULERANK_WORKER_NICE", "very")
    with pytest.raises(SystemExit):
        main(["--database", "sqlite://"])
    assert "--nice: invalid int value: 'very'" in capsys.readouterr().err
    monkeypatch.delenv("RULERANK_WORKER_NICE")
    (tmp_path / "text").write_text("no database at all " * 100)
    assert main(["--database", f"sqlite:///{tmp_path / 'text'}"]) == 1
    assert "worker: cannot use the database" in capsys.readouterr().err
