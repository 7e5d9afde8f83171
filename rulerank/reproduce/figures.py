"""A figure of ours beside the printed one, and whether they differ by more than chance and rounding explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.reproduce.published import Printed
from rulerank.statistics import bootstrap_interval, t_interval

Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float]

OVER_QUERIES = "bootstrap over test queries, within folds"
OVER_FOLDS = "Student, over folds"
OVER_RUNS = "Student, over all runs of all folds"


@dataclass(frozen=True)
class Figure:
    """One figure: ours by fold and on average, with a 95% interval, and what is printed.

    folds, mean: ours; none where only others' figure is quoted. interval, interval_of: the 95% interval of our mean and
    what it is taken over; fold_intervals: the same fold by fold. expected: the mean's exact expectation over ties.
    digits: how many to show. settles: whether printed and ours may be held against each other (seconds may not: they
    were measured on another machine).

    >>> figure = Figure("MAP", mean=0.445, interval=(0.43, 0.46), printed=Printed(mean=0.456, unit=0.001))
    >>> figure.differs
    False
    """

    name: str
    folds: tuple[float, ...] = ()
    mean: float | None = None
    interval: Bounds | None = None
    interval_of: str = ""
    fold_intervals: tuple[Bounds, ...] = ()
    expected: float | None = None
    printed: Printed | None = None
    digits: int = 4
    settles: bool = True

    @property
    def differs(self) -> bool | None:
        """Whether ours is further from the printed mean than its interval allows; None: nothing to compare.

        Its interval is the printed one where the paper prints one (Random), and else ours. A figure that the data alone
        decide (the pool's size) has none, and must agree to rounding. Rounding is half a unit of the last printed
        digit, and a whole one where rounded folds were averaged.
        """
        if self.mean is None or self.printed is None or not self.settles or math.isnan(self.mean):
            return None
        if self.printed.plus_minus is not None:
            return abs(self.mean - self.printed.mean) > self.printed.plus_minus + self.printed.unit / 2
        if self.interval is None:
            return abs(self.mean - self.printed.mean) > self.printed.unit + 1e-9
        return _outside(self.printed.mean, self.interval, self.printed.unit)

    @property
    def folds_that_differ(self) -> tuple[int, ...]:
        """The numbers (from 1) of the folds whose printed value lies outside our interval of that fold."""
        if self.printed is None or not self.settles or not self.fold_intervals:
            return ()
        pairs = zip(self.printed.folds, self.fold_intervals, strict=False)
        return tuple(
            number for number, (value, bounds) in enumerate(pairs, 1) if _outside(value, bounds, self.printed.unit)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as plain JSON types."""
        ours = None
        if self.mean is not None:
            ours = {
                "folds": [_number(value) for value in self.folds],
                "mean": _number(self.mean),
                "interval": None if self.interval is None else [_number(bound) for bound in self.interval],
                "interval_of": self.interval_of,
                "fold_intervals": [list(bounds) for bounds in self.fold_intervals],
                "expected_over_ties": self.expected,
            }
        theirs = None
        if self.printed is not None:
            theirs = {
                "folds": list(self.printed.folds),
                "mean": self.printed.mean,
                "plus_minus": self.printed.plus_minus,
            }
        return {
            "name": self.name,
            "ours": ours,
            "published": theirs,
            "differs": self.differs,
            "folds_that_differ": list(self.folds_that_differ),
        }


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper, about one collection.

    >>> table = PaperTable("a paper", "V", "MAP", (Figure("RE-GR", mean=0.445), Figure("RE-QR", mean=0.446)))
    >>> table.figure("RE-QR").mean
    0.446
    """

    paper: str
    number: str
    title: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = field(default=())

    def figure(self, name: str) -> Figure:
        """Return a figure by its name."""
        return next(figure for figure in self.figures if figure.name == name)

    @property
    def differing(self) -> list[Figure]:
        """The figures that differ, on average or in some fold."""
        return [figure for figure in self.figures if figure.differs or figure.folds_that_differ]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON types."""
        figures = [figure.to_dict() for figure in self.figures]
        return {
            "paper": self.paper,
            "table": self.number,
            "title": self.title,
            "figures": figures,
            "notes": list(self.notes),
        }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _outside(value: float, bounds: Bounds, unit: float) -> bool:
    return value < bounds[0] - unit / 2 or value > bounds[1] + unit / 2


def metric_figure(
    name: str,
    queries: Sequence[Floats],
    expected: Sequence[Floats],
    printed: Printed | None,
    digits: int = 4,
) -> Figure:
    """Return the figure of a metric from its values by fold and query, and the same expected over ties."""
    folds = tuple(float(values.mean()) for values in queries)
    low, high = bootstrap_interval([values[:, None] for values in queries])
    by_fold = []
    for values in queries if printed is not None and printed.folds else ():
        bounds = bootstrap_interval([values[:, None]])
        by_fold.append((float(bounds[0][0]), float(bounds[1][0])))
    return Figure(
        name,
        folds,
        float(np.mean(folds)),
        (float(low[0]), float(high[0])),
        OVER_QUERIES,
        tuple(by_fold),
        float(np.mean([values.mean() for values in expected])),
        printed,
        digits,
    )


def count_figure(
    name: str, folds: Sequence[float], printed: Printed | None, mean: float | None = None, digits: int = 2
) -> Figure:
    """Return the figure of something counted once per fold, with a Student interval over the folds."""
    values = tuple(float(value) for value in folds)
    around = t_interval(values)
    shown = around.mean if mean is None else mean
    bounds = (around.low, around.high) if len(values) > 1 else None
    return Figure(name, values, shown, bounds, OVER_FOLDS, printed=printed, digits=digits)


def quoted(name: str, printed: Printed, digits: int) -> Figure:
    """Return a printed figure of others' that is only quoted."""
    return Figure(name, printed=printed, digits=digits)
