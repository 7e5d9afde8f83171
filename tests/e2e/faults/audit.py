"""An auditor who reads the log again and again while everything fails: what was read once must stay as it was."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import sqlalchemy as sa

from tests.e2e.faults.checker import check_graders, check_held, check_prefix, check_present
from tests.e2e.faults.history import Snapshot, Violation
from tests.e2e.faults.report import Report
from tests.e2e.faults.stores import Store
from tests.e2e.faults.world import read_snapshot

EVERY = 1.0  # seconds


@dataclass
class Course:
    """One campaign of a trial, with its log as it was last read."""

    id: int
    overlap: int
    last: Snapshot | None = None


def audit(course: Course, engine: sa.Engine, report: Report) -> Snapshot:
    """Read the log of a campaign, and hold it against the last reading and against what was acknowledged before."""
    snapshot = read_snapshot(engine, course.id)
    found: list[Violation] = [
        *check_present(report.history.of(course.id), snapshot),
        *check_held(snapshot, course.overlap),
        *check_graders(snapshot.rows, course.overlap),
    ]
    if course.last is not None:
        found += check_prefix(course.last, snapshot)
    course.last = snapshot
    report.readings += 1
    report.tell(found)
    return snapshot


class Auditor(threading.Thread):
    """Audits one campaign as long as a round lasts; a store that cannot be read is left for the next time."""

    def __init__(self, course: Course, store: Store, report: Report) -> None:
        super().__init__(name="auditor", daemon=True)
        self.course = course
        self.store = store
        self.report = report
        self.stop = threading.Event()

    def run(self) -> None:
        """Audit until told to stop."""
        engine = self.store.reader()
        while not self.stop.wait(EVERY):
            try:
                with self.store.gate:  # not while the file is being moved: what is read then is no reading
                    audit(self.course, engine, self.report)
            except sa.exc.SQLAlchemyError:
                continue

    def end(self) -> None:
        """Stop."""
        self.stop.set()
        self.join(60)
