"""Compare click models on one log as the paper does: tables 2 and 3 over repeated random splits, with paired tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rulerank.clicks.documents import DocumentCounts, DocumentFit
from rulerank.clicks.evaluation import ONLINE, ClickEvaluation, by_configuration, gain, measure, weighted_correlation
from rulerank.clicks.fit import STARTS, fit
from rulerank.clicks.fitting import Objective, estimate
from rulerank.clicks.likelihood import Floats, terms_of
from rulerank.clicks.log import ClickLog, Ints
from rulerank.clicks.models import PAPER, click_models
from rulerank.clicks.predict import FLOOR, floored, stop_probabilities
from rulerank.clicks.result import Fit
from rulerank.errors import InputError, RulerankError
from rulerank.metrics.intents import IntentUser
from rulerank.progress import Progress, silent
from rulerank.statistics import paired_t

_EXACT = 1_000_000_000
"""Up to here numpy draws without replacement; beyond, each session is drawn on its own, which comes to the same."""


def random_splits(count: Ints, splits: int, share: float, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield (learn, test) counts of a log's rows: `share` of the sessions, drawn without replacement, are the test."""
    total = int(count.sum())
    size = round(total * share)
    if splits < 1 or not 0 < share < 1:
        raise InputError("there must be at least 1 split, with a share for the test between 0 and 1")
    if not 0 < size < total:
        raise InputError(f"{total} sessions cannot be split so that {share:.0%} of them are a test")
    rng = np.random.default_rng(seed)
    for _ in range(splits):
        if total < _EXACT:
            test = rng.multivariate_hypergeometric(count, size, method="marginals")
        else:
            test = rng.binomial(count, share)
        yield count - test, test


def paired_t_test(first: Floats, second: Floats, share: float) -> dict[str, float]:
    """Return the mean difference over the splits, with t and p of the paired two-sample t-test, the paper's.

    Splits of one log share most of their sessions, so this test is too sure of itself. `p_corrected` widens the
    variance for that, from 1/n to 1/n + test/learn (Nadeau and Bengio, Machine Learning 52, 2003).
    """
    gaps = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    gaps = gaps[np.isfinite(gaps)]
    if len(gaps) < 2:
        mean = float(gaps.mean()) if len(gaps) else float("nan")
        return {"difference": mean} | dict.fromkeys(("t", "p", "p_corrected"), float("nan"))
    plain = paired_t(gaps)
    corrected = paired_t(gaps, overlap=share / (1 - share))
    return {"difference": plain.difference, "t": plain.statistic, "p": plain.p, "p_corrected": corrected.p}


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
            learners[name] = _Learned(Objective(click_models[name], log, terms, found.user.intents), found)
        else:
            learners[name] = _Given(log, found.user, floor)
        step(click_models[name].label)

    evaluations: dict[str, list[ClickEvaluation]] = {name: [] for name in names}
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
    problem: Objective
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
