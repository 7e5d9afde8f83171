"""Locks that hold between processes: one writer of a named thing at a time, until the transaction ends."""

from __future__ import annotations

from enum import IntEnum

import sqlalchemy as sa

# PostgreSQL keeps pairs of numbers apart from single ones, and the single ones belong to the campaigns.
_OURS = 0x72756C65


class Lock(IntEnum):
    """What a transaction may hold for itself."""

    SCHEMA = 1
    PEOPLE = 2


def hold(connection: sa.Connection, lock: Lock) -> None:
    """Wait for a lock and keep it until the transaction ends.

    SQLite needs nothing more: `Database.write` lets in one writer at a time from its first statement on.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_OURS, int(lock))))
