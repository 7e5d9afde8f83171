"""Proof that a SQLite database is whole: its pages, its schema, every value, what they refer to, and that it works.

The order matters: nothing is read as something before it is known to be that.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import sqlalchemy as sa

from db.backup.dump import read_text
from db.backup.values import ValueFaultError, check_values
from db.campaigns import Campaigns
from db.collections import Collections
from db.log import DatabaseLog, DatabaseSession
from db.people.accounts import SECRET
from db.simulations import WHOLE
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.sqlite_copy import connect
from db.store.tables import campaigns, collection_chunks, collections, label_events
from rulerank.campaign import NO_DOCUMENT, Course, Kind, LabelEvent, Settings
from rulerank.campaign.fold import ACTS
from rulerank.campaign.opened import check_rows
from rulerank.collection import Collection
from rulerank.collection.pack import check_piece, unpack_numbers
from rulerank.errors import InputError, RulerankError

_ACTS = ", ".join(f"'{kind.value}'" for kind in ACTS)
RULES = (
    # table, column, what is wrong, which rows: "it" is the row, "campaign" has the size of the pool and the grades.
    (
        "label_events",
        "row",
        "is not a document of the campaign's pool",
        "it.row NOT BETWEEN 0 AND campaign.pool - 1 "
        f"AND NOT (it.kind = '{Kind.CHANGE.value}' AND it.row = {NO_DOCUMENT})",
    ),
    ("label_events", "grade", "is not a grade of the campaign", "it.grade NOT BETWEEN 0 AND campaign.grades - 1"),
    ("label_events", "grade", "is no grade, and a label needs one", "it.kind = 'grade' AND it.grade IS NULL"),
    ("label_events", "undoes", "does not fit an event of this kind", "(it.kind = 'undo') <> (it.undoes IS NOT NULL)"),
    (
        "label_events",
        "undoes",
        "is not an earlier act of the same person on the same document",
        "it.undoes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM label_events AS act WHERE act.id = it.undoes "
        "AND act.id < it.id AND act.campaign_id = it.campaign_id AND act.row = it.row "
        f"AND act.person_id IS it.person_id AND act.kind IN ({_ACTS}))",
    ),
    ("claims", "row", "is not a document of the campaign's pool", "it.row NOT BETWEEN 0 AND campaign.pool - 1"),
    (
        "claims",
        "assumed_grade",
        "is not a grade of the campaign",
        "it.assumed_grade NOT BETWEEN 0 AND campaign.grades - 1",
    ),
    (
        "claims",
        "selection_id",
        "is not the selection of the same document",
        "it.selection_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM selections AS chosen WHERE "
        "chosen.id = it.selection_id AND chosen.campaign_id = it.campaign_id AND chosen.row = it.row)",
    ),
    ("selections", "row", "is not a document of the campaign's pool", "it.row NOT BETWEEN 0 AND campaign.pool - 1"),
    (
        "selections",
        "assumed",
        "names a document or a grade that the campaign does not have",
        "EXISTS (SELECT 1 FROM json_each(it.assumed) AS each WHERE each.value NOT BETWEEN 0 AND campaign.grades - 1 "
        "OR CAST(each.key AS INTEGER) NOT BETWEEN 0 AND campaign.pool - 1)",
    ),
)


def prove_pages(connection: Any) -> None:
    """Raise an error unless all pages of a SQLite database are whole and its indexes and references right."""
    damage = [text for (text,) in connection.execute("PRAGMA integrity_check(1)")]
    if damage != ["ok"]:
        raise DatabaseError(f"its pages are damaged ({damage[0]})")
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise DatabaseError(f"{len(broken)} rows refer to rows that are missing, the first in {broken[0][0]}")


def prove_values(database: Database) -> None:
    """Raise an error unless every value, and all that values say of each other, is right; nothing is changed."""
    with raw(database) as connection:
        check_values(connection)
    _prove_collections(database)
    with raw(database) as connection:
        _check_rules(database, connection)
        _check_files(connection)
        _check_secret(connection)


def prove_campaigns(database: Database) -> None:
    """Raise an error unless every campaign opens, its log folds, and its sampler proposes; nothing is changed."""
    with database.read() as connection:
        numbers = list(connection.scalars(sa.select(campaigns.c.id)))
    stored = Campaigns(database, Collections(database))
    for number in numbers:
        try:
            opened = stored.open(number)
            opened.live.log = _Looking(database, number)
            opened.live.refresh()
            opened.live.at_natural_stop()
        except (RulerankError, ValueError, TypeError, LookupError, ArithmeticError) as error:
            raise DatabaseError(f"campaign {number} cannot be opened: {error}") from error
        stored.forget(number)


@contextmanager
def raw(database: Database) -> Iterator[Any]:
    """Yield a connection of the driver's own that shows values as they are stored, also text that is not UTF-8."""
    assert database.path is not None
    with closing(connect(database, str(database.path))) as connection:
        connection.text_factory = read_text
        connection.execute("PRAGMA trusted_schema=OFF")
        yield connection


class _Looking(DatabaseLog):
    """A log that is only looked at: claims that expired meanwhile stay as they are."""

    @contextmanager
    def transaction(self) -> Iterator[DatabaseSession]:
        """Begin a transaction that is taken back."""
        with self.database.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            try:
                yield DatabaseSession(connection, self.campaign)
            finally:
                connection.rollback()


def _prove_collections(database: Database) -> None:
    stored = Collections(database)
    with database.read() as connection:
        heads = connection.execute(sa.select(collections)).all()
    for head in heads:
        where = ("collections", head.id)
        if len(head.feature_names) != head.features:
            words = f"{len(head.feature_names)} names for {head.features} features"
            raise ValueFaultError(*where, "feature_names", words)
        _check_chunks(database, head)
        try:
            collection = stored.load(head.id)
        except (RulerankError, ValueError, TypeError) as error:
            raise ValueFaultError(*where, "queries", f"its rows cannot be put together: {error}") from error
        if collection.content_hash != head.content_hash:
            words = f"the content has the hash {collection.content_hash}, not {head.content_hash}"
            raise ValueFaultError(*where, "content_hash", words)
        with database.read() as connection:
            made = connection.execute(sa.select(campaigns).where(campaigns.c.collection_id == head.id)).all()
        for row in made:
            _check_plan(row, collection)


def _check_chunks(database: Database, head: sa.Row[Any]) -> None:
    mine = sa.select(collection_chunks).where(collection_chunks.c.collection_id == head.id)
    reached = 0
    with database.read() as connection:
        query = mine.order_by(collection_chunks.c.start).execution_options(yield_per=1)
        for chunk in connection.execute(query):
            key, rows = f"{head.id}, {chunk.start}", chunk.stop - chunk.start
            if chunk.start != reached or rows < 1:
                raise ValueFaultError("collection_chunks", key, "start", f"rows {reached} and following are missing")
            try:
                check_piece(chunk.data, rows, head.features)
            except InputError as error:
                raise ValueFaultError("collection_chunks", key, "data", str(error)) from error
            reached = chunk.stop
    if reached != head.rows:
        raise ValueFaultError("collections", head.id, "rows", f"there are {reached} rows, not {head.rows}")


def _check_plan(row: sa.Row[Any], collection: Collection) -> None:
    """Check a campaign's rows and edges against its collection."""
    numbers = unpack_numbers(row.pool_rows), unpack_numbers(row.evaluation_rows)
    try:
        check_rows(collection, Settings.from_dict(row.settings), *numbers)
    except InputError as error:
        raise ValueFaultError("campaigns", row.id, "pool_rows or evaluation_rows", str(error)) from error
    edges, features = len(row.edges["edges"]), len(collection.feature_names)
    if edges != features:
        words = f"there are edges for {edges} features, and the collection has {features}"
        raise ValueFaultError("campaigns", row.id, "edges", words)


def _check_rules(database: Database, connection: Any) -> None:
    """Look for rows that break a rule, within SQLite, which reads them one by one."""
    connection.execute("CREATE TEMP TABLE campaign (id INTEGER PRIMARY KEY, pool INTEGER, grades INTEGER)")
    with database.read() as reading:
        query = sa.select(campaigns.c.id, campaigns.c.pool_rows, campaigns.c.settings)
        for row in reading.execute(query):
            levels = len(_course(reading, row.id, Settings.from_dict(row.settings)).settings.grades)
            facts = (row.id, unpack_numbers(row.pool_rows).size, levels)
            connection.execute("INSERT INTO campaign VALUES (?, ?, ?)", facts)
    for table, column, words, wrong in RULES:
        found = connection.execute(
            f"SELECT it.id, it.{column} FROM main.{table} AS it JOIN campaign ON campaign.id = it.campaign_id "
            f"WHERE {wrong} ORDER BY it.id LIMIT 1"
        ).fetchone()
        if found is not None:
            raise ValueFaultError(table, found[0], column, f"{found[1]!r:.60} {words}")


def _course(reading: sa.Connection, number: int, made: Settings) -> Course:
    """Return what the changes in its log have made of a campaign; one that cannot be read raises an error."""
    course = Course(made)
    mine = (label_events.c.campaign_id == number, label_events.c.kind == Kind.CHANGE.value)
    for row in reading.execute(sa.select(label_events).where(*mine).order_by(label_events.c.id)):
        try:
            course.apply(LabelEvent(Kind.CHANGE, row.row, row.person_id, text=row.text, at=row.created_at, id=row.id))
            course.settings  # noqa: B018 (raises where they are not settings)
        except (RulerankError, ValueError, TypeError, LookupError) as error:
            raise ValueFaultError("label_events", row.id, "text", f"it cannot be read: {error}") from error
    return course


def _check_secret(connection: Any) -> None:
    """Check that the secret of the sign-in cookies, if there is one, is bytes in hexadecimal."""
    for (value,) in connection.execute("SELECT value FROM settings WHERE name = ?", [SECRET]):
        if re.fullmatch(r"([0-9a-f]{2})+", value, re.ASCII) is None:
            raise ValueFaultError("settings", SECRET, "value", "it is not hexadecimal")


def _check_files(connection: Any) -> None:
    """Check that the results of simulations, which are zip files, can be unpacked."""
    for number, name, data in connection.execute("SELECT id, name, data FROM files"):
        if name != WHOLE and not name.endswith(".npz"):
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                wrong = archive.testzip()
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
            raise ValueFaultError("files", number, "data", f"{name} cannot be unpacked: {error}") from error
        if wrong is not None:
            raise ValueFaultError("files", number, "data", f"{wrong} within {name} is damaged")
