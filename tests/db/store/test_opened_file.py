"""The file of a SQLite database that vanishes or is replaced: noticed in time, never made anew, taken up again."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from db_helpers import Office, add_office, add_people, small_collection

from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import migrate
from db.store.tables import settings
from rulerank.campaign import Kind
from rulerank.errors import StoreError


@pytest.fixture
def office(sqlite_database):
    (person,) = add_people(sqlite_database, 1)
    made = add_office(sqlite_database, small_collection())
    made.person = person
    return made


def label(office: Office, value: int = 1) -> str:
    claim = office.live.next(office.person, beyond=True).claim
    office.live.advance(office.person, claim.token, claim.row, Kind.GRADE, grade=value)
    return claim.token


def tokens(path: Path) -> list[str]:
    """Read a database file as a stranger does."""
    connection = sqlite3.connect(path)
    try:
        query = "SELECT token FROM label_events WHERE kind = 'grade' ORDER BY id"
        return [token for (token,) in connection.execute(query)]
    finally:
        connection.close()


@pytest.mark.parametrize("when", ["between", "within"])
@pytest.mark.parametrize("how", ["removed", "moved", "replaced"])
def test_a_file_that_vanished_is_noticed_before_the_next_acknowledgement(office, tmp_path, how, when):
    path = office.database.path
    saved = label(office)
    fresh = tmp_path / "fresh.db"
    shutil.copy(path, fresh)

    def vanish() -> None:
        if how == "removed":
            path.unlink()
        elif how == "moved":
            path.rename(tmp_path / "elsewhere.db")
        else:
            fresh.replace(path)

    def write() -> None:
        with office.database.write() as connection:
            connection.execute(sa.insert(settings).values(name="new", value="1"))
            if when == "within":
                vanish()

    if when == "between":
        vanish()
    with pytest.raises(StoreError) as caught:
        write()
    assert caught.value.kind == "gone"
    assert "moved, removed or replaced" in str(caught.value)
    if how != "replaced":
        assert not path.exists()  # no empty database in its place
        with pytest.raises(StoreError), office.database.read():
            pass
        assert office.database.trouble().kind == "gone"
        assert not path.exists()
    assert saved


def test_labels_go_on_by_themselves_when_the_file_is_back(office, tmp_path):
    path = office.database.path
    saved = [label(office) for _ in range(3)]
    path.rename(tmp_path / "away.db")
    claim = None
    for _ in range(3):
        with pytest.raises(StoreError):
            label(office)
    (tmp_path / "away.db").rename(path)
    claim = office.live.next(office.person, beyond=True).claim
    saved.append(claim.token)
    office.live.advance(office.person, claim.token, claim.row, Kind.GRADE, grade=1)
    assert office.database.trouble() is None
    office.database.close()
    assert tokens(path) == saved


def test_a_label_that_went_into_a_moved_file_is_not_acknowledged_and_not_doubled(office, tmp_path):
    """The file is moved between the commit's beginning and its end; put back, it holds the label once."""
    path = office.database.path
    claim = office.live.next(office.person, beyond=True).claim
    away = tmp_path / "away.db"

    @sa.event.listens_for(office.database.engine, "commit")
    def move(connection) -> None:
        if not away.exists():
            path.rename(away)

    def press() -> None:
        office.live.advance(office.person, claim.token, claim.row, Kind.GRADE, grade=1)

    with pytest.raises(StoreError):
        press()
    sa.event.remove(office.database.engine, "commit", move)
    assert tokens(away) == [claim.token]  # whole, without what SQLite keeps beside a file
    away.rename(path)
    press()
    assert tokens(path) == [claim.token]
    assert office.live.refresh().current() == {claim.row: 1}


@pytest.mark.parametrize("leftovers", [True, False])
def test_a_backup_in_the_place_of_a_lost_file_is_taken_up(office, tmp_path, leftovers):
    path, backup = office.database.path, tmp_path / "backup.db"
    kept = [label(office) for _ in range(2)]
    copy = sqlite3.connect(backup)
    with sqlite3.connect(path) as source:
        source.backup(copy)
    source.close()
    copy.close()
    for _ in range(3):
        label(office, 2)
    path.unlink()
    if not leftovers:
        for end in ("-wal", "-shm"):
            Path(f"{path}{end}").unlink()
    with pytest.raises(StoreError):
        label(office)
    shutil.copy(backup, path)
    kept.append(label(office, 0))
    assert sorted(office.live.fold.current().values()) == [0, 1, 1]
    office.database.close()
    assert tokens(path) == kept
    check = sqlite3.connect(path)
    assert check.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    check.close()


def test_what_is_open_is_read_anew_from_a_database_that_took_the_place(office, tmp_path):
    path = office.database.path
    label(office)
    other = tmp_path / "other.db"
    made = Database(f"sqlite:///{other}")
    migrate(made)
    (person,) = add_people(made, 1)
    second = add_office(made, small_collection(seed=5), name="another")
    made.close()
    other.replace(path)
    with pytest.raises(StoreError):
        label(office)
    opened = office.campaigns.open(second.number)
    assert opened.name == "another"
    assert opened.live.refresh().current() == {}
    assert person


@pytest.mark.parametrize("what", ["empty", "foreign"])
def test_another_file_in_its_place_is_not_taken_for_the_database(office, what):
    path = office.database.path
    label(office)
    path.unlink()
    with pytest.raises(StoreError):
        label(office)
    if what == "empty":
        path.touch()
    else:
        foreign = sqlite3.connect(path)
        foreign.execute("CREATE TABLE notes (text)")
        foreign.commit()
        foreign.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        label(office)
    assert caught.value.kind == "gone"
    assert path.read_bytes() == before


def test_a_worker_makes_no_database(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'none.db'}", create=False)
    with pytest.raises(DatabaseError, match="there is no file"):
        migrate(database)
    assert list(tmp_path.iterdir()) == []
