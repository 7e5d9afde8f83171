"""The labels of a campaign, worked out once for all who look: in their order, with time, people and the curves."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.audience import LABELS, LEARNED
from rulerank.campaign.chance import Chance, against_shuffled
from rulerank.campaign.curves import new_curve
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.stopping import Coverage, RuleState, coverage, rule_state
from rulerank.curves import EXPECTED, LearningCurve
from rulerank.metrics import Audience
from rulerank.metrics.conventions import conventions
from rulerank.registry import samplers

LONGEST_PAUSE = 300.0
"""Seconds. Who takes longer over a document has probably left it; the rest does not count as labelling time."""

METRICS = {"map": "MAP", "ndcg": "NDCG@k", "precision": "P@k", "mrr": "MRR"}


@dataclass(frozen=True)
class Measure:
    """A metric as chosen on the page: its name, its cut-off, and whether ties are averaged."""

    name: str = "map"
    k: int = 10
    expected: bool = False

    @property
    def cut(self) -> bool:
        """Whether the metric has a cut-off."""
        return self.name in ("ndcg", "precision")

    @property
    def key(self) -> str:
        """The name among `Point.values`."""
        return f"{EXPECTED if self.expected else ''}{self.name}{f'@{self.k}' if self.cut else ''}"

    @property
    def label(self) -> str:
        """The name on the screen."""
        return LABELS[self.name] if self.by_users else METRICS[self.name].replace("@k", f"@{self.k}")

    @property
    def by_users(self) -> bool:
        """Whether a user model measures: ERR, ERR-IA and ERR-EIA, with default or learned parameters."""
        return self.name in LABELS


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

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def relevant(self) -> list[int]:
        """How many relevant documents (grade above 0) were found after each label."""
        return np.cumsum(np.array(self.grades, np.int64) > 0).tolist()

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
    return Labels(seen, rows, grades, (spent[until] / 60).tolist(), people, skipped)


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


def covered(opened: OpenCampaign, labels: Labels) -> Coverage:
    """Return which queries of the pool have labels and relevant documents."""
    return coverage(opened.query_index, labels.rows, labels.grades)


_chances: WeakKeyDictionary[OpenCampaign, tuple[tuple[list[int], list[int]], Chance]] = WeakKeyDictionary()


def chance_now(opened: OpenCampaign, labels: Labels) -> Chance:
    """Return whether the grades tell more than shuffled ones; worked out once for the same labels."""
    now = (labels.rows, labels.grades)
    kept = _chances.get(opened)
    if kept is None or kept[0] != now:
        rows = np.array(labels.rows, np.int64)
        found = against_shuffled(
            opened.items[rows],
            np.array(labels.grades, np.int64),
            opened.query_index[rows],
            opened.evaluation,
            convention=opened.settings.convention,
            seed=opened.settings.seed,
        )
        kept = _chances[opened] = now, found
    return kept[1]


# One curve a campaign and ranker for the whole process; it goes when its campaign is closed.
_curves: WeakKeyDictionary[OpenCampaign, dict[str, LearningCurve]] = WeakKeyDictionary()
_lock = threading.Lock()


def kept_curve(opened: OpenCampaign, ranker: str, audience: Audience) -> LearningCurve:
    """Return the curve that all sessions share and extend; a changed audience (the campaign's) begins a new one."""
    fresh = new_curve(opened, ranker, audience)
    with _lock:
        mine = _curves.setdefault(opened, {})
        if ranker not in mine or mine[ranker].stamp != fresh.stamp:
            mine[ranker] = fresh
        return mine[ranker]


def evaluated_on(opened: OpenCampaign, labels: Labels, measure: Measure) -> str:
    """Say in words which documents are ranked, and how queries without relevant documents count."""
    found = opened.evaluation
    # A learned user may be satisfied by grade 0 now and then.
    counted = "measured like the others" if measure.name.startswith(LEARNED) else "counted as 0"
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


def convention_text(name: str, expected: bool, *, by_users: bool = False) -> str:
    """Name the convention, and say what is done with equal scores; metrics of users have one of their own."""
    kept = conventions[name]
    ties = "equal scores averaged over all orders" if expected else "equal scores in file order"
    if kept.docids_break_ties and not expected:
        ties = "equal scores with the later row first"
    return f"{'Eq. 1 of Drutsa et al. (2016), whole lists' if by_users else kept.label}, {ties}"
