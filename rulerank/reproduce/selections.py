"""Run the active-sampling paper's columns on a fold: select to the natural stop, train on that, rank the test part."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from rulerank.curves import fitted_scores
from rulerank.errors import InputError
from rulerank.folds import Fold
from rulerank.registry import samplers
from rulerank.reproduce.measures import relevant_percent, top_rows
from rulerank.reproduce.readings import LRAR_BY_NAME, OURS, Reading
from rulerank.simulate.data import Split
from rulerank.simulate.fold_arrays import FoldArrays, prepare
from rulerank.simulate.learners import all_rankers
from rulerank.simulate.outcome import choose
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy

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
class Columns:
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
    """One fold: its pool (the training part), its test part, and the items of each discretiser, made once.

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

    def _items(self, discretiser: Strategy) -> tuple[Plan, FoldArrays]:
        if discretiser.key not in self._prepared:
            rankers = (LRAR_BY_NAME, SVM) if self._svm else (LRAR_BY_NAME,)
            plan = Plan(samplers=(RANDOM,), rankers=rankers, discretiser=discretiser, metrics=METRICS)
            self._prepared[discretiser.key] = (plan, prepare(self._split, plan))
        return self._prepared[discretiser.key]

    def train(self, rows: Ints, ranker: Strategy, discretiser: Strategy) -> Trained:
        """Train a ranker on rows of the pool, and measure it on the test part."""
        plan, fold = self._items(discretiser)
        evaluation = fold.evaluation(plan.convention)
        make = partial(ranker.make, all_rankers)
        scores = fitted_scores(make, fold.documents, fold.labels(rows), evaluation.documents)
        values, expected = evaluation.per_query(scores, plan.cut_offs)
        return Trained(rows.size, relevant_percent(fold.grades[rows]), values, expected)

    def select(self, reading: Reading) -> Ints:
        """Return the rows that a sampler selects until its natural stop."""
        _, fold = self._items(reading.discretiser)
        return choose(reading.sampler, None, fold, len(fold.grades), beyond_stop=False).rows

    def selected(self, of: str) -> Ints:
        """Return what SSAR or SSARP selects in our reading; chosen once."""
        if of not in self._stops:
            self._stops[of] = self.select(OURS[of])
        return self._stops[of]

    def order(self, sampler: Strategy, seed: int | None, count: int) -> Ints:
        """Return the first `count` rows of a baseline."""
        _, fold = self._items(OURS["SSAR"].discretiser)
        return top_rows(choose(sampler, seed, fold, count, beyond_stop=True).rows, count)

    def columns(self, of: str, seeds: int) -> Columns:
        """Return the fold's columns of table 1 (of SSAR) or 2 (of SSARP, with those of table 3 where wanted)."""
        reading = OURS[of]
        rows = self.selected(of)
        _, fold = self._items(reading.discretiser)
        samples = [rows, self.order(self._baseline, None, rows.size)]
        samples += [self.order(RANDOM, seed, rows.size) for seed in range(seeds)]
        trained = [self.train(sample, reading.ranker, reading.discretiser) for sample in samples]
        plain = Columns(len(fold.grades), relevant_percent(fold.grades), trained[0], trained[1], tuple(trained[2:]))
        if not self._svm or of != "SSARP":
            return plain
        svm = [self.train(sample, SVM, reading.discretiser) for sample in samples]
        return replace(plain, svm_ours=svm[0], svm_bm25=svm[1], svm_random=tuple(svm[2:]))

    def run(self, reading: Reading, seeds: int) -> Trained:
        """Run another reading: a sampler to its own stop, a baseline to the stop of the sampler it stands beside.

        One that draws at random is drawn `seeds` times, and its values are means over the draws.
        """
        if reading.sampler.name == OURS[reading.of].sampler.name:
            return self.train(self.select(reading), reading.ranker, reading.discretiser)
        count = self.selected(reading.of).size
        draws = range(seeds) if reading.sampler.is_seeded(samplers) else (None,)
        found = [
            self.train(self.order(reading.sampler, seed, count), reading.ranker, reading.discretiser) for seed in draws
        ]
        return Trained(
            count,
            float(np.mean([each.relevant for each in found])),
            np.mean([each.values for each in found], axis=0),
            np.mean([each.expected for each in found], axis=0),
        )
