"""What an annotator reads while labelling: how far it is, and why a document was chosen, in plain words."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
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

# All of it compares: a feature that was scaled, or shifted, is least at 0 without there being nothing.
LEVELS = ("least", "low", "middling", "high")
OTHERS = ("is among the lowest", *(f"is {level}" for level in LEVELS[1:]))
MATCHES = ("matches the query as little as any", "matches the query weakly", "matches the query middling well",
           "matches the query strongly")  # fmt: skip
LENGTHS = ("is among the shortest", "is short", "is of middling length", "is long")
FIELDS = {"title": "title", "body": "text", "whole": "title and text"}
_OF_FIELD = re.compile(rf"(.+)\(({'|'.join(FIELDS)})\)")


@dataclass(frozen=True)
class Aspect:
    """What a judge sees of a document: one feature, or all that say how a part of the text matches the query.

    place: the share of the pool that has less of it; for several features, their mean. level: 0 nothing has less,
    1 low, 2 middling, 3 high. columns: the features, by number. telling: whether it says more to a judge than a mere
    length. scaled: whether its values compare documents of one query only.
    """

    name: str
    says: str
    place: float
    level: int
    columns: tuple[int, ...]
    telling: bool = True
    scaled: bool = False


def level_of(place: float) -> int:
    """Return how much that is among all: 0 nothing has less, 1 low, 2 middling, 3 high.

    >>> [LEVELS[level_of(place)] for place in (0.0, 0.1, 0.5, 0.9)]
    ['least', 'low', 'middling', 'high']
    """
    return 0 if place == 0.0 else 1 + int(place >= 1 / 3) + int(place >= 2 / 3)


def aspects_of(places: Mapping[str, float], columns: Iterable[int], scaled: Container[int] = ()) -> list[Aspect]:
    """Return a document's aspects, of the features with these numbers; those of texts are put together by field.

    places: by the names of all features, the share of the pool that has less. scaled: the features whose values compare
    documents of one query only.
    """
    names = list(places)
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
        level = level_of(place)
        if kind:
            part = FIELDS[name]
            shown = f"length of the {part}" if kind == "length" else f"{part}: match with the query"
            says = f"its {part} {(LENGTHS if kind == 'length' else MATCHES)[level]}"
        else:
            shown, says = name, f"its {name} {OTHERS[level]}"
        by_query = any(column in scaled for column in members)
        made.append(Aspect(shown, says, place, level, tuple(members), kind != "length", by_query))
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
    if first.scaled or (other is not None and other.scaled):
        lead = f"{lead}: for its query"
        ground = ", "
    else:
        ground = ": "
    if other is None:
        return f"{lead}{ground}{first.says}."
    second, common = other.says, " matches the query "
    if common in first.says and common in second:
        if first.level == other.level:
            which, how = first.says.split(common)
            return f"{lead}{ground}{which} and {second.partition(common)[0]} match the query {how}."
        second = second.replace(common, " ")
    differ = abs(first.level - other.level) > 1 or (0 in (first.level, other.level) and first.level != other.level)
    joint = ", but " if differ else " and "
    return f"{lead}{ground}{first.says}{joint}{second}."


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
    """Return why the document that this person labelled last was chosen, for the panel."""
    last = opened.live.fold.last_act(person)
    if last is None:
        return {"head": "Label one first: a reason shown before would sway the judge.", "about": "", "parts": []}
    return why_chosen(opened, last.row)


def why_chosen(opened: OpenCampaign, row: int) -> dict[str, Any]:
    """Return why a document was chosen that was labelled, at any time: as of the labels before its first one.

    Those count with the grades that they have now. `head` is the sentence, `picture` where the document lies among
    those graded before, `parts` the rules themselves.
    """
    why = opened.live.why(row)
    order = opened.labelled()[0]
    graded = order[: order.index(row)] if row in order else order
    useful = [int(column) for column in opened.useful]
    columns, scaled = _comparable(opened, row, useful)
    aspects = aspects_of(opened.feature_places(row), columns, scaled)
    shown = chosen_aspects(aspects, [useful[feature] for feature, _ in why.new_items])
    qid, docid = opened.document(row)
    return {
        "head": sentence(_lead(opened, why, len(graded)), shown),
        "about": f"{docid or f'Document {row + 1}'} for query {qid}",
        "picture": _picture(opened, shown, graded[-MOST_OTHERS:]),
        "parts": _rules(opened, why),
    }


def _comparable(opened: OpenCampaign, row: int, columns: list[int]) -> tuple[list[int], list[int]]:
    """Return the features that say something of a document, and those of them that were scaled within each query.

    Where all documents of a query are alike, scaling makes 0 of whatever they have.
    """
    scaled = opened.scaled_by_query
    collection = opened.collection
    mine = collection.features[collection.query_index == opened.query_index[row]]
    alike = (mine == mine[0]).all(axis=0)
    kept = [column for column in columns if not (scaled[column] and alike[column])]
    return kept, [column for column in kept if scaled[column]]


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
