"""Which rows are labelled, which are measured on, and what becomes of grades that the file knows already."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from rulerank.collection import UNLABELLED
from rulerank.errors import InputError

EVALUATIONS = {
    "none": "No evaluation set",
    "share": "A share of the queries",
    "second": "The second upload",
    "known": "The rows whose grade is known",
}
KNOWN = {
    "hide": "Hide them, and use them for comparison",
    "labels": "Take them as labels",
    "ignore": "Do not use them",
}
SHARE = 0.3
ENOUGH_QUERIES = 10
"""Queries with documents of different grades that an evaluation set needs: the mean of fewer is mostly chance."""


class Graded(Protocol):
    """What is asked of a collection here: the grade and the query of each of its rows. A few numbers are enough."""

    @property
    def grades(self) -> np.ndarray:
        """The grade of each row."""

    @property
    def query_index(self) -> np.ndarray:
        """The query of each row, by its number."""


@dataclass(frozen=True)
class Division:
    """How rows are divided: the kind of evaluation set, and how a share of the queries is drawn."""

    kind: str
    share: float = SHARE
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)

    def rows(self, collection: Graded, second: np.ndarray) -> Rows:
        """Divide the rows of a collection."""
        return choose_rows(collection, self.kind, second=second, share=self.share, seed=self.seed)


@dataclass(frozen=True)
class Rows:
    """Row numbers of a collection: the pool, the evaluation set, and those that are in neither."""

    pool: np.ndarray
    evaluation: np.ndarray
    left_out: int


def evaluations(collection: Graded, second: np.ndarray) -> list[str]:
    """Return the kinds of evaluation set that a collection allows, the recommended one first.

    To measure on all known grades is right where they are the smaller part; else hardly a row would be left to label.
    Where too few queries would be measured on, known grades are of more use as labels.
    """
    if second.any():
        return ["second", "none"]
    known = collection.grades != UNLABELLED
    graded_queries = np.unique(collection.query_index[known]).size
    kinds = ["share"] if graded_queries >= 2 else []
    kinds.append("none")
    if known.any() and not known.all():
        kinds.insert(0 if 2 * known.sum() <= known.size else len(kinds), "known")
    share = 1 if kinds[0] == "known" else SHARE
    enough = share * comparable_queries(collection, np.flatnonzero(known)) >= ENOUGH_QUERIES
    return kinds if enough else sorted(kinds, key=lambda kind: kind != "none")


def comparable_queries(collection: Graded, rows: np.ndarray) -> int:
    """Return how many queries have both a relevant and an irrelevant document in these rows."""
    relevant = collection.grades[rows] > 0
    index = collection.query_index[rows]
    judged_irrelevant = ~relevant & (collection.grades[rows] != UNLABELLED)
    return int(np.intersect1d(index[relevant], index[judged_irrelevant]).size)


def measures_little(collection: Graded, rows: Rows) -> str | None:
    """Say why an evaluation set is too small to measure on; None where it is large enough, or there is none."""
    number = comparable_queries(collection, rows.evaluation)
    if not rows.evaluation.size or number >= ENOUGH_QUERIES:
        return None
    have = {0: "no query has", 1: "only 1 query has"}.get(number, f"only {number} queries have")
    return (
        f"This evaluation set measures {'little' if number > 1 else 'nothing'}: {have} both relevant and irrelevant "
        f"documents in it, and {ENOUGH_QUERIES} or more are needed."
    )


def choose_rows(collection: Graded, kind: str, *, second: np.ndarray, share: float = SHARE, seed: int = 0) -> Rows:
    """Divide the rows; whole queries go to one side where a share of them is asked for.

    An ungraded row can be labelled but not measured on: in a query of the evaluation set it is left out.
    """
    known = collection.grades != UNLABELLED
    if kind == "none":
        held = np.zeros(len(collection.grades), bool)
    elif kind == "known":
        held = known.copy()
    elif kind == "second":
        held = second.copy()
    elif kind == "share":
        held = _share(collection, known, share, seed)
    else:
        raise InputError(f"no evaluation set is named {kind!r}; there are: {', '.join(EVALUATIONS)}")
    # Rows of the second upload were never meant to be labelled.
    pool = ~held & ~second
    if not pool.any():
        raise InputError("no row is left to label; choose a smaller evaluation set")
    evaluation = held & known
    if kind != "none" and not evaluation.any():
        raise InputError("the evaluation set has no row with a grade, so nothing can be measured on it")
    left_out = len(collection.grades) - int(pool.sum()) - int(evaluation.sum())
    return Rows(np.flatnonzero(pool), np.flatnonzero(evaluation), left_out)


def _share(collection: Graded, known: np.ndarray, share: float, seed: int) -> np.ndarray:
    if not 0 < share < 1:
        raise InputError(f"the share of queries must lie between 0 and 1, not {share}")
    graded = np.unique(collection.query_index[known])
    if graded.size < 2:
        raise InputError("a share of the queries needs at least two queries with grades")
    count = min(max(1, round(share * graded.size)), graded.size - 1)
    drawn = np.random.default_rng(seed).permutation(graded)[:count]
    return np.isin(collection.query_index, drawn)


def uses_of_known(collection: Graded, rows: Rows) -> list[str]:
    """Return what can be done with the pool's known grades, the recommended use first; none if there are none."""
    known = collection.grades[rows.pool] != UNLABELLED
    if not known.any():
        return []
    return ["hide", "labels", "ignore"] if known.all() else ["labels", "ignore"]


def without_grades(rows: Rows) -> str:
    """Say of a pool without grades who gives them, and where those are that the file knows."""
    held = rows.evaluation.size
    if not held:
        return "No pair that can be labelled has a grade yet: people will give them all."
    grades = "The only known grade is" if held == 1 else f"All {held:,} known grades are"
    return f"{grades} in the evaluation set; people will give the others."


def known_labels(collection: Graded, rows: Rows) -> dict[int, int]:
    """Return the pool's known grades by row of the collection."""
    grades = collection.grades[rows.pool]
    known = grades != UNLABELLED
    return dict(zip(rows.pool[known].tolist(), grades[known].tolist(), strict=True))


def levels_needed(collection: Graded, rows: Rows) -> int:
    """Return how many grades a campaign on these rows needs at least."""
    used = collection.grades[np.concatenate([rows.pool, rows.evaluation])]
    return max(2, int(used.max(initial=0)) + 1)
