"""How far a campaign is: measured against where it ends, which is its natural stop, or its pool if it has none."""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.campaign.opened import OpenCampaign


@dataclass(frozen=True)
class Standing:
    """Documents with a grade, the share of a bar (None: nothing to measure against yet), and the words beside it."""

    labelled: int
    share: float | None
    words: str


def standing(opened: OpenCampaign) -> Standing:
    """Say how far a campaign is, by the labels as the process knows them."""
    live = opened.live
    labelled, pool = len(live.fold.current()), len(opened.items)
    if labelled >= pool:
        return Standing(labelled, 1.0, f"Done: all {pool:,d} documents are labelled.")
    if live.rule_counts() is None:
        words = "This sampler has no natural stop: it ends with the pool, or when you decide."
        return Standing(labelled, labelled / pool, words)
    if labelled and live.at_natural_stop():
        others = pool - labelled
        verb = "one would repeat" if others == 1 else f"{others:,d} would repeat"
        return Standing(labelled, 1.0, f"The natural stop is reached: the other {verb} what is known.")
    distance = live.stop_distance()
    if distance is None:
        return Standing(labelled, None, "It ends at its natural stop, long before the whole pool is labelled.")
    fewest, least = distance
    return Standing(
        labelled,
        min(1.0, fewest / max(1, least)),
        f"Towards the natural stop: the next document draws {fewest:,d} rules; it stops where that passes the labelled "
        f"ones' fewest, now {least:,d}.",
    )
