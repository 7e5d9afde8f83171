"""The label log in the database: one exclusive transaction per step, events appended and never changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from db.collections import checked_name
from db.store.engine import Database
from db.store.tables import campaigns, claims, label_events, selections
from rulerank import __version__
from rulerank.campaign import About, Change, Claim, Kind, LabelEvent
from rulerank.errors import InputError
from rulerank.sampling import Selection


class DatabaseLog:
    """The log of one campaign (a `rulerank.campaign.LabelLog`)."""

    def __init__(self, database: Database, campaign: int, made_at: float | None = None) -> None:
        """`made_at` distinguishes the campaign from another that has its number, after a backup was put back."""
        self.database = database
        self.campaign = campaign
        self.made_at = made_at

    @contextmanager
    def transaction(self) -> Iterator[DatabaseSession]:
        """Begin an exclusive transaction; it is committed at the end, or not at all."""
        with self.database.write(campaign=self.campaign) as connection:
            session = DatabaseSession(connection, self.campaign)
            if session.made_at is None or self.made_at not in (None, session.made_at):
                self.database.renew()
                raise InputError(f"campaign {self.campaign} is not in the database any more; go to Home")
            yield session


class DatabaseSession:
    """The log within one transaction (a `rulerank.campaign.LogSession`).

    The transaction is exclusive, so events and claims are read once; what is written afterwards is known here.
    """

    def __init__(self, connection: sa.Connection, campaign: int) -> None:
        self.connection = connection
        self.campaign = campaign
        self._read_to: int | None = None  # events after this number are known
        self._events: list[LabelEvent] = []
        self._claims: dict[str, Claim] = {}
        self.made_at: float | None = None  # None: there is no such campaign
        for row in connection.execute(_CAMPAIGN, {"campaign": campaign}):
            self.made_at = row.made_at
            if row.token is not None:
                self._claims[row.token] = _claim(row)

    def events_after(self, event_id: int) -> list[LabelEvent]:
        """Return later events, oldest first."""
        if self._read_to is None or event_id < self._read_to:
            self._events = read_events(self.connection, self.campaign, event_id)
            self._read_to = event_id
        return [event for event in self._events if event.id > event_id]

    def append(self, event: LabelEvent) -> LabelEvent | None:
        """Write an event; None if its token (or what it undoes) is in the log already."""
        for query, value in ((_WITH_TOKEN, event.token), (_UNDOING, event.undoes)):
            if value is not None and self.connection.scalar(query, {"value": value}):
                return None
        values = {
            "campaign_id": self.campaign,
            "kind": event.kind.value,
            "row": event.row,
            "person_id": event.person,
            "grade": event.grade,
            "text": event.text,
            "token": event.token,
            "undoes": event.undoes,
            "seconds": event.seconds,
            "created_at": event.at,
        }
        if event.kind is Kind.CHANGE:
            self._show(Change.read(event.text))
        number = self.connection.scalar(_APPEND, values)
        assert number is not None
        written = replace(event, id=int(number))
        self._events.append(written)
        return written

    def open_claims(self) -> list[Claim]:
        """Return the claims that are open, oldest first."""
        return list(self._claims.values())

    def open_claim(self, claim: Claim, selection: Selection, assumed: dict[int, int], seed: int) -> Claim:
        """Write a claim and the selection behind it, which was made with a seed."""
        ledger = {
            "campaign_id": self.campaign,
            "row": selection.row,
            "round": selection.round,
            "sampler": selection.sampler,
            "rule_count": selection.rule_count,
            "keys": [list(key) for key in selection.keys],
            "partition": selection.partition,
            "stop": selection.stop,
            "reason": selection.reason,
            "assumed": {str(row): grade for row, grade in assumed.items()},
            "seed": seed,
            "version": __version__,
            "created_at": claim.created_at,
        }
        number = self.connection.scalar(_CHOOSE, ledger)
        kept = replace(claim, selection=number)
        values = {
            "campaign_id": self.campaign,
            "row": kept.row,
            "person_id": kept.person,
            "token": kept.token,
            "selection_id": number,
            "assumed_grade": kept.assumed_grade,
            "state": "open",
            "created_at": kept.created_at,
            "expires_at": kept.expires_at,
        }
        self.connection.execute(_CLAIM, values)
        self._claims[kept.token] = kept
        return kept

    def assume(self, token: str, grade: int) -> None:
        """Note which grade a claimed document counts with."""
        self._change(token, assumed_grade=grade)

    def extend(self, token: str, expires_at: float) -> None:
        """Let an open claim expire later."""
        self._change(token, expires_at=expires_at)

    def close_claim(self, token: str, state: str) -> bool:
        """Close an open claim; False if it was not open."""
        closed = self._change(token, state=state, closed_at=time.time())
        self._claims.pop(token, None)
        return closed

    def _show(self, change: Change) -> None:
        """Write what lists show of a campaign into its row as well; the log is what counts."""
        shown = {name: value for name, value in change.after.items() if name in ("name", "paused", "archived")}
        if change.about is About.READ or not shown:
            return
        if "name" in shown:
            shown["name"] = checked_name(str(shown["name"]), "campaign")
            refuse_taken(self.connection, shown["name"], but=self.campaign)
        try:
            self.connection.execute(sa.update(campaigns).where(campaigns.c.id == self.campaign).values(shown))
        except sa.exc.IntegrityError as error:  # another process took the name at the same moment
            raise name_taken(str(shown["name"])) from error

    def _change(self, token: str, **values: Any) -> bool:
        """Change an open claim; False if it is not open."""
        found = self.connection.execute(_CHANGE, {"which": token, **values})
        if token in self._claims and "state" not in values:
            self._claims[token] = replace(self._claims[token], **values)
        return bool(found.rowcount)


def name_taken(name: str) -> InputError:
    """Return the error that says that a campaign has this name already."""
    return InputError(f"a campaign is named {name!r} already; choose another name")


def refuse_taken(connection: sa.Connection, name: str, *, but: int | None = None) -> None:
    """Raise an error if another campaign than `but` has a name."""
    found = connection.scalar(sa.select(campaigns.c.id).where(campaigns.c.name == name))
    if found not in (None, but):
        raise name_taken(name)


def read_events(connection: sa.Connection, campaign: int, after: int = 0) -> list[LabelEvent]:
    """Return a campaign's events with a higher number than `after`, oldest first."""
    return [
        LabelEvent(
            Kind(row.kind),
            row.row,
            row.person_id,
            row.grade,
            row.text,
            row.token,
            row.undoes,
            row.seconds,
            row.created_at,
            row.id,
        )
        for row in connection.execute(_EVENTS, {"campaign": campaign, "after": after})
    ]


# Made once: putting a statement together costs more than running it.
_APPEND = sa.insert(label_events).returning(label_events.c.id)
_CHOOSE = sa.insert(selections).returning(selections.c.id)
_CLAIM = sa.insert(claims)
_CHANGE = sa.update(claims).where(claims.c.token == sa.bindparam("which"), claims.c.state == "open")
_WITH_TOKEN = sa.select(label_events.c.id).where(label_events.c.token == sa.bindparam("value"))
_UNDOING = sa.select(label_events.c.id).where(label_events.c.undoes == sa.bindparam("value"))
_EVENTS = (
    sa.select(label_events)
    .where(label_events.c.campaign_id == sa.bindparam("campaign"), label_events.c.id > sa.bindparam("after"))
    .order_by(label_events.c.id)
)
# The campaign and its open claims: one question for all that a step begins with.
_CAMPAIGN = (
    sa.select(
        campaigns.c.created_at.label("made_at"),
        *(claims.c[name] for name in ("row", "person_id", "token", "created_at", "expires_at")),
        *(claims.c[name] for name in ("selection_id", "assumed_grade")),
    )
    .select_from(campaigns.outerjoin(claims, sa.and_(claims.c.campaign_id == campaigns.c.id, claims.c.state == "open")))
    .where(campaigns.c.id == sa.bindparam("campaign"))
    .order_by(claims.c.id)
)


def _claim(row: sa.Row[tuple[object, ...]]) -> Claim:
    return Claim(row.row, row.person_id, row.token, row.created_at, row.expires_at, row.selection_id, row.assumed_grade)
