"""Fewest occurrences: SSAR that counts how often a document's items were met, not how many rules they make."""

from __future__ import annotations

from collections.abc import Sequence

from rulerank.registry import samplers
from rulerank.rules.pool_scores import OccurrenceIndex
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key


@samplers.register("fewest_occurrences", "Fewest occurrences (of its items among labels)")
class FewestOccurrences(Sampler):
    """Chooses the document that has least in common with what is labelled so far.

    SSAR counts the rules a document draws: an antecedent that was labelled once weighs as much as one that was labelled
    a hundred times. But LRAR's score is a mean of confidences, and a confidence from n labels is off by about
    1 / sqrt(n): what matters is how often, not whether. So this sampler adds up how many items each labelled document
    shares with the document: s of them count s (1 + 1/2 + ... + 1/s). Items that are met together say a little more
    than as many met apart, but not as much as all their pairs would: summed over all pairs, the pairs would drown the
    items, and the sample would keep to odd documents. Grades do not enter, so the order is known beforehand, several
    people may work on the next documents at once, and a wrong grade cannot lead it astray. There is no natural stop.

    First of all: SSAR's first, the document with the largest total occurrence of its items in the pool. Tie: the
    smaller total occurrence; still tied: the later row.

    >>> items = [[0, 0], [0, 0], [0, 1], [1, 1]]
    >>> FewestOccurrences().run(items, grades=[2, 2, 1, 0]).order
    [2, 3, 1, 0]
    """

    def _begin(self) -> None:
        self._index = OccurrenceIndex(self.pool)
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
        copies = keys["labelled"] / self._index.copy
        return f"the labelled documents share its items as much as {copies:.3g} copies of it would: the least of all"
