"""The log in the database keeps the same promises as the one in memory; SQL cannot change what is in it."""

from __future__ import annotations

import numpy as np
import pytest
import sqlalchemy as sa
from db_helpers import add_people
from live_helpers import label_alone, make_live

from db.log import DatabaseLog, read_events
from db.store.engine import Database
from db.store.tables import claims, label_events, selections
from rulerank import __version__
from rulerank.campaign import Claim, GradeLevel, Kind, LabelEvent, MemoryLog
from rulerank.sampling import SSARP, Selection

SELECTION = Selection(3, "ssar", 7, "it draws 2 rules", 2, (("rules", 2.0), ("occurrence", 11.0)), 1, False)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def log(request, new_url, make_campaign):
    """A log of each kind; people 1 and 2 exist."""
    if request.param == "memory":
        yield MemoryLog()
        return
    database = Database(new_url(request.param))
    campaign = make_campaign(database)
    add_people(database, 1)
    yield DatabaseLog(database, campaign)
    database.close()


def test_events_are_numbered_and_come_back_as_they_were(log):
    given = [
        LabelEvent(Kind.GRADE, 3, 1, 2, "", "token", None, 0.1 + 0.2, 1_700_000_000.123456),
        LabelEvent(Kind.NOTE, 3, 1, text="naïve → 语言 🎉 'quoted' \n two lines", at=2.5),
        LabelEvent(Kind.UNDO, 3, 1, undoes=1, at=3.0),
        LabelEvent(Kind.IMPORT, 0, None, 1),
        LabelEvent(Kind.ADJUDICATE, 1, 2),
    ]
    with log.transaction() as session:
        written = [session.append(event) for event in given]
    assert [event.id for event in written] == sorted({event.id for event in written})
    with log.transaction() as session:
        found = session.events_after(0)
        assert found == written
        assert [LabelEvent(*([*vars(event).values()][:-1])) for event in found] == given
        assert session.events_after(written[2].id) == written[3:]
        assert session.events_after(written[-1].id) == []


def test_a_token_and_an_undo_are_written_once(log):
    with log.transaction() as session:
        first = session.append(LabelEvent(Kind.GRADE, 0, 1, 1, token="t"))
        assert session.append(LabelEvent(Kind.GRADE, 0, 2, 0, token="t")) is None
        assert session.append(LabelEvent(Kind.UNDO, 0, 1, undoes=first.id)) is not None
        assert session.append(LabelEvent(Kind.UNDO, 0, 1, undoes=first.id)) is None
    with log.transaction() as session:
        assert session.append(LabelEvent(Kind.GRADE, 0, 1, 1, token="t")) is None
        assert session.append(LabelEvent(Kind.UNDO, 0, 1, undoes=first.id)) is None
        assert len(session.events_after(0)) == 2


def test_claims_open_wait_and_close(log):
    first, second = Claim(3, 1, "one", 10.0, 70.0), Claim(4, 2, "two", 11.0, 71.0)
    with log.transaction() as session:
        assert session.open_claims() == []
        for claim in (first, second):
            kept = session.open_claim(claim, SELECTION, {}, 5)
            assert (kept.row, kept.token, kept.selection is not None) == (claim.row, claim.token, True)
    with log.transaction() as session:
        session.assume("one", 2)
        session.extend("two", 99.0)
    with log.transaction() as session:
        one, two = session.open_claims()
        assert (one.token, one.assumed_grade, one.expires_at) == ("one", 2, 70.0)
        assert (two.token, two.assumed_grade, two.expires_at, two.created_at) == ("two", None, 99.0, 11.0)
        assert session.close_claim("one", "used")
        assert not session.close_claim("one", "expired")
        assert not session.close_claim("never there", "used")
        session.extend("one", 1000.0)
        assert [claim.token for claim in session.open_claims()] == ["two"]


def test_a_transaction_that_fails_leaves_nothing(log):
    with log.transaction() as session:
        before = session.append(LabelEvent(Kind.GRADE, 0, 1, 1, token="kept"))
        session.open_claim(Claim(3, 1, "one", 10.0, 70.0), SELECTION, {}, 5)

    def fail() -> None:
        with log.transaction() as session:
            session.append(LabelEvent(Kind.GRADE, 1, 1, 1, token="lost"))
            session.append(LabelEvent(Kind.UNDO, 0, 1, undoes=before.id))
            session.close_claim("one", "used")
            session.open_claim(Claim(4, 2, "two", 10.0, 70.0), SELECTION, {}, 5)
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    with log.transaction() as session:
        assert session.events_after(0) == [before]
        assert [claim.token for claim in session.open_claims()] == ["one"]
        assert session.append(LabelEvent(Kind.GRADE, 1, 1, 1, token="lost")) is not None
        assert session.append(LabelEvent(Kind.UNDO, 0, 1, undoes=before.id)) is not None


def test_logs_of_two_campaigns_are_apart(database, make_campaign):
    logs = [DatabaseLog(database, make_campaign(database, name)) for name in ("first", "second")]
    for place, log in enumerate(logs):
        with log.transaction() as session:
            session.append(LabelEvent(Kind.GRADE, place, 1, 1))
            session.open_claim(Claim(place, 1, f"token {place}", 10.0, 70.0), SELECTION, {}, 5)
    for place, log in enumerate(logs):
        with log.transaction() as session:
            assert [event.row for event in session.events_after(0)] == [place]
            assert [claim.row for claim in session.open_claims()] == [place]


def test_the_ledger_says_who_was_asked_what_and_why(database, make_campaign):
    log = DatabaseLog(database, make_campaign(database))
    with log.transaction() as session:
        session.open_claim(Claim(3, 1, "one", 10.0, 70.0), SELECTION, {8: 2, 9: 0}, 5)
    with database.read() as connection:
        row = connection.execute(sa.select(selections)).one()._mapping
        assert connection.scalar(sa.select(claims.c.selection_id)) == row["id"]
    told = {"row": 3, "round": 7, "sampler": "ssar", "rule_count": 2, "partition": 1, "stop": False, "seed": 5}
    assert {name: row[name] for name in told} == told
    assert row["keys"] == [["rules", 2.0], ["occurrence", 11.0]]
    assert row["assumed"] == {"8": 2, "9": 0}
    assert (row["reason"], row["version"], row["created_at"]) == ("it draws 2 rules", __version__, 10.0)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE label_events SET grade = 0",
        "UPDATE label_events SET id = id + 100",
        "UPDATE label_events SET person_id = NULL WHERE grade = 2",
        "DELETE FROM label_events",
        "DELETE FROM label_events WHERE id = 1",
    ],
)
def test_sql_cannot_change_or_remove_an_event(database, make_campaign, statement):
    log = DatabaseLog(database, make_campaign(database))
    with log.transaction() as session:
        written = session.append(LabelEvent(Kind.GRADE, 0, 1, 2, token="t"))
    with pytest.raises(sa.exc.IntegrityError, match="never changed"), database.write() as connection:
        connection.exec_driver_sql(statement)
    with database.read() as connection:
        assert read_events(connection, log.campaign) == [written]
        assert connection.scalar(sa.select(sa.func.count()).select_from(label_events)) == 1


@pytest.mark.parametrize("sampler", ["ssar", "ssarp"])
def test_one_annotator_gets_the_authors_own_order_from_the_database(database, make_campaign, golden, sampler):
    told = golden("ssar_reference_ohsumed1000.json")
    items, grades = np.array(told["items"], np.uint8), np.array(told["labels"])
    levels = tuple(GradeLevel(f"level {grade}") for grade in range(int(grades.max()) + 1))
    live = make_live(items, DatabaseLog(database, make_campaign(database)), sampler=sampler, grades=levels)
    expected = told["selection_order"]
    if sampler == "ssarp":
        expected = SSARP().run(items, grades).order
    order, pause = label_alone(live, grades, slips=[number % 9 == 4 for number in range(len(expected))])
    assert order == expected
    assert pause.stopped
