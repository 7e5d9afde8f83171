"""Engines and transactions: SQLite in one file by default, PostgreSQL by URL; writers never step on each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from rulerank.errors import InputError, RulerankError

BUSY_MILLISECONDS = 30_000


class DatabaseError(RulerankError):
    """The database cannot be reached or used; the message says how to mend it."""


class Database:
    """An engine with the two kinds of transaction that the app uses: `read()` and `write()`."""

    def __init__(self, url: str) -> None:
        self.url = sa.make_url(check_url(url))
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {"pool_size": 20, "max_overflow": 60, "pool_pre_ping": not self.is_sqlite}
        if self.is_sqlite:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            options["connect_args"] = {"check_same_thread": False, "timeout": BUSY_MILLISECONDS / 1000}
        self.engine = sa.create_engine(self.url, **options)
        self._lock = threading.RLock()
        self._writing = False
        if self.is_sqlite:
            sa.event.listen(self.engine, "connect", _prepare_sqlite)

    @property
    def path(self) -> Path | None:
        """The file of a SQLite database."""
        return Path(self.url.database) if self.is_sqlite and self.url.database else None

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one consistent state and writes nothing."""
        with self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection
            connection.rollback()

    @contextmanager
    def write(self, *, campaign: int | None = None) -> Iterator[sa.Connection]:
        """Yield a connection that commits at the end, or rolls back if anything goes wrong.

        SQLite: one writer at a time, from the first statement on (BEGIN IMMEDIATE), waiting in this process rather
        than in the file. PostgreSQL: with `campaign`, one writer a campaign at a time, in any process.
        """
        if not self.is_sqlite:
            with self.engine.begin() as connection:
                if campaign is not None:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(campaign)))
                yield connection
            return
        with self._lock, self.engine.connect() as connection:
            if self._writing:  # the lock lets its own thread in again, and the file would wait for itself
                raise DatabaseError("a write was begun inside another one; finish the first")
            self._writing = True
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
            except BaseException:
                connection.rollback()
                raise
            else:
                connection.commit()
            finally:
                self._writing = False

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _prepare_sqlite(connection: Any, record: Any) -> None:
    """Set what a label log needs: no implicit transactions, WAL, a full sync at commit, waiting instead of failing."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_MILLISECONDS}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def check_url(url: str) -> str:
    """Return the URL if it is one of ours: sqlite:///path or postgresql://..."""
    try:
        backend = sa.make_url(url).get_backend_name()
    except sa.exc.ArgumentError as error:
        raise InputError(
            f"{url!r} is not a database URL; write sqlite:///path/to/file.db or postgresql://..."
        ) from error
    if backend not in ("sqlite", "postgresql"):
        raise InputError(f"{backend} is not supported; use sqlite:///path/to/file.db or postgresql://user@host/name")
    if backend == "sqlite" and not sa.make_url(url).database:
        raise InputError("an in-memory database would lose labels; write sqlite:///path/to/file.db")
    return url
