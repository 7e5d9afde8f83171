"""LRAR of single items whose confidences lean on those of neighbouring bins: a bin with few labels borrows theirs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.ranking.base import Floats, RuleRanker, normalise
from rulerank.registry import rankers
from rulerank.rules.confidences import scale_for
from rulerank.rules.items import Ints, Items, as_document
from rulerank.rules.rule import Rule
from rulerank.threads import over_rows

BINS = 256  # items are bytes


@kernel
def _add_confidences(columns: Items, theta: Ints, start: int, stop: int, sums: Ints) -> None:
    """Add the confidences of every document's items."""
    features, _, width = theta.shape
    for u in range(start, stop):
        for feature in range(features):
            for grade in range(width):
                sums[u, grade] += theta[feature, columns[feature, u], grade]


@rankers.register("smooth_items", "LRAR of single items, smoothed (fewest labels)")
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
    """

    def __init__(self, strength: float = 30.0, decay: float = 0.5) -> None:
        self.strength = strength
        self.decay = decay
        self._counts: Ints | None = None
        self._theta: tuple[object, Floats] | None = None

    def _changed(self, document: Items | None = None, grade: int = -1, sign: int = 0) -> None:
        self._theta = None
        if self._counts is None or document is None or grade >= self._counts.shape[2]:
            self._counts = None
        else:
            self._counts[np.arange(len(document)), document, grade] += sign

    def _counted(self) -> Ints:
        """Return n_r(b): features by bins by grades."""
        if self._counts is None:
            columns, grades = self.training
            width = self.grades_.size
            codes = columns.astype(np.int64) * width + grades
            self._counts = np.stack([np.bincount(code, minlength=BINS * width) for code in codes]).reshape(
                len(codes), BINS, width
            )
        return self._counts[:, :, : self.grades_.size]

    def confidences(self) -> Floats:
        """Return theta_r(b): features by bins by grades; zeros where nothing is known (with decay 0 only)."""
        if not 0 <= self.strength < np.inf:
            raise InputError(f"strength must be a number of at least 0, not {self.strength!r}")
        if not 0 <= self.decay <= 1:
            raise InputError(f"decay must lie in 0..1, not {self.decay!r}")
        settings = (self.strength, self.decay)
        if self._theta is None or self._theta[0] != settings:
            own = self._counted().astype(np.float64)
            near = normalise(self._around(own), np.zeros(own.shape[2]))
            labels = own.sum(axis=2, keepdims=True)
            known = near.sum(axis=2, keepdims=True) > 0
            weight = np.where(known, labels + self.strength, 1.0)
            theta = np.where(weight > 0, (own + self.strength * near) / np.where(weight > 0, weight, 1.0), near)
            self._theta = settings, theta
        return self._theta[1]

    def _around(self, own: Floats) -> Floats:
        """Return m_r(b), by one pass from either side."""
        lower, upper = own.copy(), own.copy()
        for place in range(1, BINS):
            lower[:, place] += self.decay * lower[:, place - 1]
            upper[:, -1 - place] += self.decay * upper[:, -place]
        return lower + upper - own

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        theta = np.rint(self.confidences() * scale_for(len(columns))).astype(np.int64)
        sums = np.zeros((columns.shape[1], theta.shape[2]), np.int64)
        over_rows(lambda start, stop: _add_confidences(columns, theta, start, stop, sums), len(sums))
        return normalise(sums.astype(np.float64), self._prior())

    def rules(self, document: Any) -> list[Rule]:
        """Return the rules of a document with the confidences that they count with."""
        items = as_document(document, features=self.features)
        theta, counts = self.confidences(), self._counted()
        return [
            Rule(((feature, int(number)),), grade, int(counts[feature, number, grade]), float(confidence))
            for feature, number in enumerate(items)
            for grade, confidence in enumerate(theta[feature, number])
            if confidence > 0
        ]
