"""A rule, and a document's rules mined from its projection (Algorithm 2 of Learning to Rank at Query-Time)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rulerank.rules.items import Ints, Items, as_document, as_grades, as_items

Item = tuple[int, int]  # (feature, bin), both counted from 0


@dataclass(frozen=True)
class Rule:
    """Antecedent (a set of items) -> grade, its support (a count), its confidence theta, and its weight in a score.

    >>> print(Rule(antecedent=((0, 3), (2, 1)), grade=1, support=4, confidence=0.8).describe())
    if feature 1 is in bin 3 and feature 3 is in bin 1 then grade 1 (confidence 0.80, seen 4 times)
    """

    antecedent: tuple[Item, ...]
    grade: int
    support: int
    confidence: float
    weight: float = 1.0

    def describe(self, item_text: Callable[[int, int], str] | None = None) -> str:
        """Return the rule in words; `item_text(feature, bin)` names an item, as a discretizer's `describe` does."""
        name = item_text or (lambda feature, number: f"feature {feature + 1} is in bin {number}")
        held = " and ".join(name(feature, number) for feature, number in self.antecedent)
        return f"if {held} then grade {self.grade} (confidence {self.confidence:.2f}, seen {self.support} times)"


@dataclass(frozen=True)
class Explanation:
    """Why a document was chosen: the rules it draws, and the items that no document labelled before it holds.

    >>> from rulerank.rules import RuleIndex
    >>> index = RuleIndex([[0, 0], [0, 1]])
    >>> index.add(0, grade=2)
    >>> found = index.explain(1)
    >>> found.strongest(1)[0].describe(), found.new_items
    ('if feature 1 is in bin 0 then grade 2 (confidence 1.00, seen 1 times)', ((1, 1),))
    """

    row: int
    rules: tuple[Rule, ...]
    new_items: tuple[Item, ...]

    @property
    def rule_count(self) -> int:
        """The number of rules."""
        return len(self.rules)

    def renumbered(self, features: Sequence[int]) -> Explanation:
        """Return the same account with feature j called features[j], for an index over some of the features."""
        rules = tuple(
            replace(rule, antecedent=tuple((features[f], b) for f, b in rule.antecedent)) for rule in self.rules
        )
        return Explanation(self.row, rules, tuple((features[f], b) for f, b in self.new_items))

    def strongest(self, number: int = 5) -> Sequence[Rule]:
        """Return the rules with the highest confidence, the better supported and shorter ones first."""
        key = lambda rule: (-rule.confidence, -rule.support, len(rule.antecedent), rule.antecedent)  # noqa: E731
        return sorted(self.rules, key=key)[:number]


def mine_document(
    document: Items,
    items: Items,
    grades: Ints,
    *,
    max_antecedent: int = 2,
    min_support: int = 1,
    min_confidence: float = 0.001,
) -> list[Rule]:
    """Return every rule whose antecedent lies within `document`, from the labelled `items` and `grades`.

    The projection keeps, of each labelled document, the features on which it equals `document`; the supports of all
    pairs of features are one matrix product per grade, and those of all triples one product per feature and grade.
    """
    items = as_items(items)
    document = as_document(document, features=items.shape[1])
    grades = as_grades(grades, len(items))
    shared = items == document
    levels = np.unique(grades)
    parts = [shared[grades == level].astype(np.float32) for level in levels]
    pairs = np.stack([part.T @ part for part in parts]) if parts else np.zeros((0, document.size, document.size))
    rules: list[Rule] = []

    def enter(features: tuple[int, ...], supports: np.ndarray) -> None:
        total = int(supports.sum())
        for level, support in zip(levels, supports.astype(np.int64), strict=True):
            if support >= max(1, min_support) and support / total >= min_confidence:
                held = tuple((feature, int(document[feature])) for feature in features)
                rules.append(Rule(held, int(level), int(support), int(support) / total))

    width = document.size
    for i in range(width):
        if not (pairs[:, i, i].any() if len(levels) else False):
            continue
        enter((i,), pairs[:, i, i])
        if max_antecedent < 2:
            continue
        thirds = None
        if max_antecedent >= 3:
            held = [part[part[:, i] > 0] for part in parts]
            thirds = np.stack([part.T @ part for part in held])
        for j in range(i + 1, width):
            if not pairs[:, i, j].any():
                continue
            enter((i, j), pairs[:, i, j])
            if thirds is not None:
                for k in range(j + 1, width):
                    if thirds[:, j, k].any():
                        enter((i, j, k), thirds[:, j, k])
    return rules
