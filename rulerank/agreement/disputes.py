"""Units that annotators graded differently, the most serious first: the list that an adjudicator works through."""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.agreement.ratings import ratings


@dataclass(frozen=True)
class Dispute:
    """A unit with different grades: `spread` is the largest grade minus the smallest, `grades` go by annotator."""

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
