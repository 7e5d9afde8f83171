"""Trouble with the store, named: what a driver or the system reports becomes a `StoreError` that says what is wrong."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from rulerank.errors import RulerankError, StoreError

WORDS = {
    "full": "The disk is full, so nothing can be saved.",
    "read_only": "The database can only be read at the moment, so nothing can be saved.",
    "gone": "The database is not where it was: it was moved, removed or replaced while it was in use.",
    "unreachable": "The database does not answer.",
    "locked": "The database has been busy with something else for too long.",
    "damaged": "The database is damaged, or its disk fails.",
}
ASK = "Whoever runs this server finds more in its log."

_SQLITE = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_IOERR: "damaged",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_CANTOPEN: "unreachable",
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
}
_MOVED = {sqlite3.SQLITE_READONLY_DBMOVED}

# PostgreSQL's codes, see "PostgreSQL Error Codes" in its manual; the longest beginning that fits counts.
_POSTGRESQL = {
    "53100": "full",
    "25006": "read_only",
    "3D000": "gone",
    "58P01": "gone",
    "42P01": "gone",
    "08": "unreachable",
    "28": "unreachable",
    "53": "unreachable",
    "57P": "unreachable",
    "40": "locked",
    "55P03": "locked",
    "57014": "locked",
    "58030": "damaged",
    "XX001": "damaged",
    "XX002": "damaged",
}

_SYSTEM = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read_only",
    errno.EIO: "damaged",
}


class DatabaseError(RulerankError):
    """The database cannot be reached or used; the message says how to fix it."""


class DatabaseStoreError(DatabaseError, StoreError, sa.exc.DBAPIError):
    """Trouble with the database under its name. Whoever waits for the driver's own errors gets it as well.

    `cause` is for the administrator: where the database is, and what the driver said.
    """

    def __init__(self, kind: str, cause: str, orig: BaseException | None = None) -> None:
        self.message = f"{WORDS[kind]} {ASK}"
        sa.exc.DBAPIError.__init__(self, None, None, orig or RuntimeError(cause))
        self.kind = kind
        self.cause = cause

    def __str__(self) -> str:
        return self.message


def store_error(error: BaseException, where: str = "", path: Path | None = None) -> StoreError | None:
    """Return the trouble with the store behind an error, or None if the error is about something else.

    `where` names the database for the administrator; `path` is the file of a SQLite database.
    """
    if isinstance(error, StoreError):
        return error
    kind = _kind(error, path)
    if kind is None:
        return None
    original = getattr(error, "orig", None) or error
    cause = f"{where or 'the store'}: {str(original).strip() or type(original).__name__}"
    return DatabaseStoreError(kind, cause, original)


def _kind(error: BaseException, path: Path | None) -> str | None:
    if isinstance(error, sa.exc.TimeoutError):
        return "locked"  # every connection of the pool is in use
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0)
    if isinstance(error, sa.exc.IntegrityError):
        return None
    original = (error.orig if isinstance(error, sa.exc.DBAPIError) else None) or error
    if hasattr(original, "sqlite_errorcode") or isinstance(original, sqlite3.Error):
        return _sqlite_kind(original, path)
    if hasattr(original, "sqlstate"):
        return _postgresql_kind(error, original)
    return None


def _sqlite_kind(error: BaseException, path: Path | None) -> str | None:
    code = getattr(error, "sqlite_errorcode", 0)
    kind = _SQLITE.get(code & 0xFF)
    lost = path is not None and not path.exists() and kind in ("unreachable", "read_only", "damaged")
    if code in _MOVED or lost or (code == sqlite3.SQLITE_ERROR and "no such table" in str(error)):
        return "gone"
    return kind


def _postgresql_kind(error: BaseException, original: BaseException) -> str | None:
    code = str(getattr(original, "sqlstate", None) or "")
    found = max((start for start in _POSTGRESQL if code.startswith(start)), key=len, default=None)
    if found is not None:
        return _POSTGRESQL[found]
    # Without a code it was not the server that spoke: the connection failed, or broke off.
    broken = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
    return "unreachable" if not code and broken else None
