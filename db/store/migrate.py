"""Bring a database to the schema of this program: an empty one, or one that an older version made."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from db.store.engine import Database, Lock, hold
from db.store.errors import DatabaseError
from db.store.sqlite_copy import beside, copy_to, reachable
from db.store.tables import metadata

SCRIPTS = Path(__file__).parent / "migrations"

_log = logging.getLogger(__name__)
# Alembic keeps the migration that is under way in module globals: one thread at a time.
_one_at_a_time = threading.Lock()


class NewerSchemaError(DatabaseError):
    """A newer version of rulerank made this database or backup."""


def migrate(database: Database, *, scripts: Path = SCRIPTS) -> None:
    """Bring the database to the current schema; nothing happens to one that is there already.

    Any number of processes may do this at once: one works, the others wait and find it done. It happens wholly or not
    at all. Where the schema of an existing SQLite database changes, a backup is put beside it first.
    """
    head = newest(scripts)
    with _one_at_a_time, reachable(database):
        with database.read() as connection:
            if _check(database, connection, scripts) == head:
                return
        with database.write() as connection:
            hold(connection, Lock.SCHEMA)
            # Another process may have been quicker while this one waited.
            old = _check(database, connection, scripts)
            if old == head:
                return
            if old is not None:
                _back_up(database, old)
            _upgrade(connection, scripts)
        _log.info("%s is now at schema %s (it was %s)", database, head, old or "empty")


def bring_to(database: Database, to: str, *, scripts: Path = SCRIPTS) -> None:
    """Bring a database that nobody else knows of, also an empty one, to a revision, keeping no copy of what it was."""
    with _one_at_a_time, reachable(database), database.write() as connection:
        _upgrade(connection, scripts, to)


def revision(connection: sa.Connection) -> str | None:
    """Return the schema revision of a database, or None if it has none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def newest(scripts: Path = SCRIPTS) -> str:
    """Return the schema revision that this program works with."""
    return str(ScriptDirectory(str(scripts)).get_current_head())


def refuse_newer(what: str, found: str, scripts: Path = SCRIPTS) -> None:
    """Raise an error if neither this program nor an older version of it made a schema revision."""
    if found not in {script.revision for script in ScriptDirectory(str(scripts)).walk_revisions()}:
        raise NewerSchemaError(
            f"{what} has schema {found!r}, and this version of rulerank knows up to {newest(scripts)!r}: "
            "a newer version made it. Update rulerank, or use another database."
        )


def _check(database: Database, connection: sa.Connection, scripts: Path) -> str | None:
    """Return the revision of a database that may be migrated (None: empty); others raise an error."""
    found = revision(connection)
    if found is not None:
        refuse_newer(str(database), found, scripts)
        return found
    there = set(sa.inspect(connection).get_table_names())
    # A PostgreSQL database may be shared with other programs, as long as no names collide; a file may not.
    foreign = there if database.is_sqlite else there & set(metadata.tables)
    if foreign:
        raise DatabaseError(
            f"{database} holds tables that rulerank did not make ({', '.join(sorted(foreign)[:5])}); "
            "nothing was changed. Give the URL of a rulerank database, or of one that does not exist yet."
        )
    return None


def _back_up(database: Database, old: str) -> None:
    """Copy a SQLite database as it was before its schema changes; the owner of a server has backups of their own."""
    if database.path is None:
        _log.warning("the schema of %s changes from %s, in one transaction", database, old)
        return
    target = copy_to(database, beside(database.path, f"schema-{old}"))
    _log.warning("the schema of %s changes; a backup of it at schema %s is %s", database, old, target)


def _upgrade(connection: sa.Connection, scripts: Path, to: str = "head") -> None:
    config = Config()
    # A percent sign in a folder's name would be read as the start of a variable.
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
