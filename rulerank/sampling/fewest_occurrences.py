"""Fewest occurrences: SSAR that counts how often a document's antecedents were met, not how many rules they make."""

from __future__ import annotations

from collections.abc import Sequence

from rulerank.registry import samplers
from rulerank.rules.occurrences import OccurrenceIndex
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key


@samplers.register("fewest_occurrences", "Fewest occurrences (of its items among labels)")
class FewestOccurrences(Sampler):
    """Chooses the document whose antecedents occur least often, on average, in what is labelled so far.

    SSAR counts the rules a document draws: an antecedent that was labelled once weighs as much as one that was labelled
    a hundred times. But LRAR's score is a mean of confidences, and a confidence from n labels is off by about
    1 / sqrt(n): what matters is how often, not whether. So this sampler goes by how many labelled documents hold an
    antecedent of the document, averaged over its antecedents of each length and then over the lengths: the few
    single items weigh as much as all their pairs. (Summed over all antecedents instead, the pairs would drown the
    items, and the sample would keep to odd documents.) Grades do not enter, so the order is known beforehand, several
    people may work on the next documents at once, and a wrong grade cannot lead it astray. There is no natural stop.

    First of all: SSAR's first, the document with the largest total occurrence of its items in the pool. Tie: the
    smaller total occurrence; still tied: the later row.

    max_antecedent: the longest antecedent that is counted. 1 looks at each item by itself, 3 keeps a little farther
    away from what is labelled.
    """

    def __init__(self, max_antecedent: int = 2) -> None:
        self.max_antecedent = max_antecedent

    def _begin(self) -> None:
        self._index = OccurrenceIndex(self.pool, max_antecedent=self.max_antecedent)
        self._occurrence = total_occurrence(self.pool)

    def _added(self, row: int, grade: int) -> None:
        self._index.add([row])

    def _load(self, taken: dict[int, int]) -> None:
        self._grades.update(taken)
        self._available[list(taken)] = False
        self._index.add(list(taken))

    def _removed(self, row: int, grade: int) -> None:
        self._index.remove([row])

    def _keys(self) -> Sequence[Key]:
        return (Key("labelled", self._index.counts()), occurrence_key(self._occurrence, not self._grades))

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if not self._grades:
            return f"nothing is labelled yet, and its items are the most common: {keys['occurrence']:.0f} occurrences"
        times = keys["labelled"] / self._index.scale
        return f"each of its antecedents occurs {times:.3g} times among the labels, on average: the fewest of all"
