"""What is done to a campaign as a whole, without opening it: numbered, paused, archived, duplicated, deleted."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.log import DatabaseLog, name_taken, read_events, refuse_taken
from db.store.engine import Database
from db.store.tables import campaigns, claims, deletions, label_events, people, selections, snapshots
from rulerank.campaign import NO_DOCUMENT, About, Change, Course, Kind, LabelEvent, LogFold, Settings
from rulerank.collection.pack import unpack_numbers
from rulerank.errors import InputError


@dataclass(frozen=True)
class Deletion:
    """A campaign that is gone: what it was, who deleted it (None: nobody was signed in) and when."""

    campaign: int
    name: str
    documents: int
    labelled: int
    events: int
    by: str | None
    at: float


def insert_campaign(connection: sa.Connection, values: Mapping[str, Any]) -> int:
    """Insert a campaign and return its number, which no campaign ever had: an old link must not lead to a new one."""
    query = sa.insert(campaigns).values(values).returning(campaigns.c.id)
    highest = sa.select(sa.func.max(campaigns.c.id)).scalar_subquery()
    gone = connection.scalar(sa.select(sa.func.max(deletions.c.campaign)))
    if gone is not None and connection.dialect.name == "sqlite":  # PostgreSQL counts on by itself
        query = query.values(id=max(int(connection.scalar(sa.select(highest)) or 0), int(gone)) + 1)
    return int(connection.execute(query).scalar_one())


def set_state(database: Database, number: int, person: int | None, **after: bool) -> bool:
    """Write that a campaign is `paused` or `archived` from now on, or no longer; False if it is so already."""
    with DatabaseLog(database, number).transaction() as session:  # not between the reading and writing of a label
        row = session.connection.execute(sa.select(campaigns).where(campaigns.c.id == number)).one()
        before = {name: bool(getattr(row, name)) for name in after}
        if before == after:
            return False
        change = Change(About.STATE, before, after)
        token = secrets.token_hex(16)
        session.append(LabelEvent(Kind.CHANGE, NO_DOCUMENT, person, None, change.text, token, at=time.time()))
        return True


def duplicate(database: Database, number: int, name: str, *, labels: bool, person: int | None) -> int:
    """Make a campaign on the same pool, with the same edges and the settings as they are now, and maybe the labels.

    Labels are copied with whoever gave them and when; what was changed before is in the settings already.
    """
    try:
        with database.write(campaign=number) as connection:
            refuse_taken(connection, name)
            row = connection.execute(sa.select(campaigns).where(campaigns.c.id == number)).one_or_none()
            if row is None:
                raise InputError(f"campaign {number} does not exist")
            events = read_events(connection, number)
            course = Course(Settings.from_dict(row.settings))
            for event in events:
                if event.kind is Kind.CHANGE:
                    course.apply(event)
            same = ("collection_id", "edges", "pool_rows", "evaluation_rows")
            values = {column: getattr(row, column) for column in same}
            fresh = {"name": name, "settings": course.settings.to_dict(), "created_by": person}
            made = insert_campaign(connection, {**values, **fresh, "created_at": time.time()})
            if labels:
                _copy_labels(connection, made, events)
            return made
    except sa.exc.IntegrityError as error:
        if "name" not in str(error.orig):
            raise
        raise name_taken(name) from error


def _copy_labels(connection: sa.Connection, campaign: int, events: list[LabelEvent]) -> None:
    """Write the acts of a log into another campaign, in their order; each gets a number and a token of its own."""
    numbers: dict[int, int] = {}
    insert = sa.insert(label_events).returning(label_events.c.id)
    for event in events:
        if event.kind is Kind.CHANGE:
            continue
        values = {
            "campaign_id": campaign,
            "kind": event.kind.value,
            "row": event.row,
            "person_id": event.person,
            "grade": event.grade,
            "text": event.text,
            "token": None if event.token is None else secrets.token_hex(16),
            "undoes": None if event.undoes is None else numbers[event.undoes],
            "seconds": event.seconds,
            "created_at": event.at,
        }
        numbers[event.id] = int(connection.execute(insert, values).scalar_one())


def delete(database: Database, number: int, typed: str, person: int | None) -> Deletion:
    """Remove a campaign with its events, claims, selections and snapshots; its collection stays.

    The list of deletions names it first: the log lets go of no other campaign's events.
    """
    with database.write(campaign=number) as connection:
        row = connection.execute(sa.select(campaigns).where(campaigns.c.id == number)).one_or_none()
        if row is None:
            raise InputError(f"campaign {number} does not exist; it was deleted already")
        if typed.strip() != row.name:
            raise InputError("this is not the name of the campaign; type it exactly as it is shown")
        events = read_events(connection, number)
        fold = LogFold()  # how many are labelled depends on no setting, and one may name what is not installed here
        for event in events:
            fold.apply(event)
        facts = {
            "campaign": number,
            "name": row.name,
            "made_at": row.created_at,
            "documents": int(unpack_numbers(row.pool_rows).size),
            "labelled": len(fold.current()),
            "events": len(events),
            "person_id": person,
            "created_at": time.time(),
        }
        connection.execute(sa.insert(deletions).values(facts))
        connection.execute(sa.delete(label_events).where(label_events.c.campaign_id == number))
        for table in (claims, selections, snapshots):
            connection.execute(sa.delete(table).where(table.c.campaign_id == number))
        connection.execute(sa.delete(campaigns).where(campaigns.c.id == number))
    return read_deletions(database)[0]


def read_deletions(database: Database) -> list[Deletion]:
    """Return which campaigns were deleted, the latest first."""
    query = (
        sa.select(deletions, people.c.name.label("by"))
        .outerjoin(people, people.c.id == deletions.c.person_id)
        .order_by(deletions.c.id.desc())
    )
    with database.read() as connection:
        return [
            Deletion(row.campaign, row.name, row.documents, row.labelled, row.events, row.by, row.created_at)
            for row in connection.execute(query)
        ]
