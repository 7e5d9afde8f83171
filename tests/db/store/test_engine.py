"""Transactions lose nothing, on either database; the label log refuses to be changed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from db.store.engine import Database, check_url
from db.store.tables import label_events, settings
from rulerank.errors import InputError

EVENT: dict[str, object] = {"kind": "grade", "row": 0, "grade": 1, "created_at": 1.0}


def event(campaign: int, **values: object) -> sa.Insert:
    return sa.insert(label_events).values({**EVENT, "campaign_id": campaign, **values})


def read_counter(connection: sa.Connection) -> int:
    return int(connection.scalar(sa.select(settings.c.value).where(settings.c.name == "counter")))


def test_eight_threads_of_read_modify_write_lose_nothing(database):
    with database.write() as connection:
        connection.execute(sa.insert(settings).values(name="counter", value="0"))
    # A second object has connections and locks of its own, as another process would.
    other = Database(database.url.render_as_string(hide_password=False))

    def count(which: Database) -> None:
        for _ in range(25):
            with which.write(campaign=1) as connection:
                value = read_counter(connection) + 1
                connection.execute(sa.update(settings).where(settings.c.name == "counter").values(value=str(value)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, [database, other] * 4))
    other.close()
    with database.read() as connection:
        assert read_counter(connection) == 200


def test_a_failed_transaction_leaves_nothing(database):
    insert = sa.insert(settings).values(name="once", value="1")

    def twice() -> None:
        with database.write() as connection:
            connection.execute(insert)
            connection.execute(insert)

    with pytest.raises(sa.exc.IntegrityError):
        twice()
    with database.read() as connection:
        assert connection.execute(sa.select(settings)).all() == []


def test_what_is_not_committed_is_not_seen(database):
    written, looked = threading.Event(), threading.Event()

    def write() -> None:
        with database.write() as connection:
            connection.execute(sa.insert(settings).values(name="new", value="1"))
            written.set()
            assert looked.wait(20)

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(write)
        assert written.wait(20)
        with database.read() as connection:
            during = connection.execute(sa.select(settings)).all()
        looked.set()
        done.result()
    assert during == []
    with database.read() as connection:
        assert len(connection.execute(sa.select(settings)).all()) == 1


def test_campaigns_do_not_wait_for_each_other_on_postgresql(new_url):
    database = Database(new_url("postgresql"))
    with database.write(campaign=1), ThreadPoolExecutor(1) as pool:

        def second() -> bool:
            with database.write(campaign=2):
                return True

        assert pool.submit(second).result(20)
    database.close()


def test_events_refuse_update_and_delete(database, make_campaign):
    campaign = make_campaign(database)
    with database.write() as connection:
        connection.execute(event(campaign, token="a"))
    changes = [sa.update(label_events).values(grade=0), sa.delete(label_events)]
    if not database.is_sqlite:
        changes.append(sa.text("TRUNCATE label_events CASCADE"))
    for change in changes:
        with (
            pytest.raises(sa.exc.IntegrityError, match="label events are never changed"),
            database.write() as connection,
        ):
            connection.execute(change)
    with database.read() as connection:
        assert connection.execute(sa.select(label_events.c.id, label_events.c.grade)).all() == [(1, 1)]


@pytest.mark.parametrize("clash", [{"id": 1}, {"token": "a"}, {"undoes": 1}])
def test_events_refuse_to_be_replaced(sqlite_database, make_campaign, clash):
    campaign = make_campaign(sqlite_database)
    with sqlite_database.write() as connection:
        connection.execute(event(campaign, token="a"))
        connection.execute(event(campaign, token="b", undoes=1))
    replace = event(campaign, grade=0, **clash).prefix_with("OR REPLACE")
    with pytest.raises(sa.exc.IntegrityError, match="in the log already"), sqlite_database.write() as connection:
        connection.execute(replace)
    with sqlite_database.read() as connection:
        assert connection.scalars(sa.select(label_events.c.grade)).all() == [1, 1]


@pytest.mark.parametrize("clash", [{"token": "a"}, {"token": "c", "undoes": 1}])
def test_a_token_or_an_undo_stands_in_the_log_once(database, make_campaign, clash):
    campaign = make_campaign(database)
    with database.write() as connection:
        connection.execute(event(campaign, token="a"))
        connection.execute(event(campaign, token="b", undoes=1))
    with pytest.raises(sa.exc.IntegrityError), database.write() as connection:
        connection.execute(event(campaign, **clash))


def test_sqlite_is_set_up_for_a_label_log(sqlite_database):
    with sqlite_database.read() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("nonsense", "is not a database URL"),
        ("mysql://localhost/x", "mysql is not supported"),
        ("sqlite://", "would lose labels"),
    ],
)
def test_other_urls_are_refused_in_words(url, hint):
    with pytest.raises(InputError, match=hint):
        check_url(url)
