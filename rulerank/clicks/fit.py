"""Fit a click model to a log: `fit` learns the parameters, with intervals that say how well the data know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rulerank.clicks.documents import DocumentFit, fit_documents
from rulerank.clicks.fitting import EDGE, Objective, estimate
from rulerank.clicks.likelihood import Floats, Likelihood, Terms, terms_of
from rulerank.clicks.log import ClickLog
from rulerank.clicks.models import DEPENDS, ClickModel, by_grade, by_grade_of_own, click_models
from rulerank.clicks.predict import FLOOR, floored, log_likelihood, stop_probabilities
from rulerank.clicks.result import Fit, Parameter, fixed_parameters
from rulerank.errors import InputError
from rulerank.metrics.intents import IntentUser, err_eia_user, err_ia_user, err_user

KNOWN, FIXED, UNSEEN, AT_EDGE, UNTOLD = "estimated", "fixed", "no data", "at the edge", "not identified"
"""What is known of a parameter."""

_FLAT = 1e-6
"""Eigenvalues of the scaled information below this are rounding: differences of gradients are good to about 1e-8."""
_UNSEEN = 1e-9
"""The same for the sum of squared scores, which has no differences in it."""
_MOVED = 0.02
"""A parameter counts as moved from this share of the largest movement on."""
_NEAR_EDGE = 9.0
"""A logit beyond this that the likelihood pushes outwards is a probability of 0 or 1."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Standard errors and intervals of the probabilities, first of the relevance parameters, then of all shares."""

    value: Floats
    error: Floats
    low: Floats
    high: Floats
    status: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    """Parameters that the data cannot distinguish, as places in `value`; groups that overlap are one."""
    directions: int
    """In how many directions they can move together unseen."""


def knowledge(likelihood: Likelihood, free: Floats, level: float = 0.95) -> Knowledge:
    """Return what the data know of every parameter at the estimate."""
    if not 0 < level < 1:
        raise InputError(f"the level of an interval is between 0 and 1, not {level!r}")
    size, relevances = likelihood.size, likelihood.relevances
    unseen = np.zeros(size, bool)
    unseen[:relevances] = ~likelihood.seen()
    edge = ~unseen & (np.abs(free) >= min(_NEAR_EDGE, EDGE))
    asked = np.flatnonzero(~unseen & ~edge)
    covariance, bends = _inverse(likelihood.information(free)[np.ix_(asked, asked)])
    whole = np.zeros((size, size))
    whole[np.ix_(asked, asked)] = covariance
    shown = np.flatnonzero(~unseen)
    scores = likelihood.scores(free)[:, shown] * np.sqrt(likelihood.weights)[:, None]
    flats = [(shown, flat) for flat in _null(scores.T @ scores, _UNSEEN)] or [(asked, bend) for bend in bends]

    prior, _ = likelihood.parts(free)
    slopes, logits = _slopes(prior, free, relevances)
    deviation = np.sqrt(np.maximum(np.einsum("pi,ij,pj->p", slopes, whole, slopes), 0.0))
    value = 0.5 * (1.0 + np.tanh(0.5 * logits))
    reach = NormalDist().inv_cdf(0.5 + level / 2) * deviation
    error = value * (1 - value) * deviation
    low, high = (0.5 * (1.0 + np.tanh(0.5 * (logits + sign * reach))) for sign in (-1, 1))

    status = [KNOWN] * len(value)
    groups: list[set[int]] = []
    for places, flat in flats:
        direction = np.zeros(size)
        direction[places] = flat
        moved = value * (1 - value) * np.abs(slopes @ direction)  # of probabilities: logits at an edge run far
        group = set(np.flatnonzero(moved > _MOVED * max(moved.max(), 1e-300)).tolist())
        for place in group:
            status[place] = UNTOLD
        apart = [other for other in groups if not other & group]
        groups = [*apart, group.union(*(other for other in groups if other & group))]
    for place in range(len(value)):
        source = np.flatnonzero(slopes[place])
        if len(source) and unseen[source].all():
            status[place] = UNSEEN
        elif len(source) and edge[source].any() and status[place] != UNTOLD:
            status[place] = AT_EDGE
        elif not len(source):
            status[place] = FIXED
    unknown = np.isin(status, (UNSEEN, UNTOLD, AT_EDGE))
    error[unknown] = np.nan
    low[unknown], high[unknown] = 0.0, 1.0
    low[np.equal(status, FIXED)] = high[np.equal(status, FIXED)] = value[np.equal(status, FIXED)]
    ordered = tuple(tuple(sorted(group)) for group in groups)
    return Knowledge(value, error, low, high, tuple(status), ordered, len(flats))


def _slopes(prior: Floats, free: Floats, relevances: int) -> tuple[Floats, Floats]:
    """Return d logit / d free of every relevance and share, and the logits themselves."""
    intents, size = len(prior), len(free)
    slopes = np.zeros((relevances + intents, size))
    slopes[:relevances, :relevances] = np.eye(relevances)
    logits = np.concatenate([free[:relevances], np.full(intents, 40.0)])
    if intents > 1:
        # logit(p_i) = log p_i - log(1 - p_i); d log p_i / d eta_j = [i = j] - p_j.
        for i in range(intents):
            rest = max(1.0 - prior[i], 1e-300)
            step = (np.eye(intents)[i] - prior) / rest
            slopes[relevances + i, relevances:] = step[1:]
            logits[relevances + i] = np.log(max(prior[i], 1e-300)) - np.log(rest)
    return slopes, logits


def _inverse(information: Floats) -> tuple[Floats, list[Floats]]:
    """Invert the information on what it can see; return the directions that it cannot, in unscaled parameters."""
    if not len(information):
        return information, []
    scale = _scale(information)
    values, vectors = np.linalg.eigh(information * scale[:, None] * scale)
    kept = np.where(values < _FLAT, np.inf, values)
    covariance = (vectors / kept) @ vectors.T * scale[:, None] * scale
    return covariance, _null(information, _FLAT)


def _null(squares: Floats, least: float) -> list[Floats]:
    """Return the directions in which a matrix vanishes, in unscaled parameters."""
    if not len(squares):
        return []
    scale = _scale(squares)
    values, vectors = np.linalg.eigh(squares * scale[:, None] * scale)
    return [vectors[:, place] * scale for place in np.flatnonzero(values < least)]


def _scale(matrix: Floats) -> Floats:
    """One over the root of the diagonal, 1 where that is nothing."""
    diagonal = np.diag(matrix)
    return np.asarray(1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))


STARTS = 5


def fit(
    model: str,
    log: ClickLog,
    *,
    intents: Sequence[str] | None = None,
    starts: int = STARTS,
    seed: int = 0,
    level: float = 0.95,
    prior: Sequence[float] | None = None,
    variant: str = "err",
    floor: float = FLOOR,
    terms: Terms | None = None,
) -> Fit | DocumentFit:
    """Fit the named model (see `click_models`) to a log.

    `intents` are the log's languages by default; the extended model may have others (it then finds that many kinds of
    users). `starts` searches begin in different places, `seed` places the random ones; `level` is that of the
    intervals. Default models take the intents' shares from `prior` (equal ones if it is left out), their relevance
    from the `variant` (see `rulerank.metrics.default_relevance`), kept `floor` off 0 and 1 in the likelihood.
    `terms` are the log's own, if they are at hand.
    """
    chosen = click_models[model]
    if starts < 1:
        raise InputError(f"at least one start is needed, not {starts!r}")
    if chosen.structure is None:
        return fit_documents(log)
    names = chosen.intents_of(log, intents)
    if not chosen.learned:
        return _default(chosen, log, names, prior, variant, floor)
    problem = Objective(chosen, log, terms or terms_of(log), names)
    weights = problem.terms.weights(log.count)
    found = estimate(problem, weights, starts=starts, rng=np.random.default_rng(seed))
    likelihood = problem.likelihood(weights)
    known = knowledge(likelihood, found.free, level)
    parameters = _parameters(problem, likelihood, known)
    return Fit(
        model=model,
        label=chosen.label,
        user=IntentUser(names, log.languages, found.prior, found.relevance),
        parameters=parameters,
        free_parameters=likelihood.size,
        loglik=found.loglik,
        sessions=log.sessions,
        learned=True,
        converged=found.converged,
        starts=found.starts,
        untold=tuple(tuple(parameters[place].name for place in group) for group in known.groups),
        directions=known.directions,
        free=tuple(found.free.tolist()),
        level=level,
    )


def _default(
    model: ClickModel,
    log: ClickLog,
    intents: tuple[str, ...],
    prior: Sequence[float] | None,
    variant: str,
    floor: float,
) -> Fit:
    user: IntentUser
    if model.structure is by_grade:
        user, free = err_user(log.max_grade, log.languages, variant), log.grades
    else:
        strange = [name for name in intents if name not in log.languages]
        if strange:
            raise InputError(f"default parameters need intents that are languages of the log, not {', '.join(strange)}")
        make = err_ia_user if model.structure is by_grade_of_own else err_eia_user
        every = make(log.max_grade, log.languages, variant=variant)
        places = [log.languages.index(name) for name in intents]
        shares = np.full(len(intents), 1 / len(intents)) if prior is None else np.asarray(prior, np.float64)
        user = IntentUser(intents, log.languages, shares, every.relevance[places])
        free = int(model.table(log, intents).max()) + len(intents)
    stops = stop_probabilities(floored(user, floor), log)
    return Fit(
        model.name, model.label, user, fixed_parameters(user), free, log_likelihood(stops, log), log.sessions, False
    )


def _parameters(problem: Objective, likelihood: Likelihood, known: Knowledge) -> tuple[Parameter, ...]:
    """Name every parameter by what it belongs to; grade 0 may stand for all grades of other languages."""
    model, log = problem.model, problem.log
    table = model.table(log, problem.intents)
    belongs = DEPENDS[model.structure] if model.structure else ()
    found = []
    for place in range(likelihood.relevances):
        at_intent, at_language, at_grade = (int(part.min()) for part in np.nonzero(table == place))
        intent = problem.intents[at_intent] if "intent" in belongs and len(problem.intents) > 1 else None
        language = log.languages[at_language] if "language" in belongs and len(log.languages) > 1 else None
        parts = [f"intent {intent}"] * (intent is not None) + [f"language {language}"] * (language is not None)
        name = ", ".join([*parts, f"grade {at_grade}"])
        found.append(_parameter(name, known, place, "relevance", intent, language, at_grade))
    if len(problem.intents) > 1:
        for number, intent in enumerate(problem.intents):
            found.append(
                _parameter(f"share of intent {intent}", known, likelihood.relevances + number, "share", intent)
            )
    return tuple(found)


def _parameter(
    name: str,
    known: Knowledge,
    place: int,
    kind: str,
    intent: str | None,
    language: str | None = None,
    grade: int | None = None,
) -> Parameter:
    error = float(known.error[place])
    return Parameter(
        name=name,
        value=float(known.value[place]),
        low=float(known.low[place]),
        high=float(known.high[place]),
        error=None if np.isnan(error) else error,
        status=known.status[place],
        kind=kind,
        intent=intent,
        language=language,
        grade=grade,
    )
