"""The trial: rounds of labelling under faults, each followed by calm in which what was kept is checked."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from db.jobs.queue import LEASE_SECONDS
from db.people.person import Person
from db.workspace import Workspace
from tests.e2e.faults.annotators import Annotator, Control
from tests.e2e.faults.audit import Auditor, Course, audit
from tests.e2e.faults.checker import check_log
from tests.e2e.faults.clock import set_clock
from tests.e2e.faults.comparing import Comparing, FreshProcess
from tests.e2e.faults.history import Violation
from tests.e2e.faults.jobs import KIND as JOB
from tests.e2e.faults.nemesis import Nemeses
from tests.e2e.faults.postgres import PostgresStore
from tests.e2e.faults.processes import ColdServerProcess, ForkServer, Process, ServerProcess
from tests.e2e.faults.protocol import PATIENCE
from tests.e2e.faults.proxy import Proxy, ProxyThread
from tests.e2e.faults.report import Plan, Report
from tests.e2e.faults.stores import SqliteStore, Store
from tests.e2e.faults.world import DOCUMENTS, close_quietly, fresh_ticket, make_campaign

HEALING = 60.0  # seconds in which everything must answer again when nothing is broken any more


class Trial:
    """Everything that a trial has running."""

    def __init__(self, plan: Plan, say: Callable[[str], object] = print) -> None:
        self.plan = plan
        self.say = say
        self.report = Report(plan, say=say)
        self.control = Control()
        self.courses: list[Course] = []
        self.servers: list[ServerProcess] = []
        self.workers: list[Process] = []
        self.rng = random.Random(f"{plan.seed} trial")
        self.jobs: list[int] = []

    def run(self) -> Report:
        """Run the trial to its end, and leave nothing running."""
        started = time.monotonic()
        self.end = started + self.plan.seconds
        with ExitStack() as leaving:
            self.folder = Path(tempfile.mkdtemp(prefix="rulerank-faults-"))
            leaving.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self._set_up(leaving)
            try:
                while not self.report.rounds or self._time_left():
                    self._round(
                        min(
                            self.plan.round_seconds,
                            max(10.0 if not self.report.rounds else 3.0, self.end - time.monotonic() - 4.0),
                        )
                    )
                    self.report.seconds = time.monotonic() - started
                    self.say(self.report.line())
                self._check_jobs()
                self._check_everything()
            finally:
                self.control.over.set()
            self.report.seconds = time.monotonic() - started
        return self.report

    def _time_left(self) -> bool:
        plan, report = self.plan, self.report
        reached = plan.acts and plan.kills and report.acts >= plan.acts and report.kills >= plan.kills
        return not reached and time.monotonic() < self.end - 5.0

    def _set_up(self, leaving: ExitStack) -> None:
        plan = self.plan
        self.store: Store = (
            PostgresStore() if plan.postgres else SqliteStore(lambda: [s.pid for s in self.servers if s.pid])
        )
        leaving.callback(self.store.close)
        self.report.store = "PostgreSQL" if plan.postgres else "SQLite"
        self.report.disk = self.store.disk
        self.reader = self.store.reader()
        self.workspace = Workspace(self.store.url)
        leaving.callback(close_quietly, self.workspace)
        self.people: dict[int, Person] = {}
        for number in range(plan.annotators + 1):
            person = self.workspace.people.add(f"annotator {number}", "annotator")
            self.people[person.id] = person
        self.witness = self.people.popitem()[1]
        self._next_campaign()
        self.forks = ForkServer(self.store.url, self.folder / "forkserver.log")
        leaving.callback(self.forks.close)
        for number in range(plan.servers):
            name = f"server{number + 1}"
            made = (self.forks, self.folder, self.store.gate)
            self.servers.append(
                ColdServerProcess(name, *made, self.store.url) if plan.cold else ServerProcess(name, *made)
            )
            leaving.callback(self.servers[-1].end)
        if not plan.cold:  # such servers keep workers of their own
            self.workers.append(Process("worker1", "work", self.forks, self.folder, self.store.gate))
        counts, copied = self.report.faults, self.report.history.copy
        proxies = [
            Proxy(server.port, random.Random(f"{plan.seed} {server.name} proxy"), counts, copied)
            for server in self.servers
        ]
        self.proxies = ProxyThread(proxies)
        leaving.callback(self.proxies.close)
        for proxy in proxies:
            proxy.patience = PATIENCE
        ports = [proxy.port for proxy in proxies]
        for annotator in self.people:
            Annotator(
                annotator, ports, self.report.history, self.control, self._ticket, f"{plan.seed} {annotator} annotator"
            ).start()

    def _ticket(self, person: int, campaign: int) -> str:
        return fresh_ticket(self.workspace, self.people[person], campaign)

    def _next_campaign(self) -> None:
        name = f"Trial {len(self.courses) + 1}"
        self.courses.append(Course(*make_campaign(self.workspace, name, self.rng)))
        self.control.campaign = self.courses[-1].id
        self.control.idle.clear()
        self.report.campaigns = len(self.courses)

    # A round ---------------------------------------------------------------------------------------------------------

    def _round(self, seconds: float) -> None:
        self._heal()
        in_time = self.end - time.monotonic() > LEASE_SECONDS + 10  # to be taken over from a worker that was killed
        for _ in range(2 if in_time and self.workers else 0):  # a server's own worker does not know this job
            self.jobs.append(self.workspace.jobs.ask(JOB, {"seconds": self.rng.uniform(0.5, 4.0)}))
        close_quietly(self.workspace)
        self.control.calm_since = None
        self.proxies.set_calm(False)
        nemeses = Nemeses(
            [*self.servers],
            self.workers,
            self.store,
            self.report.faults,
            f"{self.plan.seed} {self.report.rounds}",
            lambda: self.report.acts >= self.plan.acts_a_kill * self.report.kills,
        )
        auditor = Auditor(self.courses[-1], self.store, self.report)
        self.control.go.set()
        nemeses.start()
        auditor.start()
        end = time.monotonic() + seconds
        self.ran_dry = False
        while time.monotonic() < end and not self.ran_dry:
            time.sleep(0.1)
            self.ran_dry = len(self.control.idle) > self.plan.annotators / 2
        nemeses.end()
        auditor.end()
        self._heal()
        self.proxies.set_calm(True)
        self.control.calm_since = time.monotonic()
        if not self.control.pause(2 * HEALING):
            raise RuntimeError("annotators do not come to an end of their acts")
        self.report.tell(self.control.found)
        self.report.rounds += 1
        self._check_round()

    def _heal(self) -> None:
        """Make everything whole and wait until it answers."""
        self.store.mend()
        end = time.monotonic() + HEALING
        processes: list[Process] = [*self.servers, *self.workers]
        for process in processes:
            set_clock(process.clock, 0.0)
            if not process.ready() and not process.start():
                raise RuntimeError(f"{process.name} does not start:\n{process.log.read_text()[-3000:]}")
        for server in self.servers:
            while not server.healthy():
                if time.monotonic() > end:
                    words = f"/health of {server.name} does not say that all is well, though it is"
                    self.report.tell([Violation("stalled", words)])
                    server.kill()
                    server.start()
                    break
                time.sleep(0.05)

    # Checks ----------------------------------------------------------------------------------------------------------

    def _check_round(self) -> None:
        course = self.courses[-1]
        found = self._compare(course)
        snapshot = audit(course, self.reader, self.report)
        found += check_log(self.report.history.of(course.id), snapshot.rows, course.overlap)
        self.report.tell(found)
        graded = sum(row.kind == "grade" for row in snapshot.rows)
        if graded > 0.75 * DOCUMENTS * course.overlap or self.ran_dry or found:
            self._next_campaign()

    def _compare(self, course: Course) -> list[Violation]:
        """Let servers and fresh processes show the same campaign."""
        self.report.proposals += 1
        fresh = FreshProcess(self.forks, self.folder, self.store.gate)
        comparing = Comparing(self.workspace, self.reader, course.id, self.servers, fresh)
        return [
            *comparing.next_documents(self.witness),
            *comparing.what_people_see(list(self.people.values())),
            *comparing.no_trouble(self.witness),
        ]

    def _check_jobs(self) -> None:
        """No job waits or runs for ever: each ends when a worker is there to do it."""
        end = time.monotonic() + LEASE_SECONDS + 30.0
        while True:
            known = [self.workspace.jobs.get(job) for job in self.jobs]
            left = [job for job in known if job is None or not job.over]
            if not left or time.monotonic() > end:
                break
            time.sleep(0.3)
        self.report.jobs = Counter("gone" if job is None else job.state for job in known)
        self.report.tell([Violation("stalled", f"job {job.id if job else '?'} is not over: {job}") for job in left])

    def _check_everything(self) -> None:
        """Read all logs once more: nothing that was read before may have changed."""
        for course in self.courses:
            snapshot = audit(course, self.reader, self.report)
            self.report.events += len(snapshot.rows)
            self.report.tell(check_log(self.report.history.of(course.id), snapshot.rows, course.overlap))
