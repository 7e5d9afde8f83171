"""What the tests of log, campaigns and workspace share: people, small campaigns, server processes as objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from live_helpers import Clock, Peeking, random_pool, row_of

from db.campaigns import Campaigns
from db.collections import Collections
from db.store.engine import Database
from db.store.tables import people
from rulerank.campaign import Campaign, Settings
from rulerank.collection import Collection


def url_of(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


def add_people(database: Database, number: int) -> list[int]:
    """Return the numbers of so many new annotators."""
    with database.write() as connection:
        taken = connection.scalar(sa.select(sa.func.count()).select_from(people))
        rows = [{"name": f"person {taken + n}", "role": "annotator", "created_at": 1.0} for n in range(number)]
        return [connection.scalar(sa.insert(people).values(row).returning(people.c.id)) for row in rows]


def small_collection(rows: int = 12, seed: int = 0, features: int = 5) -> Collection:
    """Return a collection whose features are bins already."""
    items, grades = random_pool(rows, features=features, seed=seed)
    items[:3] = np.arange(3)[:, None]  # every bin is there, so that equal widths give the bins back
    qids = [str(row // 4) for row in range(rows)]
    return Collection.from_arrays(items.astype(float), qids, grades, docids=[f"d{row}" for row in range(rows)])


def quick_settings(**more: Any) -> Settings:
    quick = {"dwell_milliseconds": 0, "discretizer": "equal_width:bins=3", "later_after": 2}
    if more.get("sampler") == "ssarp":
        more["sampler"] = "ssarp:partitions=2"
    return Settings(**{**quick, **more})


@dataclass
class Office:
    """One server process on a database: objects of its own, its campaign opened from what is stored."""

    database: Database
    number: int
    clock: Clock

    def __post_init__(self) -> None:
        self.campaigns = Campaigns(self.database, Collections(self.database))
        self.opened = self.campaigns.open(self.number)
        self.live: Campaign = self.opened.live
        self.live.clock = self.clock
        self.grades = self.opened.collection.grades[self.opened.pool_rows]

    def another(self) -> Office:
        """Return what a process that starts now would have, but for its connections."""
        return Office(self.database, self.number, self.clock)

    def would_offer(self, person: int) -> int | None:
        """Return what this process would propose (None: a pause), leaving no trace."""
        peeking = self.another()
        peeking.live.log = Peeking(peeking.live.log)
        return row_of(peeking.live.next(person, beyond=True))


def add_office(database: Database, collection: Collection, name: str = "campaign", **settings: Any) -> Office:
    """Store a collection and a campaign on it, and open it."""
    stored = Collections(database)
    number = Campaigns(database, stored).create(name, stored.add("small", collection), quick_settings(**settings))
    return Office(database, number, Clock())
