"""Fewest occurrences: SSAR that counts how often a document's antecedents were met, not how many rules they make."""

from __future__ import annotations

from collections.abc import Sequence

from rulerank.registry import samplers
from rulerank.rules.occurrences import OccurrenceIndex
from rulerank.sampling.base import Sampler, occurrence_key, total_occurrence
from rulerank.sampling.selection import Key


@samplers.register("fewest_occurrences", "Fewest occurrences (of its items among labels)")
class FewestOccurrences(Sampler):
    """Chooses the document whose antecedents occur least often, all in all, in what is labelled so far.

    SSAR counts the rules a document draws: an antecedent that was labelled once weighs as much as one that was labelled
    a hundred times. But LRAR's score is a mean of confidences, and a confidence from n labels is off by about
    1 / sqrt(n): what matters is how often, not whether. So this sampler goes by the sum, over the antecedents X within
    a document, of the labelled documents that hold X. Close to it is the largest posterior variance of a Gaussian
    process on shared items when grades are very noisy: there a label takes away from a document's variance in
    proportion to s^2, s being the items they share, where this sampler adds s (s + 1) / 2. Grades do not enter, so the
    order is known beforehand, several people may work on the next documents at once, and a wrong grade cannot lead it
    astray. There is no natural stop.

    First of all: SSAR's first, the document with the largest total occurrence of its items in the pool. Tie: the
    smaller total occurrence; still tied: the later row.

    max_antecedent: the longest antecedent that is counted. 1 looks at each item by itself, 3 keeps farther away from
    what is labelled.
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
        return (
            f"its antecedents occur {keys['labelled']:,.0f} times among the labels, the fewest of those without a grade"
        )
