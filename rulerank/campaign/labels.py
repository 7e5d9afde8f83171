"""The labels of a campaign, worked out once for all who look: in their order, with time, people and how far it is."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.curves import new_curve
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.stopping import Coverage, RuleState, coverage, rule_state
from rulerank.campaign.to_go import labels_to_go
from rulerank.curves import LearningCurve
from rulerank.metrics import Audience, Measure
from rulerank.metrics.audience import LEARNED
from rulerank.registry import samplers


@dataclass(frozen=True)
class Standing:
    """Documents with a grade, the share of a bar (None: the end is not known beforehand), and the words beside it."""

    labelled: int
    share: float | None
    words: str


def standing(opened: OpenCampaign) -> Standing:
    """Say how far a campaign is, by the labels as the process knows them."""
    live = opened.live
    labelled, pool = len(live.fold.current()), len(opened.items)
    if labelled >= pool:
        return Standing(labelled, 1.0, f"Done: all {pool:,d} pairs are labelled.")
    if not samplers[opened.settings.sampler.name].counts_rules:
        words = f"{pool - labelled:,d} to go, or until you decide: this sampler has no natural stop."
        return Standing(labelled, labelled / pool, words)
    if labelled and live.at_natural_stop():
        words = (
            "The sampler has reached its natural stop: the document it would ask for next is graded already. Whether "
            "the labels are enough, the stop light on Progress says."
        )
        return Standing(labelled, 1.0, words)
    to_go = labels_to_go(opened)
    if to_go is None:
        words = "The sampler has a natural stop; how many labels are to go until then is not known yet."
        return Standing(labelled, None, words)
    return Standing(labelled, None, f"{str(to_go).capitalize()} labels to go until its natural stop.")


LONGEST_PAUSE = 300.0
"""Seconds. Who takes longer over a document has probably left it; the rest does not count as labelling time."""


@dataclass(frozen=True)
class Speed:
    """One person's work: labels given, and the median and quartiles of the seconds a label took (None: not yet)."""

    name: str
    labels: int
    median_seconds: float | None = None
    quartiles: tuple[float, float] | None = None


@dataclass(frozen=True)
class Labels:
    """The labelled set as it stood at event `seen`: rows and grades in the order of their first label."""

    seen: int
    rows: list[int]
    grades: list[int]
    minutes: list[float]
    people: list[Speed]
    skipped: list[int]
    told: list[int] = field(default_factory=list)  # how many there were at each change of guidelines or grades

    def __len__(self) -> int:
        return len(self.rows)

    def minutes_at(self, labels: list[int]) -> list[float]:
        """Return the labelling time after so many labels; beyond the last one, at the pace so far."""
        if not self.rows:
            return [0.0] * len(labels)
        pace = self.minutes[-1] / len(self.rows)
        return [self.minutes[n - 1] if n <= len(self.rows) else n * pace for n in labels]


def read_labels(opened: OpenCampaign, names: dict[int, str]) -> Labels:
    """Return the labelled set, with labelling time and people's speed; `names` by person."""
    fold = opened.live.fold
    seen = fold.seen
    rows, grades = opened.labelled()
    first: dict[int, float] = {}
    for at, row in list(fold.labelled_at):
        first.setdefault(row, at)
    table = fold.table()
    acts = [act for act in (fold.act(row, person) for row, person, _ in table) if act is not None]
    acts.sort(key=lambda act: act.at)
    moments = np.array([act.at for act in acts])
    spent = np.concatenate([[0.0], np.cumsum([min(act.seconds or 0.0, LONGEST_PAUSE) for act in acts])])
    until = np.searchsorted(moments, [first.get(row, 0.0) for row in rows], side="right")
    given = Counter(person for _, person, _ in table)
    people = [
        _speed(names.get(person, "somebody"), count, fold.seconds.get(person, ())) for person, count in given.items()
    ]
    skipped = [row for row in fold.touched_rows() if fold.skipped(row)]
    told = [sum(first.get(row, 0.0) <= each.at for row in rows) for each in fold.course.told]
    return Labels(seen, rows, grades, (spent[until] / 60).tolist(), people, skipped, told)


def _speed(name: str, labels: int, seconds: list[float] | tuple[()]) -> Speed:
    taken = np.minimum(np.array(list(seconds)), LONGEST_PAUSE)
    if not taken.size:
        return Speed(name, labels)
    low, middle, high = np.quantile(taken, (0.25, 0.5, 0.75)).tolist()
    return Speed(name, labels, middle, (low, high) if taken.size > 3 else None)


def rules_now(opened: OpenCampaign, labels: Labels) -> RuleState | None:
    """Return where the rule counts stand, or None if the sampler does not count rules."""
    found = opened.live.rule_counts()
    if found is None:
        return None
    state = rule_state(opened.items, found[0], labels.rows, labels.skipped)
    if not samplers[opened.settings.sampler.name].counts_by_partition:
        return state
    # SSARP's partitions each stop for themselves, which the counts of all of them together cannot tell.
    return RuleState(state.fewest_unlabelled, state.fewest_labelled, opened.live.at_natural_stop())


def relevant_found(opened: OpenCampaign, labels: Labels) -> tuple[list[int], int | None]:
    """Return how many relevant documents (grade above 0) were found after each label, and how many the pool holds.

    Both by the known grades where these exist, or two judges would be mixed; else the pool's number is None.
    """
    known = opened.known_grades
    grades = np.array(labels.grades, np.int64) if known is None else known[labels.rows]
    return np.cumsum(grades > 0).tolist(), None if known is None else int((known > 0).sum())


def covered(opened: OpenCampaign, labels: Labels) -> Coverage:
    """Return which queries of the pool have labels and relevant documents."""
    return coverage(opened.query_index, labels.rows, labels.grades)


# One curve per campaign, ranker and metrics that are asked for, in the whole process; it goes with its campaign.
_curves: WeakKeyDictionary[OpenCampaign, dict[tuple[str, ...], LearningCurve]] = WeakKeyDictionary()
_lock = threading.Lock()


def kept_curve(opened: OpenCampaign, ranker: str, audience: Audience) -> LearningCurve:
    """Return the curve that all sessions share and extend; a changed audience (the campaign's) begins a new one."""
    fresh = new_curve(opened, ranker, audience)
    key = (ranker, *audience.asks)
    with _lock:
        mine = _curves.setdefault(opened, {})
        if key not in mine or mine[key].stamp != fresh.stamp:
            mine[key] = fresh
        return mine[key]


def evaluated_on(opened: OpenCampaign, labels: Labels, measure: Measure) -> str:
    """Say in words which documents are ranked, and how queries without relevant documents count."""
    found = opened.evaluation
    # A learned user may be satisfied by grade 0 now and then.
    counted = "measured like the others" if measure.reader.startswith(LEARNED) else "counted as 0"
    if found is not None:
        without = found.queries_without_relevant
        which = (
            f"{without:,d} of them without a relevant document, {counted}"
            if without
            else "each with a relevant document"
        )
        return (
            f"the evaluation set: {len(found.grades):,d} documents of {found.queries:,d} queries "
            f"that nobody labels here, {which}"
        )
    queries = len({int(opened.query_index[row]) for row in labels.rows})
    lacking = covered(opened, labels).without_relevant
    return (
        f"the labelled set itself, by cross-validation over queries: {len(labels):,d} documents of {queries:,d} "
        f"queries, {lacking:,d} of them without a relevant document, {counted}; "
        "each query is ranked by what was learnt from others"
    )
