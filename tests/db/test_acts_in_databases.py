"""Acts on a real database, in two server processes: once however often they are sent, none in an archived campaign."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa
from db_helpers import Office, add_office, add_people, small_collection

from db.store.tables import campaigns, label_events
from rulerank.campaign import ActRefusedError, ArchivedError, Kind, Offer, Pause, TooLateError
from rulerank.errors import InputError

YEAR = 365 * 24 * 3600.0


def kinds(office: Office) -> list[str]:
    return [event.kind.value for event in office.campaigns.events(office.number)]


@pytest.fixture
def offices(database):
    """Two server processes on one campaign, and two people."""
    people = add_people(database, 2)
    first = add_office(database, small_collection(), claim_minutes=10.0)
    return first, first.another(), people


def grade(office: Office, person: int, value: int = 1) -> int:
    offer = office.live.next(person, beyond=True)
    office.live.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=value)
    return offer.claim.row


def at_once(offices, act) -> list[object]:
    """Let both processes do the same at the same moment, ten times over."""
    with ThreadPoolExecutor(10) as pool:
        return list(pool.map(act, list(offices) * 5))


def test_an_undo_sent_ten_times_at_once_takes_back_one_label(offices):
    first, second, (person, _) = offices
    rows = [grade(first, person) for _ in range(3)]
    found = at_once((first, second), lambda office: office.live.undo(person, token="a" * 32))
    assert kinds(first) == ["grade"] * 3 + ["undo"]
    assert len({offer.claim.token for offer in found}) == 1
    assert {offer.claim.row for offer in found} == {rows[-1]}


@pytest.mark.parametrize("kind", [Kind.DRAFT, Kind.NOTE, Kind.ADJUDICATE])
def test_what_needs_no_claim_is_written_once_by_two_processes(offices, kind):
    first, second, (person, _) = offices
    given = 1 if kind is Kind.ADJUDICATE else None
    found = at_once(
        (first, second),
        lambda office: office.live.write(person, 2, kind, grade=given, text="once", token="b" * 32),
    )
    assert kinds(first) == [kind.value]
    assert len({event.id for event in found}) == 1


def test_a_decision_sent_ten_times_at_once_is_written_once_and_all_get_the_same_next_document(offices):
    first, second, (person, _) = offices
    claim = first.live.next(person).claim
    found = at_once(
        (first, second),
        lambda office: office.live.advance(person, claim.token, claim.row, Kind.GRADE, grade=1, note="why"),
    )
    assert kinds(first) == ["grade", "note"]
    assert len({offer.claim.token for offer in found}) == 1


def test_a_late_label_in_another_process_makes_no_second_grader(offices):
    first, second, (slow, quick) = offices
    held = first.live.next(slow).claim
    first.clock.now += 601
    assert grade(second, quick) == held.row
    with pytest.raises(TooLateError, match="was not saved"):
        first.live.submit(slow, held.token, held.row, Kind.GRADE, grade=2)
    assert first.live.refresh().grades_of(held.row) == {quick: 1}


def test_a_claim_of_a_clock_a_year_ahead_is_free_when_the_clock_is_right(offices):
    first, second, (one, two) = offices
    first.clock.now += YEAR
    held = first.live.next(one).claim
    first.clock.now -= YEAR
    assert second.live.next(two).claim.row == held.row


# Archived -------------------------------------------------------------------------------------------------------


def test_an_archived_campaign_takes_nothing_in_any_process(offices):
    first, second, (person, _) = offices
    grade(first, person)
    claim = second.live.next(person).claim
    first.campaigns.archive(first.number)
    for office in (first, second):
        acts = (
            lambda live: live.submit(person, claim.token, claim.row, Kind.GRADE, grade=1),
            lambda live: live.advance(person, claim.token, claim.row, Kind.LATER),
            lambda live: live.undo(person),
            lambda live: live.write(person, claim.row, Kind.DRAFT, text="x"),
        )
        for act in acts:
            with pytest.raises(ArchivedError):
                act(office.live)
        assert isinstance(office.live.next(person), Pause)
        assert len(office.live.refresh().current()) == 1
    assert kinds(first) == ["grade", "change"]
    first.campaigns.archive(first.number, False)
    assert second.live.next(person).claim.token == claim.token


def test_no_label_comes_after_the_moment_of_archiving(offices):
    """One thread archives while others label: what is in the log afterwards was acknowledged, and nothing else is."""
    first, second, people = offices
    done: list[str] = []

    def label(place: int) -> None:
        office, person = (first, second)[place], people[place]
        for _ in range(6):
            offer = office.live.next(person, beyond=True)
            if not isinstance(offer, Offer):
                return
            with suppress(ArchivedError):
                office.live.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=0)
                done.append(offer.claim.token)

    with ThreadPoolExecutor(3) as pool:
        working = [pool.submit(label, place) for place in (0, 1)]
        pool.submit(first.campaigns.archive, first.number).result()
        marked = len(kinds(first))
        for each in working:
            each.result()
    *written, archiving = first.campaigns.events(first.number)
    assert sorted(event.token for event in written) == sorted(done)
    # The archiving itself waits its turn: what was written at that moment is all there ever is.
    assert (archiving.kind, len(written)) == (Kind.CHANGE, marked - 1)


def test_archiving_waits_for_a_label_that_is_being_written(offices):
    first, _, (person, _) = offices
    claim = first.live.next(person).claim
    with ThreadPoolExecutor(1) as pool:
        with first.live.log.transaction() as session:
            waiting = pool.submit(first.campaigns.archive, first.number)
            assert session.events_after(0) == []
            with pytest.raises(TimeoutError):
                waiting.result(0.3)
        waiting.result(20)
    with pytest.raises(ArchivedError):
        first.live.submit(person, claim.token, claim.row, Kind.GRADE, grade=1)


# What is put back -----------------------------------------------------------------------------------------------


def test_a_database_without_the_campaign_is_noticed(offices):
    first, _, (person, _) = offices
    first.live.next(person)
    before = first.database.generation
    with first.database.write() as connection:
        connection.execute(sa.update(campaigns).values(created_at=17.0))  # another one under the same number
    with pytest.raises(InputError, match="is not in the database any more"):
        first.live.next(person)
    assert first.database.generation > before
    opened = first.campaigns.open(first.number)
    assert opened is not first.opened
    assert isinstance(opened.live.next(person), Offer)


@pytest.mark.parametrize("overlap", [1, 2])
def test_threads_that_send_everything_twice_leave_a_log_without_doubles(database, overlap):
    people = add_people(database, 4)
    first = add_office(database, small_collection(rows=20), overlap=overlap)
    offices = (first, first.another())

    def annotate(place: int) -> None:
        rng, person = random.Random(place), people[place]
        for number in range(8):
            offer = offices[place % 2].live.next(person, beyond=True)
            if not isinstance(offer, Offer):
                return
            token, row = offer.claim.token, offer.claim.row
            value = rng.randrange(3)
            undo = f"{place:016x}{number:016x}"
            for office in rng.sample([*offices, *offices], 3):
                with suppress(ActRefusedError):
                    office.live.advance(person, token, row, Kind.GRADE, grade=value, beyond=True)
            if rng.random() < 0.4:
                for office in rng.sample([*offices, *offices], 2):
                    office.live.undo(person, token=undo)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(annotate, range(4)))
    with database.read() as connection:
        tokens = connection.scalars(sa.select(label_events.c.token)).all()
    assert len(tokens) == len(set(tokens))
    fold = offices[0].live.refresh()
    assert fold == offices[1].live.refresh()
    assert max(len(fold.grades_of(row)) for row in range(20)) <= overlap
