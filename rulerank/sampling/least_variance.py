"""Least variance: the document whose grade would leave the least uncertain about the whole pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.sampling.base import Sampler
from rulerank.sampling.selection import Key
from rulerank.sampling.variance_kernels import fill_shared, follow_label, quadratic
from rulerank.threads import over_rows

Floats = npt.NDArray[np.float64]

MOST_ITEMS = 6000
"""Distinct items for which the two tables of this sampler (items by items) fit into half a gigabyte."""

DIGITS = 9
"""Digits of a gain that decide: the last bits depend on the order of the labels, and the choice must not."""


@samplers.register("least_variance", "Least variance (tells most about the pool)")
class LeastVariance(Sampler):
    """Chooses the document whose grade would reduce the uncertainty about the whole pool the most.

    Two documents are as alike as the share of items they have in common: the single-item antecedents that both draw
    rules from. Seen so, grades are a Gaussian process, and a label lowers the variance at every document like it. The
    choice is greedy for the sum of variances over the pool (V-optimal design), so it covers what is common before what
    is odd, where the fewest rules or the farthest document look for what is odd alone. Grades do not enter, so the
    order is known beforehand, and a wrong grade cannot lead it astray.

    noise: the variance of a grade around what its items say, beside 1 for what they say. A larger one asks for more
    labels in the thick of the pool.
    """

    def __init__(self, noise: float = 0.25) -> None:
        self.noise = noise

    def _begin(self) -> None:
        if not self.noise > 0 or not np.isfinite(self.noise):
            raise InputError(f"noise must be a number above 0, not {self.noise}")
        pool = self.pool
        number = pool.max(axis=0).astype(np.int64) + 1
        items = int(number.sum())
        if items > MOST_ITEMS:
            raise InputError(
                f"least_variance keeps a table of items by items, for at most {MOST_ITEMS:,} items; this pool has "
                f"{items:,}. Use fewer bins or features."
            )
        self._places = np.ascontiguousarray(pool + (np.cumsum(number) - number))
        self._moment = np.zeros((items, items))
        fill_shared(self._places, self._moment)
        features = pool.shape[1]
        self._covariance: Floats = np.eye(items) / features
        self._variance: Floats = np.ones(len(pool))
        self._effect: Floats = np.empty(len(pool))
        first = self._moment / features**2
        over_rows(lambda start, stop: quadratic(self._places, start, stop, first, self._effect), len(pool))

    def _added(self, row: int, grade: int) -> None:
        self._change(row, 1.0 / (self.noise + self._variance[row]))

    def _removed(self, row: int, grade: int) -> None:
        self._change(row, -1.0 / (self.noise - self._variance[row]))

    def _change(self, row: int, share: float) -> None:
        """Follow a label: the covariance of the items' weights (Sherman and Morrison), and what hangs on it."""
        toward = self._covariance[:, self._places[row]].sum(axis=1)
        moved = self._moment @ toward
        spread, left = self._covariance @ moved, float(toward @ moved)
        over_rows(
            lambda start, stop: follow_label(
                self._places, start, stop, toward, spread, share, left, self._variance, self._effect
            ),
            len(self._places),
        )
        self._covariance -= share * np.outer(toward, toward)

    def _keys(self) -> Sequence[Key]:
        gain = self._effect / (self.noise + self._variance)
        return (Key("gain", np.round(gain / max(float(self._variance.mean()), 1e-300), DIGITS), largest=True),)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return (
            f"its grade would take away {keys['gain']:.2%} of what is still uncertain about the pool, the most of all"
        )
