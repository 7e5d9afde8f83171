"""Guessing is slowed by name and place, and nobody is locked out of a place where they have signed in before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.people.accounts import People
from db.people.throttle import (
    ADDRESS,
    DAYS,
    FIRST_PAUSE,
    MOST_NOTES,
    NAME,
    PAIR,
    Client,
    Throttle,
    TooManyTriesError,
    network_of,
    read_note,
    write_note,
)
from tests.db.people.test_accounts import GOOD, Clock, quick

HOME, OFFICE, EVIL = Client("192.0.2.1"), Client("198.51.100.1"), Client("203.0.113.66")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(sqlite_database, clock) -> People:
    made = People(sqlite_database, passwords=quick(), clock=clock, ticks=clock)
    made.add("anna", "admin", GOOD)
    made.add("bob", "annotator", GOOD)
    return made


def guess(people: People, name: str, place: Client, password: str = "wrong horse") -> str:
    try:
        return "in" if people.check(name, password, place) else "wrong"
    except TooManyTriesError:
        return "wait"


def attack(people: People, clock: Clock, places: list[Client], tries: int, name: str = "anna") -> int:
    """Guess from these places in turn, waiting where one must; returns how many guesses counted."""
    counted = 0
    for number in range(tries):
        place = places[number % len(places)]
        try:
            people.check(name, f"wrong horse {number}", place)
            counted += 1
        except TooManyTriesError:
            clock.now += 0.1
    return counted


def test_pauses_grow_and_the_right_password_waits_too(people, clock):
    assert [guess(people, "Anna", EVIL) for _ in range(PAIR.free)] == ["wrong"] * PAIR.free
    pauses = []
    for _ in range(9):
        with pytest.raises(TooManyTriesError, match="too many wrong tries; wait") as told:
            people.check("anna", GOOD, EVIL)
        pauses.append(round(told.value.seconds))
        clock.now += told.value.seconds
        assert guess(people, "anna", EVIL) == "wrong"
    assert pauses[:4] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, 8 * FIRST_PAUSE]
    assert pauses == sorted(pauses)
    assert max(pauses) <= PAIR.longest


def test_the_right_password_clears_the_count(people):
    for _ in range(3):
        assert [guess(people, "anna", HOME) for _ in range(PAIR.free - 1)] == ["wrong"] * (PAIR.free - 1)
        assert guess(people, "anna", HOME, GOOD) == "in"


def test_unknown_names_are_slowed_as_known_ones_are(people):
    for name in ("anna", "unknown"):
        told = [guess(people, name, EVIL) for _ in range(PAIR.free + 3)]
        assert told == ["wrong"] * PAIR.free + ["wait"] * 3


def test_an_attack_from_elsewhere_locks_nobody_out(people, clock):
    """One attacker, and an administrator in a place that nobody knows."""
    assert attack(people, clock, [EVIL], 2000) < NAME.free
    assert guess(people, "anna", OFFICE, GOOD) == "in"


def test_a_known_browser_and_a_known_address_stay_free_under_attack_from_everywhere(people, clock):
    anna = people.check("anna", GOOD, HOME)
    people.sign(anna, HOME.address, "")
    browser = Client("198.51.100.99", people.note_browser(anna, ""))
    many = [Client(f"203.0.113.{n}") for n in range(200)]
    attack(people, clock, many, 3000)
    assert guess(people, "anna", OFFICE, GOOD) == "wait"  # a place that is not known waits
    assert guess(people, "anna", HOME, GOOD) == "in"
    assert guess(people, "anna", browser, GOOD) == "in"
    assert guess(people, "anna", Client("", browser.notes), GOOD) == "in"


def test_an_attack_from_the_own_address_does_not_stop_the_own_browser(people, clock):
    anna = people.check("anna", GOOD, OFFICE)
    people.sign(anna, OFFICE.address, "")
    browser = Client(OFFICE.address, people.note_browser(anna, ""))
    attack(people, clock, [OFFICE], 300)
    assert guess(people, "anna", OFFICE, GOOD) == "wait"
    assert guess(people, "anna", browser, GOOD) == "in"


def test_a_stolen_browser_is_slowed_as_well(people):
    notes = people.note_browser(people.check("anna", GOOD), "")
    told = [guess(people, "anna", Client(EVIL.address, notes)) for _ in range(PAIR.free + 2)]
    assert told == ["wrong"] * PAIR.free + ["wait"] * 2
    # It says nothing about anybody else.
    assert [guess(people, "bob", Client(EVIL.address, notes)) for _ in range(PAIR.free + 1)][-1] == "wait"


def test_many_names_from_one_address_are_slowed(people, clock):
    told = [guess(people, f"name {n}", EVIL) for n in range(30)]
    assert told == ["wrong"] * ADDRESS.free + ["wait"] * (30 - ADDRESS.free)
    assert guess(people, "bob", EVIL, GOOD) == "wait"
    assert guess(people, "bob", OFFICE, GOOD) == "in"


def test_a_sign_in_of_ones_own_does_not_pay_for_guesses(people, clock):
    """Somebody with an account signs in between guesses of others' passwords."""
    counted = 0
    for number in range(200):
        counted += guess(people, f"name {number}", EVIL) == "wrong"
        guess(people, "bob", EVIL, GOOD)
    assert counted <= ADDRESS.free


def test_a_network_of_ipv6_is_one_place(people):
    told = [guess(people, "anna", Client(f"2001:db8:1:2:{n:x}::1")) for n in range(PAIR.free + 3)]
    assert told == ["wrong"] * PAIR.free + ["wait"] * 3
    assert guess(people, "anna", Client("2001:db8:1:3::1"), GOOD) == "in"


def test_many_addresses_are_slowed_for_a_name(people, clock):
    places = [Client(f"203.0.{n // 250}.{n % 250}") for n in range(2000)]
    assert attack(people, clock, places, 2000) <= NAME.free + 2000 * 0.1 / FIRST_PAUSE + 5


def test_many_guesses_at_once_are_not_free(people):
    with ThreadPoolExecutor(8) as pool:
        told = sorted(pool.map(lambda _: guess(people, "anna", EVIL), range(20)))
    assert told == ["wait"] * (20 - PAIR.free) + ["wrong"] * PAIR.free


def test_old_mistakes_are_forgotten(people, clock):
    for _ in range(PAIR.free):
        guess(people, "anna", EVIL)
    clock.now += PAIR.free * PAIR.leak
    assert [guess(people, "anna", EVIL) for _ in range(PAIR.free)] == ["wrong"] * PAIR.free


def test_the_wall_clock_set_back_locks_nobody_out(sqlite_database, clock):
    people = People(sqlite_database, passwords=quick(), clock=clock)
    people.add("anna", "admin", GOOD)
    clock.now += 10**8
    for _ in range(PAIR.free - 1):
        guess(people, "anna", EVIL)
    clock.now -= 10**8
    assert guess(people, "anna", EVIL, GOOD) == "in"


def test_the_first_code_is_guessed_slowly(people):
    told = []
    for _ in range(PAIR.free):
        told.append(people.check_first_code("0" * 12, EVIL))
    assert told == [False] * PAIR.free
    with pytest.raises(TooManyTriesError):
        people.check_first_code(people.first_code(), EVIL)
    assert people.check_first_code(people.first_code(), OFFICE)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr("db.people.throttle.MOST_BUCKETS", 50)
    throttle = Throttle(lambda: 1.0)
    for number in range(500):
        with throttle.guess(f"name {number}", ""):
            pass
    assert max(len(kind) for kind in throttle._buckets.values()) == 50


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_what_counts_as_one_place(address, network):
    assert network_of(address) == network


SECRET = b"s" * 32


def test_people_who_share_a_browser_are_all_known_in_it():
    notes = ""
    for person in (1, 2, 3, 1):
        notes = write_note(notes, person, SECRET, 1000.0)
    assert notes.count("~") == 2
    assert all(read_note(notes, person, SECRET, 2000.0) for person in (1, 2, 3))
    assert read_note(notes, 4, SECRET, 2000.0) is None
    assert read_note(notes, 1, b"t" * 32, 2000.0) is None
    assert read_note(notes, 1, SECRET, 1000.0 + 86400 * DAYS) is None
    for person in range(10, 30):
        notes = write_note(notes, person, SECRET, 1000.0)
    assert len(notes.split("~")) == MOST_NOTES


@given(st.text())
def test_any_notes_are_read_without_an_error(text):
    assert read_note(text, 1, SECRET, 0.0) is None
    assert read_note(write_note(text, 1, SECRET, 0.0), 1, SECRET, 1.0)
