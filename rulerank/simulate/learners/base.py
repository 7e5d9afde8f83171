"""What every learner shares: feature values in, scores out, and the usual scaling of LETOR."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError, NotFittedError
from rulerank.registry import Joined, Registry, rankers
from rulerank.strategy import Configurable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

learners: Registry[Any] = Registry("learner", "rulerank.simulate.learners", "rulerank.learners")

all_rankers: Registry[Any] = Joined("ranker", rankers, learners)
"""Whatever a simulation can train: the associative rankers, then the learners."""


class Learner(Configurable, ABC):
    """A ranker on feature values: `fit(features, grades, qids)`, then `predict(features)`.

    Features are expected on a common scale within each query (`normalise_by_query`). What a sample cannot teach (no two
    documents of a query with different grades, say) is no error: the learner then scores all documents alike, and the
    expectation over ties tells how little that is worth. `package` is what it needs beyond the library's own.

    >>> from rulerank.simulate.learners.ridge import Ridge
    >>> Ridge(penalty=1.0).fit([[0.0], [0.5], [1.0]], [0, 1, 2], [1, 1, 1]).predict([[0.2], [0.8]]).round(3).tolist()
    [0.8, 1.2]
    """

    package: ClassVar[str] = ""
    incremental: ClassVar[bool] = False
    on_features: ClassVar[bool] = True
    _width: int | None = None

    def fit(self, features: Any, grades: Any, qids: Any) -> Self:
        """Learn from labelled documents: features (documents by features), grades, and the query of each."""
        matrix, levels, queries = np.asarray(features, np.float64), np.asarray(grades, np.int64), np.asarray(qids)
        if matrix.ndim != 2 or levels.shape != (len(matrix),) or queries.shape != (len(matrix),):
            raise InputError("give a matrix of features, and one grade and one query for each of its rows")
        if not len(matrix):
            raise InputError("there is no labelled document to learn from")
        if not np.isfinite(matrix).all():
            raise InputError("features must be finite numbers; put a value where one is missing or infinite")
        if levels.min() < 0:
            raise InputError("some documents to learn from have no grade")
        self._width = matrix.shape[1]
        _, codes = np.unique(queries, return_inverse=True)
        self._learn(matrix, levels, codes.astype(np.int64))
        return self

    def predict(self, features: Any) -> Floats:
        """Return a score for each document; higher is more relevant."""
        if self._width is None:
            raise NotFittedError(f"{type(self).__name__} has not learnt anything yet; call fit(features, grades, qids)")
        matrix = np.asarray(features, np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != self._width:
            raise InputError(f"features must be a matrix with {self._width} columns, not of shape {matrix.shape}")
        return self._score(matrix)

    @abstractmethod
    def _learn(self, features: Floats, grades: Ints, queries: Ints) -> None:
        """Learn; queries are numbered from 0."""

    @abstractmethod
    def _score(self, features: Floats) -> Floats:
        """Return the scores of documents."""


def need(package: str, what: str) -> Any:
    """Import a package that the library itself does without, or say how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"{what} needs the package {package.split('.', maxsplit=1)[0]}, which is not installed; "
            "it is in requirements-bench.txt: pip install -r requirements-bench.txt"
        ) from None


def missing_package(name: str) -> str:
    """Return the package that a learner needs and that is not installed; nothing if it can be used."""
    package = str(learners[name].package)
    return package if package and importlib.util.find_spec(package) is None else ""
