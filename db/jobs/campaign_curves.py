"""The worker's part of the Progress page: random replays, slow rankers' curves and looks, kept for all."""

from __future__ import annotations

from typing import Any

from db.campaigns import Campaigns
from db.collections import Collections
from db.store.engine import Database
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import KIND, audience, kept
from rulerank.campaign.curves import random_replay, snapshot_kind, whole_curve
from rulerank.campaign.looking import whole_looks
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
    """Work out `what` ("random", "curve" or "looks") of a campaign with a ranker, and keep it as a snapshot.

    `asks` among the arguments: metrics with parameters that are measured too (`Audience.asks`).
    """
    number, what, ranker = int(arguments["campaign"]), str(arguments["what"]), str(arguments["ranker"])
    campaigns = Campaigns(database, Collections(database))
    opened = campaigns.open(number)
    readers = read_audience(campaigns, opened).asking(*arguments.get("asks", ()))
    kind = snapshot_kind(what, ranker, readers)
    if what == "random":
        length = int(arguments["labels"])
        values = random_replay(opened, ranker, length, named(progress, "random orders"), readers)
        campaigns.put_snapshot(number, kind, length, values)
        return {"labels": length}
    if what in ("curve", "looks"):
        seen = opened.live.refresh().seen
        if what == "curve":
            values = whole_curve(opened, ranker, named(progress, "points"), readers)
        else:
            values = whole_looks(opened, ranker, named(progress, "looks"), readers)
        labels = len(values["rows"])
        campaigns.put_snapshot(number, kind, labels, values, event_id=seen)
        return {"labels": labels}
    raise InputError(f"a replay works out 'random', 'curve' or 'looks', not {what!r}")
