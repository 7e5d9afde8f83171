"""How well a model predicts clicks: perplexity and log-likelihood; and how metrics go with what users did online."""

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
class ClickEvaluation:
    """Perplexities and log-likelihood of a model on a log.

    >>> from rulerank.clicks import LogBuilder, fit
    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1], sessions=30)
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 0], sessions=10)
    >>> log = builder.finish()
    >>> round(evaluate_clicks(fit("agnostic", log), log).perplexity, 2)
    1.38
    """

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


def evaluate_clicks(fit: Predictor, log: ClickLog, *, event: str = "last", floor: float = FLOOR) -> ClickEvaluation:
    """Evaluate a fitted model on a log; default parameters are kept `floor` off 0 and 1."""
    if isinstance(fit, Fit) and not fit.learned:
        stops = stop_probabilities(floored(fit.user, floor), log)
        return measure(stops, stops[:, 1:], log, event=event)
    return measure(fit.stops(log), fit.click_probabilities(log), log, event=event)


def measure(
    stops: Floats, clicks: Floats, log: ClickLog, count: Ints | None = None, *, event: str = "last"
) -> ClickEvaluation:
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
    return ClickEvaluation(
        int(weights.sum()),
        float((ended * logs).sum()),
        tuple(np.exp(_surprise(happened, shown, chances) / base).tolist()),
        tuple(np.exp(conditional / base).tolist()),
    )


def _surprise(happened: Floats, tried: Floats, chances: Floats) -> Floats:
    """Return minus the log-likelihood of `happened` events in `tried` trials, summed over configurations."""
    kept = np.clip(chances, _LEAST, 1 - _LEAST)
    return -(happened * np.log(kept) + (tried - happened) * np.log1p(-kept)).sum(axis=0)


ONLINE = {"uctr": "UCTR", "max_rr": "MaxRR", "min_rr": "MinRR", "mean_rr": "MeanRR", "plc": "PLC"}
"""Machine names and labels of the online metrics, in the order of the paper's table 3."""
NO_CLICK = ("zero", "skip")


def session_metrics(log: ClickLog) -> Floats:
    """Return the online metrics of each row of a log, one column each; sessions without a click have 0."""
    clicked = log.row_clicked
    reciprocal = np.where(clicked, 1.0 / np.arange(1, log.depth + 1), 0.0)
    clicks = clicked.sum(axis=1)
    any_click = clicks > 0
    lowest = np.where(any_click, log.row_stop, 1)
    return np.column_stack(
        [
            any_click.astype(float),
            reciprocal.max(axis=1),
            np.where(any_click, 1.0 / lowest, 0.0),
            reciprocal.sum(axis=1) / np.maximum(clicks, 1),
            clicks / lowest,
        ]
    )


def by_configuration(log: ClickLog, count: Ints | None = None, no_click: str = "zero") -> tuple[Floats, Floats]:
    """Return the means of the online metrics of each configuration, and the sessions behind each mean."""
    if no_click not in NO_CLICK:
        raise InputError(f"no_click must be one of {', '.join(NO_CLICK)}, not {no_click!r}")
    weights = (log.count if count is None else count).astype(np.float64)
    values = session_metrics(log)
    means, behind = np.zeros((2, log.configurations, len(ONLINE)))
    for column, name in enumerate(ONLINE):
        own = weights * (values[:, 0] > 0) if no_click == "skip" and name != "uctr" else weights
        behind[:, column] = np.bincount(log.row_config, weights=own, minlength=log.configurations)
        sums = np.bincount(log.row_config, weights=own * values[:, column], minlength=log.configurations)
        means[:, column] = sums / np.maximum(behind[:, column], 1e-300)
    return means, behind


def weighted_correlation(first: Floats, second: Floats, weights: Floats) -> float:
    """Return Pearson's correlation with weights; NaN where one of the two does not vary."""
    total = weights.sum()
    if total <= 0:
        return float("nan")
    share = weights / total
    left, right = first - share @ first, second - share @ second
    spread = np.sqrt((share @ left**2) * (share @ right**2))
    scale = np.sqrt((share @ first**2) * (share @ second**2))
    return float(share @ (left * right) / spread) if spread > 1e-12 * scale and spread > 0 else float("nan")


def correlations(offline: Floats, log: ClickLog, count: Ints | None = None, no_click: str = "zero") -> dict[str, float]:
    """Return the correlation of an offline metric (a value a configuration) with each online metric.

    Configurations weigh as many sessions as stand behind their mean.
    """
    means, behind = by_configuration(log, count, no_click)
    return {
        name: weighted_correlation(offline[used], means[used, column], behind[used, column])
        for column, name in enumerate(ONLINE)
        for used in [behind[:, column] > 0]
    }
