"""Fit a click model to a log: `fit` learns the parameters, or gives the default ones their likelihood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.clicks.documents import DocumentFit, fit_documents
from rulerank.clicks.fitting import Problem, estimate
from rulerank.clicks.intervals import Knowledge, knowledge
from rulerank.clicks.likelihood import Likelihood
from rulerank.clicks.log import ClickLog
from rulerank.clicks.models import DEPENDS, ClickModel, by_grade, by_grade_of_own, click_models
from rulerank.clicks.predict import FLOOR, floored, log_likelihood, stop_probabilities
from rulerank.clicks.result import Fit, Parameter, fixed_parameters
from rulerank.clicks.terms import Terms, terms_of
from rulerank.errors import InputError
from rulerank.metrics.users import IntentUser, err_eia_user, err_ia_user, err_user

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
    problem = Problem(chosen, log, terms or terms_of(log), names)
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


def _parameters(problem: Problem, likelihood: Likelihood, known: Knowledge) -> tuple[Parameter, ...]:
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
