"""Backup and restore: one file that holds everything, from SQLite or PostgreSQL, into SQLite or PostgreSQL."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from db.copying import BESIDE, beside, connect, copy_to, driver, reachable, refuse_existing
from db.dump import copy_all, dump_all
from db.engine import Database, DatabaseError
from db.migrate import migrate, refuse_newer, revision
from db.tables import jobs

__all__ = ["backup", "copy_all", "dump_all", "load_all", "restore"]

_log = logging.getLogger(__name__)


def backup(database: Database, target_path: Path | str) -> Path:
    """Write a backup into a new file while others go on labelling; return its path.

    Every label that was saved before the call is in it. It holds password hashes and the secret of the sign-in
    cookies, so only its owner may read the file.
    """
    target = Path(target_path)
    refuse_existing(target)
    if not database.is_sqlite:
        return dump_all(database, target)
    with reachable(database):
        return copy_to(database, target)


def restore(source_path: Path | str, database_url: str, *, overwrite: bool = False) -> Path | None:
    """Make a database from a backup that is whole, rulerank's, and not from a newer version.

    An existing SQLite database is replaced only with `overwrite`, and then kept beside; its new path is returned. A
    PostgreSQL database must be empty. Jobs that were under way when the backup was made count as stopped.
    """
    source = Path(source_path)
    target = Database(database_url)
    try:
        if target.path is not None and target.path.exists() and not overwrite:
            raise DatabaseError(
                f"{target.path} exists already; nothing was changed. Restore to another name, or ask to overwrite it "
                "(the old one is kept beside)."
            )
        with _opened(source, near=target.path) as copy:
            _settle_jobs(copy)
            if target.path is not None:
                return _put(copy, target)
            copy_all(copy, target)
            return None
    finally:
        target.close()


def load_all(source_path: Path | str, database: Database) -> None:
    """Read everything in a backup into a database that holds nothing yet; numbers stay as they are."""
    with _opened(Path(source_path), near=database.path) as copy:
        copy_all(copy, database)


@contextmanager
def _opened(source: Path, near: Path | None) -> Iterator[Database]:
    """Yield a checked copy of a backup, at the current schema; the backup itself stays as it is."""
    if not source.is_file():
        raise DatabaseError(f"there is no file {source}")
    # Beside the target there must be room for it anyway, which a small temporary folder may not have.
    folder = None if near is None else near.parent
    with tempfile.TemporaryDirectory(prefix=".rulerank-restore-", dir=folder) as temporary:
        copy = Database(f"sqlite:///{Path(temporary) / 'restored.db'}")
        try:
            _read_backup(copy, source)
            _check(copy, source)
            yield copy
        finally:
            copy.close()


def _read_backup(copy: Database, source: Path) -> None:
    """Copy a backup through SQLite, which takes in what a database in use keeps beside its file."""
    with copy.engine.connect() as connection:
        backup_file = None
        try:
            backup_file = connect(copy, f"{source.resolve().as_uri()}?mode=ro", uri=True)
            backup_file.backup(driver(connection), pages=-1)
        except copy.engine.dialect.loaded_dbapi.Error as error:
            raise _not_ours(source, str(error)) from error
        finally:
            if backup_file is not None:
                backup_file.close()


def _check(copy: Database, source: Path) -> None:
    """Make sure that a backup is whole, ours, and not from the future; bring it to the current schema."""
    try:
        with copy.read() as connection:
            damage = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            found = revision(connection)
    except sa.exc.DBAPIError as error:
        raise _not_ours(source, str(error.orig)) from error
    if damage != ["ok"]:
        raise DatabaseError(f"{source} is damaged ({damage[0]}); nothing was changed. Use another backup.")
    if found is None:
        raise _not_ours(source, "it has no schema revision")
    refuse_newer(str(source), found)
    migrate(copy)
    with copy.read() as connection:
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        parts = _parts(connection)
    if broken:
        raise DatabaseError(
            f"{source} is damaged: {len(broken)} rows refer to rows that are missing, the first in {broken[0][0]}; "
            "nothing was changed. Use another backup."
        )
    different = parts ^ _expected_parts()
    if different:
        raise _not_ours(source, f"it differs in {', '.join(sorted({name for _, name, _ in different})[:5])}")


def _parts(connection: sa.Connection) -> set[tuple[str, str, str]]:
    """Return what a SQLite database is made of; of the triggers, which guard the log, also how."""
    query = "SELECT type, name, CASE type WHEN 'trigger' THEN sql ELSE '' END FROM sqlite_master"
    rows = connection.exec_driver_sql(query).all()
    return {(kind, name, sql) for kind, name, sql in rows if not name.startswith("sqlite_")}


def _expected_parts() -> set[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory(prefix="rulerank-schema-") as folder:
        fresh = Database(f"sqlite:///{Path(folder) / 'fresh.db'}")
        try:
            migrate(fresh)
            with fresh.read() as connection:
                return _parts(connection)
        finally:
            fresh.close()


def _settle_jobs(copy: Database) -> None:
    under_way = jobs.c.state.in_(("waiting", "running"))
    ended = {
        "state": "stopped",
        "message": "was under way when the backup was made",
        "lease_until": None,
        "finished_at": time.time(),
    }
    with copy.write() as connection:
        connection.execute(sa.update(jobs).where(under_way).values(ended))


def _put(copy: Database, target: Database) -> Path | None:
    """Put a checked database in its place; return where the one that was there is now."""
    assert target.path is not None
    path = target.path
    if not path.exists():
        # What a removed database left behind would be read into the new one.
        _move_aside(path, beside(path, "left-over"))
        copy_to(copy, path)
        return None
    kept = beside(path, "replaced")
    if _usable(target):
        copy_to(target, kept)
        # Through SQLite, not by swapping files: programs that have the database open see the change whole.
        with copy.engine.connect() as new, target.engine.connect() as old:
            driver(new).backup(driver(old), pages=-1)
    else:
        target.close()
        _move_aside(path, kept)
        copy_to(copy, path)
    _log.warning("%s was replaced by a backup; what it was is %s", path, kept)
    return kept


def _usable(target: Database) -> bool:
    """Say whether SQLite can read and copy the database that is to be replaced."""
    try:
        with target.read() as connection:
            return connection.exec_driver_sql("PRAGMA quick_check").scalar() == "ok"
    except sa.exc.DBAPIError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseError(f"{target.path} is in use; nothing was changed. Stop what uses it first.") from error
        return False


def _move_aside(path: Path, to: Path) -> None:
    for end in ("", *BESIDE):
        if Path(f"{path}{end}").exists():
            shutil.move(f"{path}{end}", f"{to}{end}")


def _not_ours(source: Path, why: str) -> DatabaseError:
    return DatabaseError(f"{source} is not a rulerank backup ({why}); nothing was changed. Choose another file.")
