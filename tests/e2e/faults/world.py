"""What a trial labels: campaigns that differ in what they ask for, people, and the tickets that let people in."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import sqlalchemy as sa

from db.people.person import Person
from db.store.tables import claims, label_events
from db.workspace import Workspace
from rulerank.campaign import Settings
from rulerank.synthetic import planted_collection
from tests.e2e.faults.history import LogRow, Snapshot

DOCUMENTS = 600
FEATURES = 6
CLAIM_MINUTES = (0.1, 0.1, 10.0)  # six seconds is the shortest that there is: claims run out during a trial
OVERLAPS = (1, 1, 2, 3)


def make_campaign(workspace: Workspace, name: str, rng: random.Random) -> tuple[int, int]:
    """Store a made-up collection and a campaign on all of it; return the campaign's number and its overlap."""
    queries = DOCUMENTS // 20
    collection = planted_collection(queries, DOCUMENTS // queries, FEATURES, rng.randrange(2**31))
    overlap = rng.choice(OVERLAPS)
    settings = Settings(
        dwell_milliseconds=0,
        discretizer="equal_width:bins=5",
        overlap=overlap,
        later_after=rng.choice((1, 3, 6)),
        claim_minutes=rng.choice(CLAIM_MINUTES),
        seed=rng.randrange(2**31),
    )
    number = workspace.collections.add(name, collection)
    return workspace.campaigns.create(name, number, settings), overlap


def fresh_ticket(workspace: Workspace, person: Person, campaign: int) -> str:
    """Return a ticket as the Label page writes it for somebody who was let in."""
    return workspace.people.write_ticket(person, campaign)


def read_snapshot(engine: sa.Engine, campaign: int) -> Snapshot:
    """Read the log and the open claims of a campaign in one transaction."""
    at = time.monotonic()
    kept = label_events.c
    events = sa.select(label_events).where(kept.campaign_id == campaign).order_by(kept.id)
    held = sa.select(claims.c.row, claims.c.person_id).where(claims.c.campaign_id == campaign, claims.c.state == "open")
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")  # the driver itself begins none for reading
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        rows = tuple(
            LogRow(e.id, e.kind, e.row, e.person_id, e.grade, e.text, e.token, e.undoes)
            for e in connection.execute(events)
        )
        return Snapshot(at, rows, tuple((claim.row, claim.person_id) for claim in connection.execute(held)))


def close_quietly(workspace: Workspace) -> None:
    """Let go of the store: the trial must not be the one who holds a file that is moved or a server that is ended."""
    with suppress(sa.exc.SQLAlchemyError):
        workspace.database.close()
