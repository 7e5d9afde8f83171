"""Do the grades teach anything? The ranker they make, beside rankers made of the same grades dealt at random.

A labelled set whose grades have nothing to do with the documents has a natural stop and a flat curve too. What it
cannot have is a ranker that is better than those of its own grades in a random order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rulerank.curves import EXPECTED, Documents, Evaluation, cross_validated, fitted_scores
from rulerank.ranking.make import RECOMMENDED, make_ranker
from rulerank.rules.items import Ints, Items

SHUFFLES = 99
LEVEL = 0.05
"""The grades must do better than all but this share of the shuffled ones."""

METRIC = f"{EXPECTED}map"


@dataclass(frozen=True)
class Chance:
    """MAP with the grades as given, and with the same grades shuffled; `value` is None where it is not defined.

    as_good: how many of the shuffles gave as much or more. mean: of the shuffles.
    """

    value: float | None
    mean: float
    as_good: int
    shuffles: int

    @property
    def beaten(self) -> bool:
        """Whether the grades tell more than chance (a permutation test at `LEVEL`)."""
        return self.value is not None and (self.as_good + 1) / (self.shuffles + 1) <= LEVEL


def against_shuffled(
    items: Items,
    grades: Ints,
    qids: Ints,
    evaluation: Evaluation | None,
    *,
    convention: str = "letor",
    seed: int = 0,
    shuffles: int = SHUFFLES,
) -> Chance:
    """Compare the grades of labelled documents with shuffled ones, by the ranker that is recommended.

    Measured on the evaluation set; without one, by cross-validation over the labelled queries.
    """
    if np.unique(grades).size < 2:
        return Chance(None, 0.0, 0, 0)

    make = partial(make_ranker, RECOMMENDED)

    def reached(given: Ints) -> float | None:
        if evaluation is None:
            values = cross_validated(make, items, given.tolist(), qids, convention=convention)
        else:
            labels = list(enumerate(given.tolist()))
            plain = Evaluation(evaluation.items, evaluation.grades, evaluation.qids, convention)
            values = plain.measure(fitted_scores(make, Documents(items, qids), labels, plain.documents))
        return values.get(METRIC)

    value = reached(grades)
    if value is None:
        return Chance(None, 0.0, 0, 0)
    rng = np.random.default_rng(seed)
    found = [each for each in (reached(rng.permutation(grades)) for _ in range(shuffles)) if each is not None]
    return Chance(value, float(np.mean(found)), sum(each >= value for each in found), len(found))
