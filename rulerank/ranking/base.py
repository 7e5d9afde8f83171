"""What every ranker shares: the labelled set it learns from, and how scores of grades become a ranking."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError, NotFittedError
from rulerank.rules.items import Ints, Items, LabelledRows, as_columns, as_document, as_grade, as_grades, as_items
from rulerank.strategy import Configurable, Param

Floats = npt.NDArray[np.float64]

Terms = Mapping[Hashable, Collection[str]]
"""The terms of each query."""

RECOMMENDED = "weighted_items"
"""The ranker to begin with: of all that were compared it ranks best from few labels (docs/samplers.md)."""

CHUNK = 32_768  # documents scored at a time: bounds the memory of a ranking of millions

MIN_SUPPORT = Param("min_support", int, 1, "Labelled documents that a rule must hold in.", low=1)
MIN_CONFIDENCE = Param("min_confidence", float, 0.001, "Least confidence of a rule.", low=0, high=1)


class RuleRanker(Configurable):
    """A ranker on association rules: `fit` keeps the labelled set, rules are mined when documents ask for them.

    Because nothing but the labelled set is learnt ahead of time, `partial_fit` and its undo `forget` are exact: after
    any sequence of them the ranker predicts, to the last bit, as if it had been fitted on what is left.

    `incremental` says that this is also quick: one label more or less costs about as much as ranking once.

    >>> from rulerank.ranking import LRAR
    >>> ranker = LRAR().fit([[0, 0], [1, 1]], grades=[2, 0])
    >>> ranker.predict([[0, 1]]).tolist()
    [1.0]
    >>> ranker.partial_fit([0, 1], 2).predict([[0, 1]]).round(3).tolist()
    [1.25]
    """

    incremental: ClassVar[bool] = False
    on_features: ClassVar[bool] = False
    """Whether it learns from feature values, as learners do, instead of from items."""
    takes_terms: ClassVar[bool] = False
    """Whether it uses the terms of queries, which are given to its constructor as `terms` (see `data_params`)."""
    _labelled: LabelledRows | None = None

    def fit(self, items: Any, grades: Any, qids: Any = None) -> Self:
        """Learn from labelled documents: `items` (documents by features), `grades`, and the query of each."""
        matrix = as_items(items)
        levels = as_grades(grades, len(matrix))
        queries = self._queries(qids, len(matrix))
        labelled = LabelledRows(matrix.shape[1])
        labelled.columns = as_columns(matrix)
        labelled.grades = levels.copy()
        labelled.rows = np.full(len(matrix), -1, np.int64)
        labelled.count = len(matrix)
        if not labelled.count:  # an empty set can still grow by partial_fit
            labelled = LabelledRows(matrix.shape[1])
        self._labelled = labelled
        self._qids: list[Hashable] = queries
        self._changed()
        return self

    @staticmethod
    def _queries(qids: Any, rows: int) -> list[Hashable]:
        if qids is None:
            return [0] * rows
        queries = list(qids.tolist() if isinstance(qids, np.ndarray) else qids)
        if len(queries) != rows:
            raise InputError(f"qids must name one query per document ({rows}); there are {len(queries)}")
        return queries

    def partial_fit(self, row: Any, grade: int, qid: Hashable = 0) -> Self:
        """Learn one more labelled document, given by its items."""
        document = as_document(row, features=self.features)
        self._set.add(document, as_grade(grade))
        self._qids.append(qid)
        self._changed(document, as_grade(grade), 1, qid)
        return self

    def forget(self, row: Any, grade: int, qid: Hashable = 0) -> Self:
        """Undo `partial_fit` (or a part of `fit`): take one document with this grade and query out again."""
        document = as_document(row, features=self.features)
        grade = as_grade(grade)
        labelled = self._set
        same = (labelled.columns[:, : labelled.count] == document[:, None]).all(axis=0)
        places = [
            p for p in np.flatnonzero(same & (labelled.grades[: labelled.count] == grade)) if self._qids[p] == qid
        ]
        if not places:
            raise InputError(f"no document like this was learnt with grade {grade} for query {qid!r}")
        labelled.remove(int(places[-1]))
        del self._qids[int(places[-1])]
        self._changed(document, grade, -1, qid)
        return self

    def watch(self, items: Any) -> Self:
        """Say that these very items are to be ranked again and again; a ranker may keep their scores up to date."""
        return self

    def _changed(
        self, document: Items | None = None, grade: int = -1, sign: int = 0, qid: Hashable | None = None
    ) -> None:
        """Notify a subclass that the labelled set changed: by one document, or (None) as a whole."""

    @property
    def _set(self) -> LabelledRows:
        if self._labelled is None:
            raise NotFittedError(f"{type(self).__name__} has not learnt anything yet; call fit(items, grades, qids)")
        return self._labelled

    @property
    def features(self) -> int:
        """Number of features of the labelled set."""
        return len(self._set.columns)

    @property
    def grades_(self) -> Ints:
        """The grades 0 to k, k being the largest that was learnt."""
        labelled = self._set
        return np.arange(labelled.grades[: labelled.count].max(initial=0) + 1)

    @property
    def training(self) -> tuple[Items, Ints]:
        """The labelled set: items (features by documents) and grades."""
        labelled = self._set
        return labelled.columns[:, : labelled.count], labelled.grades[: labelled.count]

    def predict(self, items: Any, qids: Any = None) -> Floats:
        """Return rank(d) = sum over r of r p(r|d) for each document (eq. 3); higher is more relevant."""
        return expected_grades(self.predict_proba(items, qids))

    def predict_proba(self, items: Any, qids: Any = None) -> Floats:
        """Return p(r|d), documents by grades (eq. 2)."""
        matrix = as_items(items, features=self.features)
        queries = None if qids is None else self._queries(qids, len(matrix))
        if not self._set.count:
            raise NotFittedError("the labelled set is empty, so there is no rule and no grade to go by")
        out = np.empty((len(matrix), self.grades_.size))
        for start, stop in _stretches(len(matrix)):
            out[start:stop] = self._proba(
                as_columns(matrix[start:stop]), None if queries is None else queries[start:stop]
            )
        return out

    def _proba(self, columns: Items, qids: list[Hashable] | None) -> Floats:
        """Return p(r|d) for documents given feature by feature."""
        raise NotImplementedError

    def _prior(self) -> Floats:
        """Return the grade distribution of the labelled set: p(r|d) of a document without any rule."""
        _, grades = self.training
        return np.bincount(grades) / grades.size


def normalise(scores: Floats, prior: Floats) -> Floats:
    """Return each row, of grades, divided by its sum; a row of zeros becomes `prior`."""
    totals = scores.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, scores / np.where(totals > 0, totals, 1.0), prior)


def expected_grades(share: Floats) -> Floats:
    """Return the sum over r of r p(r|d) (eq. 3, eq. 7); grades are the last axis.

    Not a matrix product: BLAS rounds by the place of a row, and documents with the same items must come out the same.
    """
    return (share * np.arange(share.shape[-1])).sum(axis=-1)


def _stretches(rows: int) -> Iterator[tuple[int, int]]:
    for start in range(0, rows, CHUNK):
        yield start, min(start + CHUNK, rows)


def group_rows(qids: list[Hashable]) -> tuple[list[Hashable], Ints]:
    """Return the queries in first-seen order, and each row's place in that list."""
    number: dict[Hashable, int] = {}
    codes = np.fromiter((number.setdefault(q, len(number)) for q in qids), np.int64, len(qids))
    return list(number), codes
