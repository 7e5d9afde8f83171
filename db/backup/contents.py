"""What a table holds, in one number: two tables with the same rows have the same, in any order and any database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

_SIZE = 2**256


class Contents:
    """Counts rows and adds up their SHA-256, so that their order, which is a database's own, makes no difference."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, row: Iterable[Any]) -> None:
        """Take in a row of plain values."""
        # ASCII, because what counts as printable differs between versions of Python.
        told = ascii([hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value for value in row])
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(told.encode()).digest(), "big")) % _SIZE
        self.rows += 1

    @property
    def sha256(self) -> str:
        """The sum in hexadecimal."""
        return f"{self._sum:064x}"

    def to_dict(self) -> dict[str, int | str]:
        """Return both as a backup's manifest tells them."""
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
