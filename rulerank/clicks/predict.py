"""What a user model predicts for each configuration: where users stop, and what that says of clicks."""

from __future__ import annotations

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog
from rulerank.errors import InputError
from rulerank.metrics.intents import IntentUser

FLOOR = 0.001
"""Default parameters of 0 or 1 call some clicks impossible; likelihood and perplexity keep them this far off."""


def stop_probabilities(user: IntentUser, log: ClickLog) -> Floats:
    """Return, for each configuration, P(no stop) in column 0 and P(stop at k) in column k, over all intents.

    P(S_k) = sum over i of p_i pRel(i, k) product over j < k of (1 - pRel(i, j)).
    """
    if tuple(user.languages) != tuple(log.languages) or user.max_grade < log.max_grade:
        user = fitted_to(user, log)
    cells, place = log.shapes
    found = np.zeros((len(cells), log.depth + 1))
    for share, relevance in zip(user.prior, user.relevance[:, :, : log.grades], strict=True):
        chances = np.append(relevance.ravel(), 0.0)[cells]  # a place past the end (-1) satisfies nobody
        looking = np.cumprod(1.0 - chances, axis=1)
        found[:, 0] += share * looking[:, -1]
        found[:, 1] += share * chances[:, 0]
        found[:, 2:] += share * chances[:, 1:] * looking[:, :-1]
    return found[place]


def fitted_to(user: IntentUser, log: ClickLog) -> IntentUser:
    """Reorder a user's languages as the log has them."""
    missing = [name for name in log.languages if name not in user.languages]
    if missing:
        raise InputError(
            f"the model knows the languages {', '.join(user.languages)}, but the log has {', '.join(missing)} too"
        )
    if user.max_grade < log.max_grade:
        raise InputError(f"the model knows grades up to {user.max_grade}, but the log has {log.max_grade}")
    order = [user.languages.index(name) for name in log.languages]
    return IntentUser(user.intents, log.languages, user.prior, user.relevance[:, order])


def floored(user: IntentUser, floor: float = FLOOR) -> IntentUser:
    """Return a user for whom nothing is impossible: every relevance within floor and 1 - floor."""
    if not 0 < floor < 0.5:
        raise InputError(f"the floor is a probability between 0 and 0.5, not {floor!r}")
    return IntentUser(user.intents, user.languages, user.prior, np.clip(user.relevance, floor, 1 - floor))


def hazards(stops: Floats) -> Floats:
    """Return P(stop at k | no stop before k), from `stop_probabilities`."""
    looking = stops[:, :1] + np.cumsum(stops[:, :0:-1], axis=1)[:, ::-1]
    return np.divide(stops[:, 1:], looking, out=np.zeros_like(looking), where=looking > 0)


def log_likelihood(stops: Floats, log: ClickLog) -> float:
    """Return the log-likelihood of the log's sessions: each row's last click, or none."""
    seen = log.count > 0
    with np.errstate(divide="ignore"):
        values = np.log(stops[log.row_config[seen], log.row_stop[seen]])
    return float(values @ log.count[seen])
