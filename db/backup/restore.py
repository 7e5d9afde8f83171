"""Restoring a backup: it is proven whole, byte by byte and value by value, before anything is replaced."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from db.backup.archive import DamagedBackupError, Manifest, RoomError, is_archive, need_room, read_archive
from db.backup.dump import all_contents, copy_all
from db.backup.proof import prove_campaigns, prove_pages, prove_values, raw
from db.backup.schema import difference, fingerprint, read_schema, schema_at
from db.backup.write import writing
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.files import BESIDE, create_private
from db.store.migrate import NewerSchemaError, bring_to, newest, refuse_newer
from db.store.scratch import scratch
from db.store.sqlite_copy import beside, connect, copy_to, driver, single_file
from db.store.tables import jobs, sessions
from rulerank.files import put_in_place

NO_CHECKSUMS = (
    "This backup carries no checksums: it is a plain copy of a database, as version 0.1.0 made them. All of its values "
    "are possible ones, but nobody can tell whether each is the one that was saved."
)
UNCHANGED = "nothing was changed. Use another backup."
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Restored:
    """What a restore came to."""

    path: Path | None  # the database's file, if it is one
    kept: Path | None  # where the database is that was replaced, if there was one
    remark: str  # what the owner should know; empty if there is nothing


def restore(source_path: Path | str, database_url: str, *, overwrite: bool = False) -> Restored:
    """Make a database from a backup that is proven to be whole, rulerank's, and not from a newer version.

    An existing SQLite database is replaced only with `overwrite`, and then kept beside. A PostgreSQL database must be
    empty. Jobs that were under way when the backup was made count as stopped, and everybody signs in again: a session
    that was ended after the backup must not come back to life.
    """
    source = Path(source_path)
    target = Database(database_url)
    try:
        if target.path is not None and target.path.exists() and not overwrite:
            raise DatabaseError(
                f"{target.path} exists already; nothing was changed. Restore to another name, or ask to overwrite it "
                "(the old one is kept beside)."
            )
        with writing(target.path or Path(tempfile.gettempdir())), _opened(source, near=target.path) as (copy, remark):
            _settle(copy)
            kept = None
            if target.path is None:
                copy_all(copy, target)
            else:
                kept = _put(copy, target)
        if remark:
            _log.warning("%s was restored. %s", target, remark)
        return Restored(target.path, kept, remark)
    finally:
        target.close()


def load_all(source_path: Path | str, database: Database) -> None:
    """Read everything in a backup into a database that holds nothing yet; numbers stay as they are."""
    with _opened(Path(source_path), near=database.path) as (copy, _):
        copy_all(copy, database)


# Proving -------------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Path, near: Path | None) -> Iterator[tuple[Database, str]]:
    """Yield a proven copy of a backup, at the current schema, and a remark; the backup itself stays as it is."""
    if not source.is_file():
        raise DatabaseError(f"there is no file {source}")
    # Beside the target there must be room for it anyway, which a small temporary folder may not have.
    folder = Path(tempfile.gettempdir()) if near is None else near.parent
    with scratch(folder) as temporary:
        copy = Database(f"sqlite:///{temporary / 'restored.db'}")
        try:
            yield copy, _prove(copy, source)
        finally:
            copy.close()


def _prove(copy: Database, source: Path) -> str:
    """Fill the copy from a backup and prove it whole; return a remark. Whatever is wrong becomes a `DatabaseError`."""
    try:
        assert copy.path is not None
        manifest = None
        if is_archive(source):
            manifest = read_archive(source, copy.path)
        else:
            _read_plain(copy, source)
        if _prove_schema(copy, source, manifest) != newest():
            bring_to(copy, newest())
            _prove_schema(copy, source, None)
        prove_values(copy)
        prove_campaigns(copy)
    except (NewerSchemaError, RoomError):
        raise
    except DamagedBackupError as error:
        raise DatabaseError(f"{source} is not a rulerank backup, or not a whole one: {error}; {UNCHANGED}") from error
    except DatabaseError as error:
        _refuse_full(error.__cause__)
        raise DatabaseError(f"{source} is damaged: {error}; {UNCHANGED}") from error
    except OSError as error:
        raise DatabaseError(f"cannot read {source}, or write its copy: {error}; nothing was changed.") from error
    except Exception as error:  # what a damaged file makes libraries raise is theirs to choose
        _refuse_full(error)
        raise DatabaseError(f"{source} is damaged: {type(error).__name__}: {error}; {UNCHANGED}") from error
    return "" if manifest is not None else NO_CHECKSUMS


def _refuse_full(error: BaseException | None) -> None:
    """Raise an error if another one says that the copy could not be written, which is no fault of the backup."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    if getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE):
        raise RoomError(f"there is no room to unpack the backup ({cause}); nothing was changed. Make room.") from error


def _read_plain(copy: Database, source: Path) -> None:
    """Copy a plain database through SQLite, which takes in what a database in use keeps beside its file."""
    assert copy.path is not None
    need_room(copy.path.parent, source.stat().st_size)
    create_private(copy.path)
    try:
        with (
            closing(connect(copy, f"{source.resolve().as_uri()}?mode=ro", uri=True)) as original,
            closing(connect(copy, str(copy.path))) as target,
        ):
            original.backup(target, pages=-1)
            # It may have come in the write-ahead mode, with which a single file would not be complete.
            target.execute("PRAGMA journal_mode=DELETE")
    except copy.engine.dialect.loaded_dbapi.Error as error:
        _refuse_full(error)
        raise DamagedBackupError(str(error)) from error


def _prove_schema(copy: Database, source: Path, manifest: Manifest | None) -> str:
    """Prove pages, schema and, with a manifest, that it is the database described there; return the revision."""
    with raw(copy) as connection:
        found = _revision(connection)
        if found is None:
            raise DamagedBackupError("it has no schema revision")
        refuse_newer(str(source), found)
        schema = read_schema(connection)
        wrong = difference(schema, dict(schema_at(found)))
        if wrong:
            raise DatabaseError(f"its schema is not the one of revision {found}: {wrong}")
        prove_pages(connection)
        if manifest is None:
            return found
        if (manifest.revision, manifest.fingerprint) != (found, fingerprint(schema)):
            raise DatabaseError("its schema is not the one that its manifest describes")
        for name, contents in all_contents(connection):
            if manifest.tables.get(name) != contents.to_dict():
                raise DatabaseError(f"the rows of {name} are not the ones that its manifest describes")
        return found


def _revision(connection: sqlite3.Connection) -> str | None:
    named = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'")
    if named.fetchone() is None:
        return None
    rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], str) else None


# Putting it in place -------------------------------------------------------------------------------------------------


def _settle(copy: Database) -> None:
    """End what was under way when the backup was made: jobs, and sessions."""
    now = time.time()
    under_way = jobs.c.state.in_(("waiting", "running"))
    ended = {
        "state": "stopped",
        "message": "was under way when the backup was made",
        "lease_until": None,
        "finished_at": now,
    }
    with copy.write() as connection:
        connection.execute(sa.update(jobs).where(under_way).values(ended))
        connection.execute(sa.update(sessions).where(sessions.c.ended_at.is_(None)).values(ended_at=now))


def _put(copy: Database, target: Database) -> Path | None:
    """Put a proven database in its place; return where the one that was there is now."""
    assert target.path is not None
    path = target.path
    kept = None
    if path.exists() and _usable(target):
        kept = copy_to(target, beside(path, "replaced"))
        # Through SQLite, not by swapping files: programs that have the database open see the change whole.
        with copy.engine.connect() as new, target.engine.connect() as old:
            driver(new).backup(driver(old), pages=-1)
        with raw(copy) as one, raw(target) as other:
            if dict(all_contents(one)) != dict(all_contents(other)):
                raise DatabaseError(f"{path} does not hold what was written to it; what it was is {kept}")
    else:
        # What a removed database left behind would be read into the new one.
        existed = path.exists()
        moved = beside(path, "replaced" if existed else "left-over")
        target.close()
        for end in ("", *BESIDE):
            if Path(f"{path}{end}").exists():
                shutil.move(f"{path}{end}", f"{moved}{end}")
        # The very file that was proven.
        put_in_place(single_file(copy), path)
        kept = moved if existed else None
    if kept is not None:
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
