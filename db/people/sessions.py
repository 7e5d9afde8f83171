"""Sessions: who is signed in, since when and from where. The cookie holds a random token; the database its hash.

A session ends when its person signs out or ends it from another one, when an administrator ends it, when the password
changes or the account is deactivated, after some hours whatever happens, and after some time without any request.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.people.person import Person, read_person
from db.people.throttle import network_of
from db.store.engine import Database
from db.store.tables import people, sessions
from rulerank.errors import InputError, RulerankError

HOURS = 12.0
IDLE_MINUTES = 120.0
SEEN_EVERY = 60.0  # seconds: a session that is in use is noted as seen no more often than this
SLACK = 60.0  # seconds by which the clocks of two servers may differ
KEPT_DAYS = 90.0  # ended sessions are kept this long, because they say from where a person has signed in before
LONGEST_BROWSER = 200

log = logging.getLogger("rulerank")


@dataclass(frozen=True)
class Limits:
    """How long a session lasts at most, and without a request."""

    hours: float = HOURS
    idle_minutes: float = IDLE_MINUTES

    def __post_init__(self) -> None:
        if not 0 < self.hours <= 24 * 31:
            raise InputError(f"RULERANK_SESSION_HOURS must be above 0 and at most 744, not {self.hours:g}")
        if not 0 < self.idle_minutes <= 60 * self.hours:
            longest = f"the session's {self.hours:g} hours"
            raise InputError(
                f"RULERANK_IDLE_MINUTES must be above 0 and not above {longest}, not {self.idle_minutes:g}"
            )


@dataclass(frozen=True)
class Session:
    """One sign-in of a person that still counts."""

    id: int
    created_at: float
    seen_at: float
    expires_at: float
    address: str
    browser: str


class Sessions:
    """The sessions of a database."""

    def __init__(
        self, database: Database, *, limits: Limits | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.database = database
        self.limits = limits or Limits()
        self.clock = clock

    def open(self, person_id: int, address: str = "", browser: str = "") -> str:
        """Begin a session and return its token, which is stored nowhere."""
        token, now = secrets.token_urlsafe(32), self.clock()
        values = {
            "person_id": person_id,
            "token_hash": hash_token(token),
            "created_at": now,
            "seen_at": now,
            "expires_at": now + 3600 * self.limits.hours,
            "address": network_of(address),
            "browser": "".join(sign for sign in browser if sign.isprintable())[:LONGEST_BROWSER],
        }
        with self.database.write() as connection:
            self._tidy(connection, now)
            connection.execute(sa.insert(sessions).values(values))
        return token

    def read(self, token: str, *, seen: bool = True) -> Person | None:
        """Return the person behind a token as they are now, or None if the session does not count (any more).

        With `seen` the session is noted as used; what a page asks for by itself is no sign of a person.
        """
        return self._read(_BY_TOKEN, {"hash": hash_token(token)}, seen)

    def read_numbered(self, session_id: int, token: str) -> Person | None:
        """Return the person behind a session if its token is this one."""
        return self._read(_BY_BOTH, {"session": session_id, "hash": hash_token(token)}, True)

    def of(self, person_id: int) -> tuple[Session, ...]:
        """Return the sessions of a person that count, the one used last first."""
        query = sa.select(sessions).where(sessions.c.person_id == person_id, sessions.c.ended_at.is_(None))
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(sessions.c.seen_at.desc())).all()
        return tuple(
            Session(row.id, row.created_at, row.seen_at, row.expires_at, row.address, row.browser)
            for row in rows
            if self._counts(row.created_at, row.seen_at, row.expires_at)
        )

    def end(self, token: str) -> None:
        """End the session of a token: sign out."""
        self._end(sessions.c.token_hash == hash_token(token))

    def end_one(self, person_id: int, session_id: int) -> None:
        """End one session of a person."""
        self._end(sessions.c.person_id == person_id, sessions.c.id == session_id)

    def end_all(self, person_id: int, *, but: int = 0) -> None:
        """End every session of a person, or all others."""
        self._end(sessions.c.person_id == person_id, sessions.c.id != but)

    def knows(self, person_id: int, address: str) -> bool:
        """Say whether a person has signed in from an address before."""
        query = sa.select(sessions.c.id).where(
            sessions.c.person_id == person_id, sessions.c.address == network_of(address)
        )
        with self.database.read() as connection:
            return bool(network_of(address)) and connection.execute(query.limit(1)).first() is not None

    def tidy(self) -> None:
        """End what a clock that ran ahead has begun, and forget what ended long ago."""
        with self.database.write() as connection:
            self._tidy(connection, self.clock())

    def _tidy(self, connection: sa.Connection, now: float) -> None:
        ahead = sa.and_(sessions.c.ended_at.is_(None), sessions.c.created_at > now + SLACK)
        connection.execute(sa.update(sessions).where(ahead).values(ended_at=now))
        connection.execute(sa.delete(sessions).where(sessions.c.expires_at < now - 86400 * KEPT_DAYS))

    def _read(self, query: sa.Select[Any], values: dict[str, Any], seen: bool) -> Person | None:
        with self.database.read() as connection:
            row = connection.execute(query, values).one_or_none()
        if row is None or not self._counts(row.begun_at, row.seen_at, row.expires_at):
            return None
        if seen and abs(self.clock() - row.seen_at) >= SEEN_EVERY:
            self._note(row.session)
        return read_person(row, row.session)

    def _counts(self, created_at: float, seen_at: float, expires_at: float) -> bool:
        """Say whether a session counts now. One from the future comes from a clock that ran ahead."""
        now = self.clock()
        idle = now - seen_at > 60 * self.limits.idle_minutes
        return created_at <= now + SLACK and now < expires_at and not idle

    def _note(self, session_id: int) -> None:
        """Note that a session is in use. A store that cannot be written to must not sign anybody out."""
        try:
            with self.database.write() as connection:
                connection.execute(_SEEN, {"session": session_id, "now": self.clock()})
        except (sa.exc.SQLAlchemyError, RulerankError):
            log.warning("could not note that session %s is in use", session_id, exc_info=True)

    def _end(self, *conditions: sa.ColumnElement[bool]) -> None:
        with self.database.write() as connection:
            end_sessions(connection, self.clock(), *conditions)


def end_sessions(connection: sa.Connection, now: float, *conditions: sa.ColumnElement[bool]) -> None:
    """End the sessions that fulfil all conditions, within a transaction that changes more."""
    connection.execute(sa.update(sessions).where(sessions.c.ended_at.is_(None), *conditions).values(ended_at=now))


def hash_token(token: str) -> str:
    """Return what is stored of a token. It is random and long, so that one round is enough."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


# Made once: every request asks the first, every key of an annotator the second.
_BY_TOKEN = (
    sa.select(
        people,
        sessions.c.id.label("session"),
        sessions.c.created_at.label("begun_at"),
        sessions.c.seen_at,
        sessions.c.expires_at,
    )
    .join(people, people.c.id == sessions.c.person_id)
    .where(sessions.c.token_hash == sa.bindparam("hash"), sessions.c.ended_at.is_(None), people.c.active)
)
_BY_BOTH = _BY_TOKEN.where(sessions.c.id == sa.bindparam("session"))
_SEEN = (
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("session"), sessions.c.ended_at.is_(None))
    .values(seen_at=sa.bindparam("now"))
)
