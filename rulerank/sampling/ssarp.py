"""SSARP: SSAR on vertical partitions of the features (Rule-Based Active Sampling, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.rules import Explanation, RuleIndex
from rulerank.rules.items import Items, antecedent_param, check_antecedent
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key, Selection, pick
from rulerank.strategy import Param


def chi_squares(items: Items) -> npt.NDArray[np.float64]:
    """Return the chi-square statistic of every feature against every other (features by features, diagonal 0)."""
    rows, features = items.shape
    out = np.zeros((features, features))
    bins = items.max(axis=0, initial=0).astype(np.int64) + 1
    columns = [np.ascontiguousarray(items[:, feature]).astype(np.int64) for feature in range(features)]
    margins = [np.bincount(column, minlength=n) for column, n in zip(columns, bins, strict=True)]
    for i in range(features):
        for j in range(i + 1, features):
            table = np.bincount(columns[i] * bins[j] + columns[j], minlength=bins[i] * bins[j]).reshape(
                bins[i], bins[j]
            )
            expected = np.outer(margins[i], margins[j])
            held = expected > 0
            # sum (O - E)^2 / E with E = outer / n is n (sum O^2 / outer - 1)
            value = rows * (float((table[held].astype(float) ** 2 / expected[held]).sum()) - 1.0)
            out[i, j] = out[j, i] = max(value, 0.0)
    return out


Scoring = Literal["paper", "program"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
"""Whose formula turns places into scores: the paper's, or that of its authors' own script."""


def place_scores(places: int, scoring: str = "paper") -> npt.NDArray[np.float64]:
    """Return what the places 1, 2, ... of a line add to a feature's score.

    `paper` (section 4.2): the first adds 1, place j adds 1 / ln(10 j). `program`, the script that the paper's authors
    ran: the first two add 1, and place j then adds 1 / ln(10 (j - 1)). It alone gives the feature order that they kept.

    >>> place_scores(4).round(3).tolist()
    [1.0, 0.334, 0.294, 0.271]
    >>> place_scores(4, "program").round(3).tolist()
    [1.0, 1.0, 0.334, 0.294]
    """
    if scoring not in SCORINGS:
        raise InputError(f"scoring must be one of {', '.join(SCORINGS)}, not {scoring!r}")
    later = 1.0 / np.log(10.0 * np.arange(2, places + 1, dtype=np.float64))
    if scoring == "program":
        return np.concatenate([np.ones(min(2, places)), later[: max(0, places - 2)]])
    return np.concatenate([np.ones(min(1, places)), later])


def feature_ranking(items: Items, scoring: str = "paper") -> list[int]:
    """Return the features, the most informative first.

    Line i of the chi-square matrix ranks the other features, and a place adds to a feature's score (`place_scores`).
    Ties, in a line and in the end, go to the lower feature number.
    """
    table = chi_squares(items)
    features = len(table)
    score = np.zeros(features)
    scores = place_scores(features - 1, scoring)
    for i in range(features):
        others = np.delete(np.arange(features), i)
        # Rounded, so that equal statistics that were added up in another order stay equal.
        ranked = others[np.argsort(-np.round(table[i, others], 6), kind="stable")]
        score[ranked] += scores
    return [int(feature) for feature in np.argsort(-np.round(score, 9), kind="stable")]


def deal_features(items: Items, partitions: int, scoring: str = "paper") -> list[list[int]]:
    """Return the features of each partition, dealt round robin in the order of `feature_ranking`."""
    if partitions < 1:
        raise InputError(f"partitions must be at least 1, not {partitions}")
    ranking = feature_ranking(items, scoring)
    return [ranking[first::partitions] for first in range(min(partitions, len(ranking)))]


@dataclass
class _Part:
    """SSAR on one partition of the features."""

    features: list[int]
    index: RuleIndex
    occurrence: np.ndarray
    grades: dict[int, int]
    stopped_on: int | None = None

    def keys(self) -> Sequence[Key]:
        return (Key("rules", self.index.rule_counts()), occurrence_key(self.occurrence, not self.grades))


@dataclass(frozen=True)
class _Step:
    """One thing that happened: partition `part`, in its turn, took `row` with its grade, or (grade None) stopped."""

    turn: int
    part: int
    row: int
    grade: int | None


@samplers.register("ssarp", "SSARP (fewest rules, by feature partition)")
class SSARP(Sampler):
    """Features are dealt to partitions by chi-square; SSAR runs on each; the union is labelled, with all features.

    The partitions take turns, so that early labels are spread over all of them; the union is that of separate runs.
    A document that a second partition chooses is not asked for again: that partition takes the known grade. Each
    partition has its own natural stop, and the whole stops when all have. `propose(beyond=True)` then names the
    document without a grade that draws the fewest rules over all partitions.

    scoring: how a feature's places among the others' chi-squares are scored before features are dealt: "paper" by the
    formula in print, "program" by the one that the authors' own script has (`partitions.place_scores`).

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> SSARP(partitions=2).run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1]
    """

    counts_rules = True
    counts_by_partition = True

    params = (
        Param("partitions", int, 5, "Partitions that the features are dealt to.", low=1, high=256),
        antecedent_param(),
        Param("scoring", str, "paper", "Formula by which places of features are scored.", choices=("paper", "program")),
    )

    def __init__(self, partitions: int = 5, max_antecedent: int = 2, scoring: Scoring = "paper") -> None:
        self.partitions = partitions
        self.max_antecedent = max_antecedent
        self.scoring = scoring

    def _begin(self) -> None:
        self.features_ = deal_features(self.pool, self.partitions, self.scoring)
        size = check_antecedent(self.max_antecedent)
        self._parts = []
        for features in self.features_:
            items = np.ascontiguousarray(self.pool[:, features])
            index = RuleIndex(items, max_antecedent=size)
            self._parts.append(_Part(features, index, total_occurrence(items), {}))
        self._steps: list[_Step] = []
        self._turn = 0
        self._advance()

    def _advance(self) -> None:
        """Let partitions take known grades and stop, until one of them needs a grade or all have stopped."""
        self._waiting: tuple[int, int] | None = None
        hidden = [row for row in self._excluded if row not in self._grades]
        inside = np.ones(len(self.pool), bool)
        inside[hidden] = False
        while any(part.stopped_on is None for part in self._parts):
            number = self._turn % len(self._parts)
            part = self._parts[number]
            if part.stopped_on is not None:
                self._turn += 1
                continue
            row = pick(part.keys(), inside if hidden else None)
            if row >= 0 and row not in part.grades and row not in self._grades:
                self._waiting = (number, row)
                return
            if row < 0 or row in part.grades:
                part.stopped_on = row
                self._step(number, row, None)
            else:
                self._step(number, row, self._grades[row])

    def _step(self, number: int, row: int, grade: int | None) -> None:
        self._steps.append(_Step(self._turn, number, row, grade))
        self._turn += 1
        if grade is not None:
            self._parts[number].index.add(row, grade)
            self._parts[number].grades[row] = grade

    def _rewind(self, place: int) -> None:
        """Undo every step from `place` on, and go on from there with the grades at hand."""
        while len(self._steps) > place:
            step = self._steps.pop()
            part = self._parts[step.part]
            self._turn = step.turn
            if step.grade is None:
                part.stopped_on = None
            else:
                part.index.remove(step.row, step.grade)
                del part.grades[step.row]
        self._advance()

    def _added(self, row: int, grade: int) -> None:
        if row in self._excluded:  # hidden until now, it may be what a partition would have chosen long ago
            self._rewind(0)
        elif self._waiting is not None and self._waiting[1] == row:
            self._step(self._waiting[0], row, grade)
            self._advance()

    def _removed(self, row: int, grade: int) -> None:
        taken = (n for n, step in enumerate(self._steps) if step.row == row and step.grade is not None)
        self._rewind(next(taken, len(self._steps)))

    def exclude(self, row: int) -> None:
        """Never propose this document; a grade it has still counts."""
        super().exclude(row)
        self._advance()

    def include(self, row: int) -> None:
        """Undo `exclude`."""
        row = self._row(row)
        hidden = row in self._excluded and row not in self._grades
        super().include(row)
        if hidden:
            self._rewind(0)

    def propose(self, *, beyond: bool = False) -> Selection | None:
        """Return the next selection, with `stop` set once every partition has stopped."""
        self._started()
        if self._waiting is not None:
            number, row = self._waiting
            part = self._parts[number]
            return self._select(row, part.keys(), rule_count=int(part.index.rule_counts()[row]), partition=number)
        if beyond:
            row = pick(self._keys(), self._available)
            return None if row < 0 else self._select(row, self._keys(), rule_count=int(self.rule_counts[row]))
        number = next(step.part for step in reversed(self._steps) if step.grade is None)
        part = self._parts[number]
        stopped = part.stopped_on
        if stopped is None or stopped < 0:
            return None
        rules = int(part.index.rule_counts()[stopped])
        return self._select(stopped, part.keys(), rule_count=rules, partition=number, stop=True)

    def _keys(self) -> Sequence[Key]:
        return (Key("rules", self.rule_counts), Key("occurrence", total_occurrence(self.pool)))

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if self._waiting is None:
            if row in self._grades:
                return "every partition has chosen a labelled document again: the natural stop"
            return f"{keys['rules']:.0f} rules over all partitions, the fewest of those without a grade"
        number = self._waiting[0]
        where = f"in partition {number + 1} of {len(self._parts)} ({len(self._parts[number].features)} features)"
        if not self._parts[number].grades:
            return f"nothing is labelled {where} yet, and its items are the most common there"
        return f"it draws {keys['rules']:.0f} rules {where}, the fewest of {len(self.pool)} documents"

    @property
    def rule_counts(self) -> np.ndarray:
        """The rules each pool document draws, added up over the partitions."""
        self._started()
        return np.sum([part.index.rule_counts() for part in self._parts], axis=0)

    def explain(self, row: int) -> list[Explanation]:
        """Return a document's rules and new items, one account per partition, with the pool's feature numbers."""
        self._started()
        return [part.index.explain(row).renumbered(part.features) for part in self._parts]
