"""The rules behind a score, behind a choice, and behind each label so far, in words and in numbers."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from rulerank.campaign.labels import Labels
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.ranking import Fitted
from rulerank.ranking import (
    LRAR,
    EagerRules,
    Effect,
    LRARItems,
    QueryLevelRules,
    QueryTermRules,
    RuleRanker,
    SmoothItems,
    StableRules,
    WeightedItems,
)
from rulerank.registry import samplers
from rulerank.rules import Rule, RuleIndex, mine_document
from rulerank.rules.items import Items

COLUMNS = ("If the document has", "Grade", "Support", "Confidence")
WEIGHT = "Weight"


def rules_behind(fitted: Fitted, document: Items, query: int | None = None) -> list[Rule] | None:
    """Return the rules that a ranker used for a document; None if it has no account of them.

    RE-QR has a function for each query: `query` says whose.
    """
    ways: dict[type, Callable[[Fitted, Items, int | None], list[Rule]]] = {
        LRAR: _all,
        LRARItems: _all,
        QueryTermRules: _all,
        EagerRules: _frequent,
        StableRules: _stable,
        QueryLevelRules: _own,
        SmoothItems: _smoothed,
        WeightedItems: _smoothed,
    }
    way = ways.get(type(fitted.model))
    return None if way is None else way(fitted, document, query)


def _mined(
    fitted: Fitted, document: Items, some: np.ndarray | None = None, support: int = 1, confidence: float = 0.001
) -> list[Rule]:
    size = fitted.model.get_params()["max_antecedent"]
    items = fitted.items if some is None else fitted.items[some]
    grades = fitted.grades if some is None else fitted.grades[some]
    return mine_document(document, items, grades, max_antecedent=size, min_support=support, min_confidence=confidence)


def _all(fitted: Fitted, document: Items, query: int | None) -> list[Rule]:
    return _mined(fitted, document)


def _frequent(fitted: Fitted, document: Items, query: int | None) -> list[Rule]:
    settings = fitted.model.get_params()
    least = max(1, math.ceil(settings["min_support"] * len(fitted.grades) - 1e-9))
    return _mined(fitted, document, support=least, confidence=settings["min_confidence"])


def _smoothed(fitted: Fitted, document: Items, query: int | None) -> list[Rule]:
    assert isinstance(fitted.model, SmoothItems)
    return fitted.model.rules(document)


def over_antecedents(model: RuleRanker) -> bool:
    """Say whether a ranker averages over all antecedents, and not over the rules of each grade."""
    return isinstance(model, SmoothItems) or (isinstance(model, LRAR) and model.average == "antecedents")


def _own(fitted: Fitted, document: Items, query: int | None) -> list[Rule]:
    return _mined(fitted, document, fitted.qids == query)


def _stable(fitted: Fitted, document: Items, query: int | None) -> list[Rule]:
    rules = _mined(fitted, document)
    shared = fitted.items == document
    queries = np.unique(fitted.qids, return_inverse=True)[1]
    stable = [rule for rule in rules if _is_stable(rule, shared, fitted, queries)]
    return stable or rules


def _is_stable(rule: Rule, shared: np.ndarray, fitted: Fitted, queries: np.ndarray) -> bool:
    """Say whether enough queries agree with a rule (Definition 4.2, as `StableRules` reads it)."""
    settings = fitted.model.get_params()
    held = shared[:, [feature for feature, _ in rule.antecedent]].all(axis=1)
    documents = np.bincount(queries[held])
    hits = np.bincount(queries[held], weights=fitted.grades[held] == rule.grade)
    asked = documents >= max(1, settings["min_documents"])
    documents, hits = documents[asked], hits[asked]
    if not documents.size:
        return False
    theta = rule.confidence
    gap = np.abs(theta - hits / documents) - settings["error"] * np.sqrt(theta * (1 - theta) / documents)
    gap = np.maximum(gap, 0.0)
    if settings["agreement"] == "mean":
        return bool((gap * documents).sum() <= (settings["phi"] + 1e-12) * documents.sum())
    return bool((gap <= settings["phi"] + 1e-12).sum() >= settings["agreement"] * documents.size - 1e-9)


def grade_shares(rules: Sequence[Rule], levels: int, *, whole: bool = False) -> np.ndarray:
    """Return s(d, r), the mean confidence of the rules for each grade, and p(r|d), their shares (eq. 1 and 2).

    `whole` divides by all antecedents, as `over_antecedents` says, and not by the rules of the grade. Means are
    weighted by the rules' weights.
    """
    means = np.zeros(levels)
    antecedents = sum({rule.antecedent: rule.weight for rule in rules}.values())
    for level in range(levels):
        found = [rule for rule in rules if rule.grade == level]
        below = antecedents if whole else sum(rule.weight for rule in found)
        means[level] = sum(rule.weight * rule.confidence for rule in found) / below if below else 0.0
    total = means.sum()
    return np.stack([means, means / total if total else means])


def shares_table(rules: Sequence[Rule], names: Sequence[str], *, whole: bool = False) -> pd.DataFrame:
    """Return how the rules of each grade add up to the score."""
    means, shares = grade_shares(rules, len(names), whole=whole)
    numbers = [sum(rule.grade == level for rule in rules) for level in range(len(names))]
    return pd.DataFrame(
        {
            "Grade": [f"{level} {name}" for level, name in enumerate(names)],
            "Rules": numbers,
            "Mean confidence": means.round(4),
            "p(grade)": shares.round(4),
        }
    )


def score_words(rules: Sequence[Rule], names: Sequence[str], what: str = "Score", *, whole: bool = False) -> str:
    """Say how the score comes about."""
    shares = grade_shares(rules, len(names), whole=whole)[1]
    parts = " + ".join(f"{level} × {share:.3f}" for level, share in enumerate(shares) if level)
    return f"{what} = sum of grade × p(grade) = {parts} = **{float((shares * np.arange(len(shares))).sum()):.3f}**"


def score_rules_table(
    rules: Iterable[Rule],
    item_text: Callable[[int, int], str] | None = None,
    grade_names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the rules behind a score: antecedent in words, grade, support (count) and confidence.

    The surest come first, then the better supported, then the shorter. `item_text` is a discretizer's `describe`. Where
    rules do not all weigh alike, a column shows their weights, and the surest are those with most confidence x weight.
    """
    words = item_text or (lambda feature, number: f"feature {feature + 1} in bin {number}")
    ordered = sorted(
        rules, key=lambda r: (-r.weight * r.confidence, -r.support, len(r.antecedent), r.antecedent, r.grade)
    )
    named = grade_names or ()
    table = pd.DataFrame(
        {
            COLUMNS[0]: pd.Series(
                [" and ".join(words(feature, number) for feature, number in rule.antecedent) for rule in ordered],
                dtype="str",
            ),
            COLUMNS[1]: pd.Series(
                [f"{r.grade} {named[r.grade]}" if 0 <= r.grade < len(named) else str(r.grade) for r in ordered],
                dtype="str",
            ),
            COLUMNS[2]: pd.Series([rule.support for rule in ordered], dtype="int64"),
            COLUMNS[3]: pd.Series([round(rule.confidence, 4) for rule in ordered], dtype="float64"),
        }
    )
    if any(rule.weight != 1.0 for rule in ordered):
        table[WEIGHT] = pd.Series([round(rule.weight, 3) for rule in ordered], dtype="float64")
    return table


def effects_table(effects: Iterable[Effect], item_text: Callable[[int, int], str] | None = None) -> pd.DataFrame:
    """Return what each item of a document adds to its score, the largest effects first."""
    words = item_text or (lambda feature, number: f"feature {feature + 1} in bin {number}")
    ordered = sorted(effects, key=lambda effect: (-abs(effect.adds), effect.feature))
    return pd.DataFrame(
        {
            COLUMNS[0]: pd.Series([words(effect.feature, effect.bin) for effect in ordered], dtype="str"),
            "Adds": pd.Series([effect.adds for effect in ordered], dtype="float64"),
            "Rules": pd.Series([effect.rules for effect in ordered], dtype="int64"),
            "Labels like it": pd.Series([effect.labels for effect in ordered], dtype="int64"),
        }
    )


SLACK = 100
"""A history may lack one label in so many before it is worked out again: a thousand labels take a tenth of a second."""


@dataclass(frozen=True)
class RuleHistory:
    """For each label, in their order: the rules its document drew from the labels before it, and the stop line then.

    The stop line is the fewest rules of a document that was labelled before; the first label has none (None).
    """

    rows: tuple[int, ...]
    grades: tuple[int, ...]
    drawn: tuple[int, ...]
    line: tuple[int | None, ...]

    def serves(self, labels: Labels) -> bool:
        """Say whether this is the history of these labels, or of nearly all of them."""
        number = len(self.rows)
        if not 0 <= len(labels) - number <= number // SLACK:
            return False
        return tuple(labels.rows[:number]) == self.rows and tuple(labels.grades[:number]) == self.grades


_histories: WeakKeyDictionary[OpenCampaign, RuleHistory] = WeakKeyDictionary()
_lock = threading.Lock()


def rule_history(opened: OpenCampaign, labels: Labels) -> RuleHistory | None:
    """Return the history of the labels as they stand, kept for all who look; None unless the sampler counts rules.

    Where it counts them within partitions, as SSARP does, the counts over all features say nothing of its own.
    """
    kind = samplers[opened.settings.sampler.name]
    if not kind.counts_rules or kind.counts_by_partition:
        return None
    with _lock:
        kept = _histories.get(opened)
    if kept is None or not kept.serves(labels):
        kept = replay(opened.items, labels.rows, labels.grades, opened.settings.rule_size)
        with _lock:
            _histories[opened] = kept
    return kept


def replay(items: np.ndarray, rows: list[int], grades: list[int], max_antecedent: int = 2) -> RuleHistory:
    """Give the labels once more, one by one, and note the counts; exact, and only the labelled documents are counted.

    A document's rule count depends on the labels and on itself alone, so the rest of the pool can be left out.
    """
    drawn: list[int] = []
    line: list[int | None] = []
    if rows:
        index = RuleIndex(np.ascontiguousarray(items[rows]), max_antecedent=max_antecedent)
        for place, grade in enumerate(grades):
            counts = index.rule_counts()
            drawn.append(int(counts[place]))
            line.append(int(counts[:place].min()) if place else None)
            index.add(place, grade)
    return RuleHistory(tuple(rows), tuple(grades), tuple(drawn), tuple(line))
