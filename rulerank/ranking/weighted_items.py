"""LRAR of single items, smoothed, in which a feature counts by how far its bins differ in grade."""

from __future__ import annotations

import numpy as np

from rulerank.ranking.base import Floats, expected_grades
from rulerank.ranking.smooth_items import SmoothItems
from rulerank.registry import rankers

LEAST_SPREAD = 1e-9
"""Below it a spread is what rounding left of nothing."""


@rankers.register("weighted_items", "Weighted items (best from few labels)")
class WeightedItems(SmoothItems):
    """Each item votes for the grades it was labelled with, smoothed; a feature that tells grades apart counts more.

    `SmoothItems`, but not all features alike.

    A mean over all items gives a feature that says the same of every document as much of a say as one that parts the
    relevant from the rest. With e(b) = sum over r of r theta_r(b), the grade that bin b of a feature speaks for, and
    n(b) labels in it, the feature counts with the spread of what it says of the labelled documents:

        w = sqrt(sum over b of n(b) (e(b) - m)^2 / n),    m = sum over b of n(b) e(b) / n,

    and p(r|d) is the mean of theta_r over the document's items, weighted by w; then eq. 3. Smoothed confidences, not
    plain ones: a feature of many bins with a label each would seem to tell grades apart by chance. Weights come from
    whole counts, one feature at a time, so labels and their undo cancel here too, and features may come in any order.

    strength, decay: as in `SmoothItems`.

    >>> ranker = WeightedItems().fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.246, 0.754]
    """

    def weights(self) -> Floats:
        """Return how much each feature counts, the most telling one 1; all alike if none tells grades apart."""
        labels = self._counted().sum(axis=2)
        said = expected_grades(self.confidences())
        mean = (labels * said).sum(axis=1) / labels.sum(axis=1)
        spread = np.sqrt((labels * (said - mean[:, None]) ** 2).sum(axis=1) / labels.sum(axis=1))
        most = spread.max(initial=0.0)
        return spread / most if most > LEAST_SPREAD else np.ones(len(spread))
