"""The files of a database: whose they are, and whether an opened one is still in its place."""

from __future__ import annotations

import logging
import os
import shlex
import stat
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.store.errors import DatabaseStoreError

OWNER_ONLY = 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to a database file, with the mode of that file
BACKUPS = "rulerank-backup-*.zip"


def create_private(path: Path) -> None:
    """Create an empty file that its owner alone may read and write, whatever the umask; one that exists is an error.

    SQLite takes a file of no bytes for a new database, and gives what it keeps beside it the same mode.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
    try:
        if os.name == "posix":
            os.fchmod(descriptor, OWNER_ONLY)  # an umask may have taken the owner's own rights
    finally:
        os.close(descriptor)


def open_to_others(paths: Iterable[Path]) -> list[str]:
    """Return a sentence for every file that others than its owner may read or write, with the command that fixes it."""
    found = []
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if os.name == "posix" and stat.S_ISREG(mode) and mode & OTHERS:
            command = f"chmod 600 {shlex.quote(str(path))}"
            found.append(
                f"{path} can be read or changed by other users (mode {mode & 0o777:04o}). To fix it: {command}"
            )
    return found


def private_files(database: Path | None, secrets: Iterable[Path] = ()) -> list[Path]:
    """Return what should be readable by its owner alone: a database, what lies beside it, its copies, and secrets."""
    found = list(secrets)
    if database is not None:
        copies = f"{database.stem}.*{database.suffix}"
        found += [database, *(Path(f"{database}{end}") for end in BESIDE)]
        found += [path for pattern in (copies, BACKUPS) for path in sorted(database.parent.glob(pattern))]
    return list(dict.fromkeys(found))


Identity = tuple[int, int]
_log = logging.getLogger("rulerank")


class OpenedFile:
    """The file at a path, as a process knows it from its first connection on."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.generation = 0  # grows when another file takes the place of the one before
        self._known: Identity | None = None
        self._revision: str | None = None
        self._beside: dict[str, Identity] = {}  # the files that SQLite keeps next to the known one
        self._release: weakref.finalize[[int], OpenedFile] | None = None

    @property
    def known(self) -> bool:
        """Say whether the database was opened before: from then on it is not made anew."""
        return self._known is not None

    def arrive(self, connection: Any, record: Any) -> None:
        """Take note of the file behind a new connection; refuse one that is not the database that was there."""
        try:
            self._arrive(connection, record)
        except DatabaseStoreError:
            connection.close()
            raise

    def _arrive(self, connection: Any, record: Any) -> None:
        found = _identity(self.path)
        if found is None:
            raise self._gone("there is no such file any more")
        revision = _revision(connection)
        if self._known is not None and found != self._known:
            if revision is None:
                raise self._gone("another file has taken its place, and that is no rulerank database")
            if self._revision is not None and revision != self._revision:
                raise self._gone(f"another database has taken its place, with schema {revision}; restart rulerank")
            self.generation += 1
            _log.warning("the database %s was replaced; what is open is read anew", self.path)
        if found != self._known:
            self._known, self._beside = found, {}
            self._keep()
        self._revision = revision or self._revision
        record.info["file"] = found

    def _keep(self) -> None:
        """Keep the known file from being forgotten: once it is removed, its number would go to the next new file.

        The handle opens nothing, or closing it would give up the locks that SQLite holds.
        """
        if self._release is not None:
            self._release()
        if hasattr(os, "O_PATH"):
            self._release = weakref.finalize(self, os.close, os.open(self.path, os.O_PATH))

    def clear(self) -> None:
        """Set aside what SQLite left beside a file that another has replaced: read into that one, it would ruin it."""
        if self._known is None or _identity(self.path) in (None, self._known):
            return
        for end, left in self._beside.items():
            leftover = Path(f"{self.path}{end}")
            if _identity(leftover) == left:
                kept = self.path.with_name(f"{self.path.name}.left-over.{time.time_ns()}{end}")
                leftover.rename(kept)
                _log.error("%s belonged to a database that was replaced; it is now %s", leftover, kept)
        self._beside = {}

    def check(self, connection: sa.Connection) -> None:
        """Raise an error if the file behind a connection is not the one at the path."""
        if connection.info.get("file") != _identity(self.path):
            self._settle(connection)
            raise self._gone("it is not the file any more that was opened")
        if not self._beside:
            sides = ((end, _identity(Path(f"{self.path}{end}"))) for end in ("-wal", "-shm"))
            self._beside = {end: found for end, found in sides if found is not None}

    def _settle(self, connection: sa.Connection) -> None:
        """Bring everything into the file that was moved away, so that it is whole when it is put back."""
        driver: Any = connection.connection.driver_connection
        try:
            if driver.in_transaction:
                driver.rollback()
            driver.execute("PRAGMA busy_timeout=500")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except Exception as error:  # whatever state the file is in, the caller reports what matters
            _log.warning("%s: what was beside the moved file stays there: %s", self.path, error)

    def _gone(self, why: str) -> DatabaseStoreError:
        return DatabaseStoreError("gone", f"the database {self.path}: {why}", FileNotFoundError(f"{self.path}: {why}"))


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _revision(connection: Any) -> str | None:
    """Return the schema revision, read by the driver alone: None for an empty database, and for one of others."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else None
