"""A fold made ready: items, features, grades and queries as plain arrays, which other processes map into memory."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rulerank.collection.normalise import normalise_by_query
from rulerank.curves import Documents, Evaluation, Label
from rulerank.discretize.base import Discretizer
from rulerank.discretize.items import items_of, useful_items
from rulerank.registry import discretizers, rankers
from rulerank.simulate.data import Split
from rulerank.simulate.plan import Plan

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class FoldArrays:
    """What a task looks at. Rows count within the fold's pool and test part.

    items, test_items: of the features that tell pool documents apart. features: as they are, for samplers that use
    them. scaled, test_scaled: 0..1 within each query, for learners (no column where a plan has no learner).
    """

    number: int
    hash: str
    items: Array
    features: Array
    scaled: Array
    grades: Array
    qids: Array
    test_items: Array
    test_scaled: Array
    test_grades: Array
    test_qids: Array
    queries: tuple[str, ...]
    docids: tuple[str, ...]
    test_docids: tuple[str, ...] | None

    @property
    def documents(self) -> Documents:
        """The pool as rankers see it."""
        return Documents(self.items, self.qids, self.scaled)

    def labels(self, rows: Any) -> list[Label]:
        """Return rows of the pool with their grades."""
        chosen = np.asarray(rows, np.int64)
        return list(zip(chosen.tolist(), self.grades[chosen].tolist(), strict=True))

    def evaluation(self, convention: str) -> Evaluation:
        """Return the test part, to be measured by a convention; its queries are numbered apart from the pool's."""
        return Evaluation(
            self.test_items,
            self.test_grades,
            self.test_qids,
            convention,
            values=self.test_scaled,
            docids=self.test_docids,
            max_grade=self.max_grade,
            known_queries=False,
        )

    @property
    def max_grade(self) -> int:
        """The largest grade of the fold, which ERR reckons with."""
        return int(max(self.grades.max(), self.test_grades.max()))

    @property
    def relevant(self) -> int:
        """How many documents of the pool are relevant."""
        return int(np.count_nonzero(self.grades > 0))

    def save(self, folder: Path) -> None:
        """Write the arrays, one file each, and the rest as JSON."""
        folder.mkdir()
        rest = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                np.save(folder / f"{each.name}.npy", value, allow_pickle=False)
            else:
                rest[each.name] = value
        (folder / "rest.json").write_text(json.dumps(rest), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Map what `save` wrote into memory; processes on one machine share it."""
        rest: dict[str, Any] = json.loads((folder / "rest.json").read_text(encoding="utf-8"))
        for name in ("queries", "docids", "test_docids"):
            rest[name] = None if rest[name] is None else tuple(rest[name])
        names = [each.name for each in fields(cls) if each.name not in rest]
        # "c": writeable in this process's own view only, so that kernels see the array types they are compiled for.
        # An empty file cannot be mapped.
        for name in names:
            path = folder / f"{name}.npy"
            try:
                rest[name] = np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
            except ValueError:
                rest[name] = np.load(path, allow_pickle=False)
        return cls(**rest)


def prepare(split: Split, plan: Plan) -> FoldArrays:
    """Fit the discretiser to the pool's features (it sees no grade) and make the arrays of a fold."""
    pool, test = split.pool, split.test
    fitted: Discretizer = plan.discretiser.make(discretizers)
    fitted.fit(pool.features)
    items, useful = useful_items(fitted, pool.features, f"the pool of fold {split.number}")
    learning = any(ranker.name not in rankers for ranker in plan.rankers)
    scaled, test_scaled = (
        normalise_by_query(part.features, part.query_index) if learning else np.zeros((len(part), 0))
        for part in (pool, test)
    )
    return FoldArrays(
        number=split.number,
        hash=split.hash,
        items=items,
        features=np.array(pool.features),
        scaled=scaled,
        grades=pool.grades.astype(np.int64),
        qids=np.array(pool.query_index),
        test_items=items_of(fitted, test.features, useful),
        test_scaled=test_scaled,
        test_grades=test.grades.astype(np.int64),
        test_qids=np.array(test.query_index),
        queries=pool.queries,
        docids=pool.docids,
        test_docids=test.docids if plan.convention == "trec" and all(test.docids) else None,
    )
