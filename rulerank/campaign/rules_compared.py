"""What each rule of aggregation would make of a campaign's grades, beside the rule that it has now."""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.agreement import MODELS, RULES, GradeModel
from rulerank.agreement.aggregate import aggregate
from rulerank.campaign.agreement import Grades


@dataclass(frozen=True)
class RuleChange:
    """A document that some rule would grade otherwise; None: it would have no grade until somebody decides.

    >>> RuleChange(4, {1: 0, 2: 2}, {"median": 0, "adjudication": None}).by_rule["median"]
    0
    """

    row: int
    given: dict[int, int]  # by person
    by_rule: dict[str, int | None]


@dataclass(frozen=True)
class RulesCompared:
    """The documents on which the rules differ, and the models of annotators behind two of them.

    >>> found = Grades((0, 0, 1), (1, 2, 1), (0, 2, 1), seen=3, settled={})
    >>> compared = compare_rules(found, "median")
    >>> compared.other("adjudication"), compared.without("adjudication")
    (0, 1)
    """

    now: str
    changes: tuple[RuleChange, ...]
    models: dict[str, GradeModel]

    def other(self, rule: str) -> int:
        """Return how many documents would have another grade than now (one, where they have none now)."""
        pairs = [(each.by_rule[rule], each.by_rule[self.now]) for each in self.changes]
        return sum(then is not None and then != now for then, now in pairs)

    def without(self, rule: str) -> int:
        """Return how many documents with a grade would have none until somebody decides."""
        return sum(each.by_rule[rule] is None and each.by_rule[self.now] is not None for each in self.changes)

    def of(self, rule: str) -> list[RuleChange]:
        """Return the documents on which a rule and that of now differ."""
        return [each for each in self.changes if each.by_rule[rule] != each.by_rule[self.now]]


def compare_rules(found: Grades, now: str) -> RulesCompared:
    """Return what every rule makes of the grades: exactly what an export by it would hold."""
    known = {unit: grade for unit, grade in found.settled.items() if unit in found.given}
    columns = (found.units, found.people, found.grades)
    models = {rule: fit(*columns, known) for rule, fit in MODELS.items()}
    results = {
        rule: {**models[rule].grades(), **known} if rule in models else aggregate(*columns, rule, known)
        for rule in RULES
    }
    given: dict[int, dict[int, int]] = {}
    for unit, person, grade in zip(*columns, strict=True):
        given.setdefault(unit, {})[person] = grade
    changes = []
    for row, grades in given.items():
        by_rule = {rule: result.get(row) for rule, result in results.items()}
        if len(set(by_rule.values())) > 1:
            changes.append(RuleChange(row, grades, by_rule))
    return RulesCompared(now, tuple(changes), models)
