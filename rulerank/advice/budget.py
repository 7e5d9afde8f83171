"""How many labels for 95%? A range from simulations on other collections, before the first label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite

from rulerank.advice.evidence import LEAST_BASES, Case, PoolFacts, bases, evidence, like
from rulerank.errors import InputError
from rulerank.ranking import RECOMMENDED as RANKER
from rulerank.sampling import RECOMMENDED as SAMPLER

COVERAGE = 0.8
"""The share of the simulated collections like the pool that the range must hold; the narrowest such range is named."""


@dataclass(frozen=True)
class Forecast:
    """About how many labels reach a share of what all labels would give.

    high: None where too many simulations did not get there at all; `whole`: it is the whole pool, which always does.
    held: how many of the `cases` simulated collections, of `origins` data sets, lie within; never: how many did not get
    there within `followed` labels.

    >>> forecast = Forecast(0.95, low=40, high=120, held=6, cases=7, origins=7, never=1, followed=800)
    >>> forecast.sentence.split(":")[0]
    'About 40 to 120 labels for 95% of the MAP that all labels would give'
    """

    share: float
    low: int
    high: int | None
    held: int
    cases: int
    origins: int
    never: int
    followed: int
    whole: bool = False

    @property
    def sentence(self) -> str:
        """The forecast in a sentence, with what it rests on."""
        goal = f"labels for {self.share:.0%} of the MAP that all labels would give"
        of = f"{self.cases} simulated collections like this one ({self.origins} data sets)"
        if self.high is None:
            return (
                f"{self.low:,} or more {goal}: of {of}, {self.never} did not get there within {self.followed:,} labels."
            )
        if self.whole:
            return f"{self.low:,} {goal}, or up to the whole pool ({self.high:,}): judged by {of}."
        unreached = f"; {self.never} did not get there within {self.followed:,}" if self.never else ""
        return f"About {self.low:,} to {self.high:,} {goal}: so many were needed in {self.held} of {of}{unreached}."


def labels_for(
    facts: PoolFacts,
    share: float = 0.95,
    *,
    sampler: str = SAMPLER,
    ranker: str = RANKER,
    cases: Sequence[Case] | None = None,
) -> Forecast | None:
    """Return about how many labels a pool needs; None where a sampler and a ranker were simulated on too few data sets.

    cases: the evidence; without, that of this version.
    """
    if not 0 < share <= 1:
        raise InputError(f"the share to reach lies above 0 and is at most 1, not {share!r}")
    used = like(facts, _with(sampler, ranker, evidence() if cases is None else cases))
    if bases(used) < LEAST_BASES:
        return None
    numbers = sorted(_needed(case, share, sampler, ranker) for case in used)
    low, high = _narrowest(numbers)
    followed = max(curve.labels[-1] for case in used if (curve := case.curve(sampler, ranker)))
    whole = facts.pairs <= (high if isfinite(high) else followed)
    return Forecast(
        share=share,
        low=min(facts.pairs, int(low) if isfinite(low) else followed),
        high=facts.pairs if whole else int(high) if isfinite(high) else None,
        held=sum(low <= number <= high for number in numbers),
        cases=len(used),
        origins=bases(used),
        never=sum(not isfinite(number) for number in numbers),
        followed=followed,
        whole=whole,
    )


def checked(
    share: float = 0.95, *, sampler: str = SAMPLER, ranker: str = RANKER, cases: Sequence[Case] | None = None
) -> tuple[int, int]:
    """Foretell each simulated collection from those of other data sets; return how many ranges held, of how many."""
    used = _with(sampler, ranker, evidence() if cases is None else cases)
    held = tried = 0
    for case in used:
        others = [other for other in used if other.base != case.base]
        found = labels_for(case.facts, share, sampler=sampler, ranker=ranker, cases=others)
        if found is not None:
            tried += 1
            high = inf if found.high is None else found.high
            held += found.low <= _needed(case, share, sampler, ranker) <= high
    return held, tried


def _with(sampler: str, ranker: str, cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.curve(sampler, ranker) is not None]


def _needed(case: Case, share: float, sampler: str, ranker: str) -> float:
    """Return how many labels a case needed; infinite where its curve did not get there."""
    curve = case.curve(sampler, ranker)
    return (None if curve is None else curve.needed(share)) or inf


def _narrowest(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the range with the least ratio of its ends that holds `COVERAGE` of sorted numbers.

    >>> _narrowest([10, 50, 60, 80, 90])
    (50, 90)
    >>> _narrowest([10, 50, inf, inf, inf])
    (50, inf)
    """
    most = ceil(COVERAGE * len(numbers) - 1e-9)
    ranges = [(numbers[start], numbers[start + most - 1]) for start in range(len(numbers) - most + 1)]
    return min(ranges, key=lambda ends: (ends[1] / ends[0] if isfinite(ends[1]) else inf, -ends[0]))
