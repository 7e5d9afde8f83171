"""A model for ordered grades: each annotator has a bias (too kind or too strict) and a spread.

Annotator j sees document i of true grade t as x = t + b_j + s_j z with z standard normal, and gives the grade that is
nearest to x among those in use; the lowest and the highest take all that lies beyond them. So the chance of grade g is

    P(g | t) = Phi((upper_g - t - b_j) / s_j) - Phi((lower_g - t - b_j) / s_j)

with limits halfway between neighbouring grades. This is the ordered probit of a rater with a bias and a spread; the
true grade is Dawid and Skene's latent class, so their (2.4) and (2.5) hold as they are. In place of (2.3), x is latent,
too: EM takes the mean and the variance of a normal variable between two limits, and then

    b_j   = sum of E[x - t] / (n_j + c)
    s_j^2 = (sum of E[(x - t - b_j)^2] + c (b_j^2 + S^2)) / (n_j + c)

over the n_j grades of annotator j, which is as if c grades more had been seen with no bias and the spread S. Two
numbers per annotator are learnt from fewer labels than a whole matrix, and a near miss says less than a wide one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import log_ndtr

from rulerank.agreement.latent import Floats, GradeModel, Patterns, expectation_maximisation
from rulerank.agreement.ratings import ratings

PRIOR_LABELS = 2.0
"""c: grades that are supposed beforehand."""

PRIOR_SPREAD = 0.5
"""S: their spread, in grades."""

_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Raters:
    """The annotators: a bias and a spread each.

    >>> raters = Raters(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0]), np.array([0.5, 0.5]), 2.0, 0.5)
    >>> np.exp(raters.given()).round(2)[:, 1].tolist()
    [[0.16, 0.68, 0.16], [0.0, 0.16, 0.84]]
    """

    values: Floats
    bias: Floats
    spread: Floats
    prior_labels: float
    prior_spread: float

    def _limits(self) -> tuple[Floats, Floats]:
        """Return the standardised limits of grade g where t is true: (annotator, t, g) each."""
        between = (self.values[1:] + self.values[:-1]) / 2
        edges = np.concatenate([[-np.inf], between, [np.inf]])
        centre = self.values[None, :, None] + self.bias[:, None, None]
        scale = self.spread[:, None, None]
        return (edges[:-1] - centre) / scale, (edges[1:] - centre) / scale

    def given(self) -> Floats:
        """Return the log of the chance that an annotator gives g where t is true."""
        low, high = self._limits()
        # Above the mean the upper tail is taken: there the difference of two numbers near 1 would be lost.
        above = low > 0
        near, far = np.where(above, -low, high), np.where(above, -high, low)
        larger, smaller = log_ndtr(near), log_ndtr(far)
        return np.asarray(larger + np.log(-np.expm1(np.minimum(smaller - larger, -np.finfo(float).tiny))))

    def better(self, expected: Floats) -> Self:
        """Return the bias and the spread that fit the expected counts best."""
        mean, variance = self._between()
        off = self.bias[:, None, None] + self.spread[:, None, None] * mean  # E[x - t]
        number = expected.sum(axis=(1, 2)) + self.prior_labels
        bias = (expected * off).sum(axis=(1, 2)) / number
        squares = self.spread[:, None, None] ** 2 * variance + (off - bias[:, None, None]) ** 2
        prior = self.prior_labels * (bias**2 + self.prior_spread**2)
        spread = np.sqrt(((expected * squares).sum(axis=(1, 2)) + prior) / number)
        return type(self)(self.values, bias, spread, self.prior_labels, self.prior_spread)

    def _between(self) -> tuple[Floats, Floats]:
        """Return mean and variance of a standard normal variable between the limits."""
        low, high = self._limits()
        log_chance = self.given()
        ends = []
        for limit in (low, high):
            finite = np.where(np.isfinite(limit), limit, 0.0)
            logs = np.where(np.isfinite(limit), -0.5 * finite**2 - _HALF_LOG_2PI - log_chance, -np.inf)
            density = np.exp(logs)
            ends.append((density, finite * density))
        mean = ends[0][0] - ends[1][0]
        variance = 1 + ends[0][1] - ends[1][1] - mean**2
        return mean, np.clip(variance, 0.0, 1.0)


def fit_ordered(
    units: Any,
    annotators: Any,
    grades: Any,
    known: Mapping[Any, int] | None = None,
    *,
    prior_labels: float = PRIOR_LABELS,
    prior_spread: float = PRIOR_SPREAD,
) -> GradeModel:
    """Fit the model of bias and spread; `known` are grades that were decided, of which the model is certain.

    >>> fit_ordered([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, [0, 0, 1, 1, 1, 2]).grades()
    {1: 0, 2: 1}
    """
    decided: dict[Hashable, int] = dict(known or {})

    def start(seen: Patterns) -> Raters:
        values = seen.values.astype(np.float64)
        return Raters(values, np.zeros(seen.people), np.ones(seen.people), prior_labels, prior_spread)

    return expectation_maximisation(ratings(units, annotators, grades), decided, start)
