"""Signals of when to stop labelling: rule counts, random replays, queries, and whether the looks have settled.

The constants were chosen by simulation (docs/stopping.md says how, and on what they were tested).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rulerank.campaign.looks import PER_DOUBLING, Look
from rulerank.curves import Band, Point
from rulerank.rules.items import Ints, Items
from rulerank.sampling.base import occurrence_key, total_occurrence
from rulerank.sampling.selection import Key, pick

EARLY = 20
"""With fewer labels nothing is said beside random replays."""

GAIN = 0.05
"""Settled on the evaluation set: going on as over the last doubling, labelling the whole pool adds or costs less."""

CROSSED_GAIN = 0.1
"""The same, cross-validated, where the documents that are measured change with every label: only a rise counts."""

AGREEMENT = 0.9
"""Settled: the ranker after half the labels had so much of today's top on top (`rulerank.campaign.looks.agreement`)."""

RARER = 40
"""Enough: labels of the rarer kind, relevant or not."""

QUERIES = 10
"""Enough: queries with a relevant document, or half of the pool's, if these are fewer."""

BEYOND = 3.0
"""Grades tell more than chance: standard errors of their correlation with what a ranker says unseen."""

HOLD, CROSSED_HOLD = 3, 4
"""Looks at which all of it must hold, in a row; without an evaluation set a whole doubling of the labels."""

LET_GO = 2
"""Looks at which something must fail, in a row, before a light that is on goes out."""


@dataclass(frozen=True)
class RuleState:
    """Where the rules stand: fewest rules without and with a grade, and whether the natural stop is reached.

    `stopped` is None where that is not known from the counts (SSARP stops partition by partition).
    """

    fewest_unlabelled: int | None
    fewest_labelled: int | None
    stopped: bool | None


@dataclass(frozen=True)
class BesideRandom:
    """A metric beside what random replays of the pool have after as many labels: their mean, and their band's low edge.

    differing: how many of the `labels` grades are not the known ones, with which the replays were made.
    """

    value: float
    mean: float
    low: float
    differing: int
    labels: int

    @property
    def below(self) -> bool:
        """Whether the metric lies below the band."""
        return self.value < self.low


@dataclass(frozen=True)
class Coverage:
    """Queries of the pool: how many there are, without any label, and with labels but without a relevant document.

    one_grade: how many have labels of a single grade only, from which pairwise and listwise trainers learn nothing.
    """

    queries: int
    unlabelled: int
    without_relevant: int
    one_grade: int

    @property
    def labelled(self) -> int:
        """How many queries have a label."""
        return self.queries - self.unlabelled


def rule_state(items: Items, counts: Ints, labelled: Collection[int], excluded: Collection[int] = ()) -> RuleState:
    """Compare the rule counts of labelled and unlabelled documents, with SSAR's own tie-breaks for the stop.

    The natural stop is reached when the document with the fewest rules of the whole pool is labelled (Lemma 2).
    """
    held = np.zeros(len(counts), bool)
    held[list(labelled)] = True
    inside = np.ones(len(counts), bool)
    inside[[row for row in excluded if not held[row]]] = False
    free = inside & ~held
    chosen = pick((Key("rules", counts), occurrence_key(total_occurrence(items), not held.any())), inside)
    return RuleState(
        int(counts[free].min()) if free.any() else None,
        int(counts[held].min()) if held.any() else None,
        bool(chosen >= 0 and held[chosen]),
    )


def beside_random(
    bands: Sequence[Band], key: str, point: Point, grades: Sequence[int], known: Sequence[int]
) -> BesideRandom | None:
    """Hold a point of a curve against random replays; None where that is too early, or a value is not defined.

    key: of the metric. grades: of the labelled documents; known: those that these had beforehand.
    """
    value = point.values.get(key)
    shown = [band for band in bands if key in band.mean]
    if value is None or not shown or point.labels < EARLY:
        return None
    at = [band.labels for band in shown]
    mean, low = (
        float(np.interp(point.labels, at, [edge[key] for edge in edges]))
        for edges in ([band.mean for band in shown], [band.low for band in shown])
    )
    differing = int((np.asarray(grades) != np.asarray(known)).sum())
    return BesideRandom(value, mean, low, differing, len(grades))


def coverage(qids: Ints, rows: Sequence[int], grades: Sequence[int]) -> Coverage:
    """Return which queries of the pool have labels and relevant documents so far."""
    everything = int(np.unique(qids).size)
    given = qids[list(rows)]
    asked = int(np.unique(given).size)
    relevant = int(np.unique(given[np.asarray(grades, np.int64) > 0]).size)
    both = np.unique(np.column_stack([given, np.asarray(grades, np.int64)]), axis=0)[:, 0]
    one_grade = int((np.unique(both, return_counts=True)[1] == 1).sum())
    return Coverage(everything, everything - asked, asked - relevant, one_grade)


@dataclass(frozen=True)
class Checks:
    """One look held against what was asked: each is True, False, or None where it cannot be said yet.

    gain: what labelling the whole pool adds to the metric (a share of it) if it goes on as over the last doubling.
    """

    look: Look
    gain: float | None
    curve: bool | None
    ranking: bool | None
    enough: bool
    chance: bool | None

    @property
    def hold(self) -> bool:
        """Whether all of them hold."""
        return all((self.curve, self.ranking, self.enough, self.chance))


@dataclass(frozen=True)
class Settled:
    """What the looks say: the last look's checks, after how many labels all had held for long enough, and so still do.

    in_a_row: looks, up to the last, at which all held; needed: how many are asked for.
    """

    last: Checks | None
    since: int | None
    in_a_row: int
    needed: int


def settle(looks: Sequence[Look], key: str, pool: int, queries: int, *, crossed: bool) -> Settled:
    """Say whether a metric (its key), the ranking and the grades have settled, and since when.

    pool, queries: documents and queries of the pool. crossed: the metric is cross-validated on the labels themselves.
    """
    needed = CROSSED_HOLD if crossed else HOLD
    checks = [_check(looks[: place + 1], key, pool, queries, crossed) for place in range(len(looks))]
    since, good, bad = None, 0, 0
    for each in checks:
        good, bad = (good + 1, 0) if each.hold else (0, bad + 1)
        if since is None and good >= needed:
            since = each.look.labels
        elif since is not None and bad >= LET_GO:
            since = None
    return Settled(checks[-1] if checks else None, since, good, needed)


def _check(looks: Sequence[Look], key: str, pool: int, queries: int, crossed: bool) -> Checks:
    last = looks[-1]
    gain = _gain(looks[-1 - PER_DOUBLING :], key, pool)
    return Checks(
        last,
        gain,
        None if gain is None else gain <= CROSSED_GAIN if crossed else abs(gain) <= GAIN,
        None if last.agreement is None else last.agreement >= AGREEMENT,
        last.rarer >= RARER and last.queries >= min(QUERIES, queries / 2),
        None if last.beyond_chance is None else last.beyond_chance >= BEYOND,
    )


def _gain(looks: Sequence[Look], key: str, pool: int) -> float | None:
    """Draw a straight line through a doubling of the labels, on their logarithm, and follow it to the whole pool."""
    values = [look.values.get(key) for look in looks]
    known = [value for value in values if value is not None]
    if len(known) <= PER_DOUBLING or not known[-1]:
        return None
    numbers = np.log2([look.labels for look in looks])
    slope = np.polyfit(numbers, known, 1)[0]
    return float(slope * max(0.0, np.log2(pool) - numbers[-1]) / known[-1])
