"""Everything the app needs of the database, put together once; and how its parts do, as `/health` reports it."""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa

from db.backup.archive import read_manifest
from db.backup.restore import Restored, restore
from db.backup.write import backup, backup_name, writing
from db.campaigns import Campaigns
from db.collections import Collections
from db.importing import import_campaign
from db.jobs.queue import Jobs
from db.jobs.supervisor import Supervisor
from db.jobs.uploads import Uploads
from db.people.accounts import People
from db.people.person import Person, may
from db.simulations import Simulations
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.files import create_private, open_to_others, private_files
from db.store.migrate import migrate
from db.store.scratch import scratch, sweep
from db.store.sqlite_copy import beside
from db.store.tables import campaigns as campaigns_table
from rulerank.campaign import GradeLevel, OpenCampaign, Settings
from rulerank.collection import Collection
from rulerank.demo import build_demo
from rulerank.errors import InputError, RulerankError, StoreError
from rulerank.sampling import RECOMMENDED
from rulerank.strategy import Strategy

Check = Callable[[], str | RulerankError | None]
"""Returns what is wrong with a part, in words that anybody may read, or None."""

_log = logging.getLogger("rulerank")


class Health:
    """The parts of the app by name, each with a check; whoever adds a part adds its check to `checks`."""

    def __init__(self, checks: dict[str, Check]) -> None:
        self.checks = checks

    def state(self) -> dict[str, Any]:
        """Return "ok" or "trouble" as the `status` of the whole and of each part, and what is wrong with the part."""
        parts = {name: _part(name, check) for name, check in self.checks.items()}
        well = all(part["status"] == "ok" for part in parts.values())
        return {"status": "ok" if well else "trouble", "parts": parts}


def _part(name: str, check: Check) -> dict[str, str]:
    try:
        found = check()
    except Exception:
        _log.exception("the health of %s cannot be determined", name)
        found = "its check failed; the server's log says more"
    if found is None:
        return {"status": "ok"}
    kind = {"kind": found.kind} if isinstance(found, StoreError) else {}
    return {"status": "trouble", **kind, "problem": str(found)}


log = logging.getLogger("rulerank")
DEMO = "Demo: questions about Python"


class Workspace:
    """One database with its collections, campaigns, people, jobs and simulations."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        for folder in {self._folder, Path(tempfile.gettempdir())}:
            sweep(folder)
        migrate(self.database)
        self.collections = Collections(self.database)
        self.campaigns = Campaigns(self.database, self.collections)
        self.people = People(self.database)
        self.jobs = Jobs(self.database)
        self.simulations = Simulations(self.database, self.collections)
        self.uploads = Uploads(self.database)
        self.supervisor: Supervisor | None = None  # of the workers beside this process, if it has any
        self._lock = threading.Lock()

    def open(self, campaign: int) -> OpenCampaign:
        """Return a campaign that is ready to use."""
        return self.campaigns.open(campaign)

    def worker_problem(self) -> str | None:
        """Return in a sentence what is wrong with the background workers of this process; None if they are well."""
        return None if self.supervisor is None else self.supervisor.problem()

    def may(self, person: Person | None, act: str) -> bool:
        """Say whether a person may "label", "research" or "administer"."""
        return may(person, act)

    def demo(self, person: int | None = None) -> int:
        """Return the demo campaign, made from this Python's own documentation the first time it is asked for."""
        with self._lock:
            kept = self.demo_made()
            if kept is not None:
                return kept
            made = build_demo()
            levels = zip(made.grade_names, made.grade_meanings, made.grade_examples, strict=True)
            settings = Settings(
                grades=tuple(GradeLevel(*level) for level in levels),
                guidelines=made.guidelines,
                sampler=Strategy(RECOMMENDED),
                seed=made.seed,
                claim_minutes=30.0,
                grades_known=True,
            )
            try:
                return self.import_campaign(
                    DEMO,
                    made.collection,
                    settings,
                    texts=made.texts,
                    collection_name="Python standard library",
                    pool_rows=made.pool_rows,
                    evaluation_rows=made.evaluation_rows,
                    person=person,
                )
            except InputError:
                kept = self.demo_made()  # another process was quicker
                if kept is None:
                    raise
                return kept

    def demo_made(self) -> int | None:
        """Return the demo campaign if it was made already."""
        with self.database.read() as connection:
            return connection.scalar(sa.select(campaigns_table.c.id).where(campaigns_table.c.name == DEMO))

    def import_campaign(self, name: str, collection: Collection, settings: Settings, **more: Any) -> int:
        """Store a collection and a campaign on it in one step; see `db.importing.import_campaign`."""
        made = import_campaign(self.database, name, collection, settings, **more)
        if more.get("texts") is not None or more.get("analyser") is not None:
            # Another campaign on the same collection may be open, with the terms that its queries had before.
            self.campaigns.forget_all(collection.content_hash)
        return made

    def was_imported(self, content_hash: str) -> None:
        """Take note of a campaign that the worker has stored: others on the same collection may have new terms."""
        self.campaigns.forget_all(content_hash)

    def write_backup(self, folder: Path) -> Path:
        """Write a backup of the whole database into a folder while others go on labelling; return its path."""
        return backup(self.database, folder / backup_name())

    def backup_bytes(self) -> bytes:
        """Return a backup of the whole database, made while others go on labelling; all of it is in memory."""
        with scratch(self._folder) as folder:
            return self.write_backup(folder).read_bytes()

    def backup_fault(self, file: Path | IO[bytes]) -> str | None:
        """Return what was wrong with the database already when a backup was made, for which a restore refuses it."""
        return read_manifest(file).problem

    def restore_backup(self, stream: IO[bytes], name: str = "the backup") -> Restored:
        """Prove a backup, and make a new database file of it beside this one, which stays as it is.

        Messages call the backup by its `name`.
        """
        target = beside((self.database.path or Path("rulerank.db")).resolve(), "restored")
        with scratch(target.parent) as folder:
            source = folder / "uploaded"
            try:
                with writing(source):
                    create_private(source)
                    with source.open("r+b") as file:
                        shutil.copyfileobj(stream, file, 1 << 20)
                return restore(source, f"sqlite:///{target}")
            except RulerankError as error:
                raise DatabaseError(str(error).replace(str(source), name)) from error

    @property
    def _folder(self) -> Path:
        """Where there is room for a copy of the database."""
        return Path(tempfile.gettempdir()) if self.database.path is None else self.database.path.resolve().parent

    def open_to_others(self, secrets: Iterable[Path] = ()) -> list[str]:
        """Return a sentence for each of the database's files, and of files with secrets, that others can read."""
        return open_to_others(private_files(self.database.path, secrets))

    def close(self) -> None:
        """Close the database."""
        self.database.close()
