"""Copies of a live SQLite database through SQLite's own backup: whole and consistent while others write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.files import create_private
from db.store.scratch import scratch
from rulerank.errors import InputError
from rulerank.files import put_in_place


def copy_to(database: Database, target: Path) -> Path:
    """Copy a SQLite database into a new file that needs nothing beside it, readable by its owner only."""
    with partial(target) as unfinished:
        copy = connect(database, str(unfinished))
        try:
            # All pages in one step: the copy is of one moment, and a busy writer cannot make it start again.
            with database.engine.connect() as connection:
                driver(connection).backup(copy, pages=-1)
            # The copy brings the write-ahead mode along, with which a single file would not be complete.
            copy.execute("PRAGMA journal_mode=DELETE")
        finally:
            copy.close()
    return target


def single_file(database: Database) -> Path:
    """Close a SQLite database that nobody else uses, and put all of it into its one file; return the file."""
    assert database.path is not None
    database.close()
    copy = connect(database, str(database.path))
    try:
        # The write-ahead mode stays with a file, which then would not be complete.
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        copy.close()
    return database.path


@contextmanager
def partial(target: Path) -> Iterator[Path]:
    """Yield a name to write to; the file gets its own name when it is complete, and is gone if it never is."""
    with scratch(target.parent) as folder:
        unfinished = folder / target.name
        create_private(unfinished)
        yield unfinished
        put_in_place(unfinished, target)


def connect(database: Database, name: str, **options: Any) -> Any:
    """Open another SQLite file with the driver of a database: two SQLite libraries in one process break locks."""
    return database.engine.dialect.loaded_dbapi.connect(name, isolation_level=None, **options)


def driver(connection: sa.Connection) -> Any:
    """Return the driver's own connection."""
    return connection.connection.driver_connection


def beside(path: Path, what: str) -> Path:
    """Return a new name next to a file that says what it is and when it was made; a taken name gets a number."""
    stem = f"{path.stem}.{what}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    target = path.with_name(f"{stem}{path.suffix}")
    number = 2
    while target.exists():
        target = path.with_name(f"{stem}-{number}{path.suffix}")
        number += 1
    return target


def refuse_existing(target: Path) -> None:
    """Raise an error if there is something at a path."""
    if target.exists():
        raise InputError(f"{target} exists already; nothing was written. Choose another name, or move it away.")


@contextmanager
def reachable(database: Database) -> Iterator[None]:
    """Turn trouble with the database itself, within a block, into a `DatabaseError` that says what to look at."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        hint = (
            "Is it a rulerank database, and may this user write to the file and its folder?"
            if database.is_sqlite
            else "Is the server running, and are user, password and name in the URL right?"
        )
        raise DatabaseError(f"cannot use {database}: {str(error.orig).strip()}. {hint}") from error
