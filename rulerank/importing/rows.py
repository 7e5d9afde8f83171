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
    share: float = 0.3
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
    """Return the kinds of evaluation set that a collection allows, the recommended one first."""
    if second.any():
        return ["second", "none"]
    known = collection.grades != UNLABELLED
    graded_queries = np.unique(collection.query_index[known]).size
    kinds = []
    if known.any() and not known.all():
        kinds.append("known")
    if graded_queries >= 2:
        kinds.append("share")
    return [*kinds, "none"]


def choose_rows(collection: Graded, kind: str, *, second: np.ndarray, share: float = 0.3, seed: int = 0) -> Rows:
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


def known_labels(collection: Graded, rows: Rows) -> dict[int, int]:
    """Return the pool's known grades by row of the collection."""
    grades = collection.grades[rows.pool]
    known = grades != UNLABELLED
    return dict(zip(rows.pool[known].tolist(), grades[known].tolist(), strict=True))


def levels_needed(collection: Graded, rows: Rows) -> int:
    """Return how many grades a campaign on these rows needs at least."""
    used = collection.grades[np.concatenate([rows.pool, rows.evaluation])]
    return max(2, int(used.max(initial=0)) + 1)
