"""Every row of one database into another, or into a portable file; and what a table holds, as one number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import migrate, newest, revision
from db.store.scratch import scratch
from db.store.sqlite_copy import reachable, refuse_existing, single_file
from db.store.tables import metadata
from rulerank.files import put_in_place

_SIZE = 2**256


class Contents:
    """Counts rows and adds up their SHA-256, so that their order, which is a database's own, makes no difference."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, row: Iterable[Any]) -> None:
        """Take in a row of plain values."""
        # ASCII, because what counts as printable differs between versions of Python.
        text = ascii([hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value for value in row])
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")) % _SIZE
        self.rows += 1

    @property
    def sha256(self) -> str:
        """The sum in hexadecimal."""
        return f"{self._sum:064x}"

    def to_dict(self) -> dict[str, int | str]:
        """Return both as a backup's manifest lists them."""
        return {"rows": self.rows, "sha256": self.sha256}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contents) and (self.rows, self._sum) == (other.rows, other._sum)

    __hash__ = None  # type: ignore[assignment]


class BrokenText(bytes):
    """Text of a database that is not UTF-8."""


def read_text(data: bytes) -> str | BrokenText:
    """Decode text as SQLite hands it over; what is not UTF-8 stays as it is, for whoever reads it to say where."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return BrokenText(data)


def table_names(connection: Any) -> list[str]:
    """Return the tables of a SQLite database."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found if isinstance(name, str) and not name.startswith("sqlite_")]


def quoted(name: str) -> str:
    """Return a name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def all_contents(connection: Any) -> Iterator[tuple[str, Contents]]:
    """Yield the contents of every table of a SQLite database, by the driver's own connection, as they are stored."""
    for name in table_names(connection):
        contents = Contents()
        for row in connection.execute(f"SELECT * FROM {quoted(name)}"):
            contents.add(row)
        yield name, contents


def dump_all(database: Database, target: Path) -> Path:
    """Write everything in a database, as of one moment, into a new SQLite file; return its path."""
    refuse_existing(target)
    with scratch(target.parent) as folder:
        copy = Database(f"sqlite:///{folder / 'dump.db'}")
        try:
            copy_all(database, copy)
            put_in_place(single_file(copy), target)
        finally:
            copy.close()
    return target


def copy_all(source: Database, target: Database) -> None:
    """Copy everything in a database, as of one moment, into another that holds nothing yet.

    Numbers stay as they are, so that everything refers to what it referred to. It happens wholly or not at all.
    """
    migrate(target)
    with reachable(source), snapshot(source) as rows:
        if revision(rows) != newest():
            raise DatabaseError(f"{source} is not at schema {newest()}; migrate it first")
        with reachable(target), target.write() as connection:
            taken = [table.name for table in metadata.sorted_tables if _filled(connection, table)]
            if taken:
                raise DatabaseError(
                    f"{target} is not empty (rows in {', '.join(taken[:5])}); nothing was changed. "
                    "Give the URL of a new database."
                )
            _copy_rows(rows, connection)
            if not target.is_sqlite:
                _go_on_counting(connection)


@contextmanager
def snapshot(database: Database) -> Iterator[sa.Connection]:
    """Yield a connection that sees one moment of the whole database, however many tables it reads."""
    with database.read() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection


def _copy_rows(source: sa.Connection, target: sa.Connection) -> None:
    for table in metadata.sorted_tables:
        copied = Contents()
        for rows in _rows(source, table):
            try:
                target.execute(sa.insert(table), [dict(row._mapping) for row in rows])
            except (sa.exc.DBAPIError, ValueError) as error:
                why = error.orig if isinstance(error, sa.exc.DBAPIError) else error
                raise DatabaseError(f"a row of {table.name} does not fit into the other database: {why}") from error
            for row in rows:
                copied.add(row)
        stored = Contents()
        for rows in _rows(target, table):
            for row in rows:
                stored.add(row)
        if stored != copied:
            raise DatabaseError(
                f"{copied.rows} rows of {table.name} were written, and what is there ({stored.rows} rows) differs; "
                "nothing was kept"
            )


def _rows(connection: sa.Connection, table: sa.Table) -> Iterator[Sequence[sa.Row[Any]]]:
    """Yield the rows of a table, some at a time, in the order of the keys: an event after the one that it undoes."""
    # Rows with a whole chunk of a collection in them are large: a few at a time.
    large = any(isinstance(column.type, sa.LargeBinary) for column in table.columns)
    query = sa.select(table).order_by(*table.primary_key)
    with connection.execute(query, execution_options={"yield_per": 8 if large else 1000}) as result:
        yield from result.partitions()


def _filled(connection: sa.Connection, table: sa.Table) -> bool:
    return connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first() is not None


def _go_on_counting(connection: sa.Connection) -> None:
    """Let PostgreSQL number new rows after the loaded ones."""
    for table in metadata.sorted_tables:
        if "id" in table.columns:
            highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence(table.name, "id")
            connection.execute(sa.select(sa.func.setval(sequence, highest)).where(highest.is_not(None)))
