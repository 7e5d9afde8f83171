"""The worker's part of the Progress page: random replays and slow rankers' curves, worked out once and kept."""

from __future__ import annotations

from typing import Any

from db.campaigns import Campaigns
from db.collections import Collections
from db.engine import Database
from db.jobs import HANDLERS, Progress
from rulerank.campaign.replay import random_replay, whole_curve
from rulerank.errors import InputError


def replay(database: Database, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Work out `what` ("random" or "curve") of a campaign with a ranker, and keep it as a snapshot."""
    number, what, ranker = int(arguments["campaign"]), str(arguments["what"]), str(arguments["ranker"])
    campaigns = Campaigns(database, Collections(database))
    opened = campaigns.open(number)
    kind = f"{what}:{ranker}"
    if what == "random":
        length = int(arguments["labels"])
        values = random_replay(opened, ranker, length, lambda done, total: progress(done, total, "random orders"))
        campaigns.put_snapshot(number, kind, length, values)
        return {"labels": length}
    if what == "curve":
        seen = opened.live.refresh().seen
        values = whole_curve(opened, ranker, lambda done, total: progress(done, total, "points"))
        labels = len(values["rows"])
        campaigns.put_snapshot(number, kind, labels, values, event_id=seen)
        return {"labels": labels}
    raise InputError(f"a replay works out 'random' or 'curve', not {what!r}")


HANDLERS["replay"] = replay
