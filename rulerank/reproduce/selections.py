"""Run the active-sampling paper's columns on a fold: select to the natural stop, train on that, rank the test part."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.curves import fitted_scores
from rulerank.errors import InputError
from rulerank.folds import Fold
from rulerank.registry import samplers
from rulerank.reproduce.readings import LRAR_BY_NAME, OURS, Reading
from rulerank.simulate.data import FoldArrays, Split, prepare
from rulerank.simulate.learners import all_rankers
from rulerank.simulate.outcome import choose
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy


def selected_percent(selected: float, pool: float) -> float:
    """Sel%: the share of the training part (U, the unlabelled set) that was selected, 100 Sel / Utot."""
    if not pool > 0:
        raise InputError("the pool is empty, so no share of it can be selected")
    return 100 * selected / pool


def relevant_percent(grades: Any) -> float:
    """RSel%, R25% and R%: the share of relevant documents (grade 1 or more) among these documents, in percent.

    Not a recall: the paper's RSel% is the proportion of relevant documents in the selected set, R25% in the one that
    the BM25 baseline selects, and R% in the full training set. Of no documents: 0.
    """
    levels = np.asarray(grades)
    return 100 * float(np.count_nonzero(levels > 0)) / levels.size if levels.size else 0.0


def gain_percent(value: Any, baselines: Iterable[Any]) -> Any:
    """G%: how much better than the best baseline, 100 (value / max(baselines) - 1); not a number if that one is 0.

    In tables 1 and 2 SSAR (SSARP) over the better of LBM25 and Random, in table 3 SVMS over the better of SBM25 and
    Random. LRAR with all labels is a reference and no baseline. Takes numbers, or arrays of bootstrap means.
    """
    best = np.maximum.reduce([np.asarray(baseline, np.float64) for baseline in baselines])
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = 100 * (np.asarray(value, np.float64) / best - 1)
    return np.where(best > 0, gain, np.nan)[()]


def top_rows(order: Sequence[int] | npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Return the first `count` rows of a baseline's order: the baselines spend as many labels as the sampler did."""
    rows = np.asarray(order, np.int64)
    if rows.size < count:
        raise InputError(f"{count} documents are to be selected, and there are only {rows.size}")
    return rows[:count]


Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

METRICS = ("map", "ndcg@1", "ndcg@5", "ndcg@10")
SVM = Strategy("rank_svm")
RANDOM = Strategy("random")


@dataclass(frozen=True)
class Trained:
    """A sample and what a ranker made of it: metrics (`METRICS`) by test queries, and the same expected over ties."""

    selected: int
    relevant: float
    values: Floats
    expected: Floats

    @property
    def map(self) -> float:
        """Mean average precision of the fold's test part."""
        return float(self.values[0].mean())


@dataclass(frozen=True)
class SampleColumns:
    """A fold's columns of table 1 or 2, and for SSARP of table 3 (`svm_*`; None where scikit-learn is not there)."""

    pool: int
    relevant: float
    ours: Trained
    bm25: Trained
    random: tuple[Trained, ...]
    svm_ours: Trained | None = None
    svm_bm25: Trained | None = None
    svm_random: tuple[Trained, ...] = ()


def svm_is_there() -> bool:
    """Say whether table 3 can be done: its SVMRank is scikit-learn's."""
    return importlib.util.find_spec("sklearn") is not None


class FoldBench:
    """One fold: its pool (the training part), its test part, and the items of each discretizer, made once.

    baseline: the sampler of the BM25 columns. svm: whether table 3 is wanted too.
    """

    def __init__(self, fold: Fold, baseline: Strategy, *, svm: bool = False) -> None:
        width = fold.train.features.shape[1]
        if baseline.params["feature"] >= width:
            raise InputError(
                f"the BM25 baseline goes by feature {baseline.params['feature'] + 1}, and fold {fold.number} has "
                f"{width} features; name the one that holds BM25 with --bm25"
            )
        if (fold.train.grades < 0).any() or (fold.test.grades < 0).any():
            raise InputError(f"fold {fold.number} has documents without a grade; the papers' collections have none")
        self._split = Split(fold.number, fold.train, fold.test)
        self._baseline = baseline
        self._svm = svm
        self._prepared: dict[str, tuple[Plan, FoldArrays]] = {}
        self._stops: dict[str, Ints] = {}

    def _items(self, discretizer: Strategy) -> tuple[Plan, FoldArrays]:
        if discretizer.key not in self._prepared:
            rankers = (LRAR_BY_NAME, SVM) if self._svm else (LRAR_BY_NAME,)
            plan = Plan(samplers=(RANDOM,), rankers=rankers, discretizer=discretizer, metrics=METRICS)
            self._prepared[discretizer.key] = (plan, prepare(self._split, plan))
        return self._prepared[discretizer.key]

    def train(self, rows: Ints, ranker: Strategy, discretizer: Strategy) -> Trained:
        """Train a ranker on rows of the pool, and measure it on the test part."""
        plan, fold = self._items(discretizer)
        evaluation = fold.evaluation(plan.convention)
        make = partial(ranker.make, all_rankers)
        scores = fitted_scores(make, fold.documents, fold.labels(rows), evaluation.documents)
        values, expected = evaluation.per_query(scores, plan.measures)
        return Trained(rows.size, relevant_percent(fold.grades[rows]), values, expected)

    def select(self, reading: Reading) -> Ints:
        """Return the rows that a sampler selects until its natural stop."""
        _, fold = self._items(reading.discretizer)
        return choose(reading.sampler, None, fold, len(fold.grades), beyond_stop=False).rows

    def selected(self, of: str) -> Ints:
        """Return what SSAR or SSARP selects in our reading; chosen once."""
        if of not in self._stops:
            self._stops[of] = self.select(OURS[of])
        return self._stops[of]

    def order(self, sampler: Strategy, seed: int | None, count: int) -> Ints:
        """Return the first `count` rows of a baseline."""
        _, fold = self._items(OURS["SSAR"].discretizer)
        return top_rows(choose(sampler, seed, fold, count, beyond_stop=True).rows, count)

    def columns(self, of: str, seeds: int) -> SampleColumns:
        """Return the fold's columns of table 1 (of SSAR) or 2 (of SSARP, with those of table 3 where wanted)."""
        reading = OURS[of]
        rows = self.selected(of)
        _, fold = self._items(reading.discretizer)
        samples = [rows, self.order(self._baseline, None, rows.size)]
        samples += [self.order(RANDOM, seed, rows.size) for seed in range(seeds)]
        trained = [self.train(sample, reading.ranker, reading.discretizer) for sample in samples]
        plain = SampleColumns(
            len(fold.grades), relevant_percent(fold.grades), trained[0], trained[1], tuple(trained[2:])
        )
        if not self._svm or of != "SSARP":
            return plain
        svm = [self.train(sample, SVM, reading.discretizer) for sample in samples]
        return replace(plain, svm_ours=svm[0], svm_bm25=svm[1], svm_random=tuple(svm[2:]))

    def run(self, reading: Reading, seeds: int) -> Trained:
        """Run another reading: a sampler to its own stop, a baseline to the stop of the sampler it stands beside.

        One that draws at random is drawn `seeds` times, and its values are means over the draws.
        """
        if reading.sampler.name == OURS[reading.of].sampler.name:
            return self.train(self.select(reading), reading.ranker, reading.discretizer)
        count = self.selected(reading.of).size
        draws = range(seeds) if reading.sampler.is_seeded(samplers) else (None,)
        found = [
            self.train(self.order(reading.sampler, seed, count), reading.ranker, reading.discretizer) for seed in draws
        ]
        return Trained(
            count,
            float(np.mean([each.relevant for each in found])),
            np.mean([each.values for each in found], axis=0),
            np.mean([each.expected for each in found], axis=0),
        )
