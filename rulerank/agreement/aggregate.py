"""One grade per document from those of several annotators, and the disputes, the most serious first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.agreement.dawid_skene import fit_dawid_skene
from rulerank.agreement.latent import GradeModel
from rulerank.agreement.ordered import fit_ordered
from rulerank.agreement.ratings import ratings
from rulerank.errors import InputError
from rulerank.rules.items import as_grade


@dataclass(frozen=True)
class Dispute:
    """A unit with different grades: `spread` is the largest grade minus the smallest, `grades` go by annotator.

    >>> disputes(["d1", "d1", "d2", "d2"], ["ann", "bob", "ann", "bob"], [0, 2, 1, 1])
    [Dispute(unit='d1', spread=2, grades={'ann': 0, 'bob': 2})]
    """

    unit: Hashable
    spread: int
    grades: dict[Hashable, int]


def disputes(units: Any, annotators: Any, grades: Any, *, settled: Container[Hashable] = ()) -> list[Dispute]:
    """Return the units whose grades differ: largest spread first, then most grades, then first seen.

    Units in `settled` (those that were adjudicated) are left out.
    """
    table = ratings(units, annotators, grades)
    if not table.units:
        return []
    starts = table.starts[:-1]
    spread = np.maximum.reduceat(table.grade, starts) - np.minimum.reduceat(table.grade, starts)
    order = np.lexsort((-table.sizes, -spread))
    found = []
    for number in order[spread[order] > 0].tolist():
        unit = table.units[number]
        if unit not in settled:
            part = slice(table.starts[number], table.starts[number + 1])
            people = (table.annotators[k] for k in table.annotator[part].tolist())
            by_annotator = dict(zip(people, table.grade[part].tolist(), strict=True))
            found.append(Dispute(unit, int(spread[number]), by_annotator))
    return found


RULES = {
    "majority": "the grade that most annotators gave; of grades given equally often, the middle one "
    "(of an even number, the lower middle)",
    "median": "the middle grade of all annotators (of an even number, the lower middle)",
    "adjudication": "the grade on which all annotators agree; where they differ, the adjudicator's, "
    "and none until there is one",
    "dawid_skene": "of the grades that were given, the likeliest by Dawid and Skene's model, which learns from all "
    "documents how often each annotator takes one grade for another",
    "ordered": "of the grades that were given, the likeliest by a model of ordered grades, which learns from all "
    "documents how kind or strict and how steady each annotator is",
}

LABELS = {
    "majority": "Majority",
    "median": "Median",
    "adjudication": "Adjudication",
    "dawid_skene": "Dawid and Skene's model",
    "ordered": "Model of ordered grades",
}
"""The rules as people read them."""

MODELS: dict[str, Callable[..., GradeModel]] = {"dawid_skene": fit_dawid_skene, "ordered": fit_ordered}
"""Rules that look at all documents at once: one grade more, anywhere, may change what they make of another document."""


def aggregate(
    units: Any,
    annotators: Any,
    grades: Any,
    rule: str = "majority",
    adjudicated: Mapping[Any, int] | None = None,
) -> dict[Any, int]:
    """Return one grade for each unit, by a rule of `RULES`; an adjudicated grade wins under every rule.

    Units come in the order in which they were first seen, then those that were only adjudicated. Every aggregated
    grade is one that somebody gave: there is no half grade. Where no grade wins, a unit is left out. A rule of
    `MODELS` takes adjudicated grades for certain, and learns from them how good annotators are.
    """
    if rule not in RULES:
        raise InputError(f"rule must be one of {', '.join(RULES)}, not {rule!r}")
    final = {unit: as_grade(grade) for unit, grade in (adjudicated or {}).items()}
    table = ratings(units, annotators, grades)
    if rule in MODELS:
        return {**MODELS[rule](units, annotators, grades, final).grades(), **final}
    ends = table.starts.tolist()
    given = table.grade.tolist()
    result: dict[Hashable, int] = {}
    for unit, start, stop in zip(table.units, ends[:-1], ends[1:], strict=True):
        grade = final[unit] if unit in final else one_grade(given[start:stop], rule)
        if grade is not None:
            result[unit] = grade
    return {**result, **final}


def one_grade(grades: list[int], rule: str) -> int | None:
    """Return the grade of one document by a rule of `RULES`, looking at nothing else; None where the rule names none.

    A rule of `MODELS` names one only where all agree.
    """
    if rule not in RULES:
        raise InputError(f"rule must be one of {', '.join(RULES)}, not {rule!r}")
    return _CHOICES[rule](grades) if grades else None


def _lower_median(grades: list[int]) -> int:
    return sorted(grades)[(len(grades) - 1) // 2]


def _majority(grades: list[int]) -> int:
    counts = Counter(grades)
    most = max(counts.values())
    return _lower_median([grade for grade, count in counts.items() if count == most])


def _unanimous(grades: list[int]) -> int | None:
    return grades[0] if len(set(grades)) == 1 else None


_CHOICES: dict[str, Callable[[list[int]], int | None]] = {
    "majority": _majority,
    "median": _lower_median,
    "adjudication": _unanimous,
    **dict.fromkeys(MODELS, _unanimous),
}
