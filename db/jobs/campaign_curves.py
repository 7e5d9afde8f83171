"""The worker's part of the Progress page: random replays and slow rankers' curves, worked out once and kept."""

from __future__ import annotations

from typing import Any

from db.campaigns import Campaigns
from db.collections import Collections
from db.store.engine import Database
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import KIND, audience, kept
from rulerank.campaign.curves import random_replay, whole_curve
from rulerank.errors import InputError
from rulerank.metrics import Audience
from rulerank.progress import Progress, named


def read_audience(campaigns: Campaigns, opened: OpenCampaign) -> Audience:
    """Return who reads a campaign's rankings: languages from the collection's texts, and the learned users it keeps."""
    languages = campaigns.collections.languages(opened.collection_id)
    learned = campaigns.snapshots(opened.id, KIND)[:1]
    return audience(
        opened,
        [languages.get(docid) for docid in opened.collection.docids],
        kept(learned[0].values) if learned else {},
    )


def work_out(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Work out `what` ("random" or "curve") of a campaign with a ranker, and keep it as a snapshot."""
    number, what, ranker = int(arguments["campaign"]), str(arguments["what"]), str(arguments["ranker"])
    campaigns = Campaigns(database, Collections(database))
    opened = campaigns.open(number)
    kind = f"{what}:{ranker}"
    readers = read_audience(campaigns, opened)
    if what == "random":
        length = int(arguments["labels"])
        values = random_replay(opened, ranker, length, named(progress, "random orders"), readers)
        campaigns.put_snapshot(number, kind, length, values)
        return {"labels": length}
    if what == "curve":
        seen = opened.live.refresh().seen
        values = whole_curve(opened, ranker, named(progress, "points"), readers)
        labels = len(values["rows"])
        campaigns.put_snapshot(number, kind, labels, values, event_id=seen)
        return {"labels": labels}
    raise InputError(f"a replay works out 'random' or 'curve', not {what!r}")
