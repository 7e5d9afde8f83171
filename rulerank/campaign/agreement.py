"""The current grades of every person of a campaign, and what agreement and disputes are computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from rulerank.agreement import (
    PairKappa,
    disputes,
    pairwise_kappa,
)
from rulerank.agreement.aggregate import Dispute
from rulerank.campaign.opened import OpenCampaign

LEAST_LABELS = 5
"""Labels a person needs before a ranker trained on them says anything."""


@dataclass(frozen=True)
class Grades:
    """Every valid grade as three columns, and the fold's number behind them."""

    units: tuple[int, ...]
    people: tuple[int, ...]
    grades: tuple[int, ...]
    seen: int
    settled: dict[int, int]
    part: tuple[int, int] = (0, 0)  # the events that were looked at: after the first, before the second; 0 for no end

    @property
    def given(self) -> Counter[int]:
        """How many grades each document has."""
        return Counter(self.units)

    @property
    def shared(self) -> int:
        """Documents with two grades or more."""
        return sum(count > 1 for count in self.given.values())

    def of(self, person: int) -> dict[int, int]:
        """Return a person's grade of each document."""
        found = zip(self.units, self.people, self.grades, strict=True)
        return {unit: grade for unit, who, grade in found if who == person}


def read_grades(opened: OpenCampaign, part: tuple[int, int] = (0, 0)) -> Grades:
    """Return the grades as the log has them now; of a `part` those that were given between two events."""
    fold = opened.live.refresh()
    table = fold.table()
    if part != (0, 0):
        after, before = part
        acts = {(row, person): fold.act(row, person) for row, person, _ in table}
        numbers = {key: act.id for key, act in acts.items() if act is not None}
        table = [each for each in table if after < numbers[each[:2]] and (not before or numbers[each[:2]] < before)]
    columns = [tuple(each[k] for each in table) for k in range(3)]
    return Grades(columns[0], columns[1], columns[2], fold.seen, dict(fold.adjudicated), part)


def parts_of(opened: OpenCampaign) -> dict[tuple[int, int], str]:
    """Return the parts of a log between changes of guidelines or grades, in words, the whole log first."""
    told = opened.live.fold.course.told
    if not told:
        return {(0, 0): "All labels"}
    days = [f"{datetime.fromtimestamp(each.at, UTC):%Y-%m-%d %H:%M} UTC" for each in told]
    found = {(0, 0): "All labels", (0, told[0].event): f"Before the change of {days[0]}"}
    for place in range(len(told) - 1):
        found[told[place].event, told[place + 1].event] = f"From {days[place]} to {days[place + 1]}"
    return {**found, (told[-1].event, 0): f"Since the change of {days[-1]}"}


def names_of(people: Mapping[int, str], found: Grades) -> dict[int, str]:
    """Return a name for everybody who gave a grade."""
    return {number: people.get(number, f"Person {number}") for number in sorted(set(found.people))}


def kappas_of(found: Grades) -> list[PairKappa]:
    """Return Cohen's kappa of every two people who share documents."""
    return pairwise_kappa(found.units, found.people, found.grades)


def open_disputes(found: Grades) -> list[Dispute]:
    """Return the documents on which people differ and nobody has decided, the widest apart first."""
    return disputes(found.units, found.people, found.grades, settled=found.settled)
