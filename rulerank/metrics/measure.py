"""What is measured, in one word: a metric and its cut-off, read from and printed as NDCG@10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from rulerank.errors import InputError
from rulerank.registry import metrics

MOST_CUT_OFF = 1000


@dataclass(frozen=True)
class Measure:
    """A metric by its registered name and, where it has cut-offs, one of them.

    `name` stands in files (`ndcg@10`), `str` on screens (NDCG@10); `parse` reads both.

    >>> measure = Measure.parse("NDCG@10")
    >>> measure.name, str(measure), str(Measure.parse("precision@5"))
    ('ndcg@10', 'NDCG@10', 'P@5')
    """

    metric: str
    cut: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `map`, `ndcg@10`, `precision@5` (or `P@5`)."""
        word, at, cut = str(text).strip().lower().partition("@")
        short = {entry.value.short.lower(): entry.name for entry in metrics}
        metric = word if word in metrics else short.get(word, word)
        cutoffs = metrics[metric].cutoffs
        if cutoffs != bool(at):
            raise InputError(f"{text!r}: write {metric}@10 for its value at 10" if cutoffs else f"{metric} has no @")
        if not at:
            return cls(metric)
        if not cut.isdecimal() or not 1 <= int(cut) <= MOST_CUT_OFF:
            raise InputError(f"{text!r}: the cut-off must be a whole number from 1 to {MOST_CUT_OFF}")
        return cls(metric, int(cut))

    @property
    def name(self) -> str:
        """The name in files and tables."""
        return self.metric if self.cut is None else f"{self.metric}@{self.cut}"

    def __str__(self) -> str:
        short = str(metrics[self.metric].short)
        return short if self.cut is None else f"{short}@{self.cut}"
