"""A fitted model: its parameters with intervals, its likelihood, what it predicts, and JSON in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog
from rulerank.clicks.predict import stop_probabilities
from rulerank.errors import InputError
from rulerank.metrics.intents import IntentUser

FORMAT = "rulerank click model 1"


@dataclass(frozen=True)
class Parameter:
    """One probability of a model; a place that is None stands for all of them."""

    name: str
    value: float
    low: float
    high: float
    error: float | None
    status: str
    """estimated, fixed, no data, at the edge, or not identified."""
    kind: str = "relevance"
    """relevance, or share (of an intent)."""
    intent: str | None = None
    language: str | None = None
    grade: int | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """A click model with its parameters.

    >>> from rulerank.clicks import LogBuilder, fit
    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1], sessions=30)
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 0], sessions=10)
    >>> found = fit("agnostic", builder.finish())
    >>> [(each.name, round(each.value, 2)) for each in found.parameters]
    [('grade 0', 0.0), ('grade 1', 0.5), ('grade 2', 0.75)]
    """

    model: str
    label: str
    user: IntentUser
    """The user model for eq. 1: hand it to `rulerank.metrics.intent_err`."""
    parameters: tuple[Parameter, ...]
    free_parameters: int
    """Number of parameters as the paper counts them: relevances, and the intents' shares but one."""
    loglik: float
    """Log-likelihood (natural) of the sessions it was fitted to, or that it was given to."""
    sessions: int
    learned: bool
    converged: bool = True
    starts: tuple[float, ...] = ()
    """Log-likelihood that each start reached."""
    untold: tuple[tuple[str, ...], ...] = ()
    """Groups of parameters that the data cannot distinguish, by name."""
    directions: int = 0
    """In how many directions those can move together without any change of the likelihood."""
    free: tuple[float, ...] = ()
    """The free parameters (logits), from which a search can go on."""
    level: float = 0.95

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 x parameters - 2 x log-likelihood."""
        return 2.0 * self.free_parameters - 2.0 * self.loglik

    @property
    def identified(self) -> bool:
        """Whether the data know every parameter."""
        return all(parameter.status not in ("no data", "not identified") for parameter in self.parameters)

    def notes(self) -> list[str]:
        """Say in words what the data do not know."""
        problems = [f"the data cannot distinguish: {_some(group)}" for group in self.untold]
        if self.directions:
            ways = "1 direction" if self.directions == 1 else f"{self.directions} directions"
            problems.append(f"they can move together in {ways} without any change of the likelihood")
        for status, words in (
            ("no data", "the log never shows what these depend on"),
            ("at the edge", "the likelihood grows towards 0 or 1, so there is no interval"),
        ):
            names = [parameter.name for parameter in self.parameters if parameter.status == status]
            if names:
                problems.append(f"{words}: {_some(names)}")
        if not self.converged:
            problems.append("the search stopped before it converged; give it more starts or more sessions")
        return problems

    def stops(self, log: ClickLog) -> Floats:
        """Return P(no stop) and P(stop at k) of every configuration of a log: column 0, then positions 1..K."""
        return stop_probabilities(self.user, log)

    def click_probabilities(self, log: ClickLog) -> Floats:
        """Return P(click at k): in these models the click that counts is the one that satisfies."""
        return self.stops(log)[:, 1:]

    def err(self, log: ClickLog) -> Floats:
        """Return the metric of the model (eq. 1) for every configuration: the mean of 1 / k over where users stop."""
        return self.stops(log)[:, 1:] @ (1.0 / np.arange(1, log.depth + 1))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        kept = asdict(self) | {"user": self.user.to_dict(), "format": FORMAT, "notes": self.notes()}
        kept["parameters"] = [asdict(parameter) for parameter in self.parameters]
        kept["untold"] = [list(group) for group in self.untold]
        kept["starts"], kept["free"] = list(self.starts), list(self.free)
        return kept

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Fit:
        """Make the fit that `to_dict` described."""
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise InputError("this is not a click model saved by rulerank")
        try:
            return cls(
                model=str(saved["model"]),
                label=str(saved["label"]),
                user=IntentUser.from_dict(saved["user"]),
                parameters=tuple(Parameter(**each) for each in saved["parameters"]),
                free_parameters=int(saved["free_parameters"]),
                loglik=float(saved["loglik"]),
                sessions=int(saved["sessions"]),
                learned=bool(saved["learned"]),
                converged=bool(saved["converged"]),
                starts=tuple(map(float, saved["starts"])),
                untold=tuple(tuple(map(str, group)) for group in saved["untold"]),
                directions=int(saved["directions"]),
                free=tuple(map(float, saved["free"])),
                level=float(saved["level"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"the saved click model is not whole: {error!r}") from error


def _some(names: Sequence[str], most: int = 6) -> str:
    """The names for a sentence, but not all of very many."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + rest


def fixed_parameters(user: IntentUser) -> tuple[Parameter, ...]:
    """Return a given user's probabilities as parameters that nothing was learned of."""
    found = [
        Parameter(
            f"intent {intent}, language {language}, grade {grade}", value, value, value, None, "fixed",
            "relevance", intent, language, grade,
        )
        for intent, by_language in zip(user.intents, user.relevance.tolist(), strict=True)
        for language, values in zip(user.languages, by_language, strict=True)
        for grade, value in enumerate(values)
    ]  # fmt: skip
    found += [
        Parameter(f"share of intent {intent}", share, share, share, None, "fixed", "share", intent)
        for intent, share in zip(user.intents, user.prior.tolist(), strict=True)
    ]
    return tuple(found)
