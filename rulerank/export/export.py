"""The Export: what is to leave, prepared once for all formats."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.collection import UNLABELLED, Collection
from rulerank.errors import InputError
from rulerank.export.cells import check_letor
from rulerank.export.lines import Piece, Pieces, cut, joined
from rulerank.export.plain import cell, cells, plain_rows
from rulerank.letor import write_letor

Ints = npt.NDArray[np.int64]

LEAST_FOLDS = 3  # one part each to train, to validate and to test
LEAST_BLOCK = 4096  # mean bytes of a query's lines: smaller ones are not worth being packed one by one
TEXT = "letor.txt"
LONGEST_NUMBER = 18  # digits of a whole number that 64 bits hold

_NEWLINE = 10


def needs_numbers(qids: Iterable[str]) -> bool:
    """Say whether trainers that read qids as whole numbers would refuse some of these, or take two for one.

    >>> needs_numbers(["1", "20"]), needs_numbers(["zip-folder"]), needs_numbers(["7", "07"])
    (False, True, True)
    """
    names = list(qids)
    if not all(qid.isascii() and qid.isdigit() and len(qid) <= LONGEST_NUMBER for qid in names):
        return True
    return len(set(map(int, names))) < len(names)


@dataclass(frozen=True, eq=False)
class Export:
    """The documents that leave, with the log and the facts about them.

    Build one with `Export.prepare`. All texts of numbers come from one run of the LETOR writer, so the formats cannot
    differ in a digit.

    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> print(Export.prepare(collection).text.decode(), end="")
    2 qid:q1 1:0.5 #docid = a
    0 qid:q1 1:0.25 #docid = b
    """

    collection: Collection
    ids: tuple[str, ...]  # of each document: its docid, or "row" and its number in the whole collection, from 1
    left_out: int  # documents of the whole collection that have no grade and stay behind
    events: tuple[dict[str, Any], ...]
    about: dict[str, Any]
    folds: int
    seed: int
    numbers: dict[str, int] | None = None  # of the queries in LETOR files; None where they keep their qids
    evaluation: Collection | None = None  # the documents that the campaign measures on, with their grades
    convention: str = "letor"  # by which it measures
    scores: tuple[float, ...] | None = None  # what its ranker gives those documents
    _reading: Lock = field(default_factory=Lock, repr=False)

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
        numbered: bool | None = False,
        evaluation: Collection | None = None,
        convention: str = "letor",
        scores: Iterable[float] | None = None,
    ) -> Export:
        """Take the graded documents of a collection (with `unlabelled`, all of them), the log and what is known.

        `numbered`: LETOR files have numbers in place of qids, the same ones in every export of a collection; None:
        where trainers would refuse the qids (`needs_numbers`). `evaluation` goes along, to be measured by `convention`;
        and with it the `scores` that a ranker gives its documents.
        """
        if not isinstance(collection, Collection):
            raise InputError(f"what is exported is a Collection, not {type(collection).__name__}")
        if evaluation is not None and not isinstance(evaluation, Collection):
            raise InputError(f"evaluation must be a Collection, not {type(evaluation).__name__}")
        given = None if scores is None else tuple(map(float, scores))
        if given is not None and (evaluation is None or len(given) != len(evaluation)):
            raise InputError(f"scores must be one number per document of the evaluation set; there are {len(given)}")
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
        every = dict.fromkeys([*collection.queries, *(() if evaluation is None else evaluation.queries)])
        if numbered is None:
            numbered = needs_numbers(every)
        return cls(
            collection=collection if rows.size == len(collection) else collection.select(rows),
            ids=tuple(docids[row] or f"row{row + 1}" for row in rows.tolist()),
            left_out=len(collection) - rows.size,
            events=plain_rows(events),
            about=dict(about or {}),
            folds=int(folds),
            seed=int(seed),
            numbers={qid: number for number, qid in enumerate(every, 1)} if numbered else None,
            evaluation=evaluation if evaluation is not None and len(evaluation) else None,
            convention=convention,
            scores=given,
        )

    @cached_property
    def letor(self) -> Collection:
        """The documents as LETOR files show them: with numbers for the queries, where these are numbered."""
        return self._with_numbers(self.collection)

    @cached_property
    def letor_evaluation(self) -> Collection:
        """The evaluation set as LETOR files show it."""
        assert self.evaluation is not None
        return self._with_numbers(self.evaluation)

    def _with_numbers(self, collection: Collection) -> Collection:
        if self.numbers is None:
            return collection
        return replace(collection, queries=tuple(str(self.numbers[qid]) for qid in collection.queries))

    @cached_property
    def text(self) -> bytes:
        """The documents as one LETOR file."""
        out = io.BytesIO()
        write_letor(self.letor, out)
        return out.getvalue()

    @cached_property
    def line_ends(self) -> Ints:
        """Where each document's line of the text ends, with a zero in front."""
        return np.append(0, np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == _NEWLINE) + 1)

    @cached_property
    def blocks(self) -> list[Piece]:
        """The lines of each query: what LETOR files are put together from."""
        ends = self.line_ends[self.collection.indptr].tolist()
        view = memoryview(self.text)
        return [Piece(view[start:stop]) for start, stop in pairwise(ends)]

    def block_pieces(self, queries: Iterable[int]) -> Pieces:
        """Return the lines of these queries in pieces: the same ones in every file, unless they would be tiny."""
        blocks = [self.blocks[query] for query in queries]
        if len(self.text) >= LEAST_BLOCK * len(self.blocks):
            return blocks
        return cut(joined(blocks))

    @property
    def text_problems(self) -> list[str]:
        """What is not as it was meant in the text, read back: every value compared bit for bit. Read only once."""
        with self._reading:
            return self._text_problems

    @cached_property
    def _text_problems(self) -> list[str]:
        return check_letor(TEXT, self.text, self.letor)

    @cached_property
    def event_columns(self) -> dict[str, list[Any]]:
        """The values of all events by their keys, first seen first; None where an event lacks the key."""
        keys = dict.fromkeys(chain.from_iterable(self.events)) or {"event": None}
        return {key: [event.get(key) for event in self.events] for key in keys}

    @cached_property
    def event_cells(self) -> list[list[str]]:
        """The header and, column by column, the cells of the events as a table."""
        return [[*map(cell, self.event_columns)], *map(cells, self.event_columns.values())]

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

    def sets(self, fold: int) -> tuple[Ints, Ints, Ints]:
        """Return the queries that fold 0, 1, ... trains on, validates on and tests on, in LETOR's rotation."""
        turn = self.parts[fold:] + self.parts[:fold]
        return np.concatenate(turn[:-2]), turn[-2], turn[-1]

    def rows_of(self, queries: Ints) -> Ints:
        """Return the rows of these queries, query by query."""
        ends = self.collection.indptr
        return np.concatenate([np.arange(ends[query], ends[query + 1]) for query in queries.tolist()])
