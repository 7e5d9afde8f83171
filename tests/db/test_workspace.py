"""Workspaces: many server processes on one database stay one campaign, and whoever opens it proposes the same."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Barrier

import pytest
from db_helpers import Office, add_office, add_people, small_collection, url_of
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from live_helpers import ACTS, Clock, do, grade_next, row_of
from thorough import examples

from db.store.engine import Database
from db.workspace import Workspace
from rulerank.campaign import Kind, Offer, Pause

ROOT = Path(__file__).parents[2]
numbers = itertools.count(1)
acts = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2), st.booleans()), min_size=1, max_size=14)
on_one_database = examples(12, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def pair(database):
    """`pair(collection, ...)`: two server processes on one campaign, with connections of their own, and one clock."""
    second = Database(url_of(database))

    def make(collection, **more) -> tuple[Office, Office]:
        office = add_office(database, collection, name=f"campaign {next(numbers)}", **more)
        return office, Office(second, office.number, office.clock)

    yield make
    second.close()


@given(
    acts=acts,
    seed=st.integers(0, 20),
    people=st.integers(1, 3),
    overlap=st.integers(1, 2),
    sampler=st.sampled_from(["ssar", "ssar", "ssarp", "uncertainty"]),
)
@on_one_database
def test_whoever_opens_the_database_proposes_the_same_document(database, pair, acts, seed, people, overlap, sampler):
    """Two processes act by turns; before each act a third one, started afresh, says what will be proposed."""
    persons = add_people(database, people)
    offices = pair(small_collection(seed=seed), sampler=sampler, overlap=overlap)
    clock = offices[0].clock
    for act, who, second in acts:
        clock.now += 1
        person = persons[who % people]
        expected = offices[0].would_offer(person)
        office = offices[second]
        assert do(office.live, clock, act, person, office.grades) in ([], [expected])
        held = Counter(claim.row for claim in office.live.open_claims())
        assert max(held.values(), default=0) <= overlap
    first, other = offices
    assert first.live.refresh() == other.live.refresh() == first.another().live.refresh()
    for person in persons:
        expected = first.would_offer(person)
        assert row_of(first.live.next(person, beyond=True)) == expected
        assert row_of(other.live.next(person, beyond=True)) == expected
    events = first.campaigns.events(first.number)
    tokens = [event.token for event in events if event.token is not None]
    assert len(tokens) == len(set(tokens))


def test_a_new_process_proposes_the_same_document(new_url, backend):
    url = new_url(backend)
    workspace = Workspace(url)
    persons = add_people(workspace.database, 2)
    office = add_office(workspace.database, small_collection(rows=30))
    office.live.clock = office.clock = clock = Clock(2e9)
    for number in range(6):
        grade_next(office.live, persons[number % 2], office.grades)
    held = office.live.next(persons[0]).claim
    clock.now += 1
    expected = office.would_offer(persons[1])
    program = (
        "import sys; from db.workspace import Workspace\n"
        "url, campaign, *people = sys.argv[1:]\n"
        "live = Workspace(url).open(int(campaign)).live\n"
        "live.clock = lambda: 2e9 + 1\n"
        "for person in people:\n"
        "    claim = live.next(int(person)).claim\n"
        "    print(claim.row, claim.token)\n"
    )
    command = [sys.executable, "-c", program, url, str(office.number), *map(str, persons)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    mine, theirs = (line.split() for line in done.stdout.splitlines())
    assert mine == [str(held.row), held.token]
    assert int(theirs[0]) == expected
    assert office.live.next(persons[1]).claim.token == theirs[1]
    workspace.close()


@pytest.mark.parametrize("same_process", [True, False])
def test_a_double_submit_at_the_same_moment_is_written_once(database, pair, same_process):
    (person,) = add_people(database, 1)
    first, second = pair(small_collection(rows=30))
    offices = [first, first] if same_process else [first, second]
    ready = Barrier(4)
    for round_number in range(5):
        claim = first.live.next(person, beyond=True).claim

        def press(place: int, claim=claim):
            ready.wait(20)
            return offices[place % 2].live.submit(person, claim.token, claim.row, Kind.GRADE, grade=place % 3)

        with ThreadPoolExecutor(4) as pool:
            written = [event for event in pool.map(press, range(4)) if event is not None]
        assert len(written) == 1
        assert [event.token for event in first.campaigns.events(first.number)].count(claim.token) == 1
        assert second.live.refresh().grade(claim.row) == written[0].grade
        assert len(first.campaigns.events(first.number)) == round_number + 1


@pytest.mark.parametrize("overlap", [1, 2])
def test_annotators_at_once_in_two_processes_grade_each_document_as_often_as_wanted(database, pair, overlap):
    persons = add_people(database, 4)
    offices = pair(small_collection(rows=24, seed=overlap), overlap=overlap)

    def work(place: int) -> list[tuple[int, int]]:
        live, person, mine = offices[place % 2].live, persons[place], []
        idle = 0
        while idle < 3:
            offer = live.next(person, beyond=True)
            if isinstance(offer, Pause):
                idle += 1
                continue
            event = live.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=place % 3)
            assert event is not None
            mine.append((offer.claim.row, person))
        return mine

    with ThreadPoolExecutor(4) as pool:
        given = [pair for mine in pool.map(work, range(4)) for pair in mine]
    # Whoever paused while others still held documents has left work behind; now it is done.
    for place, person in enumerate(persons):
        while (row := grade_next(offices[place % 2].live, person, [1] * 24, beyond=True)) is not None:
            given.append((row, person))
    assert len(given) == len(set(given)) == 24 * overlap
    assert set(Counter(row for row, _ in given).values()) == {overlap}
    first, second = (office.live.refresh() for office in offices)
    assert sorted((row, person) for row, person, _ in first.table()) == sorted(given)
    assert first == second


class Failing:
    """A log whose commits fail when told to."""

    def __init__(self, log) -> None:
        self.log = log
        self.broken = False

    @contextmanager
    def transaction(self):
        with self.log.transaction() as session:
            yield session
            if self.broken:
                raise OSError("no space left on device")


@given(acts=acts, seed=st.integers(0, 20))
@on_one_database
def test_a_commit_that_fails_leaves_no_trace_in_the_state(database, pair, acts, seed):
    (person,) = add_people(database, 1)
    office, other = pair(small_collection(seed=seed))
    office.live.log = failing = Failing(office.live.log)
    for act, _, fails in acts:
        failing.broken = fails
        with suppress(OSError):
            do(office.live, office.clock, act, person, office.grades)
        failing.broken = False
        # Others write meanwhile, under the numbers that the failed events had.
        other.live.write(person, 0, Kind.NOTE, text="meanwhile")
    assert office.live.refresh() == office.another().live.refresh()
    expected = office.would_offer(person)
    assert row_of(office.live.next(person, beyond=True)) == expected


def test_drafts_and_claims_come_back_in_another_process(database, pair):
    (person,) = add_people(database, 1)
    first, second = pair(small_collection())
    offer = first.live.next(person)
    first.live.write(person, offer.claim.row, Kind.DRAFT, text="half a thought")
    again = second.live.next(person)
    assert isinstance(again, Offer)
    assert again.claim == offer.claim
    assert second.live.fold.drafts == {(offer.claim.row, person): "half a thought"}


def test_the_demo_is_made_once(new_url):
    url = new_url("sqlite")
    workspace = Workspace(url)
    assert workspace.demo_made() is None
    number = workspace.demo()
    assert (workspace.demo(), workspace.demo_made()) == (number, number)
    again = Workspace(url)
    assert again.demo() == number
    assert [info.id for info in again.campaigns.all()] == [number]
    again.close()
    workspace.close()
