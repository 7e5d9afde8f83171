"""Campaigns in the database: made whole or not at all, listed as the log says, and live on it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
import sqlalchemy as sa
from db_helpers import Office, add_office, add_people, quick_settings, small_collection, url_of
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from live_helpers import Clock, grade_next, label_alone
from thorough import examples

from db.campaigns import Campaigns
from db.collections import Collections
from db.store.engine import Database
from db.store.tables import campaigns, claims
from rulerank.campaign import GradeLevel, Kind, Offer
from rulerank.errors import InputError, RulerankError
from rulerank.ranking import LRAR
from rulerank.sampling import SSAR, SSARP


@pytest.mark.parametrize("sampler", ["ssar", "ssarp"])
def test_one_annotator_gets_the_order_of_run_from_the_database(database, sampler):
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection(rows=60, seed=4), sampler=sampler)
    made = SSAR() if sampler == "ssar" else SSARP(partitions=2)
    run = made.run(office.opened.items, office.grades)
    slips = [number % 3 == 1 for number in range(len(run))]
    order, pause = label_alone(office.live, office.grades, slips=slips, person=person)
    assert order == run.order
    assert pause.stopped == (run.stopped_on is not None)
    assert office.another().live.refresh() == office.live.refresh()


def test_the_ledger_is_the_run(database):
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection(rows=40, seed=4), sampler="ssarp", seed=3)
    run = SSARP(partitions=2).run(office.opened.items, office.grades)
    label_alone(office.live, office.grades, person=person)
    told = [
        (
            row["row"],
            row["round"],
            row["rule_count"],
            row["partition"],
            [tuple(key) for key in row["keys"]],
            row["seed"],
        )
        for row in office.campaigns.ledger(office.number)
    ]
    chosen = [selection for selection in run.selections if not selection.stop]
    assert told == [(s.row, s.round, s.rule_count, s.partition, [*s.keys], 3) for s in chosen]


def test_a_claimed_document_counts_with_the_predicted_grade_and_the_ledger_says_so(database):
    people = add_people(database, 3)
    office = add_office(database, small_collection(rows=40, seed=8))
    for _ in range(5):
        grade_next(office.live, people[0], office.grades)
    labelled = office.live.fold.current()
    held = [office.live.next(person).claim.row for person in people]
    items = office.opened.items
    ranker = LRAR().fit(items[list(labelled)], list(labelled.values()))
    predicted = ranker.predict_proba(items).argmax(axis=1)
    sampler = SSAR().start(items)
    for row, grade in labelled.items():
        sampler.record(row, grade)
    for row in held:
        assert sampler.propose().row == row
        sampler.record(row, int(predicted[row]))
    with database.read() as connection:
        open_now = sa.select(claims.c.row, claims.c.assumed_grade).where(claims.c.state == "open")
        kept = {row.row: row.assumed_grade for row in connection.execute(open_now.order_by(claims.c.id))}
    # Nobody has asked after the third yet, so nothing is assumed of it.
    assert kept == {held[0]: predicted[held[0]], held[1]: predicted[held[1]], held[2]: None}
    last = office.campaigns.ledger(office.number)[-3:]
    assert [row["assumed"] for row in last] == [
        {},
        {str(held[0]): predicted[held[0]]},
        {str(row): predicted[row] for row in held[:2]},
    ]
    assert [(row["row"], row["person_id"], row["state"]) for row in last] == [
        (row, person, "open") for row, person in zip(held, people, strict=True)
    ]
    assert office.would_offer(people[1]) == held[1]


def test_claims_end_in_the_state_that_tells_how(database):
    people = add_people(database, 3)
    office = add_office(database, small_collection(), claim_minutes=1.0)
    used, released, expired = (office.live.next(person).claim for person in people)
    office.live.submit(people[0], used.token, used.row, Kind.GRADE, grade=1)
    office.live.release(people[1])
    office.clock.now += 61
    office.live.refresh()
    with database.read() as connection:
        states = dict(connection.execute(sa.select(claims.c.token, claims.c.state)).all())
    assert states == {used.token: "used", released.token: "released", expired.token: "expired"}
    late = office.live.submit(people[2], expired.token, expired.row, Kind.GRADE, grade=2)
    assert late is not None
    assert office.another().live.refresh().current() == {used.row: 1, expired.row: 2}


def test_text_that_a_database_cannot_keep_does_not_cost_the_label(database):
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection())
    claim = office.live.next(person).claim
    office.live.submit(person, claim.token, np.int64(claim.row), Kind.GRADE, grade=np.int64(2), text="\0 \udcff 🎉")
    (event,) = office.campaigns.events(office.number)
    assert (event.row, event.grade, event.text) == (claim.row, 2, "\ufffd ? 🎉")


ACTS = ["grade", "grade", "grade", "cannot_tell", "undo", "two", "import", "adjudicate", "withdraw", "again", "retract"]


@given(kinds=st.lists(st.sampled_from(ACTS), max_size=14), data=st.data())
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_list_of_campaigns_says_how_far_they_are(database, kinds, data):
    people = add_people(database, 2)
    office = add_office(database, small_collection(), name=f"campaign of {people}", overlap=2)
    more = {
        "import": (Kind.IMPORT, 1),
        "adjudicate": (Kind.ADJUDICATE, 2),
        "withdraw": (Kind.ADJUDICATE, None),
        "again": (Kind.GRADE, 0),
        "retract": (Kind.CANNOT_TELL, None),
    }
    for kind in kinds:
        person = people[kind == "two"]
        office.clock.now += 1
        if kind == "undo":
            office.live.undo(person)
            continue
        if kind in more:
            row = data.draw(st.sampled_from(office.live.fold.touched_rows() or [3]))
            office.live.write(person, row, more[kind][0], grade=more[kind][1])
            continue
        offer = office.live.next(person, beyond=True)
        if isinstance(offer, Offer):
            kind = Kind.CANNOT_TELL if kind == "cannot_tell" else Kind.GRADE
            grade = 1 if kind is Kind.GRADE else None
            office.live.submit(person, offer.claim.token, offer.claim.row, kind, grade=grade)
    told = next(info for info in office.campaigns.all() if info.id == office.number)
    fold = office.live.refresh()
    assert told.documents == 12
    assert told.labelled == len(fold.current())
    assert told.people == len({person for _, person, _ in fold.table()})
    assert told.last_label_at == max((at for at, _ in fold.labelled_at), default=None)
    assert office.campaigns.last_event(office.number) == fold.seen


def test_a_campaign_is_opened_as_it_was_made(database):
    (person,) = add_people(database, 1)
    stored = Collections(database)
    collection = small_collection(rows=30)
    levels = tuple(GradeLevel(name, "meaning", "example", "#fff") for name in ("bad", "gut 🎉", "best"))
    chosen = quick_settings(
        grades=levels, seed=2**62, overlap=2, guidelines="# Read *this*", sampler="ssarp:scoring=program"
    )
    rows, held = range(0, 20, 2), range(1, 20, 2)
    made = Campaigns(database, stored)
    number = made.create(" name ", stored.add("c", collection), chosen, pool_rows=rows, evaluation_rows=held)
    opened = Campaigns(database, Collections(database)).open(number)
    assert (opened.name, opened.settings, opened.collection) == ("name", chosen, collection)
    assert opened.pool_rows.tolist() == list(rows)
    assert opened.evaluation_rows.tolist() == list(held)
    assert opened.document(3) == ("1", "d6")
    assert np.array_equal(opened.items, collection.features[::2][:10].astype(np.uint8)[:, opened.useful])
    assert made.open(number) is made.open(number)
    live = made.open(number).live
    live.clock = Clock()
    first = live.next(person)
    made.forget(number)
    assert made.open(number).live is not live
    assert live.next(person).claim == first.claim


def test_archived_campaigns_are_out_of_sight(database):
    office = add_office(database, small_collection())
    office.campaigns.archive(office.number)
    assert office.campaigns.all() == []
    assert [info.id for info in office.campaigns.all(archived=True)] == [office.number]
    office.campaigns.archive(office.number, archived=False)
    assert [info.id for info in office.campaigns.all()] == [office.number]


@pytest.mark.parametrize(
    ("name", "chosen", "rows", "hint"),
    [
        (" ", {}, {}, "a campaign needs a name"),
        ("x" * 201, {}, {}, "201 characters"),
        ("fine", {"discretizer": "mdlp"}, {}, "MDLP learns from grades"),
        ("fine", {"sampler": "top_feature:feature=99"}, {}, "99"),
        ("fine", {"grades": (GradeLevel("a"), GradeLevel("b"))}, {}, "the file has grade 2"),
        ("fine", {}, {"pool_rows": []}, "the pool is empty"),
        ("fine", {}, {"pool_rows": [0, 40]}, "the pool names rows outside 0 to 11"),
        ("fine", {}, {"pool_rows": [0, 1], "evaluation_rows": [1]}, "in the pool and in the evaluation set"),
    ],
)
def test_a_campaign_that_could_not_be_opened_is_not_made(sqlite_database, name, chosen, rows, hint):
    stored = Collections(sqlite_database)
    made = Campaigns(sqlite_database, stored)
    collection = stored.add("c", small_collection())
    with pytest.raises(RulerankError, match=hint):
        made.create(name, collection, quick_settings(**chosen), **rows)
    assert made.all() == []


def test_a_name_is_given_once_also_by_two_processes_at_once(database):
    stored = Collections(database)
    collection = stored.add("c", small_collection())
    other = Database(url_of(database))

    made = []

    def create(which: Database) -> None:
        with suppress(InputError):  # any other error comes out below
            made.append(Campaigns(which, Collections(which)).create("name", collection, quick_settings()))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, [database, other] * 3))
    other.close()
    assert len(made) == 1
    with pytest.raises(InputError, match="named 'name' already"):
        Campaigns(database, stored).create("name", collection, quick_settings())
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(campaigns)) == 1


def test_what_is_not_there_is_said_in_words(database):
    with pytest.raises(InputError, match="campaign 9 does not exist"):
        Campaigns(database, Collections(database)).open(9)
    with pytest.raises(InputError, match="collection 9 does not exist"):
        Campaigns(database, Collections(database)).create("x", 9, quick_settings())


def test_labelled_rows_stand_in_the_order_of_their_first_label(sqlite_database):
    first, second = add_people(sqlite_database, 2)
    office: Office = add_office(sqlite_database, small_collection(), overlap=2)
    office.live.write(None, 11, Kind.IMPORT, grade=2)
    rows = [grade_next(office.live, first, office.grades) for _ in range(3)]
    grade_next(office.live, second, office.grades)
    office.live.write(first, rows[0], Kind.GRADE, grade=0)
    free = next(row for row in range(12) if row not in (*rows, 11))
    office.live.write(second, free, Kind.ADJUDICATE, grade=1)
    order, grades = office.opened.labelled()
    assert order == [11, *rows, free]
    assert grades == [office.live.fold.grade(row) for row in order]
