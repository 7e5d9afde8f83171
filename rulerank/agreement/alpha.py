"""Krippendorff's alpha: agreement of any number of annotators, with any number of grades missing.

Krippendorff, "Computing Krippendorff's alpha-reliability" (2011). With n_uc the number of annotators that gave unit u
the value c, m_u their sum and n_c = sum_u n_uc (units with m_u >= 2 only), n = sum_c n_c:

    o_ck  = sum_u n_uc (n_uk - [c = k]) / (m_u - 1)
    alpha = 1 - (n - 1) sum_ck o_ck delta^2_ck / sum_ck n_c n_k delta^2_ck

delta^2 is 1 for different values (nominal), (c - k)^2 (interval), or (n_c/2 + sum of the n_g between + n_k/2)^2
(ordinal). The ordinal distance is that of the values' mean ranks, so it is the interval one on other numbers, and
sum_ck n_uc n_uk (x_c - x_k)^2 = 2 (m_u sum_c n_uc x_c^2 - (sum_c n_uc x_c)^2) spares us the matrix: a unit's share is
two sums, which makes a thousand resamples cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rulerank.agreement.ratings import Ratings, ratings
from rulerank.errors import InputError
from rulerank.rules.items import as_whole

Floats = npt.NDArray[np.float64]
Level = Literal["ordinal", "nominal", "interval"]

LEVELS = ("ordinal", "nominal", "interval")
ENOUGH = 0.95  # share of the resamples in which alpha must be defined for an interval to be given
CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha with its 95% bootstrap interval; None is "not yet".

    `units` counts the units with two or more grades, `pairs` the pairs of grades in them.

    >>> print(krippendorff_alpha(["d1", "d1", "d2", "d2"], ["ann", "bob", "ann", "bob"], [0, 0, 1, 1]))
    1.000 (ordinal, 2 documents with two or more grades, 2 pairs of grades)
    """

    value: float | None
    low: float | None
    high: float | None
    units: int
    pairs: int
    level: Level = "ordinal"

    def __str__(self) -> str:
        basis = f"{self.level}, {self.units} documents with two or more grades, {self.pairs} pairs of grades"
        if self.value is None:
            return f"not yet ({basis})"
        interval = "" if self.low is None else f"95% interval {self.low:.3f} to {self.high:.3f}; "
        return f"{self.value:.3f} ({interval}{basis})"


def krippendorff_alpha(
    units: Any,
    annotators: Any,
    grades: Any,
    level: Level = "ordinal",
    *,
    resamples: int = 1000,
    seed: int | np.random.Generator = 0,
) -> Alpha:
    """Return alpha and the 2.5% and 97.5% quantiles of alpha over units drawn with replacement.

    Alpha is None where it is not defined: no unit has two grades, or all grades of such units are the same (nothing
    was there to be distinguished, and 0/0 is neither perfect agreement nor none). The interval is None with fewer than
    two such units, or if alpha is defined in fewer than 95% of the resamples; those without are left out of it.
    """
    if level not in LEVELS:
        raise InputError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    number = as_whole(resamples)
    if number is None or number < 1:
        raise InputError(f"resamples must be a whole number of at least 1, not {resamples!r}")
    patterns, values, repeats = _patterns(ratings(units, annotators, grades))
    sizes = patterns.sum(axis=1)
    count = int(repeats.sum())
    pairs = int((repeats * sizes * (sizes - 1) / 2).sum())
    if values.size < 2:
        return Alpha(None, None, None, count, pairs, level)
    value = float(_alphas(repeats[None, :], patterns, values, level)[0])
    drawn = _resampled(patterns, values, repeats, level, number, np.random.default_rng(seed))
    defined = drawn[~np.isnan(drawn)]
    if count < 2 or defined.size < ENOUGH * number:
        return Alpha(value, None, None, count, pairs, level)
    low, high = np.quantile(defined, (0.025, 0.975)).tolist()
    return Alpha(value, low, high, count, pairs, level)


def _patterns(table: Ratings) -> tuple[Floats, Floats, Floats]:
    """Return the distinct ways in which units with two or more grades were graded.

    That is n_uc (patterns by values), the values, and how many units have each pattern.
    """
    paired = table.sizes >= 2
    kept = paired[table.unit]
    values, code = np.unique(table.grade[kept], return_inverse=True)
    row = (np.cumsum(paired) - 1)[table.unit[kept]]
    counts = np.zeros((int(paired.sum()), values.size), np.int64)
    np.add.at(counts, (row, code), 1)
    patterns, repeats = np.unique(counts, axis=0, return_counts=True)
    return patterns.astype(np.float64), values.astype(np.float64), repeats.astype(np.float64)


def _resampled(
    patterns: Floats, values: Floats, repeats: Floats, level: Level, resamples: int, rng: np.random.Generator
) -> Floats:
    """Return alpha of each resample; the units of a pattern are alike, so only their number is drawn."""
    units = int(repeats.sum())
    step = max(CELLS_AT_ONCE // len(patterns), 1)
    parts = [
        _alphas(
            rng.multinomial(units, repeats / units, min(step, resamples - start)).astype(np.float64),
            patterns, values, level,
        )
        for start in range(0, resamples, step)
    ]  # fmt: skip
    return np.concatenate(parts)


def _alphas(weights: Floats, patterns: Floats, values: Floats, level: Level) -> Floats:
    """Return alpha for each row of weights (how often each pattern counts); NaN where it is not defined."""
    sizes = patterns.sum(axis=1)
    marginals = weights @ patterns
    total = marginals.sum(axis=1)
    if level == "nominal":
        observed = weights @ ((sizes**2 - (patterns**2).sum(axis=1)) / (sizes - 1))
        expected = total**2 - (marginals**2).sum(axis=1)
    else:
        if level == "ordinal":
            places = np.cumsum(marginals, axis=1) - marginals / 2  # mean ranks
        else:
            places = np.broadcast_to(values, marginals.shape)
        # About their mean, so that squares of large numbers do not cancel.
        places = places - ((marginals * places).sum(axis=1) / total)[:, None]
        spread = sizes * (places**2 @ patterns.T) - (places @ patterns.T) ** 2
        spread[:, np.count_nonzero(patterns, axis=1) == 1] = 0  # exactly: full agreement is 1, not nearly
        observed = (weights * (2 * spread / (sizes - 1))).sum(axis=1)
        expected = 2 * total * (marginals * places**2).sum(axis=1)
    varied = np.count_nonzero(marginals, axis=1) >= 2
    ratio = np.divide((total - 1) * observed, expected, out=np.full(len(weights), np.nan), where=varied)
    return 1 - ratio
