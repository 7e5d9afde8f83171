"""What an annotator reads while labelling: how far it is, and why the last document was chosen, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.campaign.events import Kind
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.to_go import labels_to_go
from rulerank.registry import samplers
from rulerank.rules import Explanation

MOST_ITEMS = 6
MOST_ASPECTS = 5
MOST_OTHERS = 60
"""Documents graded before that the picture shows: the last ones."""

LEVELS = ("none", "low", "middling", "high")
MATCHES = ("does not match the query at all", "matches the query weakly", "matches the query middling well",
           "matches the query strongly")  # fmt: skip
LENGTHS = ("is empty", "is short", "is of middling length", "is long")
FIELDS = {"title": "title", "body": "text", "whole": "title and text"}
_OF_FIELD = re.compile(rf"(.+)\(({'|'.join(FIELDS)})\)")


@dataclass(frozen=True)
class Aspect:
    """What a judge sees of a document: one feature, or all that say how a part of the text matches the query.

    place: the share of the pool that has less of it; for several features, their mean. level: 0 none, 1 low,
    2 middling, 3 high. columns: the features, by number. telling: whether it says more to a judge than a mere length.
    """

    name: str
    says: str
    place: float
    level: int
    columns: tuple[int, ...]
    telling: bool = True


def level_of(place: float, value: float) -> int:
    """Return how much that is: 0 none, 1 low, 2 middling, 3 high.

    >>> [LEVELS[level_of(place, 1.0)] for place in (0.1, 0.5, 0.9)], LEVELS[level_of(0.0, 0.0)]
    (['low', 'middling', 'high'], 'none')
    """
    if place == 0.0 and value == 0.0:
        return 0
    return 1 + int(place >= 1 / 3) + int(place >= 2 / 3)


def aspects_of(values: Mapping[str, float], places: Mapping[str, float], columns: Iterable[int]) -> list[Aspect]:
    """Return a document's aspects, of the features with these numbers; those of texts are put together by field."""
    names = list(values)
    groups: dict[tuple[str, str], list[int]] = {}
    for column in columns:
        found = _OF_FIELD.fullmatch(names[column])
        key = (names[column], "") if found is None else (found[2], "length" if found[1] == "length" else "match")
        groups.setdefault(key, []).append(column)
    if any(name == "body" for name, kind in groups if kind):  # title and text each speak for themselves
        groups = {key: members for key, members in groups.items() if key[0] != "whole" or not key[1]}
    made = []
    for (name, kind), members in groups.items():
        place = float(np.mean([places[names[column]] for column in members]))
        level = level_of(place, max(abs(values[names[column]]) for column in members))
        if kind:
            part = FIELDS[name]
            shown = f"length of the {part}" if kind == "length" else f"{part}: match with the query"
            says = f"its {part} {(LENGTHS if kind == 'length' else MATCHES)[level]}"
        else:
            shown, says = name, f"its {name} is {LEVELS[level]}"
        made.append(Aspect(shown, says, place, level, tuple(members), kind != "length"))
    return made


def chosen_aspects(aspects: Sequence[Aspect], new: Iterable[int]) -> list[Aspect]:
    """Return the aspects that matter most, the first one first: new, telling, and far from the middle of the pool."""
    fresh = set(new)

    def worth(aspect: Aspect) -> float:
        news = len(fresh.intersection(aspect.columns)) / len(aspect.columns)
        return news / 2 + aspect.telling / 2 + abs(aspect.place - 0.5)

    return sorted(aspects, key=worth, reverse=True)[:MOST_ASPECTS]


def sentence(lead: str, aspects: Sequence[Aspect]) -> str:
    """Say in one sentence what is particular about a document: what matters most, and what differs most from it.

    >>> title = Aspect("title", "its title matches the query weakly", 0.1, 1, (0,))
    >>> text = Aspect("text", "its text matches the query strongly", 0.9, 3, (1,))
    >>> sentence("Unlike anything graded so far", [title, text])
    'Unlike anything graded so far: its title matches the query weakly, but its text strongly.'
    """
    if not aspects:
        return f"{lead}."
    first = aspects[0]
    other = max(aspects[1:], key=lambda each: each.telling / 2 + abs(each.place - first.place), default=None)
    if other is None:
        return f"{lead}: {first.says}."
    second, common = other.says, " matches the query "
    if common in first.says and common in second:
        if first.level == other.level:
            which, how = first.says.split(common)
            return f"{lead}: {which} and {second.partition(common)[0]} match the query {how}."
        second = second.replace(common, " ")
    differ = abs(first.level - other.level) > 1 or (0 in (first.level, other.level) and first.level != other.level)
    joint = ", but " if differ else " and "
    return f"{lead}: {first.says}{joint}{second}."


def _lead(opened: OpenCampaign, why: Explanation, before: int) -> str:
    kind = samplers[opened.settings.sampler.name]
    if not before:
        return "The first one: nothing was graded before it"
    if not kind.counts_rules:
        return f"Chosen by “{kind.label.partition(' (')[0]}”"
    share = len(why.new_items) / max(1, opened.items.shape[1])
    if share >= 0.25 or not why.rule_count:
        return "Unlike anything graded so far"
    return "Partly unlike anything graded so far" if share else "The one that the grades so far say least about"


def why_shown(opened: OpenCampaign, person: int) -> dict[str, Any]:
    """Return why the document that this person labelled last was chosen, for the panel.

    `head` is the sentence, `picture` where the document lies among those graded before, `parts` the rules themselves.
    """
    last = opened.live.fold.last_act(person)
    if last is None:
        return {"head": "Label one first: a reason shown before would sway the judge.", "about": "", "parts": []}
    row = last.row
    why = opened.live.why(row)
    graded = [other for other in opened.labelled()[0] if other != row]
    useful = [int(column) for column in opened.useful]
    aspects = aspects_of(opened.features(row), opened.feature_places(row), useful)
    shown = chosen_aspects(aspects, [useful[feature] for feature, _ in why.new_items])
    qid, docid = opened.document(row)
    return {
        "head": sentence(_lead(opened, why, len(graded)), shown),
        "about": f"{docid or f'Document {row + 1}'} for query {qid}",
        "picture": _picture(opened, shown, graded[-MOST_OTHERS:]),
        "parts": _rules(opened, why),
    }


def _picture(opened: OpenCampaign, aspects: Sequence[Aspect], others: list[int]) -> list[dict[str, Any]]:
    """Return each aspect with its place in the pool, and the places of other documents."""
    made = []
    for aspect in aspects:
        values = opened.collection.features[opened.pool_rows][:, list(aspect.columns)]
        places = np.zeros(len(others))
        for column in values.T:
            places += np.searchsorted(np.sort(column), column[others], side="left") / len(column)
        made.append(
            {
                "name": aspect.name,
                "level": LEVELS[aspect.level],
                "place": round(aspect.place, 3),
                "others": (places / len(aspect.columns)).round(3).tolist(),
            }
        )
    return made


def _rules(opened: OpenCampaign, why: Explanation) -> list[dict[str, Any]]:
    parts = []
    if why.rule_count:
        drew = f"It drew {why.rule_count:,} rules from what was labelled before it. The strongest:"
        parts.append({"text": drew, "list": [rule.describe(opened.item_text) for rule in why.strongest(4)]})
    else:
        parts.append({"text": "It drew no rule: nothing labelled before shared anything with it.", "list": []})
    if why.new_items:
        new = [opened.item_text(feature, number) for feature, number in why.new_items[:MOST_ITEMS]]
        more = len(why.new_items) - len(new)
        rest = [f"and {more} more"] if more else []
        parts.append({"text": "New, not seen in any labelled document before:", "list": new + rest})
    return parts


def own_labels(opened: OpenCampaign, person: int, since: float) -> str:
    """Say how many labels a person gave today, and in all; `since` is when their day began."""
    fold = opened.live.fold
    today, mine = (fold.count_of(person, Kind.GRADE, start) for start in (since, 0.0))
    untold = fold.count_of(person, Kind.CANNOT_TELL)
    rest = f", and {untold:,} can't tell" if untold else ""
    return f"{today:,} label{'' if today == 1 else 's'} today, {mine:,} in all{rest}"


def progress_shown(opened: OpenCampaign, person: int, since: float, *, paused: bool = False) -> dict[str, Any]:
    """Return how much a person labelled and about how much is left, for the panel; `since` is when their day began.

    `share` is that of a bar, which only grows as labels are given; None where the end is not known beforehand.
    """
    fold, pool = opened.live.fold, len(opened.items)
    labelled = len(fold.current())
    own = own_labels(opened, person, since)
    overlap = opened.settings.overlap
    left = max(pool - labelled, overlap * pool - len(fold.labelled_at) if overlap > 1 else 0)
    graded = f"{labelled:,} of {pool:,} query-document pairs graded"
    to_go = f"{left:,} label{'' if left == 1 else 's'} to go"
    if paused or not left:
        return {"own": own, "text": graded, "share": None}
    if not samplers[opened.settings.sampler.name].counts_rules:
        share = 1 - left / (overlap * pool)
        return {"own": own, "text": f"about {to_go} · {graded}", "share": round(share, 4)}
    if labelled and opened.live.at_natural_stop():
        return {"own": own, "text": f"past the natural stop · {graded}", "share": None}
    known = labels_to_go(opened)
    rest = "how many are to go is not known yet" if known is None else f"{known} labels to go"
    return {"own": own, "text": f"{rest} · {graded}", "share": None}
