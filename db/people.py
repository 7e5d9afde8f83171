"""People: accounts, roles, sign-in. Every write of the app asks `may` first."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.cookies import HOURS, Session, read_cookie, write_cookie
from db.engine import Database
from db.locks import Lock, hold
from db.names import LOCAL, LONGEST_NAME, check_email, check_name, free_name, name_key
from db.passwords import Passwords, Throttle
from db.tables import people, settings
from db.tickets import HOURS as TICKET_HOURS
from db.tickets import Ticket, read_ticket, write_ticket
from rulerank.errors import InputError

ROLES = ("annotator", "researcher", "admin")  # each may do what the ones before it may
ACTS = {"label": "annotator", "research": "researcher", "administer": "admin"}  # what -> the least role that may
_SECRET = "cookie_secret"


@dataclass(frozen=True)
class Person:
    """Somebody who labels, researches or administers."""

    id: int
    name: str
    role: str
    email: str | None
    active: bool
    session_epoch: int
    has_password: bool
    created_at: float

    @property
    def can_sign_in(self) -> bool:
        """Say whether there is a way to sign in: a password, or an address that a sign-in provider vouches for."""
        return self.active and (self.has_password or self.email is not None)


def may(person: Person | None, act: str) -> bool:
    """Say whether a person may 'label', 'research' (campaigns, imports, exports) or 'administer' (people, backups)."""
    if act not in ACTS:
        raise InputError(f"no act is named {act!r}; there are: {', '.join(ACTS)}")
    return person is not None and person.active and ROLES.index(person.role) >= ROLES.index(ACTS[act])


class People:
    """The accounts of a database. One object a process: it counts wrong passwords in memory."""

    def __init__(
        self, database: Database, *, passwords: Passwords | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.database = database
        self.clock = clock
        self._passwords = passwords or Passwords()
        self._throttle = Throttle(clock)
        self._secret: bytes | None = None

    # Reading ---------------------------------------------------------------------------------------------------------

    def get(self, person_id: int) -> Person | None:
        """Return a person, active or not."""
        return self._find(people.c.id == person_id)

    def by_email(self, email: str, *, inactive: bool = False) -> Person | None:
        """Return the active person with an address, or an inactive one if asked; capitals make no difference."""
        person = self._find(people.c.email == email.strip().lower())
        return person if person is not None and (person.active or inactive) else None

    def list(self) -> tuple[Person, ...]:
        """Return everybody in order of name, inactive people too."""
        with self.database.read() as connection:
            found = [_person(row) for row in connection.execute(sa.select(people))]
        return tuple(sorted(found, key=lambda person: name_key(person.name)))

    def somebody_administers(self) -> bool:
        """Say whether an administrator can sign in; the person of the single-user mode cannot."""
        with self.database.read() as connection:
            return _has_admin(connection)

    def count(self, role: str | None = None) -> int:
        """Return how many people are active, or how many of a role."""
        query = sa.select(sa.func.count()).select_from(people).where(people.c.active)
        if role is not None:
            query = query.where(people.c.role == _check_role(role))
        with self.database.read() as connection:
            return int(connection.scalar(query) or 0)

    # Writing ---------------------------------------------------------------------------------------------------------

    def add(self, name: str, role: str, password: str | None = None, email: str | None = None) -> Person:
        """Add a person; names differ by more than capitals. Without password and address they cannot sign in yet."""
        role, hashed = _check_role(role), self._hash(password)
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
        role, address = _check_role(role), check_email(email)
        if address is None:
            raise InputError("whoever joins needs an e-mail address")
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            row = connection.execute(sa.select(people).where(people.c.email == address)).one_or_none()
            if row is not None:
                return _person(row)
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

    def set_password(self, person_id: int, password: str) -> Person:
        """Give a person a new password; whoever is signed in with the old one is signed out."""
        hashed = self._passwords.hash(password)
        with self._changing(person_id) as (connection, person):
            if person.name == LOCAL:
                raise InputError("the person of the single-user mode has no password; add an account instead")
            return _change(connection, person.id, password_hash=hashed, session_epoch=person.session_epoch + 1)

    def set_email(self, person_id: int, email: str | None) -> Person:
        """Change or remove the address by which a sign-in provider knows a person."""
        email = check_email(email)
        with self._changing(person_id) as (connection, person):
            other = connection.scalar(sa.select(people.c.id).where(people.c.email == email, people.c.id != person.id))
            if email is not None and other is not None:
                raise InputError(f"the address {email} belongs to somebody else already")
            if email is None and not person.has_password:
                _keep_an_admin(connection, person)
            return _change(connection, person.id, email=email)

    def set_role(self, person_id: int, role: str) -> Person:
        """Change what a person may do; the last admin stays one."""
        role = _check_role(role)
        with self._changing(person_id) as (connection, person):
            if role != "admin":
                _keep_an_admin(connection, person)
            return _change(connection, person.id, role=role)

    def deactivate(self, person_id: int) -> Person:
        """Let a person sign in no more, and sign them out; what they did stays. The last admin stays active."""
        with self._changing(person_id) as (connection, person):
            _keep_an_admin(connection, person)
            return _change(connection, person.id, active=False, session_epoch=person.session_epoch + 1)

    def activate(self, person_id: int) -> Person:
        """Let a deactivated person sign in again."""
        with self._changing(person_id) as (connection, person):
            return _change(connection, person.id, active=True)

    # Signing in ------------------------------------------------------------------------------------------------------

    def check(self, name: str, password: str) -> Person | None:
        """Return the active person with this name and password, or None: which of the two was wrong is not said.

        After five wrong passwords in a row a name is locked for half a minute (`TooManyTriesError`).
        """
        key = name_key(name)[:LONGEST_NAME]
        self._throttle.begin(key)
        with self.database.read() as connection:
            rows = connection.execute(sa.select(people).where(people.c.active)).all()
        row = next((row for row in rows if name_key(row.name) == key), None)
        stored = None if row is None else row.password_hash
        if not self._passwords.matches(stored, password) or row is None or stored is None:
            return None
        self._throttle.forgive(key)
        if self._passwords.outdated(stored):
            hashed = self._passwords.hash(password)
            with self.database.write() as connection:
                # Only if nobody has set another password meanwhile.
                same = sa.and_(people.c.id == row.id, people.c.password_hash == stored)
                connection.execute(sa.update(people).where(same).values(password_hash=hashed))
        return _person(row)

    def first_code(self) -> str:
        """Return the code that proves, on a new installation, that one can read the server's log."""
        return hmac.digest(self._cookie_secret(), b"rulerank first account", "sha256").hex()[:12]

    def check_first_code(self, code: str) -> bool:
        """Compare a code with `first_code`; it can be guessed only a few times in a row, as passwords can."""
        self._throttle.begin("")  # nobody's name is empty
        if not hmac.compare_digest(code.strip().lower().encode(), self.first_code().encode()):
            return False
        self._throttle.forgive("")
        return True

    def sign(self, person: Person) -> str:
        """Return the text of a cookie that `read` accepts for 12 hours, or until the password changes."""
        expires_at = int(self.clock() + 3600 * HOURS)
        return write_cookie(Session(person.id, person.session_epoch, expires_at), self._cookie_secret())

    def read(self, cookie: str) -> Person | None:
        """Return the person behind a cookie as they are now, or None if it is not (or no longer) good."""
        session = read_cookie(cookie, self._cookie_secret(), self.clock())
        if session is None:
            return None
        return self._signed_in(session.person, session.epoch)

    def write_ticket(self, person: Person, campaign: int, row: int = 0, token: str = "") -> str:
        """Return a ticket for the panel of a person who was let in, naming the document that they hold."""
        expires_at = int(self.clock() + 3600 * TICKET_HOURS)
        return write_ticket(
            Ticket(person.id, person.session_epoch, campaign, row, token, expires_at), self._cookie_secret()
        )

    def read_ticket(self, text: str) -> tuple[Person, Ticket] | None:
        """Return the person behind a ticket as they are now, and what it says; None if it is not good (any more)."""
        ticket = read_ticket(text, self._cookie_secret(), self.clock())
        if ticket is None:
            return None
        person = self._signed_in(ticket.person, ticket.epoch)
        return None if person is None else (person, ticket)

    def _cookie_secret(self) -> bytes:
        """Return the secret of this database, made once: all its processes accept each other's cookies."""
        if self._secret is None:
            query = sa.select(settings.c.value).where(settings.c.name == _SECRET)
            with self.database.read() as connection:
                found = connection.scalar(query)
            if found is None:
                with self.database.write() as connection:
                    hold(connection, Lock.PEOPLE)
                    found = connection.scalar(query)
                    if found is None:
                        found = secrets.token_hex(32)
                        connection.execute(sa.insert(settings).values(name=_SECRET, value=found))
            self._secret = bytes.fromhex(found)
        return self._secret

    # Rows ------------------------------------------------------------------------------------------------------------

    def _find(self, *conditions: sa.ColumnElement[bool]) -> Person | None:
        with self.database.read() as connection:
            row = connection.execute(sa.select(people).where(*conditions)).one_or_none()
        return None if row is None else _person(row)

    def _signed_in(self, person_id: int, epoch: int) -> Person | None:
        """Return an active person whose sign-ins of this epoch still count."""
        with self.database.read() as connection:
            row = connection.execute(_SIGNED_IN, {"person": person_id, "epoch": epoch}).one_or_none()
        return None if row is None else _person(row)

    @contextmanager
    def _changing(self, person_id: int) -> Iterator[tuple[sa.Connection, Person]]:
        """Yield a write transaction and the person that it changes."""
        with self.database.write() as connection:
            hold(connection, Lock.PEOPLE)
            row = connection.execute(sa.select(people).where(people.c.id == person_id)).one_or_none()
            if row is None:
                raise InputError(f"there is no person with number {person_id}; reload the list of people")
            yield connection, _person(row)

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
            "session_epoch": 0,
            "created_at": self.clock(),
        }
        return _person(connection.execute(sa.insert(people).values(values).returning(people)).one())


# Made once: every key of an annotator asks it.
_SIGNED_IN = sa.select(people).where(
    people.c.id == sa.bindparam("person"), people.c.session_epoch == sa.bindparam("epoch"), people.c.active
)


def _person(row: sa.Row[Any]) -> Person:
    has_password = row.password_hash is not None
    return Person(row.id, row.name, row.role, row.email, row.active, row.session_epoch, has_password, row.created_at)


def _change(connection: sa.Connection, person_id: int, **values: Any) -> Person:
    query = sa.update(people).where(people.c.id == person_id).values(values).returning(people)
    return _person(connection.execute(query).one())


def _has_admin(connection: sa.Connection) -> bool:
    admins = connection.execute(sa.select(people).where(people.c.role == "admin", people.c.active))
    return any(_person(row).can_sign_in for row in admins)


def _keep_an_admin(connection: sa.Connection, person: Person) -> None:
    """Refuse a change that would leave nobody who may administer, or nobody who may and can sign in."""
    if not may(person, "administer"):
        return
    admins = sa.select(people).where(people.c.role == "admin", people.c.active, people.c.id != person.id)
    others = [_person(row) for row in connection.execute(admins)]
    if not any(other.can_sign_in or not person.can_sign_in for other in others):
        raise InputError(f"{person.name} is the last admin; make somebody else admin first")


def _check_role(role: str) -> str:
    if role not in ROLES:
        raise InputError(f"no role is named {role!r}; there are: {', '.join(ROLES)}")
    return role
