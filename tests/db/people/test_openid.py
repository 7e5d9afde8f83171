"""Sign-in through a provider: who its word lets in, as whom, with which role; and the first administrator."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from db.people.accounts import People
from db.people.openid import Admission, NotAdmittedError, Welcome
from db.people.passwords import Passwords
from db.people.person import LOCAL, LONGEST_NAME, check_name, free_name, name_key
from db.people.throttle import PAIR, TooManyTriesError
from rulerank.errors import InputError

NOW = 1_000_000.0
ADA = {"email": "Ada@Example.org", "email_verified": True, "name": "Ada", "iat": NOW - 60}


@pytest.fixture
def people(sqlite_database) -> People:
    quick = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    return People(sqlite_database, passwords=quick, clock=lambda: NOW)


def admission(people: People, *settings: str) -> Admission:
    return Admission(people, Welcome.read(*settings), clock=lambda: NOW)


@pytest.mark.parametrize(
    ("admins", "annotators", "role"),
    [
        ("ada@example.org", "", "admin"),
        ("bob@example.org, ADA@example.org", "@example.org", "admin"),
        ("", "@example.org", "annotator"),
        ("", "bob@x.example ada@EXAMPLE.org", "annotator"),
        ("", "@ample.org", None),
        ("", "@org", None),
        ("", "@sub.example.org", None),
        ("xada@example.org", "", None),
        ("", "", None),
    ],
)
def test_a_newcomer_gets_the_role_that_the_operator_gives(people, admins, annotators, role):
    if role is None:
        with pytest.raises(NotAdmittedError, match=r"ada@example\.org"):
            admission(people, admins, annotators).admit(ADA)
        assert people.list() == ()
        return
    ada = admission(people, admins, annotators).admit(ADA)
    assert (ada.name, ada.role, ada.email, ada.has_password) == ("Ada", role, "ada@example.org", False)
    assert admission(people).admit({**ADA, "email": "ADA@example.ORG", "name": "Other"}) == ada
    assert people.list() == (ada,)


@pytest.mark.parametrize("verified", [False, "false", "", 0, "yes", [True]])
def test_an_address_that_is_not_verified_takes_over_nobodys_account(people, verified):
    people.add("Ada", "admin", "a long password", "ada@example.org")
    for settings in (("ada@example.org", "@example.org", ""), ("ada@example.org", "@example.org", "1")):
        with pytest.raises(NotAdmittedError, match="has not verified"):
            admission(people, *settings).admit({**ADA, "email_verified": verified})


def test_a_provider_that_says_nothing_is_believed_only_on_purpose(people):
    ada = people.add("Ada", "admin", None, "ada@example.org")
    claims = {key: value for key, value in ADA.items() if key != "email_verified"}
    with pytest.raises(NotAdmittedError, match="RULERANK_TRUST_EMAIL"):
        admission(people).admit(claims)
    assert admission(people, "", "", "1").admit(claims) == ada
    assert admission(people).admit({**ADA, "email_verified": "true"}) == ada


@pytest.mark.parametrize("email", [None, "", "  ", 7, ["ada@example.org"]])
def test_without_an_address_nobody_gets_in(people, email):
    with pytest.raises(NotAdmittedError, match="does not pass on your e-mail address"):
        admission(people, "ada@example.org", "@example.org").admit({**ADA, "email": email})


@pytest.mark.parametrize("issued", [NOW - 12 * 3600 - 1, None, "now"])
def test_an_old_sign_in_is_asked_for_again(people, issued):
    people.add("Ada", "admin", None, "ada@example.org")
    assert admission(people).admit({**ADA, "iat": NOW - 12 * 3600 + 1}).name == "Ada"
    with pytest.raises(NotAdmittedError, match="sign in again"):
        admission(people).admit({**ADA, "iat": issued})


def test_who_was_deactivated_stays_out_whatever_the_operator_says(people):
    people.add("Boss", "admin", "a long password")
    ada = admission(people, "ada@example.org").admit(ADA)
    people.deactivate(ada.id)
    with pytest.raises(NotAdmittedError, match="deactivated"):
        admission(people, "ada@example.org", "@example.org").admit(ADA)
    assert not people.get(ada.id).active


def test_the_operators_admin_is_one_whatever_was_set(people):
    ada = people.add("Ada", "annotator", None, "ada@example.org")
    assert admission(people, "", "@example.org").admit(ADA).role == "annotator"
    assert admission(people, "ada@example.org").admit(ADA).role == "admin"
    assert people.get(ada.id).role == "admin"
    boss = people.add("Bob", "admin", None, "bob@example.org")
    assert admission(people, "", "@example.org").admit({**ADA, "email": "bob@example.org"}) == boss


def test_a_stranger_to_a_new_installation_learns_how_to_begin(people):
    with pytest.raises(NotAdmittedError, match=r"RULERANK_ADMINS=ada@example\.org"):
        admission(people).admit(ADA)
    people.add("Boss", "admin", None, "boss@example.org")
    with pytest.raises(NotAdmittedError, match="nobody has added you"):
        admission(people).admit(ADA)


def test_a_newcomer_in_two_tabs_is_one_person(people):
    entrance = admission(people, "", "@example.org")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: entrance.admit(ADA), range(8)))
    assert {person.id for person in found} == {people.list()[0].id}
    assert len(people.list()) == 1


@pytest.mark.parametrize(
    "settings", [("ada",), ("@example.org",), ("", "ada"), ("", "@"), ("", "@@x"), ("", "", "yes")]
)
def test_a_wrong_setting_is_named(settings):
    with pytest.raises(InputError, match="RULERANK_"):
        Welcome.read(*settings)


@given(st.text(max_size=200), st.sets(st.sampled_from(["ada", "ada 2", "newcomer", "you 2"])))
def test_any_name_becomes_one_that_is_allowed_and_free(wanted, taken):
    found = free_name(wanted, "ada@example.org", taken)
    assert check_name(found) == found
    assert name_key(found) not in {*taken, LOCAL}
    plain = " ".join(unicodedata.normalize("NFKC", wanted).split())
    if wanted.isascii() and wanted.isprintable() and plain and len(plain) <= LONGEST_NAME - 8:
        assert found == plain or name_key(plain) in {*taken, LOCAL}


def test_names_that_are_taken_get_a_number(people):
    people.add("Ada", "annotator", "a long password")
    join = [people.join(name, "annotator", f"{n}@x.example").name for n, name in enumerate(("ada", "ADA", "", "you"))]
    assert join == ["ada 2", "ADA 3", "2", "you 2"]


def test_there_is_one_first_administrator(people):
    people.ensure_single_user()
    people.add("Ann", "annotator", "a long password")
    assert not people.somebody_administers()

    def begin(number: int) -> str:
        try:
            return people.add_first_admin(f"Admin {number}", "a long password").name
        except InputError as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(begin, range(8)))
    assert sum(words.startswith("Admin") for words in said) == 1
    assert sum("already" in words for words in said) == 7
    assert people.somebody_administers()


def test_the_code_of_the_log_cannot_be_guessed_at_will(people):
    code = people.first_code()
    assert people.check_first_code(f" {code.upper()}\n")
    for _ in range(PAIR.free):
        assert not people.check_first_code("ä" + code[1:])
    with pytest.raises(TooManyTriesError):
        people.check_first_code(code)
