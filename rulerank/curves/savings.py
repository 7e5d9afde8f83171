"""What a campaign saves: how many labels in random order give on average what its ranker has from the labels so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulerank.curves.learning_curve import Point
from rulerank.curves.random_replay import Band
from rulerank.statistics import first_reached

SHARE = 0.95
"""Of what all labels give: how far a wholly labelled pool is compared, because beyond it the curves are flat."""


@dataclass(frozen=True)
class Saving:
    """So many labels of a campaign, and how many labels in random order give the same value on average.

    random: the first number of labels with which the mean of the random replays reaches the value; low, high: the first
    with which the upper and the lower end of the mean's 95% interval do. None: not within the replay. reach: how many
    labels the replay covers; whole: that is the whole pool.

    >>> bands = [Band(n, {"map": mean}, {}, {}, {"map": 0.02}) for n, mean in ((10, 0.3), (50, 0.4), (90, 0.5))]
    >>> found = saving(bands, "map", 20, 0.4, pool=500)
    >>> round(found.random), round(found.low), round(found.high), found.verdict
    (50, 42, 58, 'ahead')
    >>> found.words
    'With 20 labels you have what 50 random ones give (42 to 58).'
    >>> found.saved
    'Labels saved: 60% (52% to 66%).'
    """

    labels: int
    value: float
    random: float | None
    low: float | None
    high: float | None
    reach: int
    whole: bool

    @property
    def verdict(self) -> str:
        """Return "ahead", "level" or "below": where the campaign stands against the interval."""
        if self.low is None or self.low > self.labels:
            return "ahead"
        return "below" if self.high is not None and self.high < self.labels else "level"

    @property
    def words(self) -> str:
        """The comparison in one sentence."""
        mine = f"{self.labels:,d} label{'' if self.labels == 1 else 's'}"
        if self.low is None:
            most = f"even all {self.reach:,d}" if self.whole else f"up to {self.reach:,d}"
            return f"With {mine} you have more than random ones give, {most}."
        has = f"{mine} you have what {self._count(self.random)} random ones give ({self._interval()})"
        if self.verdict == "ahead":
            return f"With {has}."
        return f"{'Level with' if self.verdict == 'level' else 'Below'} random labels so far: with {has}."

    @property
    def saved(self) -> str:
        """What was saved in the end, in one sentence: the share of the labels that random order would have taken."""
        if self.verdict != "ahead":
            return f"Labels saved: none to be seen; this campaign is {self._beside()} random labels."
        if self.low is None:
            return f"Labels saved: more than {self._share(self.reach)}."
        low, high = self._share(self.low), "more" if self.high is None else self._share(self.high)
        if self.random is None:
            return f"Labels saved: more than {self._share(self.reach)} (at least {low})."
        return f"Labels saved: {self._share(self.random)} ({low} {'or' if self.high is None else 'to'} {high})."

    def _beside(self) -> str:
        return "level with" if self.verdict == "level" else "below"

    def _share(self, random: float) -> str:
        return f"{max(0.0, 1 - self.labels / random):.0%}"

    def _count(self, number: float | None) -> str:
        return f"more than {self.reach:,d}" if number is None else f"{round(number):,d}"

    def _interval(self) -> str:
        low = self._count(self.low)
        return f"at least {low}" if self.random is None else f"{low} to {self._count(self.high)}"


def saving(bands: Sequence[Band], key: str, labels: int, value: float | None, *, pool: int) -> Saving | None:
    """Hold a campaign's value of a metric (`key`) after so many labels against random replays of its pool.

    None where a value is not defined yet, or the replays say nothing about the metric. Of a mean that goes up and down,
    the first crossing counts: the saving is rather understated.
    """
    shown = [band for band in bands if key in band.mean and key in band.margin]
    if value is None or not shown or not labels:
        return None
    at = np.array([band.labels for band in shown], np.float64)
    mean, margin = np.array([(band.mean[key], band.margin[key]) for band in shown]).T
    reach = int(at[-1])
    random, low, high = (_crossing(at, mean + side * margin, value) for side in (0, 1, -1))
    return Saving(labels, value, random, low, high, reach, reach >= pool)


def saving_of_all(bands: Sequence[Band], key: str, points: Sequence[Point], *, pool: int) -> Saving | None:
    """Return the saving of a campaign whose pool is wholly labelled: on the way to `SHARE` of its last value.

    The campaign's labels are those from which on its curve stays there, random order's those where it first gets there.
    """
    measured = [(point.labels, point.values[key]) for point in points if key in point.values]
    if not measured:
        return None
    at, values = zip(*measured, strict=True)
    goal = SHARE * values[-1]
    _, stays = first_reached(at, values, goal)
    return None if stays is None else saving(bands, key, stays, goal, pool=pool)


def _crossing(at: np.ndarray, values: np.ndarray, goal: float) -> float | None:
    """Return where a curve first is at least `goal`, between two points by a straight line; None if nowhere."""
    above = np.flatnonzero(values >= goal)
    if not above.size:
        return None
    place = int(above[0])
    if not place:
        return float(at[0])
    share = (goal - values[place - 1]) / (values[place] - values[place - 1])
    return float(at[place - 1] + share * (at[place] - at[place - 1]))
