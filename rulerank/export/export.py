"""The Export: what is to leave, prepared once for all formats."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.collection import UNLABELLED, Collection
from rulerank.errors import InputError
from rulerank.export.plain import plain_rows
from rulerank.folds import Fold, rotate
from rulerank.letor import write_letor

Ints = npt.NDArray[np.int64]

LEAST_FOLDS = 3  # one part each to train, to validate and to test


@dataclass(frozen=True, eq=False)
class Export:
    """The documents that leave, with the log and the facts about them.

    Build one with `Export.prepare`. All texts of numbers come from one run of the LETOR writer, so the formats cannot
    differ in a digit.
    """

    collection: Collection
    ids: tuple[str, ...]  # of each document: its docid, or "row" and its number in the whole collection, from 1
    left_out: int  # documents of the whole collection that have no grade and stay behind
    events: tuple[dict[str, Any], ...]
    about: dict[str, Any]
    folds: int
    seed: int

    @classmethod
    def prepare(
        cls,
        collection: Collection,
        events: Iterable[Mapping[str, Any]] = (),
        about: Mapping[str, Any] | None = None,
        *,
        folds: int = 5,
        seed: int = 0,
        unlabelled: bool = False,
    ) -> Export:
        """Take the graded documents of a collection (with `unlabelled`, all of them), the log and what is known."""
        if not isinstance(collection, Collection):
            raise InputError(f"what is exported is a Collection, not {type(collection).__name__}")
        for name, value, least in (("folds", folds, LEAST_FOLDS), ("seed", seed, 0)):
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
                raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if about is not None and not isinstance(about, Mapping):
            raise InputError(f"about must be a dictionary of facts, not {type(about).__name__}")
        rows = np.arange(len(collection)) if unlabelled else np.flatnonzero(collection.grades != UNLABELLED)
        if not rows.size:
            raise InputError(
                "no document has a grade yet, so there is nothing to export; label some first"
                if len(collection)
                else "the collection has no documents, so there is nothing to export"
            )
        docids = collection.docids
        return cls(
            collection=collection.select(rows),
            ids=tuple(docids[row] or f"row{row + 1}" for row in rows.tolist()),
            left_out=len(collection) - rows.size,
            events=plain_rows(events),
            about=dict(about or {}),
            folds=int(folds),
            seed=int(seed),
        )

    @cached_property
    def text(self) -> bytes:
        """The documents as one LETOR file."""
        out = io.BytesIO()
        write_letor(self.collection, out)
        return out.getvalue()

    @cached_property
    def lines(self) -> list[bytes]:
        """The LETOR line of each document."""
        return self.text.split(b"\n")[:-1]

    @cached_property
    def values(self) -> list[bytes]:
        """The pairs `1:value 2:value ...` of each document's line."""
        # Neither a qid nor a value holds a '#', so the first one opens the comment.
        pairs = (line.partition(b"#")[0].rstrip(b" ").split(b" ", 2) for line in self.lines)
        return [parts[2] if len(parts) > 2 else b"" for parts in pairs]

    @cached_property
    def graded(self) -> Ints:
        """The documents that have a grade: formats that cannot say "unlabelled" hold these only."""
        return np.flatnonzero(self.collection.grades != UNLABELLED)

    @cached_property
    def group_sizes(self) -> list[int]:
        """The number of graded documents of each query that has any."""
        sizes = np.bincount(self.collection.query_index[self.graded], minlength=1)
        return sizes[sizes > 0].tolist()

    @cached_property
    def parts(self) -> tuple[Ints, ...]:
        """The queries of each part S1, S2, ...: shuffled by the seed and dealt evenly, then in their own order."""
        queries = len(self.collection.queries)
        if queries < self.folds:
            raise InputError(
                f"{self.folds} folds need as many queries with grades, and there are {queries}; label documents of "
                f"more queries, choose fewer folds (at least {LEAST_FOLDS}), or leave the folds out"
            )
        order = np.random.default_rng(self.seed).permutation(queries)
        return tuple(np.sort(part) for part in np.array_split(order, self.folds))

    @cached_property
    def meant_folds(self) -> tuple[Fold, ...]:
        """The folds as collections: what their files are compared with."""
        index = self.collection.query_index
        return tuple(rotate([self.collection.select(np.isin(index, part)) for part in self.parts]))
