"""People: accounts, roles, passwords, first and single user."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

from db.people.accounts import People
from db.people.passwords import Passwords
from db.people.person import ACTS, LOCAL, ROLES, may
from db.store.engine import Database
from db.store.tables import people as people_table
from db.store.tables import settings
from rulerank.errors import InputError

GOOD = "correct horse"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def quick() -> Passwords:
    """Hashes that cost nothing, with argon2 all the same."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(database, clock) -> People:
    return People(database, passwords=quick(), clock=clock, ticks=clock)


def stored_hash(database: Database, person_id: int) -> str:
    with database.read() as connection:
        return connection.scalar(sa.select(people_table.c.password_hash).where(people_table.c.id == person_id))


def test_an_added_person_is_found_again(people):
    anna = people.add("  Anna  Lee ", "researcher", GOOD, "Anna@Example.org ")
    assert (anna.name, anna.role, anna.email, anna.active) == ("Anna Lee", "researcher", "anna@example.org", True)
    assert people.get(anna.id) == anna
    assert people.by_email("ANNA@example.org") == anna
    assert people.check("anna lee", GOOD) == anna
    bob = people.add("bob", "annotator")
    assert not bob.can_sign_in
    assert people.list() == (anna, bob)
    assert (people.count(), people.count("annotator"), people.count("admin")) == (2, 1, 0)
    assert people.get(99) is None
    assert people.by_email("nobody@example.org") is None


def test_passwords_are_not_stored(people, database):
    person = people.add("anna", "admin", GOOD)
    stored = stored_hash(database, person.id)
    assert stored.startswith("$argon2id$")
    assert GOOD not in stored


def test_a_default_hash_is_expensive():
    """What the tests make cheap is not cheap in use: at least what RFC 9106 asks for."""
    hasher = Passwords().hasher
    assert hasher.memory_cost >= 64 * 1024
    assert hasher.time_cost >= 3


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("", "admin", GOOD), "1 to 100 characters"),
        (("x" * 101, "admin", GOOD), "this one has 101"),
        (("a\u202eb", "admin", GOOD), "control characters"),
        (("a\x00b", "admin", GOOD), "control characters"),
        (("anna", "boss", GOOD), "no role is named 'boss'; there are: annotator, researcher, admin"),
        (("anna", "admin", "short"), "at least 8 characters; this one has 5"),
        (("anna", "admin", " " * 9), "spaces alone"),
        (("anna", "admin", "x" * 1001), "at most 1000"),
        (("anna", "admin", "broken \ud800 one"), "broken character"),
        (("anna", "admin", GOOD, "anna"), "not an e-mail address"),
        (("BOB", "admin", GOOD), "named 'BOB' already"),
        (("ｂｏｂ", "admin", GOOD), "already"),
        (("anna", "admin", GOOD, "BOB@example.org"), "belongs to somebody else"),
        (("You", "admin", GOOD), "single-user mode"),
    ],
)
def test_what_is_wrong_is_said_and_nobody_added(sqlite_database, arguments, hint):
    people = People(sqlite_database, passwords=quick())
    people.add("bob", "annotator", email="bob@example.org")
    with pytest.raises(InputError, match=hint):
        people.add(*arguments)
    assert people.count() == 1


def test_a_name_is_added_once_whoever_is_first(database):
    def add(number: int) -> bool:
        try:
            People(database, passwords=quick()).add("anna" if number % 2 else "ANNA", "annotator")
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(8))) == 1


@pytest.mark.parametrize("tried", ["wrong horse", "", GOOD.upper(), GOOD + " ", "\ud800" * 9, "x" * 100_000])
def test_a_wrong_password_is_refused(sqlite_database, tried):
    people = People(sqlite_database, passwords=quick())
    people.add("anna", "admin", GOOD)
    assert people.check("anna", tried) is None
    assert people.check("anna", GOOD) is not None


def test_nobody_signs_in_without_a_password_an_account_or_being_active(people):
    people.add("admin", "admin", GOOD)
    people.add("oidc", "annotator", email="o@example.org")
    left = people.add("left", "annotator", GOOD, "left@example.org")
    people.deactivate(left.id)
    assert [people.check(name, GOOD) for name in ("oidc", "left", "unknown", "", "x" * 10_000, "a\x00b")] == [None] * 6
    assert people.by_email("left@example.org") is None
    people.activate(left.id)
    assert people.check("left", GOOD).id == left.id


def test_an_unknown_name_costs_a_hash_too(people, monkeypatch):
    people.add("anna", "admin", GOOD)
    looked = []
    verify = PasswordHasher.verify
    monkeypatch.setattr(PasswordHasher, "verify", lambda *args: looked.append(1) or verify(*args))
    people.check("anna", "wrong horse")
    people.check("unknown", "wrong horse")
    assert len(looked) == 2


def test_an_old_hash_is_made_anew_at_sign_in(database, clock):
    person = People(database, passwords=quick(), clock=clock).add("anna", "admin", GOOD)
    old = stored_hash(database, person.id)
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    people = People(database, passwords=stronger, clock=clock)
    assert people.check("anna", GOOD) == person
    new = stored_hash(database, person.id)
    assert new != old
    assert "t=2" in new
    assert people.check("anna", GOOD) == person
    assert stored_hash(database, person.id) == new


def test_a_new_password_ends_old_sign_ins(people):
    anna = people.add("anna", "admin", GOOD)
    cookie = people.sign(anna)
    assert people.read(cookie) == anna
    changed = people.set_password(anna.id, "another horse")
    assert people.read(cookie) is None
    assert people.check("anna", GOOD) is None
    assert people.check("anna", "another horse") == changed
    assert people.read(people.sign(changed)) == changed
    with pytest.raises(InputError, match="at least 8"):
        people.set_password(anna.id, "short")
    with pytest.raises(InputError, match="no person with number 99"):
        people.set_password(99, GOOD)


def test_roles_contain_each_other(people):
    added = [people.add(f"an {role}", role) for role in ROLES]
    may_do = {person.role: [act for act in ACTS if may(person, act)] for person in added}
    assert may_do == {
        "annotator": ["label"],
        "researcher": ["label", "research"],
        "admin": ["label", "research", "administer"],
    }
    assert not may(None, "label")
    assert not may(replace(people.list()[0], active=False), "label")
    with pytest.raises(InputError, match="no act is named 'fly'"):
        may(None, "fly")


def test_a_change_of_role_holds_for_who_is_signed_in(people):
    people.add("boss", "admin", GOOD)
    anna = people.add("anna", "researcher", GOOD)
    cookie = people.sign(anna)
    people.set_role(anna.id, "annotator")
    assert people.read(cookie).role == "annotator"
    people.deactivate(anna.id)
    assert people.read(cookie) is None
    people.activate(anna.id)
    assert people.read(cookie) is None


def test_the_last_admin_stays(people):
    anna = people.add("anna", "admin", GOOD)
    people.add("bob", "researcher", GOOD)
    for change in (lambda: people.set_role(anna.id, "researcher"), lambda: people.deactivate(anna.id)):
        with pytest.raises(InputError, match="anna is the last admin"):
            change()
    # An admin who cannot sign in is no help to anybody.
    people.ensure_single_user()
    people.add("locked out", "admin")
    with pytest.raises(InputError, match="last admin"):
        people.deactivate(anna.id)
    second = people.add("second", "admin", email="second@example.org")
    with pytest.raises(InputError, match="belongs to somebody else"):
        people.set_email(anna.id, "second@example.org")
    people.set_role(anna.id, "annotator")
    with pytest.raises(InputError, match="second is the last admin"):
        people.set_email(second.id, None)
    assert people.set_email(second.id, "new@example.org").email == "new@example.org"


def test_two_admins_cannot_demote_each_other_at_once(database, people):
    for number in range(8):
        people.add(f"admin {number}", "admin", GOOD)

    def demote(person_id: int) -> bool:
        try:
            people.set_role(person_id, "annotator")
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(demote, [person.id for person in people.list()])) == 7
    assert people.count("admin") == 1


def test_the_single_user_is_made_once_and_may_do_all(database, people):
    def ensure(_: int) -> int:
        return People(database).ensure_single_user().id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ensure, range(8)))) == 1
    you = people.ensure_single_user()
    assert (you.name, you.role, you.can_sign_in) == (LOCAL, "admin", False)
    assert people.check(LOCAL, "") is None
    with pytest.raises(InputError, match="has no password"):
        people.set_password(you.id, GOOD)
    people.add("anna", "admin", GOOD)
    people.deactivate(you.id)
    assert people.ensure_single_user().active


def test_processes_share_one_secret(database, clock):
    objects = [People(database, passwords=quick(), clock=clock) for _ in range(8)]
    anna = objects[0].add("anna", "admin")
    with ThreadPoolExecutor(8) as pool:
        tickets = list(pool.map(lambda people: people.write_ticket(anna, 1), objects))
    for people, ticket in itertools.product(objects, tickets):
        assert people.read_ticket(ticket)[0] == anna
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(settings)) == 1
