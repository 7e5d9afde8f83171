"""Migrations: from nothing and from older, with a backup, from many processes at once; they agree with the tables."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from db.log import read_events
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import SCRIPTS, bring_to, migrate, newest, revision
from db.store.tables import metadata, settings
from rulerank.campaign import Change, Kind, LabelEvent

EMPTY = {"sqlite": "x''", "postgresql": "''::bytea"}
"""No bytes, as SQL writes them."""

ROOT = Path(__file__).parents[3]

LATER = '''
"""A later revision, for the tests."""
import sqlalchemy as sa
from alembic import op

revision = "later"
down_revision = "{before}"

def upgrade() -> None:
    op.add_column("settings", sa.Column("note", sa.Text(), nullable=True))
    {more}
'''


@pytest.fixture
def later(tmp_path):
    """`later()`: a folder of migrations with one revision more than this program's."""

    def make(more: str = "") -> Path:
        folder = tmp_path / "100% later"
        shutil.copytree(SCRIPTS, folder)
        (folder / "versions" / "later.py").write_text(LATER.format(before=newest(), more=more))
        return folder

    return make


def revision_of(database: Database) -> str | None:
    with database.read() as connection:
        return revision(connection)


def structure(engine: sa.Engine) -> dict[str, object]:
    """All that a database says of its tables, in an order of its own."""
    look = sa.inspect(engine)

    def plain(found: object) -> str:
        if isinstance(found, dict):
            return str({key: plain(value) for key, value in sorted(found.items())})
        return str(sorted(map(plain, found))) if isinstance(found, list) else str(found)

    return {
        name: (
            plain(look.get_columns(name)),
            plain(look.get_pk_constraint(name)),
            plain(look.get_foreign_keys(name)),
            plain(look.get_unique_constraints(name)),
            plain(look.get_check_constraints(name)),
            plain(look.get_indexes(name)),
        )
        for name in look.get_table_names()
        if name != "alembic_version"
    }


def test_migrations_and_tables_agree(database, backend, new_url):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    # What Alembic does not compare: check constraints, names, conditions of indexes.
    made = sa.create_engine(new_url(backend, empty=True))
    metadata.create_all(made)
    assert structure(database.engine) == structure(made)
    made.dispose()


def test_an_empty_database_gets_the_schema_and_a_second_time_nothing_happens(backend, new_url, caplog):
    database = Database(new_url(backend, empty=True))
    with caplog.at_level(logging.INFO):
        migrate(database)
        assert revision_of(database) == newest()
        assert "it was empty" in caplog.text
        caplog.clear()
        migrate(database)
    assert caplog.text == ""
    database.close()


def test_it_works_from_any_folder_and_in_a_folder_that_is_not_there_yet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = Database("sqlite:///new/folder/labels.db")
    migrate(database)
    database.close()
    assert (tmp_path / "new" / "folder" / "labels.db").exists()


def test_an_older_database_is_backed_up_and_brought_up_to_date(sqlite_database, later, caplog):
    with sqlite_database.write() as connection:
        connection.execute(sa.insert(settings).values(name="kept", value="yes"))
    migrate(sqlite_database, scripts=later())
    assert revision_of(sqlite_database) == "later"
    with sqlite_database.read() as connection:
        assert connection.exec_driver_sql("SELECT name, value, note FROM settings").all() == [("kept", "yes", None)]
    (backup,) = sqlite_database.path.parent.glob(f"{sqlite_database.path.stem}.schema-{newest()}.*.db")
    assert str(backup) in caplog.text
    with sqlite3.connect(backup) as old:
        assert old.execute("SELECT * FROM settings").fetchall() == [("kept", "yes")]
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [(newest(),)]


def test_a_postgresql_database_is_brought_up_to_date(new_url, later):
    database = Database(new_url("postgresql"))
    migrate(database, scripts=later())
    assert revision_of(database) == "later"
    database.close()


def test_a_migration_that_fails_changes_nothing(database, later):
    with pytest.raises(RuntimeError, match="half way"):
        migrate(database, scripts=later("raise RuntimeError('half way')"))
    assert revision_of(database) == newest()
    with database.read() as connection:
        assert [column["name"] for column in sa.inspect(connection).get_columns("settings")] == ["name", "value"]
    migrate(database)


def test_a_newer_database_is_refused(database, later):
    migrate(database, scripts=later())
    with pytest.raises(DatabaseError, match=rf"schema 'later'.* up to '{newest()}'.*Update rulerank"):
        migrate(database)
    assert revision_of(database) == "later"


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (x)")
    with pytest.raises(DatabaseError, match=r"did not make \(bookmarks\)"):
        migrate(Database(f"sqlite:///{path}"))
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]


def test_a_shared_postgresql_database_must_not_have_our_names(new_url):
    database = Database(new_url("postgresql", empty=True))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE bookmarks (x int)")
    migrate(database)
    assert revision_of(database) == newest()
    database.close()
    clash = Database(new_url("postgresql", empty=True))
    with clash.write() as connection:
        connection.exec_driver_sql("CREATE TABLE people (x int)")
    with pytest.raises(DatabaseError, match=r"did not make \(people\)"):
        migrate(clash)
    clash.close()


def test_a_file_that_is_no_database_and_a_server_that_is_not_there(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but quite long enough to be taken for one " * 50)
    with pytest.raises(DatabaseError, match=r"cannot use the database .*notes\.txt.*not a database"):
        migrate(Database(f"sqlite:///{text}"))
    with pytest.raises(DatabaseError, match="Is the server running") as raised:
        migrate(Database(f"postgresql://me:secret@/nothing?host={tmp_path}"))
    assert "secret" not in str(raised.value)


def test_many_processes_may_start_at_once(backend, new_url):
    url = new_url(backend, empty=True)
    program = (
        "import sys, os; from db.store.engine import Database; from db.store.migrate import migrate;"
        "print('ready', flush=True); sys.stdin.readline(); migrate(Database(os.environ['URL']))"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "URL": url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 3, said
    database = Database(url)
    assert revision_of(database) == newest()
    database.close()


def test_a_log_without_changes_is_copied_as_it_was_and_archived_campaigns_say_so_in_it(backend, new_url):
    database = Database(new_url(backend, empty=True))
    bring_to(database, "0004")
    with database.write() as connection:
        for statement in (
            "INSERT INTO people (name, role, active, created_at) VALUES ('anna', 'admin', TRUE, 1.0)",
            "INSERT INTO collections (name, content_hash, rows, features, feature_names, queries, created_at) "
            "VALUES ('c', 'h', 3, 2, '[]', '[]', 1.0)",
            *(
                "INSERT INTO campaigns (name, collection_id, settings, edges, pool_rows, evaluation_rows, archived, "
                f"created_by, created_at) SELECT '{name}', id, '{{}}', '[]', content, content, {archived}, 1, 5.0 "
                f"FROM (SELECT id, {EMPTY[backend]} AS content FROM collections) AS made"
                for name, archived in (("running", "FALSE"), ("archived", "TRUE"))
            ),
            "INSERT INTO label_events (campaign_id, kind, row, person_id, grade, text, token, created_at) "
            "VALUES (1, 'grade', 2, 1, 1, 'note', 't', 7.5)",
            "INSERT INTO label_events (campaign_id, kind, row, person_id, text, undoes, created_at) "
            "VALUES (1, 'undo', 2, 1, '', 1, 8.5)",
        ):
            connection.exec_driver_sql(statement)
    migrate(database)
    with database.read() as connection:
        kept, change = read_events(connection, 1), read_events(connection, 2)
    assert kept == [
        LabelEvent(Kind.GRADE, 2, 1, 1, "note", "t", None, None, 7.5, 1),
        LabelEvent(Kind.UNDO, 2, 1, None, "", None, 1, None, 8.5, 2),
    ]
    assert [(event.kind, Change.read(event.text).after) for event in change] == [(Kind.CHANGE, {"archived": True})]
    for statement in ("DELETE FROM label_events", "UPDATE label_events SET grade = 0"):
        with pytest.raises(sa.exc.IntegrityError, match="never changed"), database.write() as connection:
            connection.exec_driver_sql(statement)
    database.close()
