"""The worker's part of the Simulate page: run a plan, and keep every finished task, so that nothing is done twice."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.collections import Collections
from db.jobs.queue import JobStoppedError
from db.simulations import WHOLE, read_parts
from db.store.engine import Database
from db.store.tables import files, jobs
from rulerank.errors import RulerankError
from rulerank.progress import Progress
from rulerank.simulate import Dataset, Plan, Results, pack, run

JOBS: int | None = None
"""Processes that work at the same time; None: one per core. Never the worker itself, which must outlive any of them."""

PAUSE = 2.0
"""Seconds between two times that finished tasks are put into the database: labels must not be kept waiting."""


class _Keeper:
    """Puts what appears in a folder of results into the database, as it comes."""

    def __init__(self, database: Database, number: int, folder: Path) -> None:
        self._database = database
        self._number = number
        self._folder = folder
        folder.mkdir(parents=True)
        read_parts(database, number, folder)
        self._known = {(path, written) for path, written in self._files() if path.suffix == ".npz"}
        self._last = time.monotonic()

    def _files(self) -> list[tuple[Path, int]]:
        """Return the files and when each was written: a task that failed again says so in the same file."""
        found = []
        for path in sorted(self._folder.rglob("*")):
            with suppress(FileNotFoundError):  # a failure that was fixed this moment
                if path.is_file() and path.name[0] != ".":  # what is being written has a name that begins with a dot
                    found.append((path, path.stat().st_mtime_ns))
        return found

    def now_and_then(self) -> None:
        """Keep what is new, if the last time was a while ago."""
        if time.monotonic() - self._last >= PAUSE:
            self.keep()

    def keep(self) -> None:
        """Keep what is new."""
        self._last = time.monotonic()
        new = [each for each in self._files() if each not in self._known]
        contents = {}
        for path, _ in new:
            with suppress(FileNotFoundError):
                contents[path.relative_to(self._folder).as_posix()] = path.read_bytes()
        if contents:
            self._write(contents)
        self._known |= set(new)

    def seal(self) -> None:
        """Replace the parts by one file that holds them all."""
        self._write({WHOLE: pack(self._folder)}, alone=True)

    def _write(self, contents: dict[str, bytes], *, alone: bool = False) -> None:
        now = time.time()
        mine = files.c.job_id == self._number
        replaced = mine if alone else sa.and_(mine, files.c.name.in_(list(contents)))
        rows = [
            {"name": name, "data": data, "job_id": self._number, "created_at": now} for name, data in contents.items()
        ]
        with self._database.write() as connection:
            if connection.scalar(sa.select(jobs.c.id).where(jobs.c.id == self._number)) is None:
                raise JobStoppedError(f"simulation {self._number} was deleted")
            connection.execute(sa.delete(files).where(replaced))
            connection.execute(sa.insert(files), rows)


class SomeRunsFailedError(RulerankError):
    """Some runs of a simulation failed. The others are kept, and going on tries only these again."""

    def __init__(self, results: Results) -> None:
        failures = results.failures
        super().__init__(
            f"{len(failures)} of {len(results.about.tasks)} runs failed, the first of them: {failures[0].message}"
        )


def simulate(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Run what is missing of a simulation's plan; what it comes to is in the files of its job."""
    plan = Plan.from_dict(arguments["plan"])
    collection = Collections(database).load(int(arguments["collection"]))
    data = Dataset.from_collection(collection, plan.folds, plan.split_seed, str(arguments["collection_name"]))
    with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
        folder = Path(place) / "results"
        keeper = _Keeper(database, int(arguments["simulation"]), folder)

        def follow(done: int, total: int | None = None, what: str = "", /) -> None:
            keeper.now_and_then()
            progress(done, total, what)

        try:
            results = run(plan, data, folder, jobs=JOBS, progress=follow)
        finally:
            keeper.keep()
        if results.failures:
            raise SomeRunsFailedError(results)
        keeper.seal()
    return {"tasks": len(results.about.tasks), "labels": results.labels, "rates": rates(results, collection.features)}


def rates(results: Results, features: Any) -> dict[str, dict[str, float]]:
    """Return what the samplers and rankers took here, for estimates of later simulations on the same machine.

    Seconds a million document-features: of a sampler, for each label; of a ranker, for each point of the curve.
    """
    table = results.table()
    last = table[(table["point"] == "grid") & (table["labels"] == results.labels)]
    size = sum(results.about.pools) / len(results.about.pools) * features.shape[1] / 1e6
    by_sampler = last.groupby("sampler")["select_seconds"].mean() / (size * results.labels)
    by_ranker = last.groupby("ranker")["train_seconds"].mean() / (size * len(results.grid))
    return {
        "samplers": {str(key): float(value) for key, value in by_sampler.items()},
        "rankers": {str(key): float(value) for key, value in by_ranker.items()},
    }
