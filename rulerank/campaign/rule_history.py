"""The rule counts behind each label, worked out again from the log: what it drew, and where the stop line stood."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.labels import Labels
from rulerank.campaign.opened import OpenCampaign
from rulerank.registry import samplers
from rulerank.rules import RuleIndex

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
