"""Jobs: long work that a page asks for and a worker does, with a lease, a heartbeat and a way to stop it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.store.engine import Database
from db.store.tables import jobs
from rulerank.errors import InputError, RulerankError

OVER = ("done", "failed", "stopped")
STATES = ("waiting", "running", *OVER)
LEASE_SECONDS = 30.0
CLOCK_SLACK = 30.0
"""Seconds by which the clocks of two machines may differ; a lease that ends later still was given by a wrong clock."""

MOST_TRIES = 3
LONG_KINDS = frozenset({"simulate"})
"""Work that may take hours. One worker does none of it, so that nobody who waits before a page waits for it."""


class JobStoppedError(RulerankError):
    """The job in hand is to end now: somebody asked for it, or it belongs to another worker by now."""


@dataclass(frozen=True)
class Job:
    """A piece of long work as it stood when it was read."""

    id: int
    kind: str
    arguments: dict[str, Any]
    state: str
    owner: str | None
    lease_until: float | None
    tries: int
    done: int
    total: int | None
    message: str
    result: Any
    stop_asked: bool
    person: int | None
    created_at: float
    finished_at: float | None

    @property
    def over(self) -> bool:
        """Say whether nothing more will happen to it."""
        return self.state in OVER

    @property
    def share(self) -> float | None:
        """How much is done, from 0 to 1, where that is known."""
        if self.state == "done":
            return 1.0
        return min(1.0, self.done / self.total) if self.total else None

    def held(self, now: float) -> bool:
        """Say whether a worker holds it: its lease has begun, by a clock that can be right, and has not run out."""
        until = self.lease_until
        return self.state == "running" and until is not None and now < until <= now + LEASE_SECONDS + CLOCK_SLACK


class Jobs:
    """The jobs of a database."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock

    # For pages -------------------------------------------------------------------------------------------------------

    def ask(self, kind: str, arguments: Mapping[str, Any] | None = None, person: int | None = None) -> int:
        """Put a job in the queue and return its number."""
        values = {
            "kind": kind,
            "arguments": check_json(dict(arguments or {}), f"the arguments of a job {kind!r}"),
            "state": "waiting",
            "person_id": person,
            "created_at": self.clock(),
        }
        with self.database.write() as connection:
            return int(connection.execute(sa.insert(jobs).values(values).returning(jobs.c.id)).scalar_one())

    def stop(self, job_id: int) -> bool:
        """Stop a job: at once if it waits, else as soon as its worker notices; False if it is over already."""
        with self.database.write() as connection:
            waiting = sa.and_(jobs.c.id == job_id, jobs.c.state == "waiting")
            gone = sa.update(jobs).where(waiting).values(state="stopped", finished_at=self.clock(), stop_asked=True)
            running = sa.and_(jobs.c.id == job_id, jobs.c.state == "running")
            asked = sa.update(jobs).where(running).values(stop_asked=True)
            return bool(connection.execute(gone).rowcount) or bool(connection.execute(asked).rowcount)

    def get(self, job_id: int) -> Job | None:
        """Return a job as it stands now."""
        with self.database.read() as connection:
            row = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).one_or_none()
        return None if row is None else _job(row)

    def forget(self, job_id: int) -> None:
        """Remove a job that is over with its result: what a page has shown and nobody will ask for again."""
        over = sa.and_(jobs.c.id == job_id, jobs.c.state.in_(OVER))
        with self.database.write() as connection:
            connection.execute(sa.delete(jobs).where(over))

    def list(self, *, states: Collection[str] = STATES, kind: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """Return jobs, the latest first."""
        query = sa.select(jobs).where(jobs.c.state.in_(states))
        if kind is not None:
            query = query.where(jobs.c.kind == kind)
        with self.database.read() as connection:
            return tuple(_job(row) for row in connection.execute(query.order_by(jobs.c.id.desc()).limit(limit)))

    # For workers -----------------------------------------------------------------------------------------------------

    def take(self, owner: str, kinds: Collection[str] | None = None, *, late: float | None = None) -> Job | None:
        """Take the oldest job that waits, or whose worker was not heard of for 30 seconds; None if there is none.

        Short work goes before long work. No two workers get the same job. A job that lost three workers has failed.
        `kinds`: only jobs of these; with `late`, of others too once they have waited for so many seconds.
        """
        free = self._free()
        if kinds is not None:
            mine = jobs.c.kind.in_(list(kinds))
            free = sa.and_(free, mine if late is None else sa.or_(mine, self._has_waited(late)))
        with self.database.read() as connection:
            # Looking twice a second must not keep the writers of labels waiting.
            if connection.scalar(sa.select(jobs.c.id).where(free).limit(1)) is None:
                return None
        with self.database.write() as connection:
            first = sa.case((jobs.c.kind.in_(list(LONG_KINDS)), 1), else_=0), jobs.c.id
            query = sa.select(jobs).where(free).order_by(*first).limit(1).with_for_update(skip_locked=True)
            while (row := connection.execute(query).one_or_none()) is not None:
                if not self._end_hopeless(connection, row):
                    taken = (
                        sa.update(jobs)
                        .where(jobs.c.id == row.id)
                        .values(
                            state="running",
                            owner=owner,
                            tries=row.tries + 1,
                            lease_until=self.clock() + LEASE_SECONDS,
                            done=0,
                            total=None,
                            message="",
                        )
                    )
                    return _job(connection.execute(taken.returning(jobs)).one())
        return None

    def release(self, owner: str) -> int:
        """Take the jobs of a worker that is dead for certain from it; return how many.

        They wait for the next worker at once, and not for their lease to run out; one that lost its last worker failed.
        """
        with self.database.write() as connection:
            mine = sa.and_(jobs.c.owner == owner, jobs.c.state == "running")
            rows = connection.execute(sa.select(jobs).where(mine).with_for_update()).all()
            for row in rows:
                if not self._end_hopeless(connection, row):
                    # A lease in the past says since when it waits again.
                    values = {"state": "waiting", "owner": None, "lease_until": self.clock()}
                    connection.execute(sa.update(jobs).where(jobs.c.id == row.id).values(values))
        return len(rows)

    def beat(self, job: Job, done: int, total: int | None = None, message: str = "") -> bool:
        """Say how far a job is and hold it for 30 seconds more; False if it is to stop, or is another worker's now."""
        values = {"done": done, "total": total, "message": message, "lease_until": self.clock() + LEASE_SECONDS}
        with self.database.write() as connection:
            query = sa.update(jobs).where(_mine(job)).values(values).returning(jobs.c.stop_asked)
            stop_asked = connection.execute(query).scalar_one_or_none()
        return stop_asked is False

    def wanted(self, job: Job) -> bool:
        """Say, without writing, what `beat` would: False if it is to stop, or is another worker's now."""
        with self.database.read() as connection:
            return connection.scalar(sa.select(jobs.c.stop_asked).where(_mine(job))) is False

    def finish(self, job: Job, result: Any = None) -> bool:
        """Store the result of a job that is done; False if it is another worker's now."""
        result = check_json(result, f"the result of job {job.id}")
        return self._end(job, state="done", result=result)

    def fail(self, job: Job, message: str) -> bool:
        """Say why a job failed; False if it is another worker's now."""
        return self._end(job, state="failed", message=message)

    def stopped(self, job: Job) -> bool:
        """Say that a job has ended because somebody asked for it; False if it is another worker's now."""
        return self._end(job, state="stopped")

    def give_back(self, job: Job) -> bool:
        """Put a job back into the queue because its worker ends; this does not count as a try."""
        values = {"state": "waiting", "owner": None, "lease_until": None, "tries": job.tries - 1}
        return self._update(job, values)

    def _free(self) -> sa.ColumnElement[bool]:
        """Jobs that may be taken: see `Job.held`, which says the same of one job."""
        now, until = self.clock(), jobs.c.lease_until
        lapsed = sa.or_(until.is_(None), until <= now, until > now + LEASE_SECONDS + CLOCK_SLACK)
        return sa.or_(jobs.c.state == "waiting", sa.and_(jobs.c.state == "running", lapsed))

    def _has_waited(self, seconds: float) -> sa.ColumnElement[bool]:
        # A job from times to come was asked for before the clock was set back; nobody knows how long ago.
        now = self.clock()
        since = sa.func.coalesce(jobs.c.lease_until, jobs.c.created_at)
        return sa.or_(since <= now - seconds, since > now + CLOCK_SLACK)

    def _end_hopeless(self, connection: sa.Connection, row: sa.Row[Any]) -> bool:
        """End a job without a worker that is to stop, or has lost too many workers; False if it is worth a try."""
        values: dict[str, Any] = {"state": "stopped"}
        if not row.stop_asked:
            if row.tries < MOST_TRIES:
                return False
            message = (
                f"tried {row.tries} times, and each time its worker ended before the job did "
                "(too little memory, perhaps); ask for it again"
            )
            values = {"state": "failed", "message": message}
        ended = sa.update(jobs).where(jobs.c.id == row.id)
        connection.execute(ended.values(**values, lease_until=None, finished_at=self.clock()))
        return True

    def _end(self, job: Job, **values: Any) -> bool:
        return self._update(job, {**values, "lease_until": None, "finished_at": self.clock()})

    def _update(self, job: Job, values: dict[str, Any]) -> bool:
        with self.database.write() as connection:
            return bool(connection.execute(sa.update(jobs).where(_mine(job)).values(values)).rowcount)


def check_json(value: Any, what: str) -> Any:
    """Return a value that the database can keep as JSON; others raise an error here rather than there."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be plain values that JSON can write: {error}") from error
    return value


def _mine(job: Job) -> sa.ColumnElement[bool]:
    """Whether a job is still held by whom it was given to: the number of the try says which hold of an owner."""
    return sa.and_(jobs.c.id == job.id, jobs.c.state == "running", jobs.c.owner == job.owner, jobs.c.tries == job.tries)


def _job(row: sa.Row[Any]) -> Job:
    values = dict(row._mapping)
    values["person"] = values.pop("person_id")
    return Job(**values)
