"""What simulations on other collections gave: the evidence that advice rests on, kept in `evidence.json`.

`python -m rulerank.advice.gather` makes that file; it holds no document, only counts and mean learning curves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

import numpy as np

from rulerank.collection import UNLABELLED, Collection
from rulerank.errors import InputError
from rulerank.statistics import first_reached

FILE = "evidence.json"

ALIKE = 3.0
"""Collections whose relevant pairs are at most so many times rarer or more common than the pool's count as like it."""

LEAST_BASES = 3
"""Data sets, thinned copies not counted, that anything said must rest on."""


@dataclass(frozen=True)
class PoolFacts:
    """What can be seen of a pool before anybody labels: its size, and the share of relevant pairs where it is known.

    relevant: the share of query-document pairs with a grade above 0; None where nobody knows or has stated it.

    >>> PoolFacts(pairs=9000, queries=100, features=45, relevant=0.02).in_words
    '9,000 pairs of 100 queries, 1 relevant in 50'
    """

    pairs: int
    queries: int
    features: int
    relevant: float | None = None

    def __post_init__(self) -> None:
        if self.relevant is not None and not 0 < self.relevant <= 1:
            raise InputError(f"the share of relevant pairs lies above 0 and is at most 1, not {self.relevant!r}")

    @classmethod
    def of(cls, collection: Collection, relevant: float | None = None) -> Self:
        """Look at a collection; grades that it has tell the share of relevant pairs, unless one is stated."""
        known = collection.grades[collection.grades != UNLABELLED]
        if relevant is None and known.size and (known > 0).any():
            relevant = float(np.mean(known > 0))
        return cls(len(collection), len(collection.queries), len(collection.feature_names), relevant)

    @property
    def in_words(self) -> str:
        """The facts in a phrase."""
        rare = "" if self.relevant is None else f", 1 relevant in {1 / self.relevant:,.0f}"
        return f"{self.pairs:,} pairs of {self.queries:,} queries{rare}"


@dataclass(frozen=True)
class MeanCurve:
    """How good a ranker was after so many labels of a sampler's choice: MAP as a share of what all labels gave.

    The mean over folds and seeds. A share may exceed 1. ceiling: the MAP that all labels gave this ranker.

    >>> curve = MeanCurve("ssar", "lrar", 0.45, (10, 20, 40), (0.8, 0.9, 1.0))
    >>> curve.at(30), curve.needed(0.95), curve.needed(1.2) is None
    (0.95, 40, True)
    """

    sampler: str
    ranker: str
    ceiling: float
    labels: tuple[int, ...]
    shares: tuple[float, ...]

    def at(self, labels: float) -> float:
        """Return the share after so many labels, between two points by a straight line."""
        return float(np.interp(labels, self.labels, self.shares))

    def needed(self, share: float) -> int | None:
        """Return the first point from which on the curve does not fall below a share; None where it never stays."""
        return first_reached(list(self.labels), np.array(self.shares), share)[1]


@dataclass(frozen=True)
class Case:
    """One simulated collection: its name, the collection it was thinned from, its facts and its curves.

    >>> curve = MeanCurve("ssar", "lrar", 0.45, (10, 20), (0.8, 0.9))
    >>> case = Case("MED, 1 in 50", "MED", PoolFacts(2831, 30, 21, 0.02), (curve,))
    >>> case.curve("ssar", "lrar").at(20), case.curve("random", "lrar") is None, case.ceiling
    (0.9, True, 0.45)
    """

    name: str
    base: str
    facts: PoolFacts
    curves: tuple[MeanCurve, ...]

    def curve(self, sampler: str, ranker: str) -> MeanCurve | None:
        """Return the curve of a sampler with a ranker; None where they were not simulated."""
        return next((each for each in self.curves if (each.sampler, each.ranker) == (sampler, ranker)), None)

    @property
    def ceiling(self) -> float:
        """The MAP that all labels gave the ranker that did most with them."""
        return max(each.ceiling for each in self.curves)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self:
        """Return what `to_dict` described."""
        curves = tuple(
            MeanCurve(**{**each, "labels": tuple(each["labels"]), "shares": tuple(each["shares"])})
            for each in saved["curves"]
        )
        return cls(saved["name"], saved["base"], PoolFacts(**saved["facts"]), curves)


@cache
def evidence() -> tuple[Case, ...]:
    """Return the simulated collections that this version brings along."""
    saved = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return tuple(Case.from_dict(each) for each in saved)


def bases(cases: Sequence[Case]) -> int:
    """Return from how many different collections cases come; thinned copies count with theirs."""
    return len({case.base for case in cases})


def like(facts: PoolFacts, cases: Sequence[Case]) -> list[Case]:
    """Return the cases whose relevant pairs are about as rare; all where that is not known, or too few are like it."""
    rare = facts.relevant
    if rare is None:
        return list(cases)
    near = [case for case in cases if case.facts.relevant and 1 / ALIKE <= case.facts.relevant / rare <= ALIKE]
    return near if bases(near) >= LEAST_BASES else list(cases)
