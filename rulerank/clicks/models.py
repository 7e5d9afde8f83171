"""The click models by name: SDBN with a relevance probability for each grade, and what else it depends on.

The user examines results from the top; the k-th satisfies with probability pRel(i, k) for a user of intent i, who then
stops. Models differ in what pRel depends on (Drutsa et al. 2016, table 1): each is a table that gives every (intent,
language, grade) one of the model's parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rulerank.clicks.log import ClickLog, Ints
from rulerank.errors import InputError
from rulerank.metrics.intents import ANY
from rulerank.registry import Registry

Structure = Callable[[Ints, int, int], Ints]
"""From each intent's language (-1: none), the number of languages and of grades: the parameter of each cell."""


def by_grade(own: Ints, languages: int, grades: int) -> Ints:
    """p(grade): neither intent nor language matters."""
    return np.broadcast_to(np.arange(grades), (len(own), languages, grades)).copy()


def by_grade_of_own(own: Ints, languages: int, grades: int) -> Ints:
    """p(grade) in the intent's own language, p(0) in any other."""
    matches = own[:, None] == np.arange(languages)
    return np.where(matches[:, :, None], np.arange(grades), 0)


def by_intent_and_grade_of_own(own: Ints, languages: int, grades: int) -> Ints:
    """p(intent, grade) in the intent's own language, p(intent, 0) in any other."""
    return by_grade_of_own(own, languages, grades) + grades * np.arange(len(own))[:, None, None]


def by_intent_language_and_grade(own: Ints, languages: int, grades: int) -> Ints:
    """p(intent, language, grade), each its own."""
    return np.arange(len(own) * languages * grades).reshape(len(own), languages, grades)


DEPENDS: dict[Structure, tuple[str, ...]] = {
    by_grade: ("grade",),
    by_grade_of_own: ("grade",),
    by_intent_and_grade_of_own: ("intent", "grade"),
    by_intent_language_and_grade: ("intent", "language", "grade"),
}
"""What a parameter of each structure belongs to, for its name."""


@dataclass(eq=False)
class ClickModel:
    """What a model's relevance depends on, and whether its parameters are learned.

    >>> from rulerank.clicks import click_models
    >>> model = click_models["eia"]
    >>> model.learned, model.aware, model.about
    (True, True, 'Satisfaction depends on intent, language and grade: bilingual users are at home here (SDBN-EIA).')
    """

    structure: Structure | None
    """None: every query and document has parameters of its own (the classical SDBN)."""
    learned: bool
    about: str
    within: tuple[str, ...] = ()
    """Models that this one contains, so that its likelihood cannot be smaller than theirs."""
    name: str = field(default="", init=False)
    label: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.__doc__ = self.about

    @property
    def aware(self) -> bool:
        """Whether users have different intents."""
        return self.structure not in (by_grade, None)

    def intents_of(self, log: ClickLog, intents: Sequence[str] | None) -> tuple[str, ...]:
        """Return the intents: the log's languages, unless others are asked for."""
        if not self.aware:
            return (ANY,)
        wanted = tuple(log.languages if intents is None else intents)
        if not wanted or len(set(wanted)) != len(wanted):
            raise InputError(f"intents must be different names, at least one, not {list(wanted)!r}")
        strange = [name for name in wanted if name not in log.languages]
        if strange and self.structure is not by_intent_language_and_grade:
            raise InputError(
                f"{self.label}: intents are languages of the log ({', '.join(log.languages)}); "
                f"{', '.join(strange)} is not one, and only the extended model can have others"
            )
        return wanted

    def table(self, log: ClickLog, intents: Sequence[str]) -> Ints:
        """Return the parameter of each intent, language and grade, numbered from 0 without gaps."""
        if self.structure is None:
            raise InputError(f"{self.label} has no parameters by grade")
        own = np.array([log.languages.index(name) if name in log.languages else -1 for name in intents], np.int64)
        return np.asarray(self.structure(own, len(log.languages), log.grades), np.int64)


click_models: Registry[ClickModel] = Registry("click model", "rulerank.clicks")

PAPER = ("eia", "ia_diff", "ia_same", "agnostic", "ia_default", "agnostic_default")
"""The six models of the paper's table 2, in its order."""


def _enter(name: str, label: str, model: ClickModel) -> None:
    click_models.register(name, label)(model)


_enter(
    "eia",
    "Extended IA, learned",
    ClickModel(
        by_intent_language_and_grade,
        True,
        "Satisfaction depends on intent, language and grade: bilingual users are at home here (SDBN-EIA).",
        ("ia_diff", "agnostic"),
    ),
)
_enter(
    "ia_diff",
    "IA, learned, different parameters",
    ClickModel(
        by_intent_and_grade_of_own,
        True,
        "Each intent has its own probabilities by grade; another language counts as grade 0.",
        ("ia_same",),
    ),
)
_enter(
    "ia_same",
    "IA, learned, same parameters",
    ClickModel(by_grade_of_own, True, "All intents share probabilities by grade; another language counts as grade 0."),
)
_enter(
    "agnostic",
    "Intent-agnostic, learned",
    ClickModel(by_grade, True, "Satisfaction depends on the grade alone (SDBN as it underlies ERR)."),
)
_enter(
    "ia_default",
    "IA, default",
    ClickModel(by_grade_of_own, False, "ERR's own probabilities by grade; another language counts as grade 0."),
)
_enter(
    "agnostic_default",
    "Intent-agnostic, default",
    ClickModel(by_grade, False, "ERR's own probabilities by grade, whatever the language."),
)
_enter(
    "eia_default",
    "Extended IA, default",
    ClickModel(
        by_intent_language_and_grade, False, "ERR's own probabilities by grade, and half of them in another language."
    ),
)
_enter(
    "documents",
    "SDBN by document",
    ClickModel(None, True, "The classical SDBN: attraction and satisfaction of every document of every query."),
)
