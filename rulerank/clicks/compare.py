"""Compare click models on one log as the paper does: tables 2 and 3 over repeated random splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rulerank.clicks.documents import DocumentCounts, DocumentFit
from rulerank.clicks.evaluation import Evaluation, gain, measure
from rulerank.clicks.fit import STARTS, fit
from rulerank.clicks.fitting import Problem, estimate
from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog, Ints
from rulerank.clicks.models import PAPER, click_models
from rulerank.clicks.online import ONLINE, by_configuration, weighted_correlation
from rulerank.clicks.predict import FLOOR, floored, stop_probabilities
from rulerank.clicks.result import Fit
from rulerank.clicks.splits import paired_t_test, random_splits
from rulerank.clicks.terms import terms_of
from rulerank.errors import InputError, RulerankError
from rulerank.metrics.users import IntentUser
from rulerank.progress import Progress, silent

Rows = list[dict[str, Any]]


class ComparisonStoppedError(RulerankError):
    """The caller asked to stop."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What every model reached on every split; the tables are means over the splits."""

    models: tuple[str, ...]
    fits: dict[str, Fit | DocumentFit]
    """Each model fitted to the whole log."""
    perplexity: dict[str, Floats]
    """Mean marginal perplexity of each split."""
    conditional: dict[str, Floats]
    loglik: dict[str, Floats]
    """Log-likelihood of a test session."""
    positions: dict[str, tuple[Floats, Floats]]
    """Marginal and conditional perplexity by position, averaged over the splits."""
    correlation: dict[str, dict[str, Floats]]
    """By model and online metric, of each split."""
    splits: int
    share: float
    sessions: int
    configurations: int

    def models_table(self) -> Rows:
        """Table 2: best model first, each with its gain over the next."""
        order = sorted(self.models, key=lambda name: float(self.perplexity[name].mean()))
        rows: Rows = []
        for place, name in enumerate(order):
            mean = float(self.perplexity[name].mean())
            later = float(self.perplexity[order[place + 1]].mean()) if place + 1 < len(order) else None
            rows.append(
                {
                    "model": name,
                    "label": click_models[name].label,
                    "parameters": self.fits[name].free_parameters,
                    "perplexity": mean,
                    "deviation": float(self.perplexity[name].std(ddof=1)) if self.splits > 1 else 0.0,
                    "gain": None if later is None else gain(later, mean),
                    "conditional": float(self.conditional[name].mean()),
                    "loglik": float(self.loglik[name].mean()),
                }
            )
        return rows

    def correlations_table(self) -> Rows:
        """Table 3: correlation of each model's metric with each online metric, by the first of them."""
        rows: Rows = [
            {"model": name, "label": click_models[name].label}
            | {online: _mean(values) for online, values in self.correlation[name].items()}
            for name in self.models
        ]
        return sorted(rows, key=lambda row: -row["uctr"] if row["uctr"] is not None else 2.0)

    def positions_table(self) -> Rows:
        """Perplexity by model and position."""
        return [
            {"model": name, "label": click_models[name].label, "position": place + 1, "marginal": m, "conditional": c}
            for name in self.models
            for place, (m, c) in enumerate(zip(*(part.tolist() for part in self.positions[name]), strict=True))
        ]

    def tests_table(self) -> Rows:
        """Paired t-tests of every two models, on perplexity and on each correlation."""
        rows: Rows = []
        for first, second in combinations(self.models, 2):
            pairs = {"perplexity": (self.perplexity[first], self.perplexity[second])}
            pairs |= {name: (self.correlation[first][name], self.correlation[second][name]) for name in ONLINE}
            for name, (one, other) in pairs.items():
                found = {key: _plain(value) for key, value in paired_t_test(one, other, self.share).items()}
                rows.append({"measure": name, "first": first, "second": second, **found})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain values for JSON."""
        return {
            "sessions": self.sessions,
            "configurations": self.configurations,
            "splits": self.splits,
            "test_share": self.share,
            "models": self.models_table(),
            "correlations": self.correlations_table(),
            "positions": self.positions_table(),
            "tests": self.tests_table(),
        }


def compare(
    log: ClickLog,
    models: Sequence[str] = PAPER,
    *,
    splits: int = 100,
    test_share: float = 0.1,
    seed: int = 0,
    intents: Sequence[str] | None = None,
    prior: Sequence[float] | None = None,
    variant: str = "err",
    starts: int = STARTS,
    event: str = "last",
    floor: float = FLOOR,
    no_click: str = "zero",
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Comparison:
    """Learn each model on the larger part of each split, and measure it on the smaller one.

    Each model is first fitted to the whole log from several starts; on a split the search begins at that fit, which
    saves looking for the right hill a hundred times and does not change where its top is. `progress` is called with
    (steps done, steps in all, a word); once `cancelled` says True the work ends with `ComparisonStoppedError`. The
    other arguments are those of `fit`, `evaluate_clicks` and `correlations`.
    """
    names = tuple(dict.fromkeys(models))
    if not names:
        raise InputError("name at least one model to compare")
    total, done = len(names) + splits, 0

    def step(message: str) -> None:
        nonlocal done
        done += 1
        progress(done, total, message)
        if cancelled():
            raise ComparisonStoppedError(f"stopped after {done} of {total} steps")

    terms = terms_of(log)
    fits: dict[str, Fit | DocumentFit] = {}
    learners: dict[str, _Learner] = {}
    for name in names:
        fits[name] = fit(
            name, log, intents=intents, starts=starts, seed=seed, prior=prior, variant=variant, floor=floor, terms=terms
        )
        found = fits[name]
        if isinstance(found, DocumentFit):
            learners[name] = _ByDocument(DocumentCounts.of(log))
        elif found.learned:
            learners[name] = _Learned(Problem(click_models[name], log, terms, found.user.intents), found)
        else:
            learners[name] = _Given(log, found.user, floor)
        step(click_models[name].label)

    evaluations: dict[str, list[Evaluation]] = {name: [] for name in names}
    correlated: dict[str, list[list[float]]] = {name: [] for name in names}
    discount = 1.0 / np.arange(1, log.depth + 1)
    for number, (learn, test) in enumerate(random_splits(log.count, splits, test_share, seed)):
        means, behind = by_configuration(log, test, no_click)
        for name, learner in learners.items():
            stops, clicks, offline = learner(learn)
            evaluations[name].append(measure(stops, clicks, log, test, event=event))
            metric = offline[:, 1:] @ discount
            correlated[name].append(
                [weighted_correlation(metric, means[:, column], behind[:, column]) for column in range(len(ONLINE))]
            )
        step(f"split {number + 1}")
    return Comparison(
        names,
        fits,
        {name: np.array([one.perplexity for one in found]) for name, found in evaluations.items()},
        {name: np.array([one.conditional_perplexity for one in found]) for name, found in evaluations.items()},
        {name: np.array([one.loglik / one.sessions for one in found]) for name, found in evaluations.items()},
        {
            name: (
                np.mean([one.marginal for one in found], axis=0),
                np.mean([one.conditional for one in found], axis=0),
            )
            for name, found in evaluations.items()
        },
        {name: dict(zip(ONLINE, np.array(found).T, strict=True)) for name, found in correlated.items()},
        splits,
        test_share,
        log.sessions,
        log.configurations,
    )


_Learner = Callable[[Ints], tuple[Floats, Floats, Floats]]
"""From the sessions to learn from: P(stop) and P(click) for perplexity, and P(stop) for the metric."""


@dataclass(frozen=True, eq=False)
class _Learned:
    problem: Problem
    whole: Fit

    def __call__(self, learn: Ints) -> tuple[Floats, Floats, Floats]:
        problem = self.problem
        found = estimate(
            problem,
            problem.terms.weights(learn),
            starts=1,
            rng=np.random.default_rng(0),
            near=np.asarray(self.whole.free),
        )
        user = IntentUser(problem.intents, problem.log.languages, found.prior, found.relevance)
        stops = stop_probabilities(user, problem.log)
        return stops, stops[:, 1:], stops


class _Given:
    def __init__(self, log: ClickLog, user: IntentUser, floor: float) -> None:
        stops, metric = stop_probabilities(floored(user, floor), log), stop_probabilities(user, log)
        self._found = stops, stops[:, 1:], metric

    def __call__(self, learn: Ints) -> tuple[Floats, Floats, Floats]:
        return self._found


@dataclass(frozen=True, eq=False)
class _ByDocument:
    counts: DocumentCounts

    def __call__(self, learn: Ints) -> tuple[Floats, Floats, Floats]:
        stops, clicks = self.counts.predicted(learn)
        return stops, clicks, stops


def _mean(values: Floats) -> float | None:
    return _plain(float(np.mean(values)))


def _plain(value: float) -> float | None:
    """A number that JSON knows, or None."""
    return value if np.isfinite(value) else None
