"""Dawid and Skene's model: each annotator has chances of their own to take one grade for another.

A. P. Dawid and A. M. Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm,
Applied Statistics 28(1), 20 to 28. With T_it the chance that t is the true grade of document i, and n_ig
whether annotator j gave it g:

    (2.3)  pi_tg = sum_i T_it n_ig / sum_g sum_i T_it n_ig, for each annotator j
    (2.4)  p_t   = sum_i T_it / I
    (2.5)  T_it  proportional to p_t times the product over j and g of pi_tg ** n_ig

begun with the shares of the grades that each document got. A little is added to each count of (2.3), `smoothing` in all
to each row: half of it where the annotator is right, half evenly over all grades. So an annotator of whom little is
known is held to be right rather than wrong, and nobody is held to be infallible; 0 is the paper's maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rulerank.agreement.latent import Floats, GradeModel, Patterns, expectation_maximisation
from rulerank.agreement.ratings import ratings

SMOOTHING = 2.0
"""Counts that are added to each row of each annotator's matrix."""


@dataclass(frozen=True)
class Confusions:
    """The annotators: pi of (2.3), as logs.

    >>> even = Confusions(np.log(np.full((1, 2, 2), 0.5)), smoothing=0.0)
    >>> even.better(np.array([[[3.0, 1.0], [0.0, 2.0]]])).pi().round(3).tolist()
    [[[0.75, 0.25], [0.0, 1.0]]]
    """

    logs: Floats
    smoothing: float

    def pi(self) -> Floats:
        """Return the chances themselves."""
        return np.asarray(np.exp(self.logs))

    def given(self) -> Floats:
        """Return the log of the chance that an annotator gives g where t is true."""
        return self.logs

    def better(self, expected: Floats) -> Self:
        """Return (2.3) of the expected counts; a row that nobody has any count for is even."""
        levels = expected.shape[-1]
        counts = expected + self.smoothing / 2 * (np.eye(levels) + 1 / levels)
        sums = counts.sum(axis=-1, keepdims=True)
        pi = np.divide(counts, sums, out=np.full(counts.shape, 1 / levels), where=sums > 0)
        return type(self)(np.log(np.maximum(pi, np.finfo(float).tiny)), self.smoothing)


def fit_dawid_skene(
    units: Any,
    annotators: Any,
    grades: Any,
    known: Mapping[Any, int] | None = None,
    *,
    smoothing: float = SMOOTHING,
) -> GradeModel:
    """Fit Dawid and Skene's model; `known` are grades that were decided, of which the model is certain.

    >>> fit_dawid_skene([1, 1, 2, 2], ["a", "b", "a", "b"], [0, 1, 1, 1], known={1: 1}).grades()
    {1: 1, 2: 1}
    """
    decided: dict[Hashable, int] = dict(known or {})

    def start(seen: Patterns) -> Confusions:
        levels = seen.values.size
        return Confusions(np.full((seen.people, levels, levels), -np.log(max(levels, 1))), smoothing)

    return expectation_maximisation(ratings(units, annotators, grades), decided, start)
