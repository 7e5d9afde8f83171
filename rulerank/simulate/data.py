"""The collections of a simulation: LETOR's five folds from a folder, or one collection cut into parts by query."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from rulerank.collection import Collection
from rulerank.collection.codes import ABSENT
from rulerank.errors import InputError
from rulerank.folds import read_folds
from rulerank.letor import read_letor
from rulerank.letor.names import spoken_by
from rulerank.memory import check_memory


@dataclass(frozen=True)
class Split:
    """One fold: the pool that samplers choose from, and the test part that rankers are measured on."""

    number: int
    pool: Collection
    test: Collection

    @cached_property
    def hash(self) -> str:
        """What the fold's results rest on, in hexadecimal."""
        return hashlib.sha256(f"{self.pool.content_hash} {self.test.content_hash}".encode()).hexdigest()


@dataclass(frozen=True)
class Dataset:
    """A named list of folds; every document in them has a grade. `notes` say what was left out, and how it was cut."""

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
        told = (place.name, *inside.relative_to(place).parts)  # OHSUMED/QueryLevelNorm: the last part alone says little
        return cls._graded(name or "/".join(told), splits, ("LETOR's folds; their validation parts are unused",))

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
