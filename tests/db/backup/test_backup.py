"""Backups are whole while others write, and come back exactly, into SQLite and PostgreSQL alike."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from db_helpers import url_of
from filled import contents, fill, plain_backup, what_lasts

from db.backup.archive import DATABASE
from db.backup.dump import copy_all, dump_all
from db.backup.restore import Restored, load_all, restore
from db.backup.write import backup
from db.jobs.queue import Jobs
from db.people.accounts import People
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import newest
from db.store.tables import label_events, query_texts, sessions, settings
from rulerank.errors import InputError

ROOT = Path(__file__).parents[3]


def opened(path: Path) -> Database:
    return Database(f"sqlite:///{path}")


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_backup_comes_back_exactly_in_either_database(database, into, new_url, tmp_path):
    campaign = fill(database)
    before = contents(database)
    assert all(before.values()), "a table without rows proves nothing"
    target = tmp_path / "backup" / "labels.backup"
    assert backup(database, target) == target
    assert [path.name for path in target.parent.iterdir()] == ["labels.backup"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    original = target.read_bytes()
    with zipfile.ZipFile(target) as archive:
        # Complete in itself: the header says that there is no write-ahead log beside it (SQLite file format, 1.3).
        assert archive.read(DATABASE)[18:20] == b"\x01\x01"
    url = new_url(into, empty=True)
    path = tmp_path / Path(url).name if into == "sqlite" else None
    assert restore(target, url) == Restored(path, None, "")
    assert target.read_bytes() == original
    restored = Database(url)
    after = contents(restored)
    assert what_lasts(after) == what_lasts(before)
    assert [job.state for job in Jobs(restored).list()] == ["stopped", "done"]
    with restored.read() as connection:
        ends = connection.execute(sa.select(sessions.c.ended_at)).scalars().all()
    assert len(ends) == len(before["sessions"])
    assert None not in ends  # whoever signed out since must not be signed in again
    # It goes on where the other left off: numbers, the log's guard, sign-in.
    with restored.write() as connection:
        event = {"campaign_id": campaign, "kind": "note", "row": 1, "created_at": 1.0}
        number = connection.scalar(sa.insert(label_events).values(event).returning(label_events.c.id))
    assert number == before["label_events"][-1][0] + 1
    with pytest.raises(sa.exc.IntegrityError, match="never changed"), restored.write() as connection:
        connection.execute(sa.delete(label_events))
    assert People(restored).add("another", "annotator").id == before["people"][-1][0] + 1
    restored.close()


def test_dump_and_load_keep_every_row(database, backend, new_url, tmp_path):
    fill(database)
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
            copies.append((known, backup(database, tmp_path / f"copy{number}.zip")))
    finally:
        stop.set()
        writer.join()
    for known, path in copies:
        with zipfile.ZipFile(path) as archive:
            plain = Path(archive.extract(DATABASE, path.with_suffix("")))
        with closing(sqlite3.connect(plain)) as copy:
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
    kept = restore(saved, str(other.url), overwrite=True).kept
    assert which(other) == "backed up"
    assert kept.parent == other.path.parent
    assert which(opened(kept)) == "in use"
    other.close()
    # A broken one can be replaced too: that is when a backup is wanted most.
    other.path.write_bytes(b"garbage " * 1000)
    kept = restore(saved, str(other.url), overwrite=True).kept
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


def test_other_files_are_refused(tmp_path):
    target = f"sqlite:///{tmp_path / 'new.db'}"
    for missing in (tmp_path / "missing.zip", tmp_path):
        with pytest.raises(DatabaseError, match="there is no file"):
            restore(missing, target)
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("notes.txt", "not a database " * 100)
    (tmp_path / "text.db").write_text("not a database " * 100)
    (tmp_path / "empty.db").touch()
    for path in (other, tmp_path / "text.db", tmp_path / "empty.db"):
        before = sorted(tmp_path.iterdir())
        with pytest.raises(DatabaseError, match=r"is not a rulerank backup.*nothing was changed\. Use another backup"):
            restore(path, target)
        assert sorted(tmp_path.iterdir()) == before


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


# What a process says that may write files of so many bytes only.
SMALL_DISK = """
import resource, sys
from db.backup.write import backup
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.backup.restore import restore
work, here, there = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
try:
    backup(Database(here), there) if work == "backup" else restore(here, there)
except DatabaseError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
@pytest.mark.parametrize("kind", ["zip", "plain"])
def test_no_room_is_told_as_that_and_leaves_nothing(sqlite_database, tmp_path, kind):
    fill(sqlite_database)
    (tmp_path / "out").mkdir()

    def said(*arguments: object) -> str:
        command = [sys.executable, "-c", SMALL_DISK, *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    words = said("backup", url_of(sqlite_database), tmp_path / "out" / "saved.zip")
    assert "cannot write" in words
    assert "Is there room on the disk" in words
    make = backup if kind == "zip" else plain_backup
    words = said("restore", make(sqlite_database, tmp_path / "saved"), f"sqlite:///{tmp_path / 'out' / 'new.db'}")
    assert "damaged" not in words
    assert "nothing was changed" in words
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_where_nothing_can_be_written_is_told(sqlite_database, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseError, match=r"cannot write .*may this user write to the folder"):
        backup(sqlite_database, tmp_path / "file" / "saved.zip")


def test_a_damaged_database_is_told_as_that_and_not_backed_up(sqlite_database, tmp_path):
    fill(sqlite_database)
    plain = plain_backup(sqlite_database, tmp_path / "plain.db")
    data = plain.read_bytes()
    plain.write_bytes(data[:8192] + b"garbage!" * ((len(data) - 8192) // 8))
    damaged = opened(plain)
    with pytest.raises(DatabaseError, match=r"plain\.db is damaged .*no backup was made\. Restore the last good one"):
        backup(damaged, tmp_path / "out" / "saved.zip")
    damaged.close()
    assert list((tmp_path / "out").iterdir()) == []
