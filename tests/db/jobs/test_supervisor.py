"""Workers that are looked after: started again when they end or hang, though not for ever; and their jobs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from thorough import SQLITE_FIRST

from db.jobs import supervisor as module
from db.jobs.process import URL_VARIABLE
from db.jobs.queue import CLOCK_SLACK, LEASE_SECONDS, MOST_TRIES, Jobs
from db.jobs.supervisor import PAUSES, Supervisor
from db.jobs.worker import RENEW_CODE
from rulerank.errors import RulerankError
from tests.db.jobs.test_jobs import Clock, alive, state, until

ROOT = Path(__file__).parents[3]

# A worker with jobs of its own: one that holds on while a file is there, one that kills its process, one that hangs.
PROGRAM = """
import os, signal, sys, time
import db.jobs.handlers, db.jobs.process, db.jobs.queue, db.jobs.worker
def hold(database, arguments, progress):
    while os.path.exists(arguments["while"]):
        progress(os.getpid())
        time.sleep(0.02)
    return os.getpid()
db.jobs.handlers.HANDLERS["hold"] = hold
db.jobs.handlers.HANDLERS["simulate"] = hold
db.jobs.handlers.HANDLERS["die"] = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
db.jobs.worker.warm_up = lambda: None
db.jobs.process.BEAT_SECONDS = 0.1
sys.exit(db.jobs.worker.main(sys.argv[1:]))
"""


def start(url: object, *, options: tuple[str, ...], signs: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, URL_VARIABLE: url.render_as_string(hide_password=False), "RULERANK_WORKER_NICE": "0"}
    command = [sys.executable, "-c", PROGRAM, "--parent", str(os.getpid()), *options, "--signs", str(signs)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=(signs,))


@pytest.fixture
def supervise(database, monkeypatch) -> Iterator[Callable[..., Supervisor]]:
    monkeypatch.setattr(module, "PAUSES", (0.05,) * 8)
    made = []

    def run(**options: object) -> Supervisor:
        made.append(Supervisor(Jobs(database), **{"start": start, "workers": [()], **options}).start())
        return made[-1]

    yield run
    for each in made:
        pids = each.processes()
        each.stop()
        assert not any(alive(pid) for pid in pids)


@pytest.mark.parametrize("backend", SQLITE_FIRST)
def test_a_killed_worker_is_replaced_and_its_job_goes_on_at_once(database, supervise, tmp_path):
    flag = tmp_path / "flag"
    flag.touch()
    jobs = Jobs(database)
    number = jobs.ask("hold", {"while": str(flag)})
    keeper = supervise()
    until(lambda: jobs.get(number).done > 0)
    first = jobs.get(number).done
    begun = time.monotonic()
    os.kill(first, signal.SIGKILL)
    until(lambda: jobs.get(number).done not in (0, first))
    assert time.monotonic() - begun < LEASE_SECONDS  # it did not wait until the lease ran out
    assert keeper.processes() == [jobs.get(number).done]
    assert jobs.get(number).tries == 2
    flag.unlink()
    until(lambda: state(jobs, number) == "done")
    until(lambda: keeper.problem() is None)  # one end that was mended is no trouble


@pytest.mark.parametrize("backend", SQLITE_FIRST)
def test_a_job_that_kills_its_workers_fails_with_words_and_others_go_on(database, supervise, tmp_path):
    jobs = Jobs(database)
    killer = jobs.ask("die")
    after = jobs.ask("hold", {"while": str(tmp_path / "nothing")})
    keeper = supervise()
    until(lambda: state(jobs, killer) == "failed")
    assert f"tried {MOST_TRIES} times" in jobs.get(killer).message
    until(lambda: state(jobs, after) == "done")
    assert f"has ended {MOST_TRIES} times" in keeper.problem()


@pytest.mark.parametrize("backend", SQLITE_FIRST)
def test_a_worker_that_hangs_is_replaced(database, supervise, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "SILENCE_SECONDS", 1.0)
    flag = tmp_path / "flag"
    flag.touch()
    jobs = Jobs(database)
    number = jobs.ask("hold", {"while": str(flag)})
    supervise()
    until(lambda: jobs.get(number).done > 0)
    first = jobs.get(number).done
    os.kill(first, signal.SIGSTOP)
    until(lambda: jobs.get(number).done not in (0, first))
    assert not alive(first)


@pytest.mark.parametrize("backend", SQLITE_FIRST)
def test_a_simulation_does_not_keep_short_work_waiting(database, supervise, tmp_path):
    flag = tmp_path / "flag"
    flag.touch()
    jobs = Jobs(database)
    simulations = [jobs.ask("simulate", {"while": str(flag)}) for _ in range(2)]
    supervise(workers=[("--short",), ("--long",)])
    until(lambda: "running" in [state(jobs, number) for number in simulations])
    short = jobs.ask("hold", {"while": str(tmp_path / "nothing")})
    until(lambda: state(jobs, short) == "done")
    assert sorted(state(jobs, number) for number in simulations) == ["running", "waiting"]


def test_stopping_ends_a_worker_that_is_halted_too(sqlite_database, tmp_path):
    keeper = Supervisor(Jobs(sqlite_database), start=start, workers=[(), ()]).start()
    until(lambda: len(keeper.processes()) == 2)
    pids = keeper.processes()
    os.kill(pids[0], signal.SIGSTOP)
    keeper.stop()
    assert not any(alive(pid) for pid in pids)
    assert keeper.processes() == []


def test_no_halted_worker_outlives_a_server_that_was_killed(sqlite_database, tmp_path):
    program = (
        "import sys, time; from db.store.engine import Database; from db.jobs.queue import Jobs; "
        "from db.jobs.supervisor import Supervisor; "
        "keeper = Supervisor(Jobs(Database(sys.argv[1])), workers=[(), ()]).start(); time.sleep(600)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program, str(sqlite_database.url)],
        cwd=ROOT,
        env={**os.environ, "RULERANK_WORKER_NICE": "0"},
    )
    children = Path(f"/proc/{server.pid}/task")

    def found() -> list[int]:
        with suppress(OSError):  # a thread that has just ended
            return [int(pid) for task in children.iterdir() for pid in (task / "children").read_text().split()]
        return []

    until(lambda: len(found()) == 2)
    pids = found()
    jobs = Jobs(sqlite_database)
    number = jobs.ask("no such kind")
    until(lambda: state(jobs, number) == "failed")  # so one at least has come so far that it can be woken
    time.sleep(2)
    os.kill(pids[0], signal.SIGSTOP)
    server.kill()
    server.wait()
    until(lambda: not any(alive(pid) for pid in pids))


# Without processes: a clock that the test moves, and workers that end as told -------------------------------------


class Fake:
    """A process that ends when it is told to."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.pid = 1

    def poll(self) -> int | None:
        return self.code

    def wait(self, timeout: float | None = None) -> int:
        return self.code or 0

    def kill(self) -> None:
        self.code = -9

    terminate = kill

    def send_signal(self, number: int) -> None:
        pass


class Staff:
    """A supervisor whose thread does not run: the test looks, moves the clock and ends processes."""

    def __init__(self, database: object) -> None:
        self.clock = Clock()
        self.started: list[tuple[float, Fake]] = []
        self.supervisor = Supervisor(Jobs(database), start=self._start, workers=[()], clock=self.clock)

    def _start(self, url: object, *, options: tuple[str, ...], signs: int) -> Fake:
        os.write(signs, b".")
        self.started.append((self.clock.now, Fake()))
        return self.started[-1][1]

    def look(self) -> None:
        for post in self.supervisor._posts:
            self.supervisor._look_after(post)

    def run(self, seconds: float, step: float = 0.5) -> None:
        for _ in range(int(seconds / step)):
            self.clock.now += step
            self.look()

    @property
    def now(self) -> Fake:
        return self.started[-1][1]


@pytest.fixture
def staff(sqlite_database) -> Staff:
    made = Staff(sqlite_database)
    made.look()
    return made


def test_pauses_grow_and_their_number_is_bounded(staff):
    for pause in PAUSES:
        count = len(staff.started)
        staff.now.code = -9
        staff.look()
        ended = staff.clock.now
        assert "is started again in" in staff.supervisor.problem()
        while len(staff.started) == count:
            staff.clock.now += 0.5
            staff.look()
        assert staff.started[-1][0] - ended == pytest.approx(pause, abs=0.5)
    staff.now.code = -9
    staff.run(7200, 10)
    assert len(staff.started) == 1 + len(PAUSES)
    assert "keeps ending (9 times in a row)" in staff.supervisor.problem()
    assert "Ask the administrator" in staff.supervisor.problem()


def test_a_worker_that_lived_for_long_begins_again_with_the_first_pause(staff, monkeypatch):
    monkeypatch.setattr(module, "SILENCE_SECONDS", 1e9)
    for _ in range(4):
        staff.now.code = 1
        staff.run(20)
    assert "has ended 4 times" in staff.supervisor.problem()
    staff.run(200)
    assert staff.supervisor.problem() is None
    staff.now.code = -9
    staff.look()
    assert staff.supervisor.problem() == (
        "The background worker has ended once and is started again in 1 s; work waits for it."
    )


def test_a_worker_that_cannot_even_be_started_is_told_and_tried_again(sqlite_database):
    made = Staff(sqlite_database)
    start, made.supervisor._start = made.supervisor._start, _no_memory
    made.look()
    assert "has ended once and is started again" in made.supervisor.problem()
    before = len(os.listdir("/proc/self/fd"))
    made.run(10)
    assert len(os.listdir("/proc/self/fd")) <= before  # none is left open
    made.supervisor._start = start
    made.run(20)
    assert len(made.started) == 1


def _no_memory(*_: object, **__: object) -> None:
    raise OSError(12, "Cannot allocate memory")


def test_a_worker_that_has_grown_is_replaced_at_once_and_that_is_no_trouble(staff):
    for _ in range(20):
        count = len(staff.started)
        staff.now.code = RENEW_CODE
        staff.look()
        staff.look()
        assert len(staff.started) == count + 1
        assert staff.supervisor.problem() is None


def test_jobs_of_a_dead_worker_are_given_back_once_the_store_answers_again(staff, monkeypatch):
    jobs = staff.supervisor._jobs
    number = jobs.ask("work")
    owner = staff.supervisor._posts[0].owner
    assert jobs.take(owner).id == number

    def away(owner: str) -> int:
        raise RulerankError("the disk is full")

    staff.now.code = -9
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "release", away)
        staff.run(5)
        assert state(jobs, number) == "running"
    staff.look()
    assert (state(jobs, number), jobs.get(number).tries) == ("waiting", 1)


# Leases and clocks ------------------------------------------------------------------------------------------------


def test_a_clock_that_was_a_year_ahead_holds_no_job(database):
    clock = Clock()
    jobs = Jobs(database, clock=clock)
    number = jobs.ask("work")
    clock.now += 365 * 86_400
    held = jobs.take("first")
    assert held.held(clock.now)
    clock.now -= 365 * 86_400
    assert not jobs.get(number).held(clock.now)
    again = jobs.take("second")
    assert (again.id, again.tries) == (number, 2)
    # A clock that is a little behind another machine's takes nothing from it.
    clock.now -= CLOCK_SLACK - 1
    assert jobs.take("third") is None
    assert jobs.get(number).held(clock.now)


def test_only_a_dead_worker_s_jobs_are_released(database):
    jobs = Jobs(database)
    numbers = [jobs.ask("work") for _ in range(3)]
    jobs.take("dead")
    jobs.take("alive")
    jobs.take("dead")
    jobs.stop(numbers[2])
    assert jobs.release("dead") == 2
    assert [state(jobs, number) for number in numbers] == ["waiting", "running", "stopped"]
