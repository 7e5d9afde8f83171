"""Run the query-level paper's methods on five folds: MAP on test and validation parts, and seconds a query."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rulerank.discretize import MDLP, Discretizer, items_of, useful_items
from rulerank.errors import InputError
from rulerank.folds import Fold
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR
from rulerank.reproduce.readings import Setup

WARM = 64
"""Documents ranked before the clock starts: kernels are compiled then, and RE-QR has made D*."""


@dataclass(frozen=True)
class Outcome:
    """What one setup reached: MAP a fold on test and validation parts, and by test query, fold by fold.

    seconds: a fold's time to rank, divided by its queries (validation and test): table IX's extraction of rules and
    estimation of relevance. Making D* is preprocessing to the paper, and is left out.
    """

    setup: Setup
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

    def run(self, setup: Setup, done: Callable[[], object] = lambda: None) -> Outcome:
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
        return Outcome(setup, tuple(test), tuple(validation), tuple(queries), tuple(expected), tuple(seconds))


def chosen_by_validation(outcomes: list[Outcome]) -> Outcome:
    """Return, fold by fold, the test MAP of the setup that did best on that fold's validation part."""
    folds = range(len(outcomes[0].test))
    best = [max(outcomes, key=lambda outcome, fold=fold: outcome.validation[fold]) for fold in folds]  # type: ignore[misc]
    return Outcome(
        Setup(outcomes[0].setup.method, "chosen on each fold's validation part", MDLP, LRAR),
        tuple(best[fold].test[fold] for fold in folds),
        tuple(best[fold].validation[fold] for fold in folds),
    )
