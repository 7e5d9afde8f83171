"""Looks at a campaign: what the stop light weighs, taken at fixed numbers of labels, each a quarter more than the last.

Fixed, so that the light cannot come and go with every label: between two looks it stays as it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rulerank.curves import (
    Documents,
    Evaluation,
    Floats,
    Label,
    Make,
    Values,
    cross_validated,
    measured_by,
    out_of_fold,
)
from rulerank.curves.training import fit, predicted
from rulerank.metrics import Audience
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers
from rulerank.rules.items import Ints
from rulerank.statistics import rank_correlation

FIRST = 20
PER_DOUBLING = 3
"""Looks while the labels double: at 20, 25, 32, 40, 50 and so on."""

TOP = 0.2
"""The share of a query's documents that counts as its top."""

QUERIES = 50
"""Queries of the pool whose rankings are compared, evenly taken; each of five documents or more."""


@dataclass(frozen=True)
class Look:
    """What is seen after so many labels.

    values: of the metrics, on the evaluation set or cross-validated. agreement: how far the ranker after half as many
    labels has the same documents on top (`agreement`). rarer: labels of the rarer kind, relevant or not. queries: with
    a relevant document. beyond_chance: by how many standard errors grades go with what a ranker that never saw their
    query says (`beyond_chance`). stopped: whether the sampler is at its natural stop; None if it has none.
    """

    labels: int
    values: Values
    agreement: float | None
    rarer: int
    queries: int
    beyond_chance: float | None
    stopped: bool | None = None


def look_points(labels: int) -> list[int]:
    """Return at which numbers of labels to look.

    >>> look_points(130)
    [20, 25, 32, 40, 50, 63, 80, 101, 127]
    """
    found: list[int] = []
    while (number := round(FIRST * 2 ** (len(found) / PER_DOUBLING))) <= labels:
        found.append(number)
    return found


def agreement(before: Floats, now: Floats, qids: Ints) -> float | None:
    """Return how much of a ranking's top an earlier one had on top: mean average precision, its top fifth as relevant.

    Equal scores count in the order of the documents. None where no query has five documents whose scores differ.

    >>> agreement(np.array([5, 4, 3, 2, 1]), np.array([9, 8, 7, 6, 5]), np.zeros(5))
    1.0
    >>> agreement(np.array([4, 5, 3, 2, 1]), np.array([9, 8, 7, 6, 5]), np.zeros(5))
    0.5
    """
    found: list[float] = []
    names = np.unique(qids)
    for name in names[:: max(1, names.size // QUERIES)]:
        rows = np.flatnonzero(qids == name)
        if rows.size < 1 / TOP or np.ptp(before[rows]) == 0 or np.ptp(now[rows]) == 0:
            continue
        count = int(rows.size * TOP)
        top = np.zeros(rows.size, bool)
        top[np.argsort(-now[rows], kind="stable")[:count]] = True
        places = np.flatnonzero(top[np.argsort(-before[rows], kind="stable")])
        found.append(float((np.arange(1, count + 1) / (places + 1)).mean()))
    return float(np.mean(found)) if found else None


def beyond_chance(scores: Floats, grades: Ints) -> float | None:
    """Return the rank correlation of scores and grades in standard errors: those it has when grades are permuted.

    None where all scores or all grades are the same. Scores of a ranker that never saw a document's query lean the
    other way on grades without meaning (about -1.5 on average), so 0 is already more than chance gives.
    """
    found = rank_correlation(scores, grades)
    return None if found is None else found * float(np.sqrt(len(grades) - 1))


@dataclass
class Looks:
    """The looks at one campaign with one ranker, kept up to date as labels come, change or go.

    audience: reads the pool; an evaluation set has its own. sampler: names the one whose natural stop is looked for.

    >>> from rulerank.ranking import WeightedItems
    >>> rng = np.random.default_rng(0)
    >>> items = rng.integers(0, 3, (60, 3)).astype(np.uint8)
    >>> looks = Looks(WeightedItems, Documents(items, np.repeat(np.arange(10), 6)), None)
    >>> looks.follow(list(range(45)), (items[:45, 0] > 0).tolist())
    True
    >>> [(look.labels, look.rarer, look.queries) for look in looks.found]
    [(20, 6, 4), (25, 6, 5), (32, 8, 5), (40, 12, 7)]
    """

    make: Make
    pool: Documents
    evaluation: Evaluation | None
    convention: str = "letor"
    audience: Audience | None = None
    sampler: str = ""
    _labels: list[Label] = field(default_factory=list)
    _found: dict[int, Look] = field(default_factory=dict)
    _scores: dict[int, Floats] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def stamp(self) -> str:
        """A name for all that the values hold (`measured_by`)."""
        audience = self.audience if self.evaluation is None else self.evaluation.audience
        return measured_by(audience, self.convention, *([self.sampler] if self.sampler else []))

    @property
    def found(self) -> list[Look]:
        """The looks that were taken, up to the first that is missing."""
        taken = dict(self._found)
        points = look_points(len(self._labels))
        missing = next((place for place, n in enumerate(points) if n not in taken), len(points))
        return [taken[n] for n in points[:missing]]

    @property
    def missing(self) -> list[int]:
        """Where `follow` had no time to look."""
        return [n for n in look_points(len(self._labels)) if n not in self._found]

    def follow(
        self,
        rows: Sequence[int],
        grades: Sequence[int],
        *,
        stopped: Callable[[Sequence[Label]], bool | None] = lambda labels: None,
        seconds: float | None = None,
        done: Callable[[int, int], None] = lambda done, total: None,
    ) -> bool:
        """Look wherever these labels allow it; stop after about `seconds`, and return whether no look is missing.

        stopped: says of labels whether the sampler is at its natural stop after them; None where that is not known.
        """
        end = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            self._keep([(int(row), int(grade)) for row, grade in zip(rows, grades, strict=True)])
            wanted = self.missing
            for number, n in enumerate(wanted):
                if end is not None and time.monotonic() >= end:
                    return False
                self._found[n] = self._look(n, stopped)
                done(number + 1, len(wanted))
            return True

    def _keep(self, labels: list[Label]) -> None:
        """Take these labels, and forget the looks that rest on others; the order before a look does not count."""

        def serves(n: int) -> bool:
            return n <= len(labels) and set(self._labels[:n]) == set(labels[:n])

        self._found = {n: look for n, look in self._found.items() if serves(n)}
        self._scores = {n: scores for n, scores in self._scores.items() if n in self._found}
        self._labels = labels

    def _look(self, n: int, stopped: Callable[[Sequence[Label]], bool | None]) -> Look:
        labels = self._labels[:n]
        rows = np.array([row for row, _ in labels], np.int64)
        grades = np.array([grade for _, grade in labels], np.int64)
        qids = np.array(self.pool.queries(rows))
        points = look_points(n)
        half = points[-1 - PER_DOUBLING] if len(points) > PER_DOUBLING else None
        values = self._score(n)
        if self.evaluation is None:
            audience = None if self.audience is None else self.audience.of(rows)
            values = cross_validated(
                self.make, self.pool.items[rows], grades.tolist(), qids, convention=self.convention, audience=audience
            )
        if half is not None and half not in self._scores:
            self._score(half)
        relevant = grades > 0
        unseen = out_of_fold(rankers[RECOMMENDED], self.pool.items[rows], grades, qids)
        return Look(
            labels=n,
            values=values,
            agreement=None
            if half is None
            else agreement(self._scores[half], self._scores[n], np.asarray(self.pool.qids)),
            rarer=int(min(relevant.sum(), (~relevant).sum())),
            queries=int(np.unique(qids[relevant]).size),
            beyond_chance=None if unseen is None else beyond_chance(unseen, grades),
            stopped=stopped(labels),
        )

    def _score(self, n: int) -> Values:
        """Rank the pool after n labels, keep the scores for as long as they are needed, and measure."""
        ranker = self.make()
        fit(ranker, self.pool, self._labels[:n])
        self._scores[n] = predicted(ranker, self.pool)
        for old in sorted(self._scores)[: -PER_DOUBLING - 2]:
            del self._scores[old]
        shown = self.evaluation
        return {} if shown is None else shown.measure(predicted(ranker, shown.documents))

    def to_dict(self) -> dict[str, Any]:
        """Return what was seen, and with which labels, as plain JSON types."""
        with self._lock:
            return {
                "measured_by": self.stamp,
                "rows": [row for row, _ in self._labels],
                "grades": [grade for _, grade in self._labels],
                "looks": [asdict(look) for look in self._found.values()],
            }

    def load(self, saved: dict[str, Any]) -> None:
        """Take over what another process saw, as far as it rests on the same labels and measures the same."""
        if saved["measured_by"] != self.stamp:
            return
        with self._lock:
            theirs = list(zip(saved["rows"], saved["grades"], strict=True))
            for each in saved["looks"]:
                n = each["labels"]
                if n <= len(self._labels) and set(theirs[:n]) == set(self._labels[:n]):
                    self._found.setdefault(n, Look(**each))
