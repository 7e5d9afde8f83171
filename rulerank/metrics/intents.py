"""ERR, ERR-IA and ERR-EIA: expected reciprocal rank over the intents of the users who read a ranking.

Drutsa, Shutovich, Pushnyakov, Krokhalyov, Gusev and Serdyukov (2016), eq. 1:

    ERR = sum over i of p_i  sum over k of 1/k  pRel(i, k)  product over j < k of (1 - pRel(i, j))

It is a mean of classical ERR over the intents, each with its own probabilities; so is its expectation over ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.errors import InputError
from rulerank.metrics.err import _measure
from rulerank.metrics.inputs import LARGEST_GRADE, check_grades
from rulerank.metrics.metric import mean_over_queries, room
from rulerank.metrics.rankings import Rankings, rank

ANY = "any"
"""The name of the one language, and of the one intent, where nothing distinguishes several."""

VARIANTS = ("err", "printed")
"""Default parameters: as classical ERR has them, or as the paper prints them."""


def default_relevance(max_grade: int, variant: str = "err") -> NDArray[np.float64]:
    """Return the default probability to be satisfied by each grade 0..max_grade.

    `err` is (2^g - 1) / 2^gmax as in Chapelle, Metzler, Zhang and Grinspan (CIKM 2009); `printed` is the variant that
    Drutsa et al. (2016, section 2) print, (2^g - 1) / (2^gmax - 1), in which the best grade satisfies everybody.
    """
    if isinstance(max_grade, bool) or not isinstance(max_grade, int | np.integer) or not 1 <= max_grade <= 1000:
        raise InputError(f"the best grade must be a whole number from 1 to 1000, not {max_grade!r}")
    if variant not in VARIANTS:
        raise InputError(f"no default parameters are named {variant!r}; there are: {', '.join(VARIANTS)}")
    best = float(max_grade)
    gains = np.exp2(np.arange(max_grade + 1.0) - best) - np.exp2(-best)
    return gains if variant == "err" else gains / (1.0 - np.exp2(-best))


@dataclass(frozen=True, eq=False)
class IntentUser:
    """A user model for eq. 1 of Drutsa et al. (2016): P(I = i) and pRel(i, language, grade).

    >>> user = err_ia_user(2, ["de", "en"])
    >>> user.intents, user.prior.tolist(), user.relevance[0].tolist()
    (('de', 'en'), [0.5, 0.5], [[0.0, 0.25, 0.75], [0.0, 0.0, 0.0]])
    """

    intents: tuple[str, ...]
    languages: tuple[str, ...]
    prior: NDArray[np.float64]
    """The share p_i of each intent; they add up to 1."""
    relevance: NDArray[np.float64]
    """Probability to be satisfied, by intent, language and grade."""

    def __post_init__(self) -> None:
        prior, relevance = np.asarray(self.prior, np.float64), np.asarray(self.relevance, np.float64)
        for name, names in (("intents", self.intents), ("languages", self.languages)):
            if not names or len(set(names)) != len(names):
                raise InputError(f"{name} must be different names, at least one, not {list(names)!r}")
        if prior.shape != (len(self.intents),) or not (prior >= 0).all() or not np.isclose(prior.sum(), 1, atol=1e-9):
            raise InputError(f"the shares of {len(self.intents)} intents must be that many, from 0 up, and add up to 1")
        wanted = (len(self.intents), len(self.languages))
        if relevance.ndim != 3 or relevance.shape[:2] != wanted or relevance.shape[2] < 1:
            raise InputError(
                "relevance must have a value for every intent, language and grade: "
                f"its shape is {relevance.shape}, but it should begin with {wanted}"
            )
        if not ((relevance >= 0) & (relevance <= 1)).all():
            raise InputError("every relevance must be a probability from 0 to 1")
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "relevance", relevance)

    @property
    def max_grade(self) -> int:
        """The best grade that the user knows."""
        return self.relevance.shape[2] - 1

    @property
    def minds_language(self) -> bool:
        """Whether the language of a document makes any difference to this user."""
        return bool((self.relevance != self.relevance[:, :1]).any())

    def for_any_language(self) -> IntentUser:
        """Return the same user for documents of any language, or of none that is known."""
        if self.minds_language:
            raise InputError("to this user the language of a document makes a difference")
        return IntentUser(self.intents, (ANY,), self.prior, self.relevance[:, :1])

    def renamed(self, meaning: Mapping[str, str]) -> IntentUser:
        """Return the same user for documents whose languages have other names; `meaning` has ours for each of those."""
        unknown = sorted(set(meaning.values()) - set(self.languages))
        if unknown:
            raise InputError(
                f"the user model knows the languages {', '.join(self.languages)}, not {', '.join(unknown)}"
            )
        columns = [self.languages.index(known) for known in meaning.values()]
        return IntentUser(self.intents, tuple(meaning), self.prior, self.relevance[:, columns])

    def to_dict(self) -> dict[str, Any]:
        """Return the user as plain values for JSON."""
        return {
            "intents": list(self.intents),
            "languages": list(self.languages),
            "prior": self.prior.tolist(),
            "relevance": self.relevance.tolist(),
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> IntentUser:
        """Make the user that `to_dict` described."""
        try:
            return cls(
                tuple(map(str, saved["intents"])),
                tuple(map(str, saved["languages"])),
                np.asarray(saved["prior"], np.float64),
                np.asarray(saved["relevance"], np.float64),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"this does not describe a user of a click model: {error}") from error


def err_user(max_grade: int, languages: Sequence[str] = (ANY,), variant: str = "err") -> IntentUser:
    """Return the user of classical ERR: one intent, and the language does not matter."""
    values = default_relevance(max_grade, variant)
    return IntentUser((ANY,), tuple(languages), np.ones(1), np.tile(values, (1, len(languages), 1)))


def err_ia_user(
    max_grade: int, languages: Sequence[str], prior: Sequence[float] | None = None, variant: str = "err"
) -> IntentUser:
    """Return the default user of ERR-IA: each wants one language, and anything else counts as grade 0.

    Intents are the languages, in equal shares unless `prior` says otherwise.
    """
    return err_eia_user(max_grade, languages, prior, foreign=0.0, variant=variant)


def err_eia_user(
    max_grade: int,
    languages: Sequence[str],
    prior: Sequence[float] | None = None,
    *,
    foreign: float = 0.5,
    variant: str = "err",
) -> IntentUser:
    """Return a default user of ERR-EIA: a document in another language satisfies `foreign` times as often.

    The paper learns ERR-EIA and gives no defaults, so `foreign` is ours: 0 is ERR-IA, 1 is ERR.
    """
    if not 0 <= foreign <= 1:
        raise InputError(f"foreign is a share from 0 to 1, not {foreign!r}")
    names = tuple(languages)
    values = default_relevance(max_grade, variant)
    weights = np.where(np.eye(len(names), dtype=bool), 1.0, foreign)
    shares = np.full(len(names), 1 / max(len(names), 1)) if prior is None else np.asarray(prior, np.float64)
    return IntentUser(names, names, shares, weights[:, :, None] * values)


@dataclass(frozen=True, eq=False)
class IntentERR:
    """ERR of each query under a user model, and its exact expectation over random orders of equal scores."""

    qids: list[Any]
    values: NDArray[np.float64]
    expected_values: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean over the queries, equal scores in the convention's order."""
        return float(mean_over_queries(self.values))

    @property
    def expected(self) -> float:
        """Mean over the queries of the expectation over ties."""
        return float(mean_over_queries(self.expected_values))


def intent_err(
    grades: Any,
    scores: Any,
    qids: Iterable[Any],
    languages: Iterable[Any] | None,
    user: IntentUser,
    *,
    convention: str = "letor",
    docids: Iterable[Any] | None = None,
) -> IntentERR:
    """Measure rankings by eq. 1 for a user: `err_user` gives ERR, `err_ia_user` ERR-IA, a fitted model its own.

    `languages` has the language of each document, by its name in `user.languages`; it may be left out for a user who
    knows one language only. Everything else is as in `evaluate`: unlabelled documents (-1) count as grade 0, and the
    whole list counts.
    """
    checked = np.maximum(check_grades(grades), 0)
    if checked.max() > user.max_grade:
        raise InputError(
            f"the data hold grade {checked.max()}, but the user model knows 0 to {user.max_grade}: "
            "fit it on a log with that grade, or make it for that best grade"
        )
    cells, place = np.unique(
        _codes(languages, user, len(checked)) * (user.max_grade + 1) + checked, return_inverse=True
    )
    if len(cells) > LARGEST_GRADE:
        raise InputError(f"the data hold {len(cells)} pairs of language and grade; at most {LARGEST_GRADE} are counted")
    rankings = rank(place, scores, qids, convention=convention, docids=docids)
    return mean_over_intents(rankings, user.prior, user.relevance.reshape(len(user.intents), -1)[:, cells])


def mean_over_intents(rankings: Rankings, prior: NDArray[np.float64], stops: NDArray[np.float64]) -> IntentERR:
    """Return eq. 1 for rankings whose grades number cells: `stops` has a row per intent and a column per cell."""
    total, expected_total = np.zeros((2, len(rankings.qids)))
    for share, chances in zip(prior, stops, strict=True):
        values, expected = room(rankings)
        rankings.over_queries(_measure, np.ascontiguousarray(chances), values, expected)
        total += share * values
        expected_total += share * expected
    return IntentERR(rankings.qids, total, expected_total)


def _codes(languages: Iterable[Any] | None, user: IntentUser, rows: int) -> NDArray[np.int64]:
    if languages is None:
        if len(user.languages) > 1:
            raise InputError(f"give the language of each document: the user knows {', '.join(user.languages)}")
        return np.zeros(rows, np.int64)
    named = [str(language) for language in languages]
    if len(named) != rows:
        raise InputError(f"languages have {len(named)} rows, but grades have {rows}: give one for each document")
    known = {name: code for code, name in enumerate(user.languages)}
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise InputError(
            f"the user model knows the languages {', '.join(user.languages)}, but the data hold {', '.join(unknown)}"
        )
    return np.array([known[name] for name in named], np.int64)
