"""The grades of several annotators as arrays sorted by document: what every measure of agreement starts from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.rules.items import Ints, as_grades


@dataclass(frozen=True)
class Ratings:
    """Grades sorted by unit, and within a unit by annotator; unit k has the places starts[k] to starts[k + 1]."""

    units: tuple[Hashable, ...]  # first seen first
    annotators: tuple[Hashable, ...]  # in their own order, or first seen first where they have none
    unit: Ints  # place in `units`
    annotator: Ints  # place in `annotators`
    grade: Ints
    starts: Ints

    @property
    def sizes(self) -> Ints:
        """Number of grades of each unit."""
        return np.diff(self.starts)

    def pairs(self) -> tuple[Ints, Ints]:
        """Return the places of every two grades of the same unit, the earlier annotator's first."""
        left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for apart in range(1, int(self.sizes.max(initial=0))):
            first = np.flatnonzero(self.unit[:-apart] == self.unit[apart:])
            left.append(first)
            right.append(first + apart)
        return np.concatenate(left), np.concatenate(right)


def ratings(units: Any, annotators: Any, grades: Any) -> Ratings:
    """Read the three arrays, or say what is wrong with them."""
    documents, people = _listed(units, "units"), _listed(annotators, "annotators")
    if len(documents) != len(people):
        raise InputError(f"{len(documents)} units and {len(people)} annotators; give one of each for every grade")
    levels = as_grades(grades, len(documents))
    unit, unit_names = _coded(documents, "units")
    annotator, annotator_names = _coded(people, "annotators")
    annotator, annotator_names = _in_order(annotator, annotator_names)
    order = np.lexsort((annotator, unit))
    unit, annotator, levels = unit[order], annotator[order], levels[order]
    twice = np.flatnonzero((np.diff(unit) == 0) & (np.diff(annotator) == 0))
    if twice.size:
        at = twice[0]
        raise InputError(
            f"annotator {annotator_names[annotator[at]]!r} has two grades for unit {unit_names[unit[at]]!r}; "
            "give the current one only"
        )
    starts = np.searchsorted(unit, np.arange(len(unit_names) + 1))
    return Ratings(tuple(unit_names), tuple(annotator_names), unit, annotator, levels, starts)


def _listed(values: Any, what: str) -> list[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{what} must be a list or an array with one entry for every grade, not {values!r}")
    return list(values)


def _coded(values: list[Any], what: str) -> tuple[Ints, list[Hashable]]:
    """Number the values, first seen first."""
    known: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64, len(values))
    except TypeError as exc:
        raise InputError(f"{what} must be names or numbers, one for every grade: {exc}") from exc
    return codes, list(known)


def _in_order(codes: Ints, names: list[Any]) -> tuple[Ints, list[Any]]:
    """Renumber by the names' own order, so that a table of annotators does not depend on who came first."""
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return codes, names
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place[codes], [names[k] for k in order]
