"""Campaigns in the database: made, listed, opened; an opened one is shared by all sessions of the process."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.collections import Collections, checked_name
from db.log import DatabaseLog, name_taken, read_events, refuse_taken
from db.store.engine import Database
from db.store.tables import LONGEST_KIND, campaigns, claims, label_events, selections, snapshots
from db.whole_campaigns import Deletion, delete, duplicate, insert_campaign, read_deletions, set_state
from rulerank.audit import audit
from rulerank.campaign import Kind, LabelEvent, OpenCampaign, Settings, Setup, set_up
from rulerank.campaign.fold import ACTS
from rulerank.collection.pack import pack_numbers, unpack_numbers
from rulerank.discretize import Discretizer
from rulerank.errors import InputError, OutsidePackageError, UnknownNameError


@dataclass(frozen=True)
class CampaignInfo:
    """What a list of campaigns shows."""

    id: int
    name: str
    collection: int
    documents: int
    labelled: int
    people: int
    archived: bool
    created_at: float
    last_label_at: float | None
    paused: bool = False


@dataclass(frozen=True)
class CampaignLine:
    """A campaign as a long list finds and orders it: what the database says without counting anything."""

    id: int
    name: str
    paused: bool
    archived: bool
    created_at: float
    active_at: float  # when the last event came, else when it was made


@dataclass(frozen=True)
class Snapshot:
    """Something that was worked out at length and is kept: a random replay, or a slow ranker's curve."""

    kind: str
    labels: int
    event_id: int | None
    settings: dict[str, Any]
    values: dict[str, Any]
    created_at: float


@dataclass(frozen=True)
class KeptSelection:
    """How a document was chosen, as it was written at the time."""

    sampler: str
    round: int
    reason: str
    created_at: float


class Campaigns:
    """Makes, lists and opens campaigns."""

    def __init__(self, database: Database, collections: Collections) -> None:
        self.database = database
        self.collections = collections
        self._open: dict[int, OpenCampaign] = {}
        self._generation = database.generation
        self._lock = threading.Lock()

    def create(
        self,
        name: str,
        collection_id: int,
        settings: Settings,
        *,
        pool_rows: Iterable[int] | None = None,
        evaluation_rows: Iterable[int] = (),
        person: int | None = None,
    ) -> int:
        """Make a campaign; edges come from the pool's rows, and nothing is written unless all of it is right."""
        name = checked_name(name, "campaign")
        made = set_up(self.collections.load(collection_id), settings, pool_rows, evaluation_rows)
        values = {"collection_id": collection_id, **campaign_values(name, settings, made, person)}
        try:
            with self.database.write() as connection:
                refuse_taken(connection, name)
                return insert_campaign(connection, values)
        except sa.exc.IntegrityError as error:
            if "name" not in str(error.orig):
                raise
            raise name_taken(name) from error  # another process took the name at the same moment

    def all(self, *, archived: bool = False, numbers: Collection[int] | None = None) -> list[CampaignInfo]:
        """Return the campaigns, the newest first, with how far they are; or those of `numbers`, archived or not."""
        labels = _counts(numbers).subquery()
        query = (
            sa.select(campaigns, labels.c.labelled, labels.c.people, labels.c.last)
            .outerjoin(labels, labels.c.campaign_id == campaigns.c.id)
            .where(campaigns.c.archived == archived if numbers is None else campaigns.c.id.in_(numbers))
            .order_by(campaigns.c.id.desc())
        )
        with self.database.read() as connection:
            return [
                CampaignInfo(
                    row.id,
                    row.name,
                    row.collection_id,
                    unpack_numbers(row.pool_rows).size,
                    row.labelled or 0,
                    row.people or 0,
                    row.archived,
                    row.created_at,
                    row.last,
                    row.paused,
                )
                for row in connection.execute(query)
            ]

    def lines(self, *, archived: bool = False) -> list[CampaignLine]:
        """Return the campaigns, the newest first, quickly however many events they have."""
        last = (
            sa.select(label_events.c.campaign_id, sa.func.max(label_events.c.id).label("id"))
            .group_by(label_events.c.campaign_id)
            .subquery()
        )
        columns = (campaigns.c[name] for name in ("id", "name", "paused", "archived", "created_at"))
        query = (
            sa.select(*columns, label_events.c.created_at.label("last"))
            .outerjoin(last, last.c.campaign_id == campaigns.c.id)
            .outerjoin(label_events, label_events.c.id == last.c.id)
            .where(campaigns.c.archived == archived)
            .order_by(campaigns.c.id.desc())
        )
        with self.database.read() as connection:
            return [
                CampaignLine(row.id, row.name, row.paused, row.archived, row.created_at, row.last or row.created_at)
                for row in connection.execute(query)
            ]

    def names(self) -> dict[int, str]:
        """Return the names of the campaigns by number, the newest first: all that a list to choose from needs."""
        query = sa.select(campaigns.c.id, campaigns.c.name).where(~campaigns.c.archived).order_by(campaigns.c.id.desc())
        with self.database.read() as connection:
            return {row.id: row.name for row in connection.execute(query)}

    def archive(self, number: int, archived: bool = True, *, person: int | None = None) -> None:
        """Put a campaign out of sight, or back; from that moment on it takes nothing more, in any process."""
        if set_state(self.database, number, person, archived=archived):
            audit("campaign-archived" if archived else "campaign-returned", campaign=number, by_number=person)

    def pause(self, number: int, paused: bool = True, *, person: int | None = None) -> None:
        """Let a campaign take no labels for a while, in any process, or go on."""
        if set_state(self.database, number, person, paused=paused):
            audit("campaign-paused" if paused else "campaign-resumed", campaign=number, by_number=person)

    def duplicate(self, number: int, name: str, *, labels: bool, person: int | None = None) -> int:
        """Make another campaign on the same pool with the settings as they are now; return its number."""
        made = duplicate(self.database, number, checked_name(name, "campaign"), labels=labels, person=person)
        audit("campaign-duplicated", campaign=made, of=number, by_number=person, labels=labels)
        return made

    def delete(self, number: int, typed: str, *, person: int | None = None) -> Deletion:
        """Remove a campaign with all its labels, if its name was typed as it is; the list of deletions keeps that."""
        gone = delete(self.database, number, typed, person)
        self.forget(number)
        audit("campaign-deleted", campaign=number, name=gone.name, by_number=person)
        return gone

    def deletions(self) -> list[Deletion]:
        """Return which campaigns were deleted, the latest first."""
        return read_deletions(self.database)

    def open(self, number: int) -> OpenCampaign:
        """Return the campaign, ready to use; the same object for every session of this process."""
        with self._lock:
            if self._generation != self.database.generation:  # what is open is of another database
                self._open, self._generation = {}, self.database.generation
            if number not in self._open:
                self._open[number] = self._load(number)
            return self._open[number]

    def is_open(self, number: int) -> bool:
        """Say whether a campaign is ready in this process, so that to ask it something costs little."""
        with self._lock:
            return number in self._open and self._generation == self.database.generation

    def forget(self, number: int) -> None:
        """Drop the opened object; the next `open` rebuilds it from the log."""
        with self._lock:
            self._open.pop(number, None)

    def forget_all(self, content_hash: str) -> None:
        """Drop the opened objects of every campaign on a collection, because its texts have changed."""
        with self._lock:
            self._open = {
                number: opened
                for number, opened in self._open.items()
                if opened.collection.content_hash != content_hash
            }

    def _load(self, number: int) -> OpenCampaign:
        with self.database.read() as connection:
            row = connection.execute(sa.select(campaigns).where(campaigns.c.id == number)).one_or_none()
        if row is None:
            raise InputError(f"campaign {number} does not exist")
        try:
            settings = Settings.from_dict(row.settings)
            cuts = Discretizer.from_dict(row.edges)
        except UnknownNameError as error:
            hint = (
                "" if isinstance(error, OutsidePackageError) else " If it is of an outside package, install that again."
            )
            raise type(error)(f"the campaign {row.name} cannot be opened: {error}{hint}") from error
        made = Setup(unpack_numbers(row.pool_rows), unpack_numbers(row.evaluation_rows), cuts)
        collection = self.collections.load(row.collection_id)
        log = DatabaseLog(self.database, number, row.created_at)
        terms = self.collections.query_terms(row.collection_id)
        analyser = self.collections.analyser(row.collection_id)
        if analyser is not None:
            analyser.query_words("the")  # loads its lists of words now, so that the first document need not wait
        return OpenCampaign(number, row.name, settings, row.collection_id, collection, made, log, terms)

    def events(self, number: int) -> list[LabelEvent]:
        """Return the whole log of a campaign."""
        with self.database.read() as connection:
            return read_events(connection, number)

    def ledger(self, number: int) -> list[dict[str, object]]:
        """Return the selections of a campaign, oldest first: who was asked what, when and why."""
        query = (
            sa.select(selections, claims.c.person_id, claims.c.state)
            .outerjoin(claims, claims.c.selection_id == selections.c.id)
            .where(selections.c.campaign_id == number)
            .order_by(selections.c.id)
        )
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def selection_of(self, number: int, row: int) -> KeptSelection | None:
        """Return how a document of the pool was first chosen; None where no sampler asked for it."""
        query = (
            sa.select(*(selections.c[name] for name in ("sampler", "round", "reason", "created_at")))
            .where(selections.c.campaign_id == number, selections.c.row == row)
            .order_by(selections.c.id)
            .limit(1)
        )
        with self.database.read() as connection:
            found = connection.execute(query).first()
        return None if found is None else KeptSelection(*found)

    def last_event(self, number: int) -> int:
        """Return the number of the campaign's latest event, 0 if there is none; a look that keeps no writer waiting."""
        query = sa.select(sa.func.max(label_events.c.id)).where(label_events.c.campaign_id == number)
        with self.database.read() as connection:
            return int(connection.scalar(query) or 0)

    def snapshots(self, number: int, kind: str) -> list[Snapshot]:
        """Return what is kept of a kind, the latest first."""
        mine = sa.and_(snapshots.c.campaign_id == number, snapshots.c.kind == short_kind(kind))
        query = sa.select(snapshots).where(mine).order_by(snapshots.c.id.desc())
        with self.database.read() as connection:
            return [
                Snapshot(row.kind, row.labels, row.event_id, row.settings, row.values, row.created_at)
                for row in connection.execute(query)
            ]

    def put_snapshot(
        self,
        number: int,
        kind: str,
        labels: int,
        values: dict[str, Any],
        *,
        settings: dict[str, Any] | None = None,
        event_id: int | None = None,
    ) -> None:
        """Keep what was worked out for so many labels, in place of an older one of the same kind and labels."""
        kind = short_kind(kind)
        mine = sa.and_(snapshots.c.campaign_id == number, snapshots.c.kind == kind, snapshots.c.labels == labels)
        row = {
            "campaign_id": number,
            "kind": kind,
            "labels": labels,
            "event_id": event_id,
            "settings": settings or {},
            "values": values,
            "created_at": time.time(),
        }
        with self.database.write() as connection:
            connection.execute(sa.delete(snapshots).where(mine))
            connection.execute(sa.insert(snapshots).values(row))


def short_kind(kind: str) -> str:
    """Return a snapshot's kind as the table holds it: a long one (a ranker with parameters) cut, with a hash."""
    if len(kind) <= LONGEST_KIND:
        return kind
    return kind[: LONGEST_KIND - 16] + hashlib.sha256(kind.encode()).hexdigest()[:16]


_undo = label_events.alias("undo")


def _counts(numbers: Collection[int] | None = None) -> sa.Select[Any]:
    """Select how many documents of each campaign (of `numbers`) have a grade, from how many people, and since when.

    As `LogFold` has it: what counts is the last act of each person on a document that was not undone, the last word of
    those who adjudicate, and what was imported.
    """
    event = label_events.c
    whose = sa.case(
        (event.kind == Kind.ADJUDICATE.value, -1),
        (event.kind == Kind.IMPORT.value, -2),
        else_=sa.func.coalesce(event.person_id, 0),
    )
    place = sa.func.row_number().over(partition_by=(event.campaign_id, event.row, whose), order_by=event.id.desc())
    kinds = [kind.value for kind in (*ACTS, Kind.ADJUDICATE, Kind.IMPORT)]
    acts = (
        sa.select(event.campaign_id, event.kind, event.row, event.person_id, event.grade, event.created_at)
        .add_columns(place.label("place"))
        .where(event.kind.in_(kinds))
        .where(~sa.exists().where(_undo.c.undoes == event.id))
        .where(sa.true() if numbers is None else event.campaign_id.in_(numbers))
        .subquery()
    ).c
    counts, graded = sa.and_(acts.place == 1, acts.grade.is_not(None)), acts.kind == Kind.GRADE.value
    return sa.select(
        acts.campaign_id,
        sa.func.count(sa.distinct(sa.case((counts, acts.row)))).label("labelled"),
        sa.func.count(sa.distinct(sa.case((sa.and_(counts, graded), acts.person_id)))).label("people"),
        sa.func.max(sa.case((graded, acts.created_at))).label("last"),
    ).group_by(acts.campaign_id)


def campaign_values(name: str, settings: Settings, made: Setup, person: int | None) -> dict[str, object]:
    """Return a new campaign's row, but for its collection."""
    return {
        "name": name,
        "settings": settings.to_dict(),
        "edges": made.discretizer.to_dict(),
        "pool_rows": pack_numbers(made.pool_rows),
        "evaluation_rows": pack_numbers(made.evaluation_rows),
        "archived": False,
        "paused": False,
        "created_by": person,
        "created_at": time.time(),
    }
