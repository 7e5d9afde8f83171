"""Maximum likelihood by L-BFGS-B from several starts.

The mixture over latent intents has several local maxima, so the search begins at estimates of the models that this
one contains (their likelihood is a floor for this one's), at the closed form of the intent-agnostic model, and at
random points around it; the best end wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rulerank.clicks.likelihood import Floats, Likelihood, Terms
from rulerank.clicks.log import ClickLog, Ints
from rulerank.clicks.models import ClickModel, by_intent_language_and_grade, click_models
from rulerank.errors import InputError
from rulerank.kernels import one_blas_thread

EDGE = 14.0
"""Logits stay within this: probabilities between a millionth and a millionth short of 1."""
_SPREAD = 1.0
_NUDGE = 0.1


@dataclass(frozen=True, eq=False)
class Estimate:
    """Where the search ended."""

    prior: Floats
    relevance: Floats
    """By intent, language and grade."""
    free: Floats
    loglik: float
    converged: bool
    starts: tuple[float, ...]
    """The log-likelihood that a look from each start reached, in the order tried."""


@dataclass(frozen=True, eq=False)
class Objective:
    """A model on a log's terms: all that a search needs, for any weighing of the sessions."""

    model: ClickModel
    log: ClickLog
    terms: Terms
    intents: tuple[str, ...]

    def likelihood(self, weights: Floats) -> Likelihood:
        """Return the likelihood for a weighing of the terms."""
        return Likelihood(self.terms, weights, self.model.table(self.log, self.intents))

    @property
    def own(self) -> Ints:
        """Each intent's language, -1 where it is none."""
        names = self.log.languages
        return np.array([names.index(name) if name in names else -1 for name in self.intents], np.int64)


@dataclass(frozen=True)
class Care:
    """When a search may end: relative gain of a step, and gradient, both of the mean log-likelihood of a session."""

    gain: float
    gradient: float


LOOK = Care(1e-9, 1e-5)
"""To tell which of several starts leads up highest."""
POLISH = Care(1e-14, 1e-8)


def maximise(likelihood: Likelihood, start: Floats, care: Care = POLISH) -> tuple[Floats, float, bool]:
    """Climb from a start; return the free parameters, the log-likelihood, and whether the search converged."""
    from scipy.optimize import minimize  # noqa: PLC0415  (slow to load, and few commands need it)

    scale = max(likelihood.sessions, 1.0)

    def cost(free: Floats) -> tuple[float, Floats]:
        value, gradient = likelihood(free)
        return -value / scale, -gradient / scale

    with one_blas_thread():
        found = minimize(
            cost,
            np.clip(start, -EDGE, EDGE),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-EDGE, EDGE)] * likelihood.size,
            options={"maxiter": 5_000, "maxfun": 20_000, "ftol": care.gain, "gtol": care.gradient, "maxcor": 30},
        )
    # Code 2: no step along the search line gains anything any more, which at this tolerance is rounding.
    return np.asarray(found.x), -float(found.fun) * scale, bool(found.success or found.status == 2)


def estimate(
    problem: Objective,
    weights: Floats,
    *,
    starts: int,
    rng: np.random.Generator,
    near: Floats | None = None,
    care: Care = POLISH,
) -> Estimate:
    """Fit a model: look from every start, then polish the best end.

    With `near` (the free parameters of a fit to nearly the same sessions) the search begins there alone.
    """
    likelihood = problem.likelihood(weights)
    if likelihood.sessions <= 0:
        raise InputError("there are no sessions to learn from")
    best, reached = near, []
    if best is None:
        begins = _starts(problem, likelihood, starts, rng)
        ends = [maximise(likelihood, begin, LOOK) for begin in begins]
        best = max(ends, key=lambda end: end[1])[0]
        reached = [value for _, value, _ in ends]
    best, loglik, converged = maximise(likelihood, best, care)
    best = _named(problem, likelihood, best)
    prior, cells = likelihood.parts(best)
    shape = (len(problem.intents), len(problem.log.languages), problem.log.grades)
    return Estimate(prior, cells.reshape(shape), best, loglik, converged, tuple(reached))


def _starts(problem: Objective, likelihood: Likelihood, starts: int, rng: np.random.Generator) -> list[Floats]:
    """Return where to begin: a plain guess, the models within, then random points."""
    plain = np.concatenate(
        [_by_parameter(likelihood, _agnostic(problem, likelihood)), np.zeros(likelihood.intents - 1)]
    )
    if likelihood.intents == 1:
        return [plain]
    begins = [_leaning(problem, likelihood, plain)]
    for name in problem.model.within:
        inner = click_models[name]
        if inner.aware and any(intent not in problem.log.languages for intent in problem.intents):
            continue
        begins.append(_from_within(problem, likelihood, inner, starts, rng))
    begins += [
        np.concatenate(
            [
                plain[: likelihood.relevances] + rng.normal(scale=_SPREAD, size=likelihood.relevances),
                rng.normal(scale=_SPREAD, size=likelihood.intents - 1),
            ]
        )
        for _ in range(max(starts - len(begins), 0))
    ]
    return begins


def _agnostic(problem: Objective, likelihood: Likelihood) -> Floats:
    """The closed form of the intent-agnostic model: stops / examinations of each grade (one of each added)."""
    passed, stopped = likelihood.terms.examined(likelihood.weights)
    grades = problem.log.grades
    ended, gone = stopped.reshape(-1, grades).sum(axis=0), passed.reshape(-1, grades).sum(axis=0)
    return np.asarray((ended + 0.5) / (ended + gone + 1.0))


def _by_parameter(likelihood: Likelihood, by_grade: Floats) -> Floats:
    """Logits of each parameter from a value by grade, averaged where cells of several grades share a parameter."""
    cells = likelihood.table.shape[1]
    logits = np.tile(np.log(by_grade / (1 - by_grade)), cells // len(by_grade))
    everywhere = np.broadcast_to(logits, likelihood.table.shape).ravel()
    totals = np.bincount(likelihood.table.ravel(), weights=everywhere, minlength=likelihood.relevances)
    return np.asarray(totals / np.bincount(likelihood.table.ravel(), minlength=likelihood.relevances))


def _leaning(problem: Objective, likelihood: Likelihood, plain: Floats) -> Floats:
    """The plain guess, leaning towards each intent's own language so that the intents differ at all.

    Intents that are no language lean by their number: some are easier to satisfy than others.
    """
    own = np.repeat(problem.own[:, None] == np.arange(len(problem.log.languages)), problem.log.grades, axis=1)
    lean = np.where(own, 0.5, -0.5)
    nameless = problem.own < 0
    lean[nameless] = np.linspace(-1.0, 1.0, len(nameless))[nameless, None]
    totals = np.bincount(likelihood.table.ravel(), weights=lean.ravel(), minlength=likelihood.relevances)
    shift = totals / np.bincount(likelihood.table.ravel(), minlength=likelihood.relevances)
    return plain + np.concatenate([shift, np.zeros(likelihood.intents - 1)])


def _from_within(
    problem: Objective, likelihood: Likelihood, inner: ClickModel, starts: int, rng: np.random.Generator
) -> Floats:
    """The estimate of a contained model, in this model's parameters.

    Where the intents do not differ the gradient between them vanishes, so such a point is moved a little.
    """
    smaller = Objective(inner, problem.log, problem.terms, problem.intents if inner.aware else ("any",))
    found = estimate(smaller, likelihood.weights, starts=starts, rng=rng, care=LOOK)
    relevance = np.broadcast_to(found.relevance, (len(problem.intents), *found.relevance.shape[1:]))
    logits = np.empty(likelihood.relevances)
    logits[likelihood.table.ravel()] = _clipped_logit(relevance.ravel())
    if inner.aware:
        shares = np.log(found.prior[1:] / found.prior[0])
    else:
        logits = logits + rng.normal(scale=_NUDGE, size=len(logits))
        shares = np.zeros(likelihood.intents - 1)
    return np.concatenate([logits, shares])


def _clipped_logit(values: Floats) -> Floats:
    return np.clip(np.log(values) - np.log1p(-values), -EDGE, EDGE)


def _named(problem: Objective, likelihood: Likelihood, free: Floats) -> Floats:
    """Give the intents their names: in the extended model they can change places without any change of likelihood.

    Each language goes to the intent that its documents satisfy most, in the best matching over all languages.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  (slow to load, and few commands need it)

    own = problem.own
    if problem.model.structure is not by_intent_language_and_grade or len(own) < 2:
        return free
    prior, cells = likelihood.parts(free)
    relevance = cells.reshape(len(own), len(problem.log.languages), -1)
    passed, stopped = likelihood.terms.examined(likelihood.weights)
    weight = (passed + stopped).reshape(relevance.shape[1:])
    mean = (relevance * weight).sum(axis=2) / np.maximum(weight.sum(axis=1), 1e-300)
    named = np.flatnonzero(own >= 0)
    intents, places = linear_sum_assignment(-mean[:, own[named]])
    order = np.full(len(own), -1)
    order[named[places]] = intents
    rest = [intent for intent in np.argsort(-prior, kind="stable") if intent not in intents]
    order[order < 0] = rest
    logits = np.concatenate([[0.0], free[likelihood.relevances :]])[order]
    by_intent = free[: likelihood.relevances].reshape(len(own), -1)[order]
    return np.concatenate([by_intent.ravel(), logits[1:] - logits[0]])
