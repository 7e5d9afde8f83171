"""The collections of a simulation, LETOR's folds or one cut by query, and each fold as plain arrays to be mapped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rulerank.collection import Collection
from rulerank.collection.fields import ABSENT
from rulerank.collection.normalise import normalise_by_query
from rulerank.curves import Documents, Evaluation, Label
from rulerank.discretize.base import Discretizer
from rulerank.discretize.items import items_of, useful_items
from rulerank.errors import InputError
from rulerank.folds import read_folds, spoken_by
from rulerank.letor import read_letor
from rulerank.memory import check_memory
from rulerank.metrics.conventions import conventions
from rulerank.registry import discretizers, rankers
from rulerank.simulate.plan import Plan


@dataclass(frozen=True)
class Split:
    """One fold: the pool that samplers choose from, and the test part that rankers are measured on.

    >>> from rulerank.synthetic import planted_collection
    >>> split = Dataset.from_collection(planted_collection(queries=6, documents=20), folds=3).splits[0]
    >>> len(split.pool.queries), len(split.test.queries)
    (4, 2)
    """

    number: int
    pool: Collection
    test: Collection

    @cached_property
    def hash(self) -> str:
        """What the fold's results rest on, in hexadecimal."""
        return hashlib.sha256(f"{self.pool.content_hash} {self.test.content_hash}".encode()).hexdigest()


@dataclass(frozen=True)
class Dataset:
    """A named list of folds; every document in them has a grade. `notes` say what was left out, and how it was cut.

    >>> from rulerank.synthetic import planted_collection
    >>> data = Dataset.from_collection(planted_collection(queries=6, documents=20), folds=3)
    >>> data.notes, [len(split.test) for split in data.splits]
    (('6 queries dealt to 3 folds with seed 0',), [40, 40, 40])
    """

    name: str
    splits: tuple[Split, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """SHA-256 over all folds, in hexadecimal."""
        return hashlib.sha256(" ".join(split.hash for split in self.splits).encode()).hexdigest()

    @classmethod
    def from_folder(cls, folder: Path, name: str | None = None) -> Dataset:
        """Read LETOR's folds: S1.txt to S5.txt, or Fold1 to Fold5. The validation parts are not used."""
        folds = read_folds(folder)
        splits = [(fold.number, fold.train, fold.test) for fold in folds]
        place, inside = spoken_by(folder)[0], folder.resolve()
        parts = (place.name, *inside.relative_to(place).parts)  # OHSUMED/QueryLevelNorm: the last alone says little
        return cls._graded(name or "/".join(parts), splits, ("LETOR's folds; their validation parts are unused",))

    @classmethod
    def from_files(cls, paths: Sequence[Path], folds: int, seed: int = 0, name: str | None = None) -> Dataset:
        """Read LETOR files as one collection, and cut it by query."""
        parts = [read_letor(path) for path in paths]
        if not parts:
            raise InputError("give at least one LETOR file")
        collection = parts[0] if len(parts) == 1 else Collection.concat(parts)
        return cls.from_collection(collection, folds, seed, name or paths[0].name.split(".")[0])

    @classmethod
    def from_collection(cls, collection: Collection, folds: int, seed: int = 0, name: str = "collection") -> Dataset:
        """Deal the queries of a collection evenly to `folds` parts; each part is tested once, the others are the pool.

        Queries are dealt in a random order drawn with `seed`; no query is ever in the pool and in the test part too.
        """
        queries = len(collection.queries)
        if queries < folds:
            few = f"choose at most {queries}" if queries > 1 else "two queries or more are needed"
            raise InputError(
                f"{name} has {queries} quer{'y' if queries == 1 else 'ies'}, too few for {folds} folds; {few}"
            )
        size = collection.features.nbytes + (0 if collection.missing is None else collection.missing.nbytes)
        check_memory(folds * size, f"{name} in {folds} folds, each a copy of it,", "choose fewer folds")
        dealt = np.empty(queries, np.int64)
        dealt[np.random.default_rng(seed).permutation(queries)] = np.arange(queries) % folds
        part = dealt[collection.query_index]
        splits = [
            (number + 1, collection.select(part != number), collection.select(part == number))
            for number in range(folds)
        ]
        return cls._graded(name, splits, (f"{queries} queries dealt to {folds} folds with seed {seed}",))

    @classmethod
    def _graded(cls, name: str, splits: list[tuple[int, Collection, Collection]], notes: tuple[str, ...]) -> Dataset:
        """Leave out the documents without a grade, and refuse folds of which then nothing is left."""
        kept = []
        for number, pool, test in splits:
            parts = []
            for what, part in (("pool", pool), ("test part", test)):
                known = part.grades >= 0
                left_out = int(np.count_nonzero(~known))
                if left_out:
                    notes = (
                        *notes,
                        f"fold {number}: {left_out} documents of the {what} have no grade, and are left out",
                    )
                    part = part.select(known)
                if not len(part):
                    raise InputError(f"{name}: no document of the {what} of fold {number} has a grade")
                parts.append(part)
            if not (parts[1].grades > 0).any():
                notes = (*notes, f"fold {number}: no test query has a relevant document; every metric is 0 there")
            kept.append(Split(number, parts[0], _as_wide(parts[1], parts[0])))
        if not any((split.test.grades > 0).any() for split in kept):
            raise InputError(f"{name}: no test part has a relevant document, so there is nothing to measure by")
        return cls(name, tuple(kept), notes)


def _as_wide(part: Collection, other: Collection) -> Collection:
    """Return a part with as many features as another; files do not name trailing features that no row has."""
    if part.features.shape[1] == other.features.shape[1]:
        return part
    if part.features.shape[1] > other.features.shape[1]:
        raise InputError(
            f"the test part has {part.features.shape[1]} features, the pool {other.features.shape[1]}; "
            "both need the same ones"
        )
    lacking = other.features.shape[1] - part.features.shape[1]
    present = np.zeros_like(part.features, np.uint8) if part.missing is None else part.missing
    return replace(
        part,
        features=np.pad(part.features, ((0, 0), (0, lacking))),
        missing=np.pad(present, ((0, 0), (0, lacking)), constant_values=ABSENT),
        feature_names=(),
    )


def is_folder_of_folds(paths: Sequence[Path]) -> bool:
    """Say whether the paths are one folder, which is then read as LETOR's folds."""
    return len(paths) == 1 and paths[0].is_dir()


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
        """The largest grade of the fold, which ERR is computed with."""
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
    """Fit the discretizer to the pool's features (it sees no grade) and make the arrays of a fold."""
    pool, test = split.pool, split.test
    fitted: Discretizer = plan.discretizer.make(discretizers)
    fitted.fit(pool.features)
    items, useful = useful_items(fitted, pool.features, f"the pool of fold {split.number}")
    learning = any(ranker.name not in rankers for ranker in plan.rankers)
    scaled, test_scaled = (
        normalise_by_query(part.features, part.query_index) if learning else np.zeros((len(part), 0))
        for part in (pool, test)
    )
    by_name = conventions[plan.convention].docids_break_ties
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
        test_docids=test.docids if by_name and all(test.docids) else None,
    )
