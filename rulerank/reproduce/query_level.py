"""The query-level paper: its methods run on five folds, and its tables V to IX from the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rulerank.discretize import MDLP, Discretizer, items_of, useful_items
from rulerank.errors import InputError
from rulerank.folds import Fold
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR
from rulerank.reproduce.figures import Figure, PaperTable, metric_figure, quoted
from rulerank.reproduce.published import QUERY_LEVEL, Known, printed
from rulerank.reproduce.readings import MethodSetup

WARM = 64
"""Documents ranked before the clock starts: kernels are compiled then, and RE-QR has made D*."""


@dataclass(frozen=True)
class FoldOutcome:
    """What one setup reached: MAP a fold on test and validation parts, and by test query, fold by fold.

    seconds: a fold's time to rank, divided by its queries (validation and test): table IX's extraction of rules and
    estimation of relevance. Making D* is preprocessing to the paper, and is left out.
    """

    setup: MethodSetup
    test: tuple[float, ...]
    validation: tuple[float, ...]
    queries: tuple[np.ndarray, ...] = ()
    expected: tuple[np.ndarray, ...] = ()
    seconds: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        """Mean of the folds' test MAP, the papers' average."""
        return float(np.mean(self.test))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {
            "method": self.setup.method,
            "reading": self.setup.text,
            "map": list(self.test),
            "mean": self.mean,
            "validation_map": list(self.validation),
        }


class Bench:
    """Five folds, with the items of each discretizer made once."""

    def __init__(self, folds: list[Fold]) -> None:
        self.folds = folds
        self._items: Callable[[Any, int], tuple[np.ndarray, ...]] = cache(self._make_items)

    def _make_items(self, cuts: Callable[[], Discretizer], number: int) -> tuple[np.ndarray, ...]:
        """Return the items of a fold's three parts, without the features that training cannot tell apart."""
        fold = self.folds[number]
        fitted = cuts().fit(fold.train.features, fold.train.grades)
        if not (fitted.bins_ > 1).any():
            raise InputError(f"no feature tells the grades of fold {fold.number} apart; is this the right data?")
        train, useful = useful_items(fitted, fold.train.features, f"the training part of fold {fold.number}")
        return (train, *(items_of(fitted, part.features, useful) for part in (fold.validation, fold.test)))

    def run(self, setup: MethodSetup, done: Callable[[], object] = lambda: None) -> FoldOutcome:
        """Train and test one setup on every fold."""
        test, validation, queries, expected, seconds = [], [], [], [], []
        for number, fold in enumerate(self.folds):
            train_items, validation_items, test_items = self._items(setup.cuts, number)
            model = setup.ranker().fit(train_items, fold.train.grades, fold.train.query_index)
            model.predict(test_items[:WARM])
            started = time.perf_counter()
            # One call for both parts: rules are mined once.
            scores = model.predict(np.concatenate([validation_items, test_items]))
            spent = time.perf_counter() - started
            cut = len(fold.validation)
            held = evaluate(fold.validation.grades, scores[:cut], fold.validation.query_index)
            found = evaluate(fold.test.grades, scores[cut:], fold.test.query_index)
            test.append(found["map"])
            validation.append(held["map"])
            queries.append(found["per_query"]["map"])
            expected.append(found["per_query"]["expected"]["map"])
            seconds.append(spent / (held["queries"] + found["queries"]))
            done()
        return FoldOutcome(setup, tuple(test), tuple(validation), tuple(queries), tuple(expected), tuple(seconds))


def chosen_by_validation(outcomes: list[FoldOutcome]) -> FoldOutcome:
    """Return, fold by fold, the test MAP of the setup that did best on that fold's validation part."""
    folds = range(len(outcomes[0].test))
    best = [max(outcomes, key=lambda outcome, fold=fold: outcome.validation[fold]) for fold in folds]  # type: ignore[misc]
    return FoldOutcome(
        MethodSetup(outcomes[0].setup.method, "chosen on each fold's validation part", MDLP, LRAR),
        tuple(best[fold].test[fold] for fold in folds),
        tuple(best[fold].validation[fold] for fold in folds),
    )


MAP_TABLE = {"OHSUMED": "V", "TD": "VI", "HP": "VII", "NP": "VIII"}


def map_table(known: Known, outcomes: Sequence[FoldOutcome]) -> PaperTable:
    """Return the collection's table of MAP (V, VI, VII or VIII): our three methods, and the baselines as printed."""
    number = MAP_TABLE[known.name if known.name in MAP_TABLE else known.name[:2]]
    said = printed(number, known.name)
    figures = []
    for outcome in outcomes:
        method = outcome.setup.method
        figures.append(metric_figure(method, outcome.queries, outcome.expected, said.get(method), digits=3))
    ours = [figure.name for figure in figures]
    figures += [quoted(name, value, 3) for name, value in said.items() if name not in ours]
    return PaperTable(QUERY_LEVEL, number, "MAP", tuple(figures), tuple(filter(None, [_leaning(figures)])))


def _leaning(figures: Sequence[Figure]) -> str:
    """Say in how many of the printed folds ours is lower and higher: many small differences one way are no chance."""
    lower = higher = cells = 0
    for figure in figures:
        if figure.mean is None or figure.printed is None:
            continue
        for ours, theirs in zip(figure.folds, figure.printed.folds, strict=False):
            cells += 1
            lower += round(ours, figure.printed.digits) < theirs
            higher += round(ours, figure.printed.digits) > theirs
    return f"ours is lower in {lower} and higher in {higher} of {cells} folds, to the printed digits" if cells else ""


def seconds_table(known: Known, outcomes: Sequence[FoldOutcome]) -> PaperTable:
    """Return the collection's line of table IX: seconds per query, on this machine and on the authors'."""
    said = printed("IX", known.name)
    figures = [
        Figure(
            outcome.setup.method,
            outcome.seconds,
            float(np.mean(outcome.seconds)),
            printed=said.get(outcome.setup.method),
            digits=4,
            settles=False,
        )
        for outcome in outcomes
    ]
    ours = [figure.name for figure in figures]
    figures += [quoted(name, value, 2) for name, value in said.items() if name not in ours]
    note = "wall-clock time on this machine, many queries at once; printed: an Intel Core 2 Duo of 1.63 GHz"
    return PaperTable(QUERY_LEVEL, "IX", "seconds per query", tuple(figures), (note,))
