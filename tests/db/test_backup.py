"""Backups are whole while others write, and come back exactly, into SQLite and PostgreSQL alike."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from db.backup import backup, copy_all, dump_all, load_all, restore
from db.engine import Database, DatabaseError
from db.jobs import Jobs
from db.migrate import newest
from db.people import People
from db.tables import (
    claims,
    collection_chunks,
    collections,
    document_texts,
    files,
    label_events,
    metadata,
    query_texts,
    selections,
    settings,
    snapshots,
)
from rulerank.errors import InputError

STRANGE = "مرحبا <b>&amp;</b> \U0001f600 \x07 'quotes' \\ %s :name"


def fill(database: Database, make_campaign: Callable[..., int]) -> int:
    """Put rows in every table, with what is easily lost on the way: signs, large numbers, empty and missing values."""
    campaign = make_campaign(database, STRANGE)
    people = People(database)
    person = people.add("anna", "researcher", email="anna@example.org")
    people.sign(person)
    jobs = Jobs(database)
    jobs.ask("import", {"text": STRANGE, "deep": [{"x": [1.5, None, True]}]}, person.id)
    jobs.finish(jobs.take("me"), {"rows": 7})
    jobs.ask("export", {}, person.id)
    now = 1_731_731_731.1234567
    select = {"campaign_id": campaign, "sampler": "SSAR", "reason": STRANGE, "version": "1", "created_at": now}
    with database.write() as connection:
        for table, rows in (
            (
                collection_chunks,
                [{"collection_id": 1, "start": n, "stop": n + 1, "data": os.urandom(2000)} for n in range(20)],
            ),
            (
                query_texts,
                [
                    {"collection_id": 1, "qid": f"q{n}", "text": STRANGE, "need": "", "terms": terms}
                    for n, terms in enumerate(([STRANGE, "é"], [], None))
                ],
            ),
            (document_texts, [{"collection_id": 1, "docid": f"d{n}", "body": STRANGE * n} for n in range(30)]),
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
                    {"campaign_id": campaign, "row": n, "person_id": person.id, "token": f"t{n}", "selection_id": 1}
                    | {"state": how, "created_at": now, "expires_at": now + 1}
                    for n, how in enumerate(("open", "used", "expired"))
                ],
            ),
            (
                label_events,
                [
                    {"campaign_id": campaign, "kind": "grade", "row": n, "person_id": person.id, "grade": n % 3}
                    | {"token": f"t{n}", "seconds": n / 3, "created_at": now + n, "undoes": None}
                    for n in range(1200)
                ],
            ),
            (
                label_events,
                [{"campaign_id": campaign, "kind": "undo", "row": 4, "undoes": 5, "created_at": now, "text": STRANGE}],
            ),
            (
                snapshots,
                [
                    {"campaign_id": campaign, "kind": "LRAR", "labels": 3, "created_at": now}
                    | {"settings": {"k": 10}, "values": {"map": 0.1 + 0.2, "ndcg": None}}
                ],
            ),
            (files, [{"name": STRANGE, "data": b"\x00\xff" * 10, "job_id": 1, "created_at": now}]),
        ):
            connection.execute(sa.insert(table), rows)
        analyser = {"languages": ["de"], "stemming": True, "stop_words": False}
        connection.execute(sa.update(collections).values(analyser=analyser))
    return campaign


def contents(database: Database) -> dict[str, list[tuple[object, ...]]]:
    with database.read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


def opened(path: Path) -> Database:
    return Database(f"sqlite:///{path}")


def without_jobs(found: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows for name, rows in found.items() if name != "jobs"}


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_backup_comes_back_exactly_in_either_database(database, into, new_url, make_campaign, tmp_path):
    campaign = fill(database, make_campaign)
    before = contents(database)
    assert all(before.values()), "a table without rows proves nothing"
    target = tmp_path / "backup" / "labels.backup"
    assert backup(database, target) == target
    assert [path.name for path in target.parent.iterdir()] == ["labels.backup"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    original = target.read_bytes()
    # Complete in itself: the header says that there is no write-ahead log beside it (SQLite file format, 1.3).
    assert original[18:20] == b"\x01\x01"
    url = new_url(into, empty=True)
    assert restore(target, url) is None
    assert target.read_bytes() == original
    restored = Database(url)
    after = contents(restored)
    assert without_jobs(after) == without_jobs(before)
    assert [job.state for job in Jobs(restored).list()] == ["stopped", "done"]
    # It goes on where the other left off: numbers, the log's guard, sign-in.
    with restored.write() as connection:
        event = {"campaign_id": campaign, "kind": "note", "row": 1, "created_at": 1.0}
        number = connection.scalar(sa.insert(label_events).values(event).returning(label_events.c.id))
    assert number == before["label_events"][-1][0] + 1
    with pytest.raises(sa.exc.IntegrityError, match="never changed"), restored.write() as connection:
        connection.execute(sa.delete(label_events))
    assert People(restored).add("another", "annotator").id == before["people"][-1][0] + 1
    restored.close()


def test_dump_and_load_keep_every_row(database, backend, new_url, make_campaign, tmp_path):
    fill(database, make_campaign)
    before = contents(database)
    dump_all(database, tmp_path / "first.db")
    other = Database(new_url("postgresql" if backend == "sqlite" else "sqlite"))
    load_all(tmp_path / "first.db", other)
    assert contents(other) == before
    dump_all(other, tmp_path / "second.db")
    assert contents(opened(tmp_path / "second.db")) == before
    # Only into a database that holds nothing.
    with pytest.raises(DatabaseError, match=r"is not empty \(rows in "):
        load_all(tmp_path / "first.db", other)
    assert contents(other) == before
    other.close()


def test_a_copy_during_writes_holds_all_that_was_saved_before_it(database, make_campaign, tmp_path):
    campaign = make_campaign(database)
    stop, saved = threading.Event(), [0]

    def write() -> None:
        while not stop.is_set():
            # Rows in two tables in one transaction: a copy holds both or neither.
            with database.write(campaign=campaign) as connection:
                event = {"campaign_id": campaign, "kind": "grade", "row": saved[0], "created_at": 1.0}
                connection.execute(sa.insert(settings).values(name=str(saved[0]), value="twin of an event"))
                connection.execute(sa.insert(label_events).values(event))
            saved[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = []
        for number in range(4):
            until = saved[0] + 5
            while saved[0] < until:
                time.sleep(0.002)
            known = saved[0]
            copies.append((known, backup(database, tmp_path / f"copy{number}.db")))
    finally:
        stop.set()
        writer.join()
    for known, path in copies:
        with closing(sqlite3.connect(path)) as copy:
            rows = [row for (row,) in copy.execute("SELECT row FROM label_events ORDER BY id")]
            twins = [int(name) for (name,) in copy.execute("SELECT name FROM settings")]
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert len(rows) >= known
        assert rows == sorted(twins) == list(range(len(rows)))


def test_a_backup_overwrites_nothing(database, tmp_path):
    (tmp_path / "there").write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        backup(database, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "precious"
    if database.is_sqlite:
        with pytest.raises(InputError, match="exists already"):
            backup(database, database.path)


def test_an_existing_database_is_replaced_only_on_request_and_kept(sqlite_database, new_url, tmp_path):
    def put(database: Database, value: str) -> None:
        with database.write() as connection:
            connection.execute(sa.insert(settings).values(name="which", value=value))

    def which(database: Database) -> str:
        with database.read() as connection:
            return connection.scalar(sa.select(settings.c.value))

    put(sqlite_database, "backed up")
    saved = backup(sqlite_database, tmp_path / "saved.db")
    # In use all the while, with rows that are not in its main file yet.
    other = Database(new_url("sqlite"))
    put(other, "in use")
    with pytest.raises(DatabaseError, match="exists already; nothing was changed"):
        restore(saved, str(other.url))
    assert which(other) == "in use"
    kept = restore(saved, str(other.url), overwrite=True)
    assert which(other) == "backed up"
    assert kept.parent == other.path.parent
    assert which(opened(kept)) == "in use"
    other.close()
    # A broken one can be replaced too: that is when a backup is wanted most.
    other.path.write_bytes(b"garbage " * 1000)
    kept = restore(saved, str(other.url), overwrite=True)
    assert which(other) == "backed up"
    assert kept.read_bytes() == b"garbage " * 1000


def test_what_a_removed_database_left_behind_does_not_come_back(sqlite_database, tmp_path):
    saved = backup(sqlite_database, tmp_path / "saved.db")
    with sqlite_database.write() as connection:
        connection.execute(sa.insert(settings).values(name="old", value="life"))
    rest = Path(f"{sqlite_database.path}-wal").read_bytes()
    target = tmp_path / "target.db"
    Path(f"{target}-wal").write_bytes(rest)
    restore(saved, f"sqlite:///{target}")
    database = opened(target)
    assert contents(database)["settings"] == []
    database.close()
    assert [path.read_bytes() for path in tmp_path.glob("target.left-over.*-wal")] == [rest]


def test_a_postgresql_database_with_rows_is_left_alone(new_url, sqlite_database, tmp_path):
    saved = backup(sqlite_database, tmp_path / "saved.db")
    database = Database(new_url("postgresql"))
    People(database).ensure_single_user()
    with pytest.raises(DatabaseError, match=r"not empty \(rows in people\)"):
        restore(saved, database.url.render_as_string(hide_password=False), overwrite=True)
    assert People(database).count() == 1
    database.close()


def spoil(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("statements", "hint"),
    [
        (["UPDATE alembic_version SET version_num = '9999'"], r"schema '9999'.*Update rulerank"),
        (["DROP TABLE alembic_version"], "not a rulerank backup .*no schema revision"),
        (["DROP TABLE snapshots"], "not a rulerank backup .*snapshots"),
        (["DROP TRIGGER label_events_no_delete"], "not a rulerank backup .*label_events_no_delete"),
        (["CREATE TRIGGER bad AFTER INSERT ON people BEGIN DELETE FROM claims; END"], "differs in bad"),
        (["INSERT INTO files VALUES (1, 'x', x'00', 99, 1.0)"], "1 rows refer to rows that are missing.*files"),
    ],
)
def test_a_backup_that_is_not_right_is_refused(sqlite_database, tmp_path, statements, hint):
    saved = backup(sqlite_database, tmp_path / "saved.db")
    spoil(saved, *statements)
    with pytest.raises(DatabaseError, match=hint):
        restore(saved, f"sqlite:///{tmp_path / 'new.db'}")
    assert [path.name for path in tmp_path.iterdir() if "new" in path.name or "restore" in path.name] == []


def test_other_files_are_refused(sqlite_database, make_campaign, tmp_path):
    target = f"sqlite:///{tmp_path / 'new.db'}"
    with pytest.raises(DatabaseError, match="there is no file"):
        restore(tmp_path / "missing.db", target)
    (tmp_path / "text.db").write_text("not a database " * 100)
    with pytest.raises(DatabaseError, match="is not a rulerank backup"):
        restore(tmp_path / "text.db", target)
    (tmp_path / "empty.db").touch()
    with pytest.raises(DatabaseError, match="is not a rulerank backup"):
        restore(tmp_path / "empty.db", target)
    fill(sqlite_database, make_campaign)
    saved = backup(sqlite_database, tmp_path / "saved.db")
    pages = bytearray(saved.read_bytes())
    pages[len(pages) // 2 :] = os.urandom(len(pages) - len(pages) // 2)
    saved.write_bytes(pages)
    with pytest.raises(DatabaseError, match=r"damaged|not a rulerank backup"):
        restore(saved, target)
    assert not (tmp_path / "new.db").exists()


def test_a_live_database_can_be_the_source(sqlite_database, tmp_path):
    """Its newest rows are in the file beside it, and come along."""
    with sqlite_database.write() as connection:
        connection.execute(sa.insert(settings).values(name="newest", value="row"))
    restore(sqlite_database.path, f"sqlite:///{tmp_path / 'new.db'}")
    assert contents(opened(tmp_path / "new.db"))["settings"] == [("newest", "row")]


def test_what_does_not_fit_is_said_and_nothing_is_kept(sqlite_database, new_url, make_campaign):
    make_campaign(sqlite_database)
    with sqlite_database.write() as connection:
        connection.execute(sa.insert(query_texts).values(collection_id=1, qid="q", text="a\x00b", need=""))
    target = Database(new_url("postgresql"))
    with pytest.raises(DatabaseError, match=r"a row of query_texts does not fit.*NUL"):
        copy_all(sqlite_database, target)
    assert not any(contents(target).values())
    target.close()


def test_only_databases_of_the_current_schema_are_copied(sqlite_database, new_url):
    with sqlite_database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(DatabaseError, match=f"is not at schema {newest()}"):
        copy_all(sqlite_database, Database(new_url("sqlite")))
