"""Who reads a ranking: intents with their shares, and how likely each is satisfied by a language and a grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.errors import InputError

ANY = "any"
"""The name of the one language, and of the one intent, where nothing tells several apart."""

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
    """A user model for eq. 1 of Drutsa et al. (2016): P(I = i) and pRel(i, language, grade)."""

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
