"""Indexes: none that another one makes useless, and what every label asks for is found by one."""

from __future__ import annotations

import itertools
import re

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from db.store.engine import Database
from db.store.migrate import SCRIPTS, migrate
from db.store.tables import claims, label_events, snapshots

EVENTS, CLAIMS, KEPT = label_events.c, claims.c, snapshots.c
BY_CAMPAIGN = "ix_label_events_campaign_id_id"
BY_NUMBER = f"{BY_CAMPAIGN}|pk_label_events|label_events_pkey"

# What is asked at each label or look, and the index that must serve it.
QUESTIONS = {
    "events since": (sa.select(label_events).where(EVENTS.campaign_id == 2, EVENTS.id > 40), BY_NUMBER),
    "last event": (sa.select(sa.func.max(EVENTS.id)).where(EVENTS.campaign_id == 2), BY_NUMBER),
    "events of a campaign": (sa.select(EVENTS.row).where(EVENTS.campaign_id == 2), BY_CAMPAIGN),
    "open claims": (
        sa.select(claims).where(CLAIMS.campaign_id == 2, CLAIMS.state == "open"),
        "ix_claims_open|uq_claims_open_person",
    ),
    "claims of a campaign": (sa.select(CLAIMS.row).where(CLAIMS.campaign_id == 2), "ix_claims_open"),
    "snapshots of a kind": (
        sa.select(snapshots).where(KEPT.campaign_id == 2, KEPT.kind == "random"),
        "ix_snapshots_campaign_id_kind_labels",
    ),
    "snapshots of a campaign": (
        sa.select(KEPT.labels).where(KEPT.campaign_id == 2),
        "ix_snapshots_campaign_id_kind_labels",
    ),
}


def plan(connection: sa.Connection, query: sa.Select) -> str:
    """How the database would answer."""
    text = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
    word = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
    return "\n".join(str(tuple(row)) for row in connection.exec_driver_sql(f"{word} {text}"))


def test_no_index_is_the_beginning_of_another(database):
    look = sa.inspect(database.engine)
    useless = []
    for table in look.get_table_names():
        found = [
            (index["name"], index["column_names"], index["unique"])
            for index in look.get_indexes(table)
            if not any(option.endswith("_where") for option in index.get("dialect_options", {}))
        ]
        found += [(each["name"], each["column_names"], True) for each in look.get_unique_constraints(table)]
        found.append(("key", look.get_pk_constraint(table)["constrained_columns"], True))
        for (name, columns, unique), (_, others, _) in itertools.permutations(found, 2):
            if not unique and columns == others[: len(columns)]:
                useless.append(name)
    assert useless == []


@pytest.fixture
def full(database, make_campaign):
    """A database with three campaigns, and enough in its tables for an index to be worth it."""
    numbers = [make_campaign(database, f"campaign {number}") for number in range(3)]
    with database.write() as connection:
        for number in numbers:
            connection.execute(
                sa.insert(label_events),
                [
                    {"campaign_id": number, "kind": "grade", "row": row, "grade": 1, "text": "", "created_at": 1.0}
                    for row in range(2000)
                ],
            )
            connection.execute(
                sa.insert(claims),
                [
                    {"campaign_id": number, "person_id": 1, "row": row, "token": f"{number}-{row}", "state": "used",
                     "created_at": 1.0, "expires_at": 2.0}
                    for row in range(2000)
                ],
            )  # fmt: skip
            connection.execute(
                sa.insert(snapshots),
                [
                    {"campaign_id": number, "kind": f"kind {row % 40}", "labels": row, "settings": {}, "values": {},
                     "created_at": 1.0}
                    for row in range(2000)
                ],
            )  # fmt: skip
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")
    return database


def test_questions_are_answered_by_an_index(full):
    with full.read() as connection:
        if connection.dialect.name == "postgresql":
            # A third of a small table is read faster whole.
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        told = {question: plan(connection, query) for question, (query, _) in QUESTIONS.items()}
    assert {name: text for name, text in told.items() if not re.search(QUESTIONS[name][1], text)} == {}


def test_a_database_of_the_second_schema_loses_them(backend, new_url):
    database = Database(new_url(backend, empty=True))
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
    names = {index["name"] for index in sa.inspect(database.engine).get_indexes("claims")}
    assert {"ix_claims_campaign_id", "ix_claims_open"} <= names
    migrate(database)
    names -= {index["name"] for index in sa.inspect(database.engine).get_indexes("claims")}
    assert names == {"ix_claims_campaign_id"}
    database.close()
