"""A package from outside: one of each kind that rulerank takes by entry points, each with a parameter of its own."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.discretize import Discretizer
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, formats
from rulerank.export.lines import Pieces, cut
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.ranking.base import RuleRanker, normalise
from rulerank.registry import discretizers, metrics, rankers, samplers
from rulerank.sampling import Sampler
from rulerank.sampling.selection import Key
from rulerank.simulate.learners import Learner, learners
from rulerank.strategy import Param
from rulerank.text.features import text_features
from rulerank.text.matches import Matches

Floats = NDArray[np.float64]


@samplers.register("window_walk", "Window walk")
class WindowWalk(Sampler):
    """Goes through the pool in strides, and begins anew one document further on."""

    params = (
        Param("stride", int, 3, "Documents from one choice to the next.", low=1),
        Param("sign", str, "open: 9", "What hangs in the window."),
    )

    def __init__(self, stride: int = 3, sign: str = "open: 9") -> None:
        self.stride = stride
        self.sign = sign

    def _begin(self) -> None:
        rows = np.arange(len(self.pool))
        self._turn = (rows % self.stride) * len(rows) + rows

    def _keys(self) -> Sequence[Key]:
        return (Key("turn", self._turn),)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        return f"it is the next one in strides of {self.stride} ({self.sign})"


@rankers.register("window_vote", "Window vote")
class WindowVote(RuleRanker):
    """Every labelled document votes for its grade, the more the more items it shares."""

    params = (Param("power", float, 2.0, "How much more a like document counts.", above=0),)

    def __init__(self, power: float = 2.0) -> None:
        self.power = power

    def _proba(self, columns: NDArray[np.uint8], qids: list[Hashable] | None) -> Floats:
        known, grades = self.training
        shared = (columns[:, :, None] == known[:, None, :]).mean(axis=0) ** self.power
        votes = np.stack([shared[:, grades == grade].sum(axis=1) for grade in self.grades_], axis=1)
        return normalise(votes, self._prior())


@discretizers.register("window_panes", "Window panes")
class WindowPanes(Discretizer):
    """Cuts a feature at its quantiles."""

    params = (Param("panes", int, 3, "Parts that a feature is cut into.", low=2, high=9),)

    def __init__(self, panes: int = 3) -> None:
        self.panes = panes

    def _find_edges(self, X: Floats, y: ArrayLike | None) -> list[Floats]:
        shares = np.linspace(0, 1, self.panes + 1)
        found = [np.unique(np.quantile(column, shares)) for column in X.T]
        return [edges if len(edges) > 1 else np.repeat(edges, 2) for edges in found]


LEAST = Param("least", int, 1, "Grade from which a document is a hit.", low=1, high=9)


@metrics.register("hit", "Hit rate (HIT@k)", params=(LEAST,))
@metric("HIT", cutoffs=True)
def hit(rankings: Rankings, k: int, least: int = 1) -> Values:
    """Share of the queries with a relevant document among the first k."""
    values, expected = room(rankings, k)
    for query, begin in enumerate(rankings.starts[:-1].tolist()):
        relevant = rankings.grades[begin : rankings.starts[query + 1]] >= least
        ends = rankings.tie_ends[begin : rankings.starts[query + 1]]
        for cut_off in range(1, k + 1):
            values[query, cut_off - 1] = relevant[:cut_off].any()
            expected[query, cut_off - 1] = 1.0 - _missed(relevant, ends, cut_off)
    return values, expected


def _missed(relevant: NDArray[np.bool_], ends: NDArray[np.int64], cut_off: int) -> float:
    """Return how likely it is that none of the first documents is relevant, over all orders of equal scores."""
    first = 0
    while first < min(cut_off, len(relevant)):
        end = int(ends[first])
        found = int(relevant[first:end].sum())
        if found:
            seen = min(cut_off, end) - first
            return 0.0 if end <= cut_off else math.comb(end - first - found, seen) / math.comb(end - first, seen)
        first = end
    return 1.0


@formats.register("window_list", "Window list")
class WindowList(Format):
    """Documents with a grade, `grade|docid`, as they hang in the window."""

    loading = 'lines = open("window.txt").read().splitlines()'
    params = (Param("mark", str, "|", "What stands between grade and docid."),)

    def __init__(self, mark: str = "|") -> None:
        self.mark = mark

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["window.txt"]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        yield "window.txt", cut(bytes_of(_listed(export, self.mark)))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the lines."""
        same = data == bytes_of(_listed(export, self.mark))
        return [] if same else [f"{name}: the lines are not those of the collection"]


def _listed(export: Export, mark: str) -> str:
    grades = export.collection.grades
    return "".join(f"{grades[row]}{mark}{export.ids[row]}\n" for row in export.graded.tolist())


LOUDNESS = Param("power", float, 2.0, "To which power a frequency is raised.", above=0, high=9)


@text_features.register("window_echo", "window echo", params=(LOUDNESS,))
def window_echo(matches: Matches, power: float = 2.0) -> Floats:
    """Powers of the frequencies of the query's terms, added up."""
    return matches.total(matches.tf**power)


@learners.register("window_price", "Window price")
class WindowPrice(Learner):
    """Scores by one feature, the way round that the labels suggest."""

    params = (Param("column", int, 0, "The feature that is looked at.", low=0, counts_from_zero=True),)

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def _learn(self, features: Floats, grades: NDArray[np.int64], queries: NDArray[np.int64]) -> None:
        values = features[:, self.column] - features[:, self.column].mean()
        self._sign = 1.0 if float(values @ grades) >= 0 else -1.0

    def _score(self, features: Floats) -> Floats:
        return self._sign * features[:, self.column]
