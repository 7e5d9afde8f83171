"""Which sampler and which ranker for a pool, in a sentence with its evidence.

The recommendation stays with the defaults unless simulations on collections like this one speak clearly against them: a
choice that follows every wiggle of two dozen simulations would be wrong on the next collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulerank.advice.evidence import LEAST_BASES, Case, PoolFacts, bases, evidence, like
from rulerank.ranking import RECOMMENDED as RANKER
from rulerank.registry import rankers, samplers
from rulerank.sampling import FOR_PAIRS
from rulerank.sampling import RECOMMENDED as SAMPLER

AFTER = (50, 100, 200, 400)
"""Labels after which curves are compared: their mean counts."""

CLEAR = 2.0
"""Standard errors by which another choice must be ahead."""

BASELINE = "random"


@dataclass(frozen=True)
class Recommendation:
    """A sampler and a ranker, why, and a sampler outside SSAR's family that did better, where there is one.

    >>> recommend(PoolFacts(pairs=9000, queries=100, features=45), pairwise=True).sampler
    'ssar_queries'
    """

    sampler: str
    ranker: str
    sentence: str
    beside: str = ""

    @property
    def words(self) -> str:
        """All of it."""
        return f"{self.sentence} {self.beside}".strip()


def recommend(facts: PoolFacts, *, pairwise: bool = False, cases: Sequence[Case] | None = None) -> Recommendation:
    """Return what to choose for a pool.

    pairwise: the labels are for trainers that compare documents of one query (RankSVM, LambdaMART). cases: the
    evidence; without, that of this version.
    """
    if pairwise:
        label = samplers[FOR_PAIRS].label
        return Recommendation(
            FOR_PAIRS,
            RANKER,
            f"{label}: RankSVM and LambdaMART compare documents of one query, and this sampler asks for several "
            "documents of a query before the next one (docs/samplers.md).",
        )
    near = like(facts, evidence() if cases is None else cases)
    usual = SAMPLER, RANKER
    pairs = sorted({(curve.sampler, curve.ranker) for case in near for curve in case.curves})
    family = [pair for pair in pairs if samplers[pair[0]].counts_rules]
    best = _clearly_ahead(usual, family, near) or usual
    outside = _clearly_ahead(best, [pair for pair in pairs if pair not in family and pair[0] != BASELINE], near)
    beside = ""
    if outside is not None:
        beside = (
            f"{samplers[outside[0]].label} with {rankers[outside[1]].label}, which does not go by rules, came "
            f"{_mean(outside, near) - _mean(best, near):+.1%} further there."
        )
    return Recommendation(*best, _sentence(best, near, facts), beside)


def _values(pair: tuple[str, str], cases: Sequence[Case]) -> dict[str, list[float]]:
    """Return how far a sampler and a ranker came, mean over `AFTER`, by the data set that cases come from.

    In shares of what all labels gave the best ranker there, so that rankers can be compared.
    """
    found: dict[str, list[float]] = {}
    for case in cases:
        curve = case.curve(*pair)
        if curve is not None:
            reached = [curve.at(labels) for labels in AFTER if labels <= curve.labels[-1]]
            if reached:
                found.setdefault(case.base, []).append(float(np.mean(reached)) * curve.ceiling / case.ceiling)
    return found


def _mean(pair: tuple[str, str], cases: Sequence[Case]) -> float:
    """Return the mean over data sets; copies of one count as one."""
    return float(np.mean([np.mean(values) for values in _values(pair, cases).values()]))


def _clearly_ahead(
    usual: tuple[str, str], others: Sequence[tuple[str, str]], cases: Sequence[Case]
) -> tuple[str, str] | None:
    """Return the one that is furthest ahead of the usual choice by more than chance; None where none is."""
    base = _values(usual, cases)
    best, furthest = None, 0.0
    for pair in others:
        values = _values(pair, cases)
        common = sorted(base.keys() & values.keys())
        if pair == usual or len(common) < LEAST_BASES:
            continue
        ahead = np.array([np.mean(values[name]) - np.mean(base[name]) for name in common])
        error = float(np.std(ahead, ddof=1) / np.sqrt(len(common)))
        if ahead.mean() > max(furthest, CLEAR * error):
            best, furthest = pair, float(ahead.mean())
    return best


def _sentence(pair: tuple[str, str], cases: Sequence[Case], facts: PoolFacts) -> str:
    sampler, ranker = samplers[pair[0]].label, rankers[pair[1]].label
    words = f"{sampler}, ranked by {ranker}"
    both = [case for case in cases if case.curve(*pair) and case.curve(BASELINE, pair[1])]
    if not both:
        return f"{words}."
    what = f"{len(both)} simulated collections ({bases(both)} data sets)"
    if facts.relevant is not None:
        rare = [1 / case.facts.relevant for case in both if case.facts.relevant]
        what += f" with 1 relevant pair in {min(rare):,.0f} to {max(rare):,.0f}"
    mine, chance = (_mean((name, pair[1]), both) for name in (pair[0], BASELINE))
    return (
        f"{words}: on {what}, {AFTER[0]} to {AFTER[-1]} labels of its choice gave {mine:.0%} of the best MAP of all "
        f"labels, as many random ones {chance:.0%}."
    )
