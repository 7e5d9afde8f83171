"""A study of click models: simulate a log, fit models to one, and compare them on it, with progress reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulerank.clicks import (
    ClickEvaluation,
    ClickLog,
    Comparison,
    DocumentFit,
    Fit,
    bilingual_user,
    click_models,
    compare,
    evaluate_clicks,
    fit,
    made_up_lists,
    simulate_log,
)
from rulerank.clicks.likelihood import terms_of
from rulerank.clicks.simulate import ENGLISH, NATIVE
from rulerank.errors import InputError
from rulerank.metrics.intents import IntentUser, err_eia_user, err_ia_user, err_user
from rulerank.progress import Progress

BEST = 4
"""The best grade of made-up lists, as in the paper."""

USERS = {
    "bilingual": "Bilingual users (learned models should win)",
    "eia": "Default users of ERR-EIA (the other language helps half as often)",
    "ia": "Default users of ERR-IA (the other language counts as grade 0)",
    "agnostic": "Default users of ERR (the language does not matter)",
}


@dataclass(frozen=True)
class FittedModels:
    """The models fitted to a log, what each predicts of that log, and why others could not be fitted."""

    fits: dict[str, Fit | DocumentFit]
    evaluations: dict[str, ClickEvaluation]
    failed: dict[str, str]


def user_named(kind: str, foreign: float) -> IntentUser:
    """Return the users who click in a simulated log."""
    languages = (NATIVE, ENGLISH)
    if kind == "bilingual":
        return bilingual_user(foreign)
    if kind == "agnostic":
        return err_user(BEST, languages)
    return (err_ia_user if kind == "ia" else err_eia_user)(BEST, languages)


def simulate(user: IntentUser, sessions: int, depth: int, seed: int, progress: Progress) -> ClickLog:
    """Make up lists, and let users of a model read them."""
    lists = made_up_lists(depth=depth, languages=user.languages, grades=BEST + 1, pool=max(12, 2 * depth), seed=seed)
    return simulate_log(user, lists, sessions, seed=seed, extra=0.2, progress=progress)


def fit_models(log: ClickLog, names: Sequence[str], seed: int, progress: Progress) -> FittedModels:
    """Fit each model to the whole log; one that does not suit the log does not keep the others from it."""
    found = FittedModels({}, {}, {})
    terms = terms_of(log)
    for done, name in enumerate(names):
        progress(done, len(names))
        try:
            made = fit(name, log, seed=seed, terms=terms)
            found.evaluations[name] = evaluate_clicks(made, log)
            found.fits[name] = made
        except InputError as error:
            found.failed[click_models[name].label] = str(error)
    progress(len(names), len(names))
    return found


def compare_models(
    log: ClickLog, names: Sequence[str], splits: int, share: float, seed: int, progress: Progress
) -> Comparison:
    """Learn and test on random splits, as the paper does."""
    return compare(
        log,
        names,
        splits=splits,
        test_share=share,
        seed=seed,
        progress=progress,
    )
