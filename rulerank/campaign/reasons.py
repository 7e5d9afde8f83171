"""Why a document was chosen, told after it was labelled: its rules in words, how many, its place, what was new."""

from __future__ import annotations

from typing import Any

from rulerank.campaign.opened import OpenCampaign

MOST_ITEMS = 6


def why_shown(opened: OpenCampaign, person: int) -> dict[str, Any]:
    """Return why the document that this person labelled last was chosen, for the panel."""
    last = opened.live.fold.last_act(person)
    if last is None:
        return {"head": "Label one first: a reason shown before would sway the judge.", "parts": []}
    told = opened.live.why(last.row)
    qid, docid = opened.document(last.row)
    parts = []
    if told.rule_count:
        drew = f"It drew {told.rule_count:,} rules from what was labelled before it. The strongest:"
        parts.append({"text": drew, "list": [rule.describe(opened.item_text) for rule in told.strongest(4)]})
    else:
        parts.append({"text": "It drew no rule: nothing labelled before shared anything with it.", "list": []})
    if told.new_items:
        new = [opened.item_text(feature, number) for feature, number in told.new_items[:MOST_ITEMS]]
        more = len(told.new_items) - len(new)
        told_more = [f"and {more} more"] if more else []
        parts.append({"text": "New, not seen in any labelled document before:", "list": new + told_more})
    return {"head": f"{docid or f'Document {last.row + 1}'} for query {qid}", "parts": parts}


def stop_shown(opened: OpenCampaign) -> dict[str, Any]:
    """Return how much is labelled and, where the sampler has a natural stop, how far it is, for the panel."""
    labelled = f"{len(opened.live.fold.current()):,} of {len(opened.items):,} labelled"
    distance = opened.live.stop_distance()
    if distance is None:
        return {"text": labelled, "share": None}
    fewest, least = distance
    told = (
        f"{labelled}. Towards the natural stop: the next document draws {fewest:,} rules, labelled ones at least "
        f"{least:,}. When none draws fewer than those, more labels would repeat what is known."
    )
    return {"text": told, "share": min(1.0, fewest / max(1, least))}
