"""A whole import in one step: collection, texts, campaign and known labels are stored together, or none of them.

What takes long (compressing, fitting edges) happens before the transaction, so that labels are not kept waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

import sqlalchemy as sa

from db.campaigns import campaign_values
from db.collections import Collections, checked_name, find_same, packed, write_analyser, write_texts
from db.log import refuse_taken
from db.store.engine import Database
from db.store.tables import LONGEST_KIND, campaigns, label_events, snapshots
from db.whole_campaigns import insert_campaign
from rulerank.audit import audit
from rulerank.campaign import Kind, Settings, Setup, set_up
from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.progress import Progress, silent
from rulerank.registry import rankers
from rulerank.text import Analyser, Texts


def import_campaign(
    database: Database,
    name: str,
    collection: Collection,
    settings: Settings,
    *,
    texts: Texts | None = None,
    analyser: Analyser | None = None,
    collection_name: str = "",
    pool_rows: Iterable[int] | None = None,
    evaluation_rows: Iterable[int] = (),
    labels: Mapping[int, int] | None = None,
    person: int | None = None,
    progress: Progress = silent,
    note: Callable[[sa.Connection, int], None] | None = None,
) -> int:
    """Store a collection and a campaign on it, and return the campaign's number.

    `analyser` is the one that the texts were prepared with. `labels` are grades by row of the collection; those of the
    pool become events of the kind 'import'. The same content is stored once. `progress(done, total)` counts rows; one
    that raises stops the import, and nothing stays.
    `note(connection, campaign)` writes what belongs to the import within its transaction.
    """
    name = checked_name(name, "campaign")
    called = checked_name(collection_name.strip() or name, "collection")
    with database.read() as connection:
        refuse_taken(connection, name)
        known = find_same(connection, collection)
    progress(0, len(collection))
    made = set_up(collection, settings, pool_rows, evaluation_rows)
    values = campaign_values(name, settings, made, person)
    events = _events(made, labels or {}, len(settings.grades), person)
    chunks = [] if known is not None else list(packed(collection, progress))

    def store() -> int:
        with database.write() as connection:
            refuse_taken(connection, name)
            number = find_same(connection, collection)
            if number is None:
                number = Collections(database).insert(connection, called, collection, chunks)
            if texts is not None:
                write_texts(connection, number, texts)
            if analyser is not None:
                write_analyser(connection, number, analyser)
            if texts is not None or analyser is not None:
                _forget_measured(connection, number)
            campaign = insert_campaign(connection, {"collection_id": number, **values})
            if events:
                connection.execute(sa.insert(label_events), [{"campaign_id": campaign, **event} for event in events])
            if note is not None:
                note(connection, campaign)
            progress(len(collection), len(collection))  # the last moment to cancel
            return campaign

    try:
        stored = store()
    except sa.exc.IntegrityError:
        # Another process stored the same content, or took the name, at the same moment: now it is there to be found.
        stored = store()
    audit("campaign-made", campaign=stored, name=name, by_number=person, documents=len(made.pool_rows))
    return stored


def _forget_measured(connection: sa.Connection, collection: int) -> None:
    """Drop what older campaigns on a collection have measured with other terms of its queries."""
    kinds = [f"{what}:{entry.name}" for what in ("random", "curve") for entry in rankers if entry.value.takes_terms]
    mine = sa.select(campaigns.c.id).where(campaigns.c.collection_id == collection)
    same = [snapshots.c.kind.startswith(kind[: LONGEST_KIND - 16], autoescape=True) for kind in kinds]
    connection.execute(sa.delete(snapshots).where(snapshots.c.campaign_id.in_(mine), sa.or_(*same)))


def _events(made: Setup, labels: Mapping[int, int], levels: int, person: int | None) -> list[dict[str, object]]:
    """Return the log's rows for known grades; an event counts its row within the pool."""
    now = time.time()
    places = {row: place for place, row in enumerate(made.pool_rows.tolist())}
    found: list[dict[str, object]] = []
    for row, grade in sorted(labels.items()):
        if row not in places:
            continue
        if not 0 <= grade < levels:
            raise InputError(f"row {row}: grade {grade} does not exist here; grades are 0 to {levels - 1}")
        event = {"kind": Kind.IMPORT.value, "row": places[row], "person_id": person, "grade": int(grade)}
        found.append({**event, "text": "", "created_at": now})
    return found
