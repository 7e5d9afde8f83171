"""Simulations in the database: asked for, listed, stopped, taken up again, deleted; their results kept beside the job.

A simulation is a job of the kind "simulate". While it is under way its finished tasks are kept one by one among the
files, so that it can go on from there on any machine; when it is complete they become one file.
"""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.collections import CollectionInfo, Collections, checked_name
from db.jobs.queue import Job, Jobs
from db.store.engine import Database
from db.store.tables import files, jobs
from rulerank.errors import InputError, RulerankError
from rulerank.simulate import Plan, Results
from rulerank.simulate.plan import rehearse
from rulerank.strategy import with_new_spelling

KIND = "simulate"
WHOLE = "simulation.zip"
"""The file of a complete simulation; one under way has several, each with its path in the folder of results."""

OVER = ("done", "failed", "stopped")


@dataclass(frozen=True)
class Candidate:
    """A stored collection: whether it can be simulated on, and if not, why.

    sizes: how many documents with a grade each query has that has any. relevant: documents with a grade above 0.
    """

    info: CollectionInfo
    sizes: tuple[int, ...]
    relevant: int

    @property
    def graded(self) -> int:
        """Documents with a grade."""
        return sum(self.sizes)

    @property
    def why_not(self) -> str:
        """What is missing, in words; nothing if it can be simulated on."""
        if not self.graded:
            return "none of its documents has a grade in the file it came from"
        if not self.relevant:
            return "all of its grades are 0, so there is nothing to find"
        if len(self.sizes) < 2:
            return "it has one query with grades; two or more are needed, to learn from some and measure on others"
        return ""


@dataclass(frozen=True)
class Simulation:
    """A simulation as it stood when it was read."""

    id: int
    name: str
    collection: int
    collection_name: str
    plan: dict[str, Any]
    job: Job

    @classmethod
    def of(cls, job: Job) -> Simulation:
        """Read what a job's arguments say."""
        given = job.arguments
        return cls(job.id, given["name"], given["collection"], given["collection_name"], given["plan"], job)


class Simulations:
    """The simulations of a database."""

    def __init__(self, database: Database, collections: Collections) -> None:
        self.database = database
        self.collections = collections
        self.jobs = Jobs(database)
        self._facts: dict[tuple[int, float], Candidate] = {}
        self._lock = threading.Lock()

    def candidates(self) -> list[Candidate]:
        """Return all collections, the newest first, with what a simulation would find in them."""
        return [self._candidate(info) for info in self.collections.all()]

    def _candidate(self, info: CollectionInfo) -> Candidate:
        key = (info.id, info.created_at)  # what is stored under a number never changes
        with self._lock:
            if key not in self._facts:
                collection = self.collections.load(info.id)
                known = collection.grades >= 0
                sizes = Counter(collection.query_index[known].tolist())
                relevant = int((collection.grades > 0).sum())
                self._facts[key] = Candidate(info, tuple(sizes.values()), relevant)
            return self._facts[key]

    def ask(self, collection: int, plan: Plan, name: str = "", person: int | None = None) -> int:
        """Ask the worker for a simulation and return its number; one that is under way already is not begun again."""
        info = next((each for each in self.collections.all() if each.id == collection), None)
        if info is None:
            raise InputError(f"collection {collection} does not exist any more; choose another")
        candidate = self._candidate(info)
        if candidate.why_not:
            raise InputError(f"{info.name} cannot be simulated on: {candidate.why_not}")
        if plan.folds > len(candidate.sizes):
            raise InputError(
                f"{info.name} has {len(candidate.sizes)} queries with grades, too few for {plan.folds} folds"
            )
        rehearse(plan, info.features, learn=False)
        arguments = {
            "name": checked_name(name, "simulation") if name.strip() else "",
            "collection": collection,
            "collection_name": info.name,
            "plan": plan.to_dict(),
        }
        for same in self.jobs.list(states=("waiting", "running"), kind=KIND):
            asked = {**same.arguments, "plan": with_new_spelling(same.arguments["plan"]), "simulation": 0}
            if asked == {**arguments, "simulation": 0} and not same.stop_asked:
                return same.id
        values = {"kind": KIND, "arguments": arguments, "state": "waiting", "person_id": person}
        with self.database.write() as connection:
            insert = sa.insert(jobs).values(**values, created_at=self.jobs.clock()).returning(jobs.c.id)
            number = int(connection.execute(insert).scalar_one())
            # A handler gets its arguments alone, and must know where its results belong.
            this = sa.update(jobs).where(jobs.c.id == number)
            connection.execute(this.values(arguments={**arguments, "simulation": number}))
        return number

    def all(self) -> list[Simulation]:
        """Return the simulations, the newest first."""
        return [Simulation.of(job) for job in self.jobs.list(kind=KIND, limit=1000)]

    def get(self, number: int) -> Simulation | None:
        """Return a simulation, None if there is none of this number."""
        job = self.jobs.get(number)
        return Simulation.of(job) if job is not None and job.kind == KIND else None

    def stop(self, number: int) -> bool:
        """Stop a simulation; what is finished is kept. False if it is over already."""
        return self.jobs.stop(number)

    def go_on(self, number: int) -> bool:
        """Let a stopped or failed simulation go on where it was; False if it is neither.

        Its lease ends now: nobody holds it from here on, which also says since when it waits.
        """
        values = {"state": "waiting", "stop_asked": False, "tries": 0, "message": "", "finished_at": None}
        values["lease_until"] = self.jobs.clock()
        ended = sa.and_(jobs.c.id == number, jobs.c.kind == KIND, jobs.c.state.in_(("stopped", "failed")))
        with self.database.write() as connection:
            return bool(connection.execute(sa.update(jobs).where(ended).values(owner=None, **values)).rowcount)

    def delete(self, number: int) -> None:
        """Remove a simulation with all that it found; one under way must be stopped first."""
        with self.database.write() as connection:
            ours = sa.and_(jobs.c.id == number, jobs.c.kind == KIND)
            state = connection.scalar(sa.select(jobs.c.state).where(ours).with_for_update())
            if state is None:
                return
            if state not in OVER:
                raise InputError("this simulation is under way; stop it before you delete it")
            connection.execute(sa.delete(files).where(files.c.job_id == number))
            connection.execute(sa.delete(jobs).where(ours))

    # Results ---------------------------------------------------------------------------------------------------------

    def stamp(self, number: int) -> str:
        """Return a short text that changes whenever there is more to read of a simulation; empty without results."""
        query = sa.select(sa.func.count(), sa.func.max(files.c.id), sa.func.max(files.c.created_at))
        with self.database.read() as connection:
            count, newest, at = connection.execute(query.where(files.c.job_id == number)).one()
        return f"{count}-{newest}-{at:.3f}" if count else ""

    def packed(self, number: int) -> bytes | None:
        """Return the packed results of a complete simulation (`Results.unpack`), None of any other."""
        query = sa.select(files.c.data).where(files.c.job_id == number, files.c.name == WHOLE)
        with self.database.read() as connection:
            return connection.scalar(query.order_by(files.c.id.desc()).limit(1))

    def results(self, number: int) -> Results | None:
        """Return what a simulation has found, of one under way what is finished; None if that is nothing yet."""
        whole = self.packed(number)
        if whole is not None:
            return Results.unpack(whole)
        with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
            return Results.load(place) if read_parts(self.database, number, Path(place)) else None


def read_parts(database: Database, number: int, folder: Path) -> int:
    """Write the kept parts of a simulation into a folder, as `run` left them there; return how many they were."""
    query = sa.select(files.c.name, files.c.data).where(files.c.job_id == number, files.c.name != WHOLE)
    count = 0
    with database.read() as connection:
        for row in connection.execute(query):
            path = (folder / row.name).resolve()
            if not path.is_relative_to(folder.resolve()):
                raise RulerankError(f"simulation {number} holds a file outside of its folder: {row.name!r}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(row.data)
            count += 1
    return count
