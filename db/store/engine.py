"""Engines and transactions: SQLite in one file by default, PostgreSQL by URL; writers never step on each other."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.store.errors import DatabaseError, DatabaseStoreError, store_error
from db.store.files import OpenedFile, create_private
from rulerank.errors import InputError, StoreError

BUSY_MILLISECONDS = 30_000
CONNECT_SECONDS = 10
PROBE_SECONDS = 2.0
"""For how long a proof that the database can be written to is good enough for `Database.trouble`."""
DRAIN_SECONDS = 2.0
"""For how long a new transaction waits until the ones on connections that are void have ended."""

_log = logging.getLogger("rulerank")

# PostgreSQL keeps pairs of numbers apart from single ones, and the single ones belong to the campaigns.
_OURS = 0x72756C65


class Lock(IntEnum):
    """What one transaction at a time may hold, among all processes of a database."""

    SCHEMA = 1
    PEOPLE = 2


class Database:
    """An engine with the two kinds of transaction that the app uses: `read()` and `write()`.

    Both raise a `StoreError` where the database itself is in trouble. With `create` the first connection makes the
    file of a SQLite database, and never a later one: a database that vanished must not come back empty.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = sa.make_url(check_url(url))
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._create = create
        options: dict[str, Any] = {"pool_size": 20, "max_overflow": 60, "pool_pre_ping": not self.is_sqlite}
        if self.is_sqlite:
            if create and self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            options["connect_args"] = {"check_same_thread": False, "timeout": BUSY_MILLISECONDS / 1000}
        elif "connect_timeout" not in self.url.query:
            options["connect_args"] = {"connect_timeout": CONNECT_SECONDS}
        self.engine = sa.create_engine(self.url, **options)
        self._opened = OpenedFile(self.path) if self.path is not None else None
        self._lock = threading.RLock()
        self._writing = False
        self._trouble: StoreError | None = None
        self._proved_at = float("-inf")
        self._renewals = 0
        self._void = False  # whether all open connections must be closed before another one is opened
        self._in_use = 0
        self._ended = threading.Condition()
        self._thread = threading.local()  # `depth`: how many connections this thread itself has in use
        if self.is_sqlite:
            sa.event.listen(self.engine, "do_connect", self._find_file)
            if self._opened is not None:
                sa.event.listen(self.engine, "connect", self._opened.arrive)
            sa.event.listen(self.engine, "connect", _prepare_sqlite)

    @property
    def path(self) -> Path | None:
        """The file of a SQLite database."""
        return Path(self.url.database) if self.is_sqlite and self.url.database else None

    @property
    def generation(self) -> int:
        """A number that grows when another database has taken the place of this one: what is kept of it is void."""
        return self._renewals + (self._opened.generation if self._opened is not None else 0)

    def renew(self) -> None:
        """Note that this is not the database any more that it was."""
        self._renewals += 1

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one consistent state and writes nothing."""
        with self._named(), self._connected() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
                self._check(connection)
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection
            connection.rollback()

    @contextmanager
    def write(self, *, campaign: int | None = None, patience: int = BUSY_MILLISECONDS) -> Iterator[sa.Connection]:
        """Yield a connection that commits at the end, or rolls back if anything goes wrong.

        SQLite: one writer at a time, from the first statement on (BEGIN IMMEDIATE), waiting in this process rather
        than in the file. PostgreSQL: with `campaign`, one writer per campaign at a time, in any process.
        """
        if not self.is_sqlite:
            with self._named(), self._connected() as connection, connection.begin():
                if campaign is not None:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(campaign)))
                yield connection
            self._proved()
            return
        with self._named(), self._lock, self._connected() as connection:
            if self._writing:  # the lock lets its own thread in again, and the file would wait for itself
                raise DatabaseError("a write was begun inside another one; finish the first")
            self._writing = True
            try:
                if patience != BUSY_MILLISECONDS:
                    connection.exec_driver_sql(f"PRAGMA busy_timeout={patience}")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                self._check(connection)
                yield connection
                connection.commit()
                self._check(connection)  # what went into a file that is no longer there was not saved
            except BaseException:
                with suppress(sa.exc.DBAPIError):
                    connection.rollback()
                raise
            finally:
                self._writing = False
                if patience != BUSY_MILLISECONDS:
                    connection.invalidate()
        self._proved()

    def trouble(self) -> StoreError | None:
        """Return what is wrong with the database now, or None; says so by writing, though nothing that is kept."""
        if time.monotonic() - self._proved_at < PROBE_SECONDS:
            return None
        try:
            with self.read() as connection:
                connection.exec_driver_sql("SELECT 1")
            if not self._lock.acquire(timeout=1):
                return None  # somebody is writing
            try:
                self._probe()
            finally:
                self._lock.release()
        except StoreError as error:
            return None if error.kind == "locked" else error
        return None

    def _probe(self) -> None:
        with self.write(patience=1000) as connection:
            if self.is_sqlite:
                version = connection.exec_driver_sql("PRAGMA user_version").scalar()
                connection.exec_driver_sql(f"PRAGMA user_version={version}")  # the same again, but it is written
            elif connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on":
                raise DatabaseStoreError("read_only", f"{self}: transactions are read-only")
            else:
                connection.exec_driver_sql("SELECT txid_current()")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __str__(self) -> str:
        return f"the database {self.path or self.url}"  # a URL prints without its password

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Yield a connection; after trouble that clings to connections, only once all earlier ones are closed.

        A process has one view of a SQLite file's shared memory for all of its connections. If the file was read-only
        when the first of them was opened, so is every further one, until the last one is closed.
        """
        depth = getattr(self._thread, "depth", 0)
        with self._ended:
            if not depth:  # whoever is inside a transaction must not wait for its end
                self._ended.wait_for(lambda: not (self._void and self._in_use), DRAIN_SECONDS)
            if self._void and not self._in_use:
                self.engine.dispose()
                self._void = False
            self._in_use += 1
        self._thread.depth = depth + 1
        try:
            with self.engine.connect() as connection:
                yield connection
        finally:
            self._thread.depth = depth
            with self._ended:
                self._in_use -= 1
                self._ended.notify_all()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn trouble with the database within a block into a `StoreError`, and note it for the administrator."""
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
            named = store_error(error, str(self), self.path)
            if named is None:
                raise
            self._note(named)
            if isinstance(error, StoreError):
                raise
            raise named from error

    def _note(self, trouble: StoreError) -> None:
        self._proved_at = float("-inf")
        if self._trouble is None or self._trouble.kind != trouble.kind:  # once, not at every try
            _log.error("%s: %s", trouble.kind, getattr(trouble, "cause", trouble))
        self._trouble = trouble
        if trouble.kind in ("gone", "read_only"):
            self._void = True
        if trouble.kind == "gone":
            self.renew()

    def _proved(self) -> None:
        self._proved_at = time.monotonic()
        if self._trouble is not None:
            _log.warning("%s can be written to again", self)
            self._trouble = None

    def _check(self, connection: sa.Connection) -> None:
        if self._opened is not None:
            self._opened.check(connection)

    def _find_file(self, dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        """Make the file of a new database for its owner alone; open an existing one only, once it was there."""
        if self._opened is None:
            return
        if self._create and not self._opened.known:
            with suppress(OSError):  # it exists, or cannot be made, which SQLite says better
                create_private(self._opened.path)
            return
        if not self._opened.known and not self._opened.path.exists():
            raise DatabaseError(f"there is no file {self._opened.path}; start rulerank, which makes it")
        self._opened.clear()
        arguments[0] = f"{self._opened.path.as_uri()}?mode=rw"
        options["uri"] = True


def _prepare_sqlite(connection: Any, record: Any) -> None:
    """Set what a label log needs: no implicit transactions, WAL, a full sync at commit, waiting instead of failing."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_MILLISECONDS}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def hold(connection: sa.Connection, lock: Lock) -> None:
    """Wait for a lock and keep it until the transaction ends.

    SQLite needs nothing more: `Database.write` lets in one writer at a time from its first statement on.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_OURS, int(lock))))


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
