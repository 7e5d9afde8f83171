"""LRAR of single items whose confidences lean on those of neighbouring bins: a bin with few labels borrows theirs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from rulerank.errors import InputError, MemoryLimitError, NotFittedError
from rulerank.kernels import kernel, over_rows
from rulerank.ranking.base import Floats, RuleRanker, normalise
from rulerank.registry import rankers
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, as_document
from rulerank.rules.mine import BLOCK_LIMIT
from rulerank.rules.rule import Rule
from rulerank.strategy import Param

COPIES = 10  # of the table of counts, as bytes that are used at the same time


@kernel
def add_confidences(columns: Items, theta: Ints, start: int, stop: int, sums: Ints) -> None:
    """Add the confidences of every document's items; the last bin stands for all beyond it."""
    features, bins, width = theta.shape
    for u in range(start, stop):
        for feature in range(features):
            place = min(np.int64(columns[feature, u]), bins - 1)
            for grade in range(width):
                sums[u, grade] += theta[feature, place, grade]


@rankers.register("smooth_items", "Smoothed items (LRAR for the fewest labels)")
class SmoothItems(RuleRanker):
    """Rules of single items, each with the confidence that its bin and the bins around it suggest.

    LRAR takes bins for mere names: a bin that was labelled once has the confidence 0 or 1, and one that was never
    labelled says nothing, whatever the bins next to it say. But bins are in order, and what holds for one nearly holds
    for the next. With n_r(b) labels of grade r in bin b of a feature,

        m_r(b) = sum over bins c of decay^|b - c| n_r(c),    q_r(b) = m_r(b) / sum over s of m_s(b),
        theta_r(b) = (n_r(b) + strength q_r(b)) / (n(b) + strength)

    is the confidence of {b} -> r: that of the neighbourhood where there are few labels, the bin's own (eq. 1) where
    there are many. The score is the mean over all items of a document, as in `LRARItems`; then eq. 2 and 3. All of it
    comes from whole counts and is summed in whole numbers (of 2^-44), so labels and their undo cancel to the last bit,
    and the order of labels and features says nothing.

    strength: how many labels of its own a bin needs to weigh as much as its neighbourhood.
    decay: what a label one bin away weighs; 0 looks at the bin alone.

    >>> ranker = SmoothItems().fit([[0, 0], [0, 1], [1, 1]], grades=[2, 1, 0])
    >>> ranker.predict([[0, 0], [1, 1]]).round(3).tolist()
    [1.246, 0.754]
    """

    incremental = True

    params = (
        Param("strength", float, 30.0, "Labels of its own by which a bin weighs as much as its neighbourhood.", low=0),
        Param("decay", float, 0.5, "What a label one bin away weighs; 0 looks at the bin alone.", low=0, high=1),
    )

    def __init__(self, strength: float = 30.0, decay: float = 0.5) -> None:
        self.strength = strength
        self.decay = decay
        self._counts: Ints | None = None
        self._theta: tuple[tuple[float, float], Floats] | None = None

    def _changed(
        self, document: Items | None = None, grade: int = -1, sign: int = 0, qid: Hashable | None = None
    ) -> None:
        self._theta = None
        counts = self._counts
        if counts is None or document is None or grade >= counts.shape[2]:
            self._counts = None
        elif document.max() > counts.shape[1] - 2 or (sign < 0 and document.max() == counts.shape[1] - 2):
            self._counts = None  # as wide as the bins that are left: what lies beyond them is answered by the last one
        else:
            counts[np.arange(len(document)), document, grade] += sign

    def _counted(self) -> Ints:
        """Return n_r(b): features by bins by grades, and one bin more than there are labels in."""
        if self._counts is None:
            columns, grades = self.training
            if not grades.size:
                raise NotFittedError("the labelled set is empty, so there is no rule to go by")
            bins, width = int(columns.max()) + 2, self.grades_.size
            needed = COPIES * 8 * len(columns) * bins * width
            if needed > BLOCK_LIMIT:
                raise MemoryLimitError(
                    f"grades up to {width - 1} in {bins} bins of {len(columns)} features would take "
                    f"{needed / 1e6:,.0f} MB, more than the limit of {BLOCK_LIMIT / 1e6:,.0f} MB; use fewer bins, or "
                    "number the grades 0, 1, 2 and so on"
                )
            codes = columns.astype(np.int64) * width + grades
            found = [np.bincount(code, minlength=bins * width) for code in codes]
            self._counts = np.stack(found).reshape(len(codes), bins, width)
        return self._counts[:, :, : self.grades_.size]

    def confidences(self) -> Floats:
        """Return theta_r(b), features by bins by grades (read-only); the last bin stands for all beyond it.

        Zeros where nothing is known: decay 0, or one so small that nothing of a far label is left.
        """
        settings = self._settings()
        if self._theta is None or self._theta[0] != settings:
            strength, decay = settings
            own = self._counted().astype(np.float64)
            near = normalise(_around(own, decay), np.zeros(own.shape[2]))
            labels = own.sum(axis=2, keepdims=True)
            known = near.sum(axis=2, keepdims=True) > 0
            weight = np.where(known, labels + strength, 1.0)
            theta = np.where(weight > 0, (own + strength * near) / np.where(weight > 0, weight, 1.0), near)
            theta.flags.writeable = False
            self._theta = settings, theta
        return self._theta[1]

    def _settings(self) -> tuple[float, float]:
        for name, most in (("strength", np.inf), ("decay", 1.0)):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not 0 <= value <= most or value == np.inf:
                limits = "a number of at least 0" if most == np.inf else f"a number from 0 to {most:g}"
                raise InputError(f"{name} must be {limits}, not {value!r}")
        return float(self.strength), float(self.decay)

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        counted = self.confidences() * self.weights()[:, None, None]
        theta = np.rint(counted * scale_for(len(columns))).astype(np.int64)
        sums = np.zeros((columns.shape[1], theta.shape[2]), np.int64)
        over_rows(lambda start, stop: add_confidences(columns, theta, start, stop, sums), len(sums))
        return normalise(sums.astype(np.float64), self._prior())

    def weights(self) -> Floats:
        """Return how much each feature counts: here, all alike."""
        return np.ones(self.features)

    def rules(self, document: Any) -> list[Rule]:
        """Return the rules of a document with the confidences and weights that they count with."""
        items = as_document(document, features=self.features)
        theta, counts, weights = self.confidences(), self._counted(), self.weights().tolist()
        places = np.minimum(items, theta.shape[1] - 1).tolist()
        return [
            Rule(
                ((feature, int(items[feature])),),
                grade,
                int(counts[feature, place, grade]),
                float(confidence),
                weights[feature],
            )
            for feature, place in enumerate(places)
            for grade, confidence in enumerate(theta[feature, place])
            if confidence > 0
        ]


def _around(own: Floats, decay: float) -> Floats:
    """Return m_r(b), by one pass from either side."""
    lower, upper = own.copy(), own.copy()
    for place in range(1, own.shape[1]):
        lower[:, place] += decay * lower[:, place - 1]
        upper[:, -1 - place] += decay * upper[:, -place]
    return lower + upper - own
