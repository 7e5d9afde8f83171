"""A database with rows in every table, all of them right, and with what is easily lost on the way."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import sqlalchemy as sa
from argon2 import PasswordHasher
from db_helpers import Office, quick_settings, small_collection
from live_helpers import Clock

from db.importing import import_campaign
from db.jobs.queue import Jobs
from db.people.accounts import People
from db.people.passwords import Passwords
from db.store.engine import Database
from db.store.sqlite_copy import copy_to
from db.store.tables import claims, files, label_events, metadata, selections, snapshots
from rulerank.campaign import Kind
from rulerank.text import Analyser, DocumentText, QueryText, Texts

STRANGE = "مرحبا <b>&amp;</b> \U0001f600 \x07 'quotes' \\ %s :name"
NOW = 1_731_731_731.1234567


def fill(database: Database, events: int = 300) -> int:
    """Put right rows into every table: signs, large numbers, empty and missing values; return the campaign."""
    people = People(database, passwords=Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)))
    person = people.add("anna", "researcher", password="a long secret", email="anna@example.org")
    people.add("bert", "annotator")
    people.sign(person)
    people.first_code()  # makes the secret of the tickets
    collection = small_collection(rows=24)
    texts = Texts(
        {"0": QueryText(STRANGE, "", (STRANGE, "é")), "1": QueryText("text", "need", None), "2": QueryText("", "", ())},
        {f"d{n}": DocumentText("title", STRANGE * n, "de" if n % 2 else None) for n in range(20)},
    )
    campaign = import_campaign(
        database,
        "campaign",
        collection,
        quick_settings(guidelines=STRANGE),
        texts=texts,
        analyser=Analyser(("de",), True, False),
        evaluation_rows=range(20, 24),
        labels={0: 1, 1: 2},
        person=person.id,
    )
    office = Office(database, campaign, Clock())
    for grade in (0, 1, 2, 1):
        claim = office.live.next(person.id, beyond=True).claim
        office.live.submit(person.id, claim.token, claim.row, Kind.GRADE, grade=grade)
    office.live.undo(person.id)
    office.opened.change(person.id, replace(office.opened.settings, guidelines=f"{STRANGE}, again", sampler="random"))
    office.campaigns.pause(campaign, person=person.id)
    office.live.acknowledge(person.id, office.live.fold.course.told[-1].event)
    office.campaigns.pause(campaign, False, person=person.id)
    office.campaigns.delete(office.campaigns.duplicate(campaign, "gone", labels=True), "gone", person=person.id)
    jobs = Jobs(database)
    jobs.ask("import", {"text": STRANGE, "deep": [{"x": [1.5, None, True]}]}, person.id)
    jobs.finish(jobs.take("me"), {"rows": 7})
    jobs.ask("export", {}, person.id)
    packed = io.BytesIO()
    np.savez(packed, labels=np.arange(5))
    event = {"campaign_id": campaign, "kind": "grade", "person_id": person.id, "text": STRANGE}
    select = {"campaign_id": campaign, "sampler": "ssar", "reason": STRANGE, "version": "1", "created_at": NOW}
    with database.write() as connection:
        for table, rows in (
            (
                selections,
                [
                    {**select, "row": 1, "round": 1, "keys": [[1, 2.5]], "stop": False, "assumed": {}, "seed": 2**62},
                    {**select, "row": 2, "round": 2, "keys": [], "stop": True, "assumed": {"1": 0}, "seed": None},
                ],
            ),
            (
                claims,
                [
                    {"campaign_id": campaign, "row": n, "person_id": person.id, "token": f"t{n}", "selection_id": None}
                    | {"assumed_grade": n, "state": how, "created_at": NOW, "expires_at": NOW + 1, "closed_at": NOW}
                    for n, how in enumerate(("used", "expired"))
                ],
            ),
            (
                label_events,
                [
                    {**event, "row": n % 20, "grade": n % 3, "token": f"t{n}", "seconds": n / 3, "created_at": NOW + n}
                    for n in range(events)
                ],
            ),
            (
                snapshots,
                [
                    {"campaign_id": campaign, "kind": "LRAR", "labels": 3, "created_at": NOW, "event_id": 3}
                    | {"settings": {"k": 10}, "values": {"map": 0.1 + 0.2, "ndcg": None}}
                ],
            ),
            (
                files,
                [
                    {"name": STRANGE, "data": b"\x00\xff" * 10, "job_id": 1, "created_at": NOW},
                    {"name": "tasks/1.npz", "data": packed.getvalue(), "job_id": 1, "created_at": NOW},
                ],
            ),
        ):
            connection.execute(sa.insert(table), rows)
        last = connection.scalar(sa.select(sa.func.max(label_events.c.id)))
        row = connection.scalar(sa.select(label_events.c.row).where(label_events.c.id == last))
        undo = {**event, "kind": "undo", "row": row, "undoes": last, "created_at": NOW}
        connection.execute(sa.insert(label_events).values(undo))
    return campaign


def contents(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with database.read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


def what_lasts(found: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """Leave out what a restore ends: jobs and sessions."""
    return {name: rows for name, rows in found.items() if name not in ("jobs", "sessions")}


def plain_backup(database: Database, target: Path) -> Path:
    """What version 0.1.0 wrote: a copy of the database and nothing else."""
    return copy_to(database, target)
