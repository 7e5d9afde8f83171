"""Backups: one file that holds everything of a database, SQLite or PostgreSQL, and can prove that it is whole.

What the file is made of: `db.backup.archive`. How it comes back: `db.backup.restore`.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from db.backup.archive import FORMAT, Manifest, write_archive
from db.backup.dump import all_contents, dump_all
from db.backup.proof import prove_pages, prove_values, raw
from db.backup.schema import fingerprint, read_schema
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import newest, revision
from db.store.scratch import scratch
from db.store.sqlite_copy import copy_to, reachable, refuse_existing, single_file
from rulerank import __version__
from rulerank.files import put_in_place

_log = logging.getLogger(__name__)


def backup_name() -> str:
    """Return a name for a backup that is made now."""
    return time.strftime("rulerank-backup-%Y%m%dT%H%M%SZ.zip", time.gmtime())


def backup(database: Database, target_path: Path | str) -> Path:
    """Write a backup into a new file while others go on labelling; return its path.

    Every label that was saved before the call is in it. It holds password hashes and the secret of the sign-in
    cookies, so only its owner may read the file. A database in which a value is not right is backed up as it is: the
    log and the manifest say what a restore will refuse.
    """
    target = Path(target_path)
    refuse_existing(target)
    with writing(target), scratch(target.parent) as folder:
        plain = folder / "copy.db"
        with reachable(database), _undamaged(database):
            if database.is_sqlite:
                copy_to(database, plain)
            else:
                dump_all(database, plain)
        unfinished = folder / "backup.zip"
        with _undamaged(database):
            manifest = _manifest(plain, database.url.get_backend_name())
        write_archive(unfinished, plain, manifest)
        put_in_place(unfinished, target)
    return target


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn trouble with a file that is written within a block into a `DatabaseError` that says what to do."""
    try:
        yield
    except (OSError, sqlite3.Error, sa.exc.SQLAlchemyError) as error:
        raise DatabaseError(
            f"cannot write {target}: {_cause(error)}. Is there room on the disk, and may this user write to the folder?"
        ) from error


def _cause(error: Exception) -> BaseException:
    return error.orig or error if isinstance(error, sa.exc.DBAPIError) else error


@contextmanager
def _undamaged(database: Database) -> Iterator[None]:
    """Distinguish damaged pages of a SQLite database, which come up within a block, from other trouble."""
    try:
        yield
    except (sqlite3.DatabaseError, sa.exc.DatabaseError) as error:
        code = getattr(_cause(error), "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        raise DatabaseError(
            f"{database} is damaged ({_cause(error)}): no backup was made. Restore the last good one; what "
            "can still be read comes out with the command .recover of the sqlite3 program."
        ) from error


def _manifest(plain: Path, made_from: str) -> Manifest:
    """Return what a backup says of a finished copy."""
    copy = Database(f"sqlite:///{plain}")
    try:
        with raw(copy) as connection:
            schema = read_schema(connection)
            tables = {name: contents.to_dict() for name, contents in all_contents(connection)}
        with copy.read() as reading:
            at = revision(reading) or ""
        problem = _problem(copy) if at == newest() else None
    finally:
        single_file(copy)
    made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with plain.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    size = plain.stat().st_size
    return Manifest(FORMAT, __version__, made_at, made_from, at, fingerprint(schema), size, sha256, tables, problem)


def _problem(copy: Database) -> str | None:
    try:
        with raw(copy) as connection:
            prove_pages(connection)
        prove_values(copy)
    except DatabaseError as error:
        _log.warning("the database that was backed up has a fault, and a restore will refuse it: %s", error)
        return str(error)
    return None
