"""Damaged backups are refused with words, whatever is damaged; nothing is replaced, and nothing stays behind."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from db_helpers import Office, url_of
from filled import contents, fill, plain_backup, what_lasts
from live_helpers import Clock
from thorough import THOROUGH, tries

from db.backup.archive import BLANK, DATABASE, MANIFEST, read_manifest, seal
from db.backup.dump import read_text
from db.backup.restore import NO_CHECKSUMS, restore
from db.backup.values import MEANINGS, ValueFaultError, check_values, described
from db.backup.write import backup
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import bring_to, newest
from db.store.tables import label_events, metadata

REFUSED = r"nothing was changed\. Use another backup\.$"


@pytest.fixture(scope="module")
def made(tmp_path_factory, sqlite_template) -> tuple[Path, Path, dict]:
    """A backup, a plain copy of the same database, and what is in it."""
    folder = tmp_path_factory.mktemp("made")
    database = Database(f"sqlite:///{folder / 'original.db'}")
    bring_to(database, newest())
    fill(database)
    found = contents(database)
    assert all(found.values()), "a table without rows proves nothing"
    saved, plain = backup(database, folder / "saved.zip"), plain_backup(database, folder / "plain.db")
    database.close()
    assert read_manifest(saved).problem is None
    return saved, plain, found


@pytest.fixture
def try_restore(tmp_path) -> Callable[[bytes | Path], dict | None]:
    """`try_restore(file)`: what a restore gives, None if it is refused; what was there stays as it was."""
    folder = tmp_path / "restored"
    folder.mkdir()

    def run(damaged: bytes | Path) -> dict | None:
        source = damaged if isinstance(damaged, Path) else tmp_path / "damaged"
        if isinstance(damaged, bytes):
            source.write_bytes(damaged)
        try:
            restored = restore(source, f"sqlite:///{folder / 'new.db'}")
        except DatabaseError as error:
            refusal = str(error)
        else:
            refusal = ""
        if refusal:
            assert re.search(REFUSED, refusal), refusal
            assert str(source) in refusal
            assert list(folder.iterdir()) == []
            return None
        database = Database(f"sqlite:///{restored.path}")
        found = contents(database)
        database.close()
        for path in folder.iterdir():
            path.unlink()
        return found

    return run


# The file ------------------------------------------------------------------------------------------------------------


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def test_every_single_bit_of_a_backup_counts(made, try_restore):
    saved = made[0].read_bytes()
    rng = random.Random(1)
    ends = [*range(8 * 64), *range(8 * (len(saved) - 200), 8 * len(saved), 7)]  # headers and the checksum itself
    if not THOROUGH:
        ends = ends[::5]
    for bit in [*ends, *(rng.randrange(8 * len(saved)) for _ in range(tries(300)))]:
        assert try_restore(flipped(saved, bit)) is None, bit
    assert what_lasts(try_restore(saved)) == what_lasts(made[2])


def test_cut_off_lengthened_and_overwritten_backups_are_refused(made, try_restore):
    saved = made[0].read_bytes()
    rng = random.Random(2)
    cuts = [0, 1, 4, 22, len(BLANK), len(saved) - len(BLANK), len(saved) - 1]
    for size in [*cuts, *(rng.randrange(len(saved)) for _ in range(20))]:
        assert try_restore(saved[:size]) is None, size
    for added in (b"\0", b"\n", b"more", saved):
        assert try_restore(saved + added) is None
        assert try_restore(added + saved) is None
    for _ in range(20):
        at, size = rng.randrange(len(saved)), rng.choice((16, 512, 4096))
        assert try_restore(saved[:at] + rng.randbytes(size) + saved[at + size :]) is None
        assert try_restore(saved[:at] + saved[at + size :]) is None


def test_of_a_plain_copy_every_flip_is_refused_or_told_not_to_be_provable(made, tmp_path):
    """It has no checksums: where one possible value became another, nobody can know, and that is said."""
    _, plain, original = made
    data = plain.read_bytes()
    rng = random.Random(3)
    refused = same = changed = 0
    number_of_flips = tries(40)
    for number in range(number_of_flips):
        damaged = tmp_path / "damaged.db"
        damaged.write_bytes(flipped(data, rng.randrange(8 * len(data))))
        target = tmp_path / f"new{number}.db"
        try:
            restored = restore(damaged, f"sqlite:///{target}")
        except DatabaseError:
            refused += 1
            continue
        assert restored.remark == NO_CHECKSUMS
        database = Database(f"sqlite:///{target}")
        found = what_lasts(contents(database))
        database.close()
        assert {name: len(rows) for name, rows in found.items()} == {
            name: len(rows) for name, rows in what_lasts(original).items()
        }
        same, changed = (same + 1, changed) if found == what_lasts(original) else (same, changed + 1)
    assert refused + same + changed == number_of_flips
    assert refused
    assert same


def test_plain_garbage_never_gives_a_bare_exception(made, try_restore):
    data = made[1].read_bytes()
    rng = random.Random(4)
    for _ in range(25):
        at, size = rng.randrange(len(data)), rng.choice((64, 4096, 20_000))
        try_restore(data[:at] + rng.randbytes(size) + data[at + size :])
        assert try_restore(data[: rng.randrange(len(data) - 4096)]) is None


# Archives that somebody made on purpose, with a right checksum -------------------------------------------------------


def forge(target: Path, *entries: tuple[str, bytes, int]) -> Path:
    with target.open("w+b") as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.comment = BLANK
            for name, data, method in entries:
                archive.writestr(name, data, method)
        seal(file)
    return target


def test_forged_archives_are_refused(made, try_restore, tmp_path):
    manifest = read_manifest(made[0])
    with zipfile.ZipFile(made[0]) as archive:
        database = archive.read(DATABASE)

    def tried(told: object, *more: tuple[str, bytes, int], data: bytes = database, method: int = 0) -> object:
        text = told if isinstance(told, bytes) else json.dumps(asdict(told)).encode()
        return try_restore(forge(tmp_path / "forged.zip", (MANIFEST, text, 0), (DATABASE, data, method), *more))

    assert what_lasts(tried(manifest)) == what_lasts(made[2])
    first = next(iter(manifest.tables))
    for wrong in (
        replace(manifest, sha256="0" * 64),
        replace(manifest, size=5),
        replace(manifest, size=2**60),
        replace(manifest, fingerprint="0" * 64),
        replace(manifest, revision="0001"),
        replace(manifest, tables={}),
        replace(manifest, tables={**manifest.tables, first: {"rows": 9, "sha256": "0" * 64}}),
        replace(manifest, tables={first: 5}),
        replace(manifest, format=2),
        replace(manifest, rulerank=7),
        b"",
        b"[1",
        b"[" * 100_000,
        b"\xff{}",
        b"{}",
        b" " * (2 << 20),
    ):
        assert tried(wrong) is None, wrong
    assert tried(manifest, ("more.txt", b"", 0)) is None
    with pytest.warns(UserWarning, match="Duplicate name"):
        assert tried(manifest, (DATABASE, database, 0)) is None
    assert tried(manifest, ("../" + DATABASE, database, 0)) is None
    assert tried(manifest, method=zipfile.ZIP_DEFLATED) is None
    bomb = b"\0" * (64 << 20)
    assert tried(replace(manifest, size=len(bomb)), data=bomb, method=zipfile.ZIP_DEFLATED) is None
    assert not (tmp_path.parent / DATABASE).exists()


def test_a_backup_needs_room(made, monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(DatabaseError, match=r"has room for 1,000 bytes.*Make room"):
        restore(made[0], f"sqlite:///{tmp_path / 'new.db'}")


# Values --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def spoilt(made, tmp_path) -> Iterator[sqlite3.Connection]:
    """A plain copy in which any value can be written."""
    path = tmp_path / "spoilt.db"
    path.write_bytes(made[1].read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = read_text
        connection.execute("PRAGMA ignore_check_constraints=ON")
        yield connection


def triggers_off(connection: sqlite3.Connection) -> Callable[[], None]:
    """Take the guards of the log away; what is returned puts them back as they were."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in found:
        connection.execute(f"DROP TRIGGER {name}")
    return lambda: [connection.execute(sql) for _, sql in found] and None


WRONG = {
    sa.Boolean: ("7", "'yes'", "0.5", "x'00'"),
    sa.Integer: ("'many'", "1.5", "x'00'", "9223372036854775807", "-9223372036854775808"),
    sa.Double: ("'late'", "9e999", "-1.0", "1e300", "x'00'"),
    sa.JSON: ("'{'", "x'7b7d'", "CAST(x'22ff22' AS TEXT)", "'\"text\"'", "'[[[]]]'", "5"),
    sa.LargeBinary: ("'text'", "x'789c'", "x'00'", "5"),
    sa.String: ("x'00'", "CAST(x'61ff' AS TEXT)", "printf('%.*c', 2000, 'x')"),
}
# What these may hold is open: any JSON, any bytes, text of any length, any large number.
OPEN = {
    ("jobs", "result"): ("'\"text\"'", "'[[[]]]'", "5"),
    ("collection_chunks", "data"): ("x'789c'", "x'00'"),
    ("files", "data"): ("x'789c'", "x'00'"),
    ("selections", "keys"): ("'[[[]]]'",),
}


def test_a_wrong_value_in_any_column_is_found_and_named(spoilt):
    triggers_off(spoilt)
    check_values(spoilt)
    tried = 0
    for table in metadata.sorted_tables:
        for column in table.columns:
            kind = next(kind for kind in WRONG if isinstance(column.type, kind))
            wrongs = set(WRONG[kind]) - set(OPEN.get((table.name, column.name), ()))
            if isinstance(column.type, sa.BigInteger):
                wrongs.discard("9223372036854775807")
                if not column.primary_key and not column.foreign_keys:
                    wrongs.discard("-9223372036854775808")
            if getattr(column.type, "length", 0) is None:
                wrongs.discard("printf('%.*c', 2000, 'x')")
            if not column.nullable:
                wrongs.add("NULL")
            for wrong in sorted(wrongs):
                spoilt.execute("BEGIN")
                try:
                    spoilt.execute(
                        f'UPDATE "{table.name}" SET "{column.name}" = {wrong} '
                        f'WHERE rowid = (SELECT max(rowid) FROM "{table.name}")'
                    )
                except sqlite3.IntegrityError:
                    assert wrong == "NULL" or column.primary_key  # SQLite refuses it by itself
                else:
                    tried += 1
                    with pytest.raises(ValueFaultError, match=rf"table {table.name}, row .*column {column.name}: "):
                        check_values(spoilt)
                spoilt.execute("ROLLBACK")
    assert tried > 300


def test_every_column_that_only_its_meaning_describes_is_described():
    columns = dict(described())
    assert {name for name, needed in columns.items() if needed} <= MEANINGS.keys() <= columns.keys()


SPOILT = [
    ("UPDATE alembic_version SET version_num = '9999'", r"schema '9999'.*Update rulerank"),
    ("DELETE FROM alembic_version", "no schema revision"),
    ("DROP TABLE alembic_version", "no schema revision"),
    ("DROP TABLE snapshots", "lacks .*table snapshots"),
    ("ALTER TABLE people DROP COLUMN created_at", r"lacks column people\.created_at"),
    ("ALTER TABLE people ADD COLUMN shoe_size INTEGER", r"has besides column people\.shoe_size"),
    ("DROP INDEX uq_claims_open_person", "lacks index uq_claims_open_person"),
    ("DROP TRIGGER label_events_no_delete", "lacks trigger label_events_no_delete"),
    ("CREATE TRIGGER bad AFTER INSERT ON people BEGIN DELETE FROM claims; END", "has besides trigger bad"),
    ("CREATE VIEW spy AS SELECT * FROM people", "has besides view spy"),
    ("INSERT INTO files VALUES (99, 'x', x'00', 99, 1.0)", "1 rows refer to rows that are missing.*files"),
    ("UPDATE collections SET queries = '[\"0\"]'", "table collections, row 1, column queries"),
    ("UPDATE collections SET feature_names = '[\"a\"]'", "1 names for 5 features"),
    ("UPDATE collections SET rows = 25", "there are 24 rows, not 25"),
    ("UPDATE collections SET content_hash = printf('%064d', 0)", "the content has the hash"),
    ("UPDATE collection_chunks SET data = zeroblob(100)", "table collection_chunks, row 1, 0, column data"),
    ("UPDATE collection_chunks SET start = 1", "rows 0 and following are missing"),
    ("DELETE FROM collection_chunks", "there are 0 rows, not 24"),
    ("UPDATE campaigns SET settings = 'no JSON'", "table campaigns, row 1, column settings"),
    ("UPDATE campaigns SET settings = json_set(settings, '$.sampler', 'none')", "column settings.*'none'"),
    ("UPDATE campaigns SET settings = json_set(settings, '$.guidelines', 5)", "column settings.*guidelines is int"),
    ("UPDATE campaigns SET edges = json_remove(edges, '$.edges[0]')", "table campaigns, row 1, column edges"),
    (
        "UPDATE campaigns SET pool_rows = evaluation_rows",
        "row 1, column pool_rows.*and in the evaluation set",
    ),
    ("UPDATE label_events SET grade = 99 WHERE id = 100", "table label_events, row 100, column grade: 99"),
    ("UPDATE label_events SET text = 'no JSON' WHERE kind = 'change'", "column text: it cannot be read"),
    ("UPDATE label_events SET row = 99 WHERE kind = 'change'", "column row: 99 is not a document"),
    ("UPDATE label_events SET grade = NULL WHERE id = 100", "a label needs one"),
    ("UPDATE label_events SET row = 20 WHERE id = 100", "table label_events, row 100, column row: 20 is not a doc"),
    ("UPDATE label_events SET row = -1 WHERE id = 100", "table label_events, row 100, column row: -1"),
    ("UPDATE label_events SET kind = 'grade', grade = 1 WHERE kind = 'undo'", "does not fit an event of this kind"),
    ("UPDATE label_events SET undoes = id + 1 WHERE id = 100", "does not fit an event of this kind"),
    ("UPDATE label_events SET undoes = 1 WHERE kind = 'undo' AND undoes > 10", "not an earlier act"),
    ("UPDATE label_events SET person_id = 2 WHERE kind = 'undo'", "not an earlier act of the same person"),
    ("UPDATE label_events SET kind = 'wish' WHERE id = 100", "column kind: 'wish' is none of|CHECK constraint"),
    ("UPDATE label_events SET text = CAST(x'c328' AS TEXT) WHERE id = 100", "row 100, column text: the text .*UTF-8"),
    ("UPDATE claims SET row = 99 WHERE id = 1", "table claims, row 1, column row: 99"),
    ("UPDATE claims SET selection_id = 6 WHERE id = 1", "column selection_id: 6 is not the selection of the same"),
    ("UPDATE selections SET assumed = '{\"1\": 7}' WHERE id = 1", "column assumed: .*that the campaign does not have"),
    ("UPDATE selections SET assumed = '{\"99\": 0}' WHERE id = 1", "column assumed: .*that the campaign does not have"),
    ("UPDATE files SET data = substr(data, 1, 50) WHERE id = 2", "table files, row 2, column data: .*unpacked"),
    ("UPDATE settings SET value = 'no secret'", "table settings, row cookie_secret, column value: it is not hexa"),
    ("UPDATE people SET password_hash = 'secret' WHERE password_hash IS NOT NULL", "column password_hash.*argon2"),
]


@pytest.mark.parametrize(("statement", "hint"), SPOILT)
def test_what_is_not_right_is_refused_and_named(spoilt, tmp_path, statement, hint):
    put_back = triggers_off(spoilt) if "TRIGGER" not in statement else lambda: None
    spoilt.execute("PRAGMA foreign_keys=OFF")
    spoilt.execute(statement)
    put_back()
    target = tmp_path / "target" / "new.db"
    with pytest.raises(DatabaseError, match=hint):
        restore(tmp_path / "spoilt.db", f"sqlite:///{target}")
    assert list(target.parent.iterdir()) == []


def test_a_wrong_grade_far_down_in_the_log_is_found(new_url, tmp_path):
    database = Database(new_url("sqlite"))
    fill(database, events=100_000)
    with database.read() as connection:
        last = connection.scalar(sa.select(sa.func.max(label_events.c.id)).where(label_events.c.kind == "grade"))
    saved = plain_backup(database, tmp_path / "saved.db")
    database.close()
    with closing(sqlite3.connect(saved, isolation_level=None)) as connection:
        put_back = triggers_off(connection)
        connection.execute("UPDATE label_events SET grade = 99 WHERE id = ?", [last])
        put_back()
    assert last > 100_000
    with pytest.raises(DatabaseError, match=rf"row {last}, column grade: 99 is not a grade of the campaign"):
        restore(saved, f"sqlite:///{tmp_path / 'new.db'}")


def test_a_backup_of_a_database_with_a_fault_says_so(new_url, tmp_path, caplog):
    database = Database(new_url("sqlite"))
    fill(database)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE snapshots SET \"values\" = '5 apples'")
    saved = backup(database, tmp_path / "saved.zip")
    database.close()
    assert "table snapshots, row 1, column values" in read_manifest(saved).problem
    assert "a restore will refuse it: table snapshots, row 1" in caplog.text
    with pytest.raises(DatabaseError, match="table snapshots, row 1, column values"):
        restore(saved, f"sqlite:///{tmp_path / 'new.db'}")


# What is right -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_restored_campaign_goes_on_with_the_same_document(database, into, new_url, tmp_path):
    campaign = fill(database, events=8)
    offered = Office(database, campaign, Clock()).would_offer(2)
    url = new_url(into, empty=True)
    restore(backup(database, tmp_path / "saved.zip"), url)
    again = Database(url)
    assert Office(again, campaign, Clock()).would_offer(2) == offered is not None
    again.close()


@pytest.mark.parametrize("revision", ["0001", "0002", "0003"])
def test_plain_backups_of_older_versions_are_taken_with_a_remark(tmp_path, revision, caplog):
    old = Database(f"sqlite:///{tmp_path / 'old.db'}")
    bring_to(old, revision)
    with old.write() as connection:
        connection.exec_driver_sql("INSERT INTO settings VALUES ('kept', 'yes')")
    saved = plain_backup(old, tmp_path / "saved.db")
    old.close()
    restored = restore(saved, f"sqlite:///{tmp_path / 'new.db'}")
    assert restored.remark == NO_CHECKSUMS
    assert "carries no checksums" in caplog.text
    new = Database(f"sqlite:///{restored.path}")
    assert contents(new)["settings"] == [("kept", "yes")]
    new.close()


def test_numbers_in_json_columns_are_right(database, new_url, tmp_path):
    """SQLite keeps JSON that is a number as that number."""
    fill(database)
    with database.write() as connection:
        connection.execute(sa.text("UPDATE jobs SET result = '7' WHERE id = 1"))
    url = new_url("sqlite", empty=True)
    saved = backup(database, tmp_path / "saved.zip")
    assert read_manifest(saved).made_from == database.url.get_backend_name()
    restore(saved, url)
    again = Database(url)
    assert contents(again)["jobs"][0] == contents(database)["jobs"][0]
    again.close()
    assert url_of(again) == url
