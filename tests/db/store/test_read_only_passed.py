"""A SQLite file that could only be read for a while: no connection of that time is used again."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
import sqlalchemy as sa

from db.store.engine import Database
from rulerank.errors import StoreError


def test_a_connection_that_was_opened_read_only_is_not_used_again(new_url):
    database = Database(new_url("sqlite"))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (number INTEGER)")
    database.close()

    def protect(connection, record):
        connection.execute("PRAGMA query_only=ON")  # what SQLite does with a file that it may not write to

    sa.event.listen(database.engine, "connect", protect)
    with pytest.raises(StoreError) as told, database.write() as connection:
        connection.exec_driver_sql("INSERT INTO kept VALUES (1)")
    assert told.value.kind == "read_only"
    sa.event.remove(database.engine, "connect", protect)
    with database.write() as connection:
        connection.exec_driver_sql("INSERT INTO kept VALUES (2)")
    database.close()


READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM kept").fetchall()
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def protected(new_url):
    """A database whose connections share a view of the file that is read-only, and how to let it be written to again.

    The files beside the database stay, because another process has it open; so the next connection of this one finds
    them, and may not write to them.
    """
    database = Database(new_url("sqlite"))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (number INTEGER)")
    command = [sys.executable, "-c", READER, str(database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        database.close()

        mended = threading.Event()  # a listener that went while others connect would trip those

        def protect(dialect, record, arguments, options):
            if not mended.is_set():
                arguments[0] += "&readonly_shm=1"

        sa.event.listen(database.engine, "do_connect", protect)
        yield database, mended.set
        database.close()
        other.stdin.close()


def save(database, number):
    with database.write() as connection:
        connection.exec_driver_sql(f"INSERT INTO kept VALUES ({number})")


def test_a_reading_that_was_under_way_does_not_keep_the_file_read_only(protected):
    database, mend = protected
    with database.read():
        with pytest.raises(StoreError) as told:
            save(database, 1)
        assert told.value.kind == "read_only"
        mend()
    save(database, 2)
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT number FROM kept").scalars().all() == [2]


def test_readings_that_never_pause_do_not_keep_the_file_read_only(protected):
    database, mend = protected
    over = threading.Event()

    def read():
        while not over.is_set():
            with database.read():
                time.sleep(0.01)

    readers = [threading.Thread(target=read) for _ in range(6)]
    for reader in readers:
        reader.start()
    try:
        with pytest.raises(StoreError):
            save(database, 1)
        mend()
        save(database, 2)
        assert database.trouble() is None
    finally:
        over.set()
        for reader in readers:
            reader.join()
