"""Campaigns as a whole, on both databases: changed, paused, archived, duplicated, deleted, and what is left of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa
from db_helpers import Office, add_office, add_people, small_collection
from live_helpers import Clock, grade_next, row_of

from db.store.tables import campaigns, deletions, label_events
from rulerank.campaign import Kind, Pause, PausedError
from rulerank.errors import InputError


@pytest.fixture
def office(database) -> Office:
    return add_office(database, small_collection())


@pytest.fixture
def person(database) -> int:
    return add_people(database, 1)[0]


def label(office: Office, person: int, number: int = 1) -> list[int | None]:
    return [grade_next(office.live, person, office.grades, beyond=True) for _ in range(number)]


def test_another_process_takes_a_change_up_with_its_next_look(office, person):
    other = office.another()
    label(office, person, 3)
    office.opened.change(person, replace(office.opened.settings, sampler="random", seed=5, overlap=2), name="Renamed")
    assert other.live.next(person, beyond=True).claim.row == office.would_offer(person)
    assert (other.opened.settings.seed, other.opened.name) == (5, "Renamed")
    assert office.campaigns.names() == {office.number: "Renamed"}
    assert office.another().opened.live.refresh().course.settings.overlap == 2
    chosen = office.campaigns.ledger(office.number)[-1]
    assert (chosen["sampler"], chosen["seed"]) == ("random", 5)


def test_another_sampler_in_the_middle_equals_a_campaign_that_had_it_from_the_start(database, person):
    first = add_office(database, small_collection(), "first")
    label(first, person, 4)
    first.live.release(person)
    first.opened.change(person, replace(first.opened.settings, sampler="ssarp:partitions=2"))
    copied = first.campaigns.duplicate(first.number, "second", labels=True)
    second = Office(database, copied, Clock())
    assert second.opened.settings == first.opened.settings
    assert second.live.made_with == first.opened.settings  # made with them; no change stands in its log
    assert second.live.refresh().current() == first.live.refresh().current()
    assert label(second, person, 6) == label(first, person, 6)


def test_a_name_that_is_taken_is_refused_and_nothing_is_written(office, person):
    add_office(office.database, small_collection(seed=1), "Taken")
    with pytest.raises(InputError, match="a campaign is named 'Taken' already"):
        office.opened.change(person, replace(office.opened.settings, overlap=3), name="Taken")
    with pytest.raises(InputError, match="name"):
        office.opened.change(person, office.opened.settings, name="  ")
    assert office.campaigns.events(office.number) == []
    assert office.live.refresh().course.settings.overlap == 1


def test_fewer_grades_than_the_file_has_are_refused(office, person):
    settings = office.opened.settings
    with pytest.raises(InputError, match="the file has grade 2"):
        office.opened.change(person, replace(settings, grades=settings.grades[:2]))


def test_paused_and_archived_stand_in_lists_and_in_the_log(office, person):
    held = office.live.next(person).claim
    office.campaigns.pause(office.number, person=person)
    office.campaigns.pause(office.number, person=person)
    (line,) = office.campaigns.lines()
    assert (line.paused, line.archived) == (True, False)
    assert office.another().live.next(person) == Pause(False, PausedError.words)
    with pytest.raises(PausedError):
        office.live.submit(person, held.token, held.row, Kind.GRADE, grade=0)
    office.campaigns.archive(office.number, person=person)
    assert office.campaigns.lines() == []
    (line,) = office.campaigns.lines(archived=True)
    assert line.paused
    office.campaigns.archive(office.number, False, person=person)
    office.campaigns.pause(office.number, False, person=person)
    assert office.live.next(person).claim.token == held.token
    assert [(event.kind, event.person) for event in office.campaigns.events(office.number)] == [
        (Kind.CHANGE, person)
    ] * 4


def test_a_duplicate_has_the_labels_only_if_asked(office, person):
    label(office, person, 3)
    office.live.undo(person)
    office.live.write(person, 0, Kind.NOTE, text="look")
    bare, full = (office.campaigns.duplicate(office.number, str(n), labels=bool(n), person=person) for n in (0, 1))
    assert office.campaigns.events(bare) == []
    mine, theirs = office.campaigns.events(office.number), office.campaigns.events(full)
    assert [(e.kind, e.row, e.person, e.grade, e.text, e.at, e.seconds) for e in mine] == [
        (e.kind, e.row, e.person, e.grade, e.text, e.at, e.seconds) for e in theirs
    ]
    assert not {e.token for e in mine} & {e.token for e in theirs}
    copied = Office(office.database, full, office.clock)
    assert copied.live.refresh().current() == office.live.refresh().current()
    assert row_of(copied.live.next(person, beyond=True)) == office.would_offer(person)
    with pytest.raises(InputError, match="already"):
        office.campaigns.duplicate(office.number, "1", labels=False)


def test_a_deleted_campaign_is_gone_but_for_the_list_and_its_number(database, office, person):
    kept = add_office(database, small_collection(seed=2), "kept")
    label(office, person, 3)
    office.live.undo(person)
    label(kept, person, 2)
    last = office.campaigns.duplicate(office.number, "last", labels=True)
    with pytest.raises(InputError, match="type it exactly"):
        office.campaigns.delete(last, "Last")
    for number, name in ((office.number, "campaign"), (last, "last")):
        office.campaigns.delete(number, name, person=person)
    gone = office.campaigns.deletions()
    assert [(each.campaign, each.name, each.labelled, each.events, each.by) for each in gone] == [
        (last, "last", 2, 4, "person 0"),
        (office.number, "campaign", 2, 4, "person 0"),
    ]
    with database.read() as connection:
        assert connection.scalars(sa.select(campaigns.c.id)).all() == [kept.number]
        assert set(connection.scalars(sa.select(label_events.c.campaign_id))) == {kept.number}
    with pytest.raises(InputError, match="not in the database any more"):
        office.live.refresh()
    with pytest.raises(InputError, match="does not exist"):
        office.campaigns.delete(last, "last")
    assert add_office(database, small_collection(seed=3), "next").number > last


@pytest.mark.parametrize("statement", ["DELETE FROM deletions", "UPDATE deletions SET name = 'x'"])
def test_the_list_of_deletions_stays_and_frees_no_other_events(database, office, person, statement):
    label(office, person)
    other = add_office(database, small_collection(seed=4), "other")
    other.campaigns.delete(other.number, "other")
    for refused in (statement, "DELETE FROM label_events"):
        with pytest.raises(sa.exc.IntegrityError, match="never changed"), database.write() as connection:
            connection.exec_driver_sql(refused)
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(deletions)) == 1
    assert len(office.campaigns.events(office.number)) == 1
