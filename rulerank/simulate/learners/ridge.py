"""Ridge regression of the grade on the features: the simplest pointwise baseline."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rulerank.errors import InputError
from rulerank.simulate.learners.base import Floats, Ints, Learner, learners
from rulerank.strategy import Param

CHOICES = tuple(float(10.0**power) for power in range(-3, 4))


@learners.register("ridge", "Ridge regression")
class Ridge(Learner):
    """Least squares with an L2 penalty, in closed form; the score is the predicted grade.

    penalty: a number, or "loo": the one of 0.001, 0.01, ... 1000 with the least squared error when each labelled
    document is predicted from the others (exact, from one singular value decomposition; a tie: the larger penalty).
    Nothing but the labelled sample is looked at. The mean is not penalised.

    >>> Ridge(penalty=1.0).fit([[0.0], [0.5], [1.0]], [0, 1, 2], [1, 1, 1]).predict([[0.2], [0.8]]).round(3).tolist()
    [0.8, 1.2]
    """

    params = (
        Param("penalty", float, "loo", "L2 penalty; 'loo': chosen by leaving one out.", above=0, choices=("loo",)),
    )

    def __init__(self, penalty: float | Literal["loo"] = "loo") -> None:
        self.penalty = penalty
        self.penalty_ = 0.0
        """The penalty that was used."""

    def _learn(self, features: Floats, grades: Ints, queries: Ints) -> None:
        if self.penalty != "loo" and (isinstance(self.penalty, str) or not self.penalty > 0):
            raise InputError(f"penalty must be a number above 0, or 'loo', not {self.penalty!r}")
        self._centre = features.mean(axis=0)
        self._mean = float(grades.mean())
        left, sizes, right = np.linalg.svd(features - self._centre, full_matrices=False)
        centred = grades.astype(np.float64) - self._mean
        target = left.T @ centred
        if self.penalty == "loo":
            errors = [_left_out_error(left, sizes, centred, penalty) for penalty in CHOICES]
            least = min(errors)
            self.penalty_ = max(p for p, error in zip(CHOICES, errors, strict=True) if error <= least * (1 + 1e-12))
        else:
            self.penalty_ = float(self.penalty)
        self._weights = right.T @ (sizes / (sizes**2 + self.penalty_) * target)

    def _score(self, features: Floats) -> Floats:
        # Not a matrix product: BLAS rounds by the place of a row, and equal documents must have equal scores.
        return self._mean + ((features - self._centre) * self._weights).sum(axis=1)


def _left_out_error(left: Floats, sizes: Floats, centred: Floats, penalty: float) -> float:
    """Return the mean squared error over documents, each predicted from a fit to all the others."""
    shrink = sizes**2 / (sizes**2 + penalty)
    fitted = left @ (shrink * (left.T @ centred))
    leverage = ((left * shrink) * left).sum(axis=1) + 1.0 / len(centred)  # 1/n: the mean is fitted too
    room = 1.0 - leverage
    if (room < 1e-10).any():
        return float("inf")
    return float(np.mean(((centred - fitted) / room) ** 2))
