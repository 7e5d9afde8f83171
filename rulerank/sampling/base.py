"""What every sampler shares: it is started on a pool, proposes, takes grades and takes them back, or replays a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError, NotFittedError
from rulerank.rules.items import Items, as_grade, as_grades, as_items, as_row
from rulerank.sampling.selection import Key, Run, Selection, pick
from rulerank.strategy import Configurable

Floats = npt.NDArray[np.float64]
Seed = int | np.random.Generator | None

RECOMMENDED = "ssar_even"
"""For labels that train a ranker on rules: on no whole set at hand below random labels (docs/samplers.md)."""

FOR_PAIRS = "ssar_queries"
"""For labels on which RankSVM, LambdaMART or another learner from pairs and lists will be trained."""


class Sampler(Configurable):
    """Chooses the next document of a pool.

    `start(items)` begins; then `propose()` names a document, `record(row, grade)` takes a person's grade for it (or for
    any other), `retract(row)` takes it back, `exclude(row)` takes a document out of the choice and `include(row)` puts
    it back. Proposing changes nothing and may be repeated. The state is a function of the grades at hand and, for
    samplers with a natural order, of the order they came in: whoever replays the same log gets the same next document.

    Randomness comes from one `numpy.random.Generator` (`rng`, or made from the sampler's seed), drawn from at the
    start only.

    >>> from rulerank.sampling import SSAR
    >>> sampler = SSAR().start([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> sampler.propose().row
    2
    >>> sampler.record(1, grade=2)
    >>> sampler.propose().row
    3
    """

    counts_rules: ClassVar[bool] = False
    """Whether it counts rules (`rule_counts`) and stops by itself where every further document is redundant."""
    counts_by_partition: ClassVar[bool] = False
    """Whether it counts them within partitions of the features, each of which stops for itself."""

    is_baseline: ClassVar[bool] = False
    """Whether comparisons are made with it, unless another sampler is named."""

    goes_by_query: ClassVar[bool] = False
    """Whether it asks for several documents of a query before the next one, as trainers on pairs need it."""

    _items: Items | None = None

    def start(self, items: Any, *, features: Any = None, qids: Any = None, rng: Seed = None) -> Self:
        """Begin on a pool: items (documents by features); feature values and queries for the samplers that use them."""
        matrix = as_items(items)
        if not len(matrix):
            raise InputError("the pool is empty: there is nothing to choose from")
        rows = len(matrix)
        if features is not None:
            features = np.asarray(features, np.float64)
            if features.ndim != 2 or len(features) != rows:
                raise InputError(f"features must be a matrix with one row per document ({rows}): {features.shape}")
            if not np.isfinite(features).all():
                raise InputError("features must be finite numbers; put a value where one is missing or infinite")
        if qids is not None and len(qids) != rows:
            raise InputError(f"qids must name one query per document ({rows}); there are {len(qids)}")
        self._items = matrix
        self._rng = np.random.default_rng(getattr(self, "seed", 0) if rng is None else rng)
        self._features: Floats | None = features
        self._qids: Sequence[Any] | None = qids
        self._grades: dict[int, int] = {}
        self._available = np.ones(rows, bool)
        self._excluded: set[int] = set()
        self._begin()
        return self

    @property
    def pool(self) -> Items:
        """The pool's items."""
        return self._started()

    def _started(self) -> Items:
        if self._items is None:
            raise NotFittedError(f"{type(self).__name__} has no pool yet; call start(items) first")
        return self._items

    @property
    def labelled(self) -> dict[int, int]:
        """Grades by row, in the order they came."""
        self._started()
        return dict(self._grades)

    def record(self, row: int, grade: int) -> None:
        """Take the grade of a document; it must not have one yet (retract the old one first)."""
        row = self._row(row)
        grade = as_grade(grade)
        if row in self._grades:
            raise InputError(f"row {row} has grade {self._grades[row]} already; retract({row}) before a new grade")
        self._grades[row] = grade
        self._available[row] = False
        self._added(row, grade)

    def record_many(self, grades: Mapping[int, int]) -> None:
        """Take the grades of many documents at once, in this order: the same as `record` for each, but quicker."""
        taken = {self._row(row): as_grade(grade) for row, grade in grades.items()}
        again = next((row for row in taken if row in self._grades), None)
        if again is not None:
            raise InputError(f"row {again} has grade {self._grades[again]} already; retract({again}) first")
        self._load(taken)

    def retract(self, row: int) -> None:
        """Take a document's grade back."""
        row = self._row(row)
        if row not in self._grades:
            raise InputError(f"row {row} has no grade, so there is none to retract")
        grade = self._grades.pop(row)
        self._available[row] = row not in self._excluded
        self._removed(row, grade)

    def exclude(self, row: int) -> None:
        """Never propose this document (somebody cannot tell its grade); a grade it has still counts."""
        row = self._row(row)
        self._excluded.add(row)
        self._available[row] = False

    def include(self, row: int) -> None:
        """Undo `exclude`."""
        row = self._row(row)
        self._excluded.discard(row)
        self._available[row] = row not in self._grades

    def propose(self, *, beyond: bool = False) -> Selection | None:
        """Return the next selection, or None when no document is left to choose.

        A sampler that stops by itself then names a labelled document, with `stop` set; `beyond` asks it to go on, and
        name the best document without a grade. One that never stops answers the same either way.
        """
        self._started()
        keys = self._keys()
        row = pick(keys, self._available)
        return None if row < 0 else self._select(row, keys)

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """The rule count of every pool document as it stands, where the sampler counts rules."""
        raise InputError(f"{self.label} does not count rules")

    def _row(self, row: int) -> int:
        return as_row(row, len(self.pool))

    def _select(self, row: int, keys: Sequence[Key], **more: Any) -> Selection:
        values = tuple((key.name, float(key.values[row])) for key in keys)
        return Selection(
            row=row,
            sampler=self.name,
            round=len(self._grades) + 1,
            reason=self._reason(row, dict(values)),
            keys=values,
            **more,
        )

    def run(
        self,
        items: Any,
        grades: Any,
        *,
        features: Any = None,
        qids: Any = None,
        rng: Seed = None,
        budget: int | None = None,
        beyond: bool = False,
    ) -> Run:
        """Replay against known grades until the sampler stops, the pool is used up, or `budget` labels are spent.

        With `beyond`, it goes on past its natural stop.
        """
        self.start(items, features=features, qids=qids, rng=rng)
        known = as_grades(grades, len(self.pool))
        if budget is not None and budget < 0:
            raise InputError(f"budget must be at least 0, not {budget}")
        chosen: list[Selection] = []
        stopped: Selection | None = None
        while budget is None or len(chosen) < budget:
            selection = self.propose()
            if selection is not None and selection.stop and beyond:
                selection = self.propose(beyond=True)
            if selection is None:
                break
            if selection.stop:
                stopped = selection
                break
            chosen.append(selection)
            self.record(selection.row, int(known[selection.row]))
        selections = [*chosen, stopped] if stopped else chosen
        return Run(
            [s.row for s in chosen],
            [s.rule_count for s in selections],
            stopped.row if stopped else None,
            tuple(selections),
        )

    # What a sampler fills in -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Set up on `self.pool`."""

    def _load(self, taken: dict[int, int]) -> None:
        """Enter many grades; samplers that can do so in one go have their own way."""
        for row, grade in taken.items():
            self.record(row, grade)

    def _added(self, row: int, grade: int) -> None:
        """Follow a grade that came."""

    def _removed(self, row: int, grade: int) -> None:
        """Follow a grade that went."""

    def _keys(self) -> Sequence[Key]:
        """Return what decides, in the order it is compared."""
        raise NotImplementedError

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        """Return why `row` was chosen, in a sentence."""
        raise NotImplementedError


def occurrence_key(occurrence: npt.NDArray[np.int64], first: bool) -> Key:
    """Return SSAR's tie-break: the smaller total occurrence, but the largest for the very first document."""
    return Key("occurrence", occurrence, largest=first)


def total_occurrence(items: Items) -> npt.NDArray[np.int64]:
    """Return, for each document, the sum over its items of the number of pool documents that hold the item."""
    total = np.zeros(len(items), np.int64)
    for feature in range(items.shape[1]):
        column = items[:, feature]
        total += np.bincount(column, minlength=256)[column]
    return total


def query_numbers(qids: Sequence[Any] | None) -> tuple[npt.NDArray[np.int64], int]:
    """Return each document's query, numbered from 0 as they come, and how many there are."""
    if qids is None:
        raise InputError("this sampler needs the query of every document: start(items, qids=...)")
    number: dict[Any, int] = {}
    return np.array([number.setdefault(qid, len(number)) for qid in qids], np.int64), len(number)
