"""Everything the app needs of the database, put together once: the object that the screens are given."""

from __future__ import annotations

import logging
import tempfile
import threading
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.backup import backup, restore
from db.campaigns import Campaigns
from db.collections import Collections
from db.copying import beside
from db.engine import Database, DatabaseError
from db.importing import import_campaign
from db.jobs import Jobs
from db.migrate import migrate
from db.people import People, Person, may
from db.simulations import Simulations
from db.tables import campaigns as campaigns_table
from rulerank.campaign import GradeLevel, OpenCampaign, Settings
from rulerank.collection import Collection
from rulerank.demo import build_demo
from rulerank.errors import InputError, RulerankError

log = logging.getLogger("rulerank")
DEMO = "Demo: questions about Python"


class Workspace:
    """One database with its collections, campaigns, people, jobs and simulations."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        migrate(self.database)
        self.collections = Collections(self.database)
        self.campaigns = Campaigns(self.database, self.collections)
        self.people = People(self.database)
        self.jobs = Jobs(self.database)
        self.simulations = Simulations(self.database, self.collections)
        self._lock = threading.Lock()

    def open(self, campaign: int) -> OpenCampaign:
        """Return a campaign that is ready to use."""
        return self.campaigns.open(campaign)

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

    def backup_bytes(self) -> bytes:
        """Return a backup of the whole database, made while others go on labelling."""
        with tempfile.TemporaryDirectory(prefix="rulerank-backup-") as folder:
            return backup(self.database, Path(folder) / "backup.db").read_bytes()

    def restore_bytes(self, data: bytes, name: str = "the backup") -> Path:
        """Check a backup, make a new database file of it beside this one, and return its path; this one stays.

        Messages call the backup by its `name`.
        """
        target = beside((self.database.path or Path("rulerank.db")).resolve(), "restored")
        with tempfile.TemporaryDirectory(prefix="rulerank-restore-") as folder:
            source = Path(folder) / "backup.db"
            source.write_bytes(data)
            try:
                restore(source, f"sqlite:///{target}")
            except RulerankError as error:
                raise DatabaseError(str(error).replace(str(source), name)) from error
        return target

    def close(self) -> None:
        """Close the database."""
        self.database.close()
