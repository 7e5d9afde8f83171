"""People: accounts, roles, sign-in. Every write of the app asks `may` first."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from db.people.passwords import Passwords
from db.people.person import (
    ACTS,
    LOCAL,
    LONGEST_NAME,
    ROLES,
    Person,
    check_email,
    check_name,
    check_role,
    free_name,
    may,
    name_key,
    read_person,
)
from db.people.sessions import Limits, Sessions, end_sessions
from db.people.signing import FIRST_ACCOUNT, Ticket, code, read_ticket, write_ticket
from db.people.signing import HOURS as TICKET_HOURS
from db.people.throttle import Client, Throttle, network_of, read_note, write_note
from db.store.engine import Database, Lock, hold
from db.store.tables import people, sessions, settings
from rulerank.errors import InputError

__all__ = ["ACTS", "LOCAL", "ROLES", "People", "Person", "may"]

SECRET = "cookie_secret"
_NOBODY = -1  # the number of nobody, for the look-ups that an unknown name costs as well


class People:
    """The accounts of a database. One object per process: it counts wrong passwords in memory."""

    def __init__(
        self,
        database: Database,
        *,
        passwords: Passwords | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self.clock = clock
        self.sessions = Sessions(database, limits=limits, clock=clock)
        self._passwords = passwords or Passwords()
        self._throttle = Throttle(ticks)
        self._secret: bytes | None = None

    # Reading ---------------------------------------------------------------------------------------------------------

    def get(self, person_id: int) -> Person | None:
        """Return a person, active or not."""
        with self.database.read() as connection:
            row = connection.execute(_BY_NUMBER, {"person": person_id}).one_or_none()
        return None if row is None else read_person(row)

    def by_email(self, email: str, *, inactive: bool = False) -> Person | None:
        """Return the active person with an address, or an inactive one if asked; capitals make no difference."""
        person = self._find(people.c.email == email.strip().lower())
        return person if person is not None and (person.active or inactive) else None

    def list(self) -> tuple[Person, ...]:
        """Return everybody in order of name, inactive people too."""
        with self.database.read() as connection:
            found = [read_person(row) for row in connection.execute(sa.select(people))]
        return tuple(sorted(found, key=lambda person: name_key(person.name)))

    def somebody_administers(self) -> bool:
        """Say whether an administrator can sign in; the person of the single-user mode cannot."""
        with self.database.read() as connection:
            return _has_admin(connection)

    def count(self, role: str | None = None) -> int:
        """Return how many people are active, or how many of a role."""
        query = sa.select(sa.func.count()).select_from(people).where(people.c.active)
        if role is not None:
            query = query.where(people.c.role == check_role(role))
        with self.database.read() as connection:
            return int(connection.scalar(query) or 0)

    # Writing ---------------------------------------------------------------------------------------------------------

    def add(self, name: str, role: str, password: str | None = None, email: str | None = None) -> Person:
        """Add a person; names differ by more than capitals. Without password and address they cannot sign in yet."""
        role, hashed = check_role(role), self._hash(password)
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            return self._add(connection, name, role, hashed, email)

    def add_first_admin(self, name: str, password: str) -> Person:
        """Add the first administrator of a new installation; refused where somebody can administer already."""
        hashed = self._hash(password)
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            if _has_admin(connection):
                raise InputError("somebody was quicker: there is an administrator already; sign in, or ask them")
            return self._add(connection, name, "admin", hashed, None)

    def join(self, name: str, role: str, email: str) -> Person:
        """Return the person with an address that a sign-in provider has checked; a newcomer is added.

        Nobody chose the name for this place: where it is taken or unfit, another one is found.
        """
        role, address = check_role(role), check_email(email)
        if address is None:
            raise InputError("whoever joins needs an e-mail address")
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            row = connection.execute(sa.select(people).where(people.c.email == address)).one_or_none()
            if row is not None:
                return read_person(row)
            taken = {name_key(other) for other in connection.scalars(sa.select(people.c.name))}
            return self._add(connection, free_name(name, address, taken), role, None, address)

    def ensure_single_user(self) -> Person:
        """Return the person of the open single-user mode, an admin without a password; made where missing."""
        person = self._find(people.c.name == LOCAL)
        if person is not None and may(person, "administer"):
            return person
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            row = connection.execute(sa.select(people).where(people.c.name == LOCAL)).one_or_none()
            if row is None:
                return self._insert(connection, LOCAL, "admin", None, None)
            return _change(connection, row.id, role="admin", active=True)

    def set_password(self, person_id: int, password: str, *, keep: int = 0) -> Person:
        """Give a person a new password; whoever is signed in with the old one is signed out, but the session `keep`."""
        hashed = self._passwords.hash(password)
        with self._changing(person_id) as (connection, person):
            if person.name == LOCAL:
                raise InputError("the person of the single-user mode has no password; add an account instead")
            self._sign_out(connection, person, but=keep)
            return _change(connection, person.id, password_hash=hashed)

    def set_email(self, person_id: int, email: str | None) -> Person:
        """Change or remove the address by which a sign-in provider knows a person; with the old one they are out."""
        email = check_email(email)
        with self._changing(person_id) as (connection, person):
            other = connection.scalar(sa.select(people.c.id).where(people.c.email == email, people.c.id != person.id))
            if email is not None and other is not None:
                raise InputError(f"the address {email} belongs to somebody else already")
            if email is None and not person.has_password:
                _keep_an_admin(connection, person)
            if person.email is not None and email != person.email:
                self._sign_out(connection, person)
            return _change(connection, person.id, email=email)

    def set_role(self, person_id: int, role: str) -> Person:
        """Change what a person may do; the last admin stays one."""
        role = check_role(role)
        with self._changing(person_id) as (connection, person):
            if role != "admin":
                _keep_an_admin(connection, person)
            return _change(connection, person.id, role=role)

    def deactivate(self, person_id: int) -> Person:
        """Let a person sign in no more, and sign them out; what they did stays. The last admin stays active."""
        with self._changing(person_id) as (connection, person):
            _keep_an_admin(connection, person)
            self._sign_out(connection, person)
            return _change(connection, person.id, active=False)

    def activate(self, person_id: int) -> Person:
        """Let a deactivated person sign in again."""
        with self._changing(person_id) as (connection, person):
            return _change(connection, person.id, active=True)

    # Signing in ------------------------------------------------------------------------------------------------------

    def check(self, name: str, password: str, client: Client | None = None) -> Person | None:
        """Return the active person with this name and password, or None: which of the two was wrong is not said.

        After some wrong tries there are pauses (`TooManyTriesError`), but none for a place where this person has
        signed in before because of tries elsewhere; see `db.people.throttle`.
        """
        client, key = client or Client(), name_key(name)[:LONGEST_NAME]
        with self.database.read() as connection:
            rows = connection.execute(sa.select(people).where(people.c.active)).all()
        row = next((row for row in rows if name_key(row.name) == key), None)
        stored = None if row is None else row.password_hash
        known = self._known(_NOBODY if row is None else row.id, client)
        with self._throttle.guess(key, network_of(client.address), known) as forgive:
            if not self._passwords.matches(stored, password) or row is None or stored is None:
                return None
            forgive()
        if self._passwords.outdated(stored):
            hashed = self._passwords.hash(password)
            with self.database.write() as connection:
                # Only if nobody has set another password meanwhile.
                same = sa.and_(people.c.id == row.id, people.c.password_hash == stored)
                connection.execute(sa.update(people).where(same).values(password_hash=hashed))
        return read_person(row)

    def _known(self, person_id: int, client: Client) -> str | None:
        """Return what distinguishes a place where a person has signed in before, None for any other place."""
        browser = read_note(client.notes, person_id, self._cookie_secret(), self.clock())
        network = network_of(client.address) if self.sessions.knows(person_id, client.address) else None
        return f"browser {browser}" if browser else network

    def note_browser(self, person: Person, notes: str) -> str:
        """Return what a browser is to keep, so that it is known as one that a person has signed in with."""
        return write_note(notes, person.id, self._cookie_secret(), self.clock())

    def first_code(self) -> str:
        """Return the code that proves, on a new installation, that one can read the server's log."""
        return code(self._cookie_secret(), FIRST_ACCOUNT, 12)

    def check_first_code(self, given: str, client: Client | None = None) -> bool:
        """Compare a code with `first_code`; guessing it is slowed down, as it is for passwords."""
        address = network_of((client or Client()).address)
        with self._throttle.guess("", address) as forgive:  # nobody's name is empty
            if not hmac.compare_digest(given.strip().lower().encode("utf-8", "replace"), self.first_code().encode()):
                return False
            forgive()
        return True

    def sign(self, person: Person, address: str = "", browser: str = "") -> str:
        """Begin a session of a person and return the text of the cookie that `read` accepts as long as it lasts."""
        return self.sessions.open(person.id, address, browser)

    def read(self, cookie: str, *, seen: bool = True) -> Person | None:
        """Return the person behind a cookie as they are now, or None if it is not (or no longer) good."""
        return self.sessions.read(cookie, seen=seen)

    def write_ticket(self, person: Person, campaign: int, row: int = 0, token: str = "") -> str:
        """Return a ticket for the panel of a person who was let in, naming the document that they hold."""
        expires_at = int(self.clock() + 3600 * TICKET_HOURS)
        return write_ticket(Ticket(person.id, person.session, campaign, row, token, expires_at), self._cookie_secret())

    def read_ticket(self, text: str, cookie: str | None = None) -> tuple[Person, Ticket] | None:
        """Return the person behind a ticket as they are now, and what it says; None if it is not good (any more).

        It is good in the session that it was written in and only with the cookie of that session. Without sign-in
        there are neither sessions nor cookies (`cookie` is None), and tickets of a session are not good.
        """
        ticket = read_ticket(text, self._cookie_secret(), self.clock())
        if ticket is None or (cookie is None) != (ticket.session == 0):
            return None
        person = self.get(ticket.person) if cookie is None else self.sessions.read_numbered(ticket.session, cookie)
        if person is None or not person.active or person.id != ticket.person:
            return None
        return person, ticket

    def _cookie_secret(self) -> bytes:
        """Return the secret of this database, made once: all its processes accept each other's cookies."""
        if self._secret is None:
            query = sa.select(settings.c.value).where(settings.c.name == SECRET)
            with self.database.read() as connection:
                found = connection.scalar(query)
            if found is None:
                with self.database.write() as connection:
                    hold(connection, Lock.PEOPLE)
                    found = connection.scalar(query)
                    if found is None:
                        found = secrets.token_hex(32)
                        connection.execute(sa.insert(settings).values(name=SECRET, value=found))
            self._secret = bytes.fromhex(found)
        return self._secret

    # Rows ------------------------------------------------------------------------------------------------------------

    def _find(self, *conditions: sa.ColumnElement[bool]) -> Person | None:
        with self.database.read() as connection:
            row = connection.execute(sa.select(people).where(*conditions)).one_or_none()
        return None if row is None else read_person(row)

    @contextmanager
    def _changing(self, person_id: int) -> Iterator[tuple[sa.Connection, Person]]:
        """Yield a write transaction and the person that it changes."""
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            row = connection.execute(sa.select(people).where(people.c.id == person_id)).one_or_none()
            if row is None:
                raise InputError(f"there is no person with number {person_id}; reload the list of people")
            yield connection, read_person(row)

    def _sign_out(self, connection: sa.Connection, person: Person, *, but: int = 0) -> None:
        """End the sessions of a person, or all others, in the transaction that changes the person."""
        end_sessions(connection, self.clock(), sessions.c.person_id == person.id, sessions.c.id != but)

    def _hash(self, password: str | None) -> str | None:
        """Hash a new password; it takes long, so never while other writers wait."""
        return None if password is None else self._passwords.hash(password)

    def _add(self, connection: sa.Connection, name: str, role: str, hashed: str | None, email: str | None) -> Person:
        """Add a person whose name and address nobody else has."""
        name, email = check_name(name), check_email(email)
        if name_key(name) == LOCAL:
            raise InputError(f"the name {LOCAL!r} belongs to the single-user mode; choose another one")
        taken = connection.execute(sa.select(people.c.name, people.c.email)).all()
        if any(name_key(other) == name_key(name) for other, _ in taken):
            raise InputError(f"there is a person named {name!r} already; choose another name")
        if email is not None and any(other == email for _, other in taken):
            raise InputError(f"the address {email} belongs to somebody else already")
        return self._insert(connection, name, role, hashed, email)

    def _insert(self, connection: sa.Connection, name: str, role: str, hashed: str | None, email: str | None) -> Person:
        values = {
            "name": name,
            "role": role,
            "password_hash": hashed,
            "email": email,
            "active": True,
            "created_at": self.clock(),
        }
        return read_person(connection.execute(sa.insert(people).values(values).returning(people)).one())


# Made once: without sign-in every key asks it.
_BY_NUMBER = sa.select(people).where(people.c.id == sa.bindparam("person"))


def _change(connection: sa.Connection, person_id: int, **values: Any) -> Person:
    query = sa.update(people).where(people.c.id == person_id).values(values).returning(people)
    return read_person(connection.execute(query).one())


def _has_admin(connection: sa.Connection) -> bool:
    admins = connection.execute(sa.select(people).where(people.c.role == "admin", people.c.active))
    return any(read_person(row).can_sign_in for row in admins)


def _keep_an_admin(connection: sa.Connection, person: Person) -> None:
    """Refuse a change that would leave nobody who may administer, or nobody who may and can sign in."""
    if not may(person, "administer"):
        return
    admins = sa.select(people).where(people.c.role == "admin", people.c.active, people.c.id != person.id)
    others = [read_person(row) for row in connection.execute(admins)]
    if not any(other.can_sign_in or not person.can_sign_in for other in others):
        raise InputError(f"{person.name} is the last admin; make somebody else admin first")
