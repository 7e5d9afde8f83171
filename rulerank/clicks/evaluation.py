"""How well a model predicts clicks: perplexity by position, marginal and conditional, and log-likelihood.

    p_k = exp(-mean over sessions of [C_k log q_k + (1 - C_k) log(1 - q_k)])

Marginal: q_k = P(C_k | results), the paper's. Conditional: q_k = P(C_k | results, what happened above k); logarithms of
the conditional perplexities add up to minus the mean log-likelihood. The mean perplexity is over positions 1..K; a
position counts the sessions that have a result there. The gain of a model with P2 over one with P1 is
(P1 - P2) / (P1 - 1).

`event` says which click C_k is: the `last` one of the session, where SDBN's user was satisfied and about which every
model here makes a statement; or `every` click, for which models by grade only have the satisfying one to offer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog, Ints
from rulerank.clicks.predict import FLOOR, floored, hazards, stop_probabilities
from rulerank.clicks.result import Fit
from rulerank.errors import InputError

EVENTS = ("last", "every")
_LEAST = 1e-12


class Predictor(Protocol):
    """What can be evaluated: `Fit` and `DocumentFit`."""

    def stops(self, log: ClickLog) -> Floats:
        """Return P(no stop) and P(stop at k) of each configuration."""
        ...

    def click_probabilities(self, log: ClickLog) -> Floats:
        """Return P(click at k) of each configuration."""
        ...


@dataclass(frozen=True)
class Evaluation:
    """Perplexities and log-likelihood of a model on a log."""

    sessions: int
    loglik: float
    marginal: tuple[float, ...]
    """Perplexity at each position."""
    conditional: tuple[float, ...]

    @property
    def perplexity(self) -> float:
        """Mean marginal perplexity over the positions, the paper's measure."""
        return float(np.mean(self.marginal))

    @property
    def conditional_perplexity(self) -> float:
        """Mean conditional perplexity over the positions."""
        return float(np.mean(self.conditional))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "sessions": self.sessions,
            "loglik": self.loglik,
            "loglik_per_session": self.loglik / max(self.sessions, 1),
            "perplexity": self.perplexity,
            "conditional_perplexity": self.conditional_perplexity,
            "marginal": list(self.marginal),
            "conditional": list(self.conditional),
        }


def gain(first: float, second: float) -> float:
    """Return the perplexity gain of a second model over a first one, as a share: (P1 - P2) / (P1 - 1)."""
    return (first - second) / (first - 1.0) if first != 1.0 else 0.0


def evaluate_clicks(fit: Predictor, log: ClickLog, *, event: str = "last", floor: float = FLOOR) -> Evaluation:
    """Evaluate a fitted model on a log; default parameters are kept `floor` off 0 and 1."""
    if isinstance(fit, Fit) and not fit.learned:
        stops = stop_probabilities(floored(fit.user, floor), log)
        return measure(stops, stops[:, 1:], log, event=event)
    return measure(fit.stops(log), fit.click_probabilities(log), log, event=event)


def measure(
    stops: Floats, clicks: Floats, log: ClickLog, count: Ints | None = None, *, event: str = "last"
) -> Evaluation:
    """Measure predictions for each configuration against the sessions (`count` of each row)."""
    if event not in EVENTS:
        raise InputError(f"event must be one of {', '.join(EVENTS)}, not {event!r}")
    weights = (log.count if count is None else count).astype(np.float64)
    sessions = np.bincount(log.row_config, weights=weights, minlength=log.configurations)
    if sessions.sum() <= 0:
        raise InputError("there are no sessions to evaluate on")
    width = log.depth + 1
    ended = (
        np.bincount(log.row_config * width + log.row_stop, weights=weights, minlength=log.configurations * width)
        .reshape(-1, width)
        .astype(np.float64)
    )
    has = np.arange(1, width) <= log.length[:, None]
    shown = np.where(has, sessions[:, None], 0.0)
    base = np.maximum(shown.sum(axis=0), 1.0)
    if event == "last":
        happened, chances = ended[:, 1:], stops[:, 1:]
    else:
        happened = np.stack(
            [
                np.bincount(log.row_config, weights=weights * hit, minlength=log.configurations)
                for hit in log.row_clicked.T
            ],
            axis=1,
        )
        chances = clicks
    # Sessions that have not stopped before k: those who stop at k or later, or never.
    alive = np.where(has, ended[:, :1] + np.cumsum(ended[:, :0:-1], axis=1)[:, ::-1], 0.0)
    conditional = _surprise(ended[:, 1:], alive, hazards(stops))
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(stops, np.finfo(float).tiny))
    return Evaluation(
        int(weights.sum()),
        float((ended * logs).sum()),
        tuple(np.exp(_surprise(happened, shown, chances) / base).tolist()),
        tuple(np.exp(conditional / base).tolist()),
    )


def _surprise(happened: Floats, tried: Floats, chances: Floats) -> Floats:
    """Return minus the log-likelihood of `happened` events in `tried` trials, summed over configurations."""
    kept = np.clip(chances, _LEAST, 1 - _LEAST)
    return -(happened * np.log(kept) + (tried - happened) * np.log1p(-kept)).sum(axis=0)
