"""A rule, and the account of a document's rules, as people read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

Item = tuple[int, int]  # (feature, bin), both counted from 0


@dataclass(frozen=True)
class Rule:
    """Antecedent (a set of items) -> grade, its support (a count), its confidence theta, and its weight in a score."""

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
    """Why a document was chosen: the rules it draws, and the items that no document labelled before it holds."""

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
