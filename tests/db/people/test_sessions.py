"""Sessions: what ends them, what they let through, and that nothing stored is enough to take one over."""

from __future__ import annotations

import hashlib

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from db.people.accounts import People
from db.people.sessions import HOURS, IDLE_MINUTES, KEPT_DAYS, SEEN_EVERY, SLACK, Limits
from db.people.signing import BROWSER, Ticket, code, read_ticket, sign, unsign, write_ticket
from db.people.signing import TICKET as TICKET_USE
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import bring_to, migrate
from db.store.tables import sessions as table
from rulerank.errors import InputError
from tests.db.people.test_accounts import GOOD, Clock, quick

YEAR = 365 * 86400.0
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(database, clock) -> People:
    return People(database, passwords=quick(), clock=clock, ticks=clock)


@pytest.fixture
def anna(people):
    people.add("boss", "admin", GOOD)
    return people.add("anna", "researcher", GOOD, "anna@example.org")


def rows(database: Database) -> list[sa.Row]:
    with database.read() as connection:
        return list(connection.execute(sa.select(table).order_by(table.c.id)))


def test_a_token_lets_in_and_is_stored_nowhere(people, database, anna):
    token = people.sign(anna, "192.0.2.7", AGENT)
    found = people.read(token)
    assert found == anna
    (row,) = rows(database)
    assert (found.session, row.person_id, row.address, row.browser) == (row.id, anna.id, "192.0.2.7", AGENT)
    assert row.token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert token not in repr(row)
    for other in ("", row.token_hash, token[:-1], token + "x", "\ud800", "x" * 10_000):
        assert people.read(other) is None
    assert people.sign(anna) != token


@pytest.mark.parametrize(
    "end",
    [
        lambda people, anna, token: people.sessions.end(token),
        lambda people, anna, token: people.sessions.end_one(anna.id, people.read(token).session),
        lambda people, anna, token: people.sessions.end_all(anna.id),
        lambda people, anna, token: people.set_password(anna.id, "another horse"),
        lambda people, anna, token: people.deactivate(anna.id),
        lambda people, anna, token: (people.deactivate(anna.id), people.activate(anna.id)),
        lambda people, anna, token: people.set_email(anna.id, "other@example.org"),
    ],
    ids=["sign-out", "ended", "all ended", "password", "deactivated", "deactivated and back", "address"],
)
def test_what_ends_a_session_kills_its_cookie_and_its_tickets(people, anna, end):
    token, boss = people.sign(anna), people.sign(people.list()[1])
    ticket = people.write_ticket(people.read(token), 3, 5, "ab")
    assert people.read_ticket(ticket, token)[1].row == 5
    end(people, anna, token)
    assert people.read(token) is None
    assert people.read_ticket(ticket, token) is None
    assert people.sessions.of(anna.id) == ()
    assert people.read(boss).name == "boss"  # nobody else is signed out


def test_one_ends_the_others_and_keeps_their_own(people, anna):
    own, other = people.sign(anna), people.sign(anna)
    people.sessions.end_all(anna.id, but=people.read(own).session)
    assert people.read(own) == anna
    assert people.read(other) is None
    again = people.sign(anna)
    people.set_password(anna.id, "another horse", keep=people.read(own).session)
    assert people.read(own).id == anna.id
    assert people.read(again) is None
    stranger = people.list()[1]
    people.sessions.end_one(stranger.id, people.read(own).session)  # not theirs to end
    assert people.read(own).id == anna.id


def test_a_change_of_role_holds_at_once(people, anna):
    token = people.sign(anna)
    people.set_role(anna.id, "annotator")
    assert people.read(token).role == "annotator"


def test_a_session_lasts_so_long_and_no_longer(people, clock, anna):
    token, steps = people.sign(anna), int(HOURS * 2)
    for _ in range(steps - 1):
        clock.now += 1800
        assert people.read(token) == anna
    clock.now += 1799
    assert people.read(token) == anna
    clock.now += 2
    assert people.read(token) is None


def test_a_session_that_is_not_used_ends(people, clock, anna):
    token = people.sign(anna)
    clock.now += IDLE_MINUTES * 60 - 1
    assert people.read(token) == anna
    clock.now += IDLE_MINUTES * 60 - 1
    assert people.read(token, seen=False) == anna  # what a page asks for by itself is no use
    clock.now += 2
    assert people.read(token) is None


def test_a_session_in_use_is_not_written_at_every_request(people, clock, anna, database):
    token = people.sign(anna)
    begun = clock.now
    clock.now += SEEN_EVERY - 1
    people.read(token)
    assert rows(database)[0].seen_at == begun
    clock.now += 1
    people.read(token)
    assert rows(database)[0].seen_at == clock.now


@pytest.mark.parametrize(
    "trouble", [sa.exc.OperationalError("UPDATE", {}, Exception("disk full")), DatabaseError("the disk is full")]
)
def test_a_store_that_cannot_be_written_signs_nobody_out(people, clock, anna, monkeypatch, trouble):
    token = people.sign(anna)
    clock.now += SEEN_EVERY

    def full(*args, **options):
        raise trouble

    monkeypatch.setattr(people.database, "write", full)
    assert people.read(token) == anna


@pytest.mark.parametrize("tidied", [True, False])
def test_a_session_of_a_clock_that_ran_ahead_does_not_live_for_a_year(people, clock, anna, tidied):
    clock.now += YEAR
    token = people.sign(anna)
    clock.now -= YEAR
    assert people.read(token) is None
    assert people.sessions.of(anna.id) == ()
    if tidied:
        people.sessions.tidy()
    else:
        people.sign(anna)  # whoever signs in tidies up
    clock.now += YEAR + 60
    assert people.read(token) is None


def test_clocks_of_two_servers_may_differ_a_little(people, clock, anna):
    token = people.sign(anna)
    clock.now -= SLACK - 1
    assert people.read(token) == anna


def test_a_use_in_the_future_does_not_keep_a_session_from_ending(people, clock, anna):
    token = people.sign(anna)
    clock.now += HOURS * 3600 - 10
    people.sessions.limits = Limits(idle_minutes=HOURS * 60)
    assert people.read(token) == anna  # seen, by a clock that runs ahead
    people.sessions.limits = Limits()
    clock.now -= HOURS * 3600 - 20
    assert people.read(token) == anna  # and seen again, at the right time
    clock.now += IDLE_MINUTES * 60 + 1
    assert people.read(token) is None


def test_people_see_where_they_are_signed_in(people, clock, anna):
    people.sign(anna, "192.0.2.7", "one")
    clock.now += 100
    people.sign(anna, "2001:db8:1:2:3::4", "two\x00\n" + "x" * 1000)
    second, first = people.sessions.of(anna.id)
    assert (first.address, first.browser) == ("192.0.2.7", "one")
    assert (second.address, len(second.browser), second.browser[:4]) == ("2001:db8:1:2::/64", 200, "twox")
    assert second.created_at - first.created_at == 100
    assert second.expires_at == clock.now + HOURS * 3600


def test_old_sessions_are_forgotten(people, clock, anna, database):
    people.sign(anna)
    clock.now += KEPT_DAYS * 86400
    people.sign(anna)
    assert len(rows(database)) == 2
    clock.now += HOURS * 3600 + 1
    people.sessions.tidy()
    assert len(rows(database)) == 1


@pytest.mark.parametrize(("hours", "idle"), [(0, 10), (-1, 10), (1000, 10), (12, 0), (12, 721), (float("nan"), 10)])
def test_limits_that_make_no_sense_are_refused(hours, idle):
    with pytest.raises(InputError, match=r"RULERANK_(SESSION_HOURS|IDLE_MINUTES) must be"):
        Limits(hours, idle)


# Tickets -------------------------------------------------------------------------------------------------------------


def test_a_ticket_is_good_in_its_own_session_only(people, anna):
    own, other = people.sign(anna), people.sign(anna)
    boss = people.sign(people.list()[1])
    ticket = people.write_ticket(people.read(own), 3)
    assert people.read_ticket(ticket, own)[0] == anna
    for cookie in (other, boss, "", None):
        assert people.read_ticket(ticket, cookie) is None


def test_a_ticket_without_a_session_is_good_without_sign_in_only(people, anna):
    ticket = people.write_ticket(anna, 3)
    assert people.read_ticket(ticket)[0] == anna
    assert people.read_ticket(ticket, "") is None
    assert people.read_ticket(ticket, people.sign(anna)) is None
    people.deactivate(anna.id)
    assert people.read_ticket(ticket) is None


SECRET = b"s" * 32
TICKET = Ticket(person=7, session=3, campaign=2, row=11, token="0af9", expires_at=2_000_000)


@given(st.integers(0, 10**17), st.integers(0, 10**17), st.integers(1, 10**12))
def test_a_ticket_says_what_was_signed(person, session, expires_at):
    ticket = Ticket(person, session, 1, 2, "ab", expires_at)
    text = write_ticket(ticket, SECRET)
    assert read_ticket(text, SECRET, expires_at - 1) == ticket
    assert read_ticket(text, SECRET, expires_at) is None
    assert read_ticket(text, b"t" * 32, expires_at - 1) is None


@given(at=st.integers(0, 200), sign=st.characters())
def test_a_changed_ticket_is_worth_nothing(at, sign):
    text = write_ticket(TICKET, SECRET)
    at %= len(text)
    changed = text[:at] + sign + text[at + 1 :]
    if changed != text:
        assert read_ticket(changed, SECRET, 0) is None


@given(st.text())
def test_any_text_is_read_without_an_error(text):
    assert read_ticket(text, SECRET, 0) is None


def test_a_database_from_before_there_were_sessions_keeps_its_people(new_url, backend):
    database = Database(new_url(backend, empty=True))
    bring_to(database, "0003")
    values = {"name": "anna", "role": "admin", "hash": quick().hash(GOOD)}
    with database.write() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO people (name, role, password_hash, active, session_epoch, created_at) "
                "VALUES (:name, :role, :hash, TRUE, 4, 1.0)"
            ),
            values,
        )
    migrate(database)
    people = People(database, passwords=quick())
    (anna,) = people.list()
    assert people.check("anna", GOOD) == anna
    assert people.read(people.sign(anna)) == anna
    database.close()


def test_what_was_signed_for_one_use_is_worth_nothing_in_another():
    signed = sign("7.1", SECRET, TICKET_USE)
    assert unsign(signed, SECRET, TICKET_USE) == "7.1"
    assert unsign(signed, SECRET, BROWSER) is None
    assert unsign(signed, b"t" * 32, TICKET_USE) is None
    assert unsign(signed + "=", SECRET, TICKET_USE) is None
    assert code(SECRET, TICKET_USE, 12) != code(SECRET, BROWSER, 12)
