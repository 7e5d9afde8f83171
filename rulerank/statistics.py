"""Statistics of comparisons: intervals, paired tests with a correction for many of them, and learning curves.

Student's t is SciPy's. What is written out here is what SciPy does not have (Holm's method), or what it takes longer
for: each says by how much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError

Floats = npt.NDArray[np.float64]

FLIPS = 10_000
"""Random sign patterns, where there are too many to try all."""

EXACT = 14
"""Up to so many differences that are not 0, all sign patterns are tried."""

ROUNDING = 1e-12
"""Metrics lie in 0 to 1: differences below this are what rounding leaves of none."""

_CHUNK = 500


class Interval(NamedTuple):
    """A mean and the interval around it.

    >>> mean, low, high = t_interval([0.2, 0.4, 0.6])
    >>> round(mean, 3), round(low, 3), round(high, 3)
    (0.4, -0.097, 0.897)
    """

    mean: float
    low: float
    high: float


class Paired(NamedTuple):
    """A paired test: the mean difference, the statistic, and the two-sided p-value.

    >>> difference, statistic, p = paired_t([0.1, 0.2, 0.3])
    >>> round(difference, 3), round(p, 3)
    (0.2, 0.074)
    """

    difference: float
    statistic: float
    p: float


def t_tail(t: float, freedom: float) -> float:
    """Return the probability that Student's t is at least |t| away from 0, on either side."""
    from scipy.special import stdtr  # noqa: PLC0415  (slow to load, and few commands need it)

    return float(2 * stdtr(freedom, -abs(t)))


def t_quantile(freedom: float, level: float = 0.95) -> float:
    """Return the value that |t| stays below with probability `level`."""
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load, and few commands need it)

    return float(stdtrit(freedom, (1 + level) / 2))


def t_interval(values: Any, level: float = 0.95) -> Interval:
    """Return the mean of independent values and its Student interval; not a number where there is only one value."""
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not array.size:
        raise InputError("an interval needs a flat list of at least one value")
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, math.nan, math.nan)
    reach = t_quantile(array.size - 1, level) * float(array.std(ddof=1)) / math.sqrt(array.size)
    return Interval(mean, mean - reach, mean + reach)


def paired_t(differences: Any, overlap: float = 0.0) -> Paired:
    """Return the paired t-test of differences: are they 0 on average?

    overlap: by how much the differences vary together, in variances of one. That is 0 for independent ones, and test
    by learning share for random splits of one sample (Nadeau and Bengio, Machine Learning 52, 2003).

    >>> paired_t([0.1, 0.3, 0.2]).p < 0.1
    True
    """
    array = _differences(differences)
    mean, spread = float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else 0.0
    if array.size < 2 or spread <= 1e-15 * abs(mean):
        # No spread: without a difference nothing speaks against chance, with a constant one everything does.
        return (
            Paired(mean, 0.0, 1.0) if mean == 0 or array.size < 2 else Paired(mean, math.copysign(math.inf, mean), 0.0)
        )
    t = mean / (spread * math.sqrt(1 / array.size + overlap))
    return Paired(mean, t, t_tail(t, array.size - 1))


def sign_flip(differences: Any, flips: int = FLIPS, seed: int = 0) -> Paired:
    """Return Fisher's randomisation test: how often do random signs give a mean at least as far from 0?

    All sign patterns are tried where at most 14 differences are not 0; else `flips` random ones, and the pattern that
    was observed counts as one more (Phipson and Smyth 2010), so that p is never 0.

    scipy.stats.permutation_test gives the same p from all patterns, but took 17 ms instead of 5 (14 differences), and
    106 ms instead of 10 for 10,000 patterns of 106 differences; a table of a simulation needs hundreds of tests.
    """
    array = _differences(differences)
    mean = float(array.mean())
    moved = array[array != 0]
    if not moved.size:
        return Paired(0.0, 0.0, 1.0)
    least = abs(moved.sum()) - 1e-12 * np.abs(moved).sum()  # sums of the same numbers may differ in the last bits
    if moved.size <= EXACT:
        patterns = np.arange(2**moved.size)[:, None] >> np.arange(moved.size) & 1
        far = np.abs((1 - 2 * patterns) @ moved) >= least
        return Paired(mean, mean, float(far.mean()))
    rng = np.random.default_rng(seed)
    count = 0
    for start in range(0, flips, _CHUNK):
        signs = rng.integers(0, 2, (min(_CHUNK, flips - start), moved.size)) * 2 - 1
        count += int(np.count_nonzero(np.abs(signs @ moved) >= least))
    return Paired(mean, mean, (count + 1) / (flips + 1))


def _differences(values: Any) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise InputError("a paired test needs a flat list of finite differences")
    # Means over seeds of equal values differ in the last bits; such a difference is none, however often it occurs.
    return np.where(np.abs(array) < ROUNDING, 0.0, array)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method (1979): all hold together at the level you compare with."""
    array = np.asarray(p_values, np.float64)
    if array.size and not ((array >= 0) & (array <= 1)).all():
        raise InputError("p-values lie in 0 to 1")
    order = np.argsort(array, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(array[order] * np.arange(array.size, 0, -1)))
    adjusted = np.empty(array.size)
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def resampled_means(groups: Sequence[Floats], resamples: int = 2000, seed: int = 0) -> Floats:
    """Return bootstrap means, resamples by columns: of the means of each group (queries by columns), queries redrawn.

    Groups are folds: each is redrawn within itself, and counts the same whatever its size, as in the means that are
    reported.

    Drawing how often each query counts makes all means one product of matrices: 66 ms for 5 folds of 20 queries and 60
    points, where scipy.stats.bootstrap takes 197 ms. Its other draws move a bound by up to 0.005, and so the figures
    that were published with these.
    """
    rng = np.random.default_rng(seed)
    means = []
    for group in groups:
        size = len(group)
        drawn = rng.multinomial(size, np.full(size, 1 / size), resamples)
        means.append(drawn @ group / size)
    return np.asarray(np.mean(means, axis=0))


def bootstrap_interval(groups: Sequence[Floats], level: float = 0.95, seed: int = 0) -> tuple[Floats, Floats]:
    """Return the percentile interval of `resampled_means`, for each column."""
    means = resampled_means(groups, seed=seed)
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return low, high


def area(labels: Any, values: Any) -> float:
    """Return the area under a learning curve divided by its length: the mean height between first and last point."""
    x, y = np.asarray(labels, np.float64), np.asarray(values, np.float64)
    if x.shape != y.shape or x.ndim != 1 or not x.size or (np.diff(x) <= 0).any():
        raise InputError("a curve needs one value for each of its rising numbers of labels")
    if x.size == 1:
        return float(y[0])
    return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() / (x[-1] - x[0]))


def first_reached(labels: Any, values: Any, goal: float) -> tuple[int | None, int | None]:
    """Return the first point at which a curve is at least `goal`, and the first from which on it stays there."""
    reached = np.asarray(values, np.float64) >= goal
    points = np.asarray(labels)
    if not reached.any():
        return None, None
    first = int(points[int(np.argmax(reached))])
    if reached.all():
        return first, first
    last_below = int(np.flatnonzero(~reached)[-1])
    return first, int(points[last_below + 1]) if last_below + 1 < points.size else None


def rank_correlation(first: Any, second: Any) -> float | None:
    """Return Spearman's rank correlation; None where one side has a single value.

    SciPy's takes longer to load than this to compute.

    >>> rank_correlation([1, 2, 3, 4], [0, 1, 0, 2]).__round__(3), rank_correlation([1, 2], [0, 0])
    (0.632, None)
    """
    ranks = []
    for values in (first, second):
        _, place, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
        if counts.size < 2:
            return None
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[place])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
