"""The Collection: the query-document rows of one LETOR data set, as arrays that never change."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rulerank.collection.fields import (
    ABSENT,
    NULL,
    PRESENT,
    UNLABELLED,
    Array,
    RegroupedQueries,
    check_comments,
    check_features,
    check_grades,
    check_ids,
    check_index,
    check_names,
    check_qids,
    docid_comment,
    docid_of,
    frozen,
    reorder,
    row_numbers,
    seal,
)
from rulerank.errors import InputError
from rulerank.foreign.storable import LONGEST_ID
from rulerank.memory import check_memory

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Query-document rows with features, grades and comments; rows of a query stand together.

    A feature can be given (also as 0), `NULL`, or absent from its row. `features` is a plain finite matrix with 0.0
    for the last two, as LETOR and svmlight read them; `missing` distinguishes them (0 present, 1 absent, 2 NULL) and
    is None if every feature of every row is given. A LETOR file keeps all of it, except that it has no place for
    `feature_names`, nor for trailing features that no row has.

    Two collections are equal if all their contents are, to the last bit of each float; `warnings` do not count.
    Build one with `rulerank.letor.read_letor` or `Collection.from_arrays`.

    >>> features = [[0.1, 3.0], [0.7, 1.0], [0.2, 2.0]]
    >>> collection = Collection.from_arrays(features, ["q1", "q1", "q2"], [0, 2, 1], docids=["a", "b", "c"])
    >>> len(collection), collection.queries, collection.docids
    (3, ('q1', 'q2'), ('a', 'b', 'c'))
    >>> collection.select([0, 1]).grades.tolist()
    [0, 2]
    """

    features: Array  # float64 [rows, features]
    grades: Array  # int32 [rows]; -1 is unlabelled
    query_index: Array  # int64 [rows]; place in `queries`
    queries: tuple[str, ...]  # qids, first seen first
    comments: tuple[str, ...]  # what follows '#', verbatim; "" for none
    missing: Array | None = None  # uint8 [rows, features]
    feature_names: tuple[str, ...] = ()  # "1", "2", ... unless given
    warnings: tuple[Any, ...] = field(default=())

    def __post_init__(self) -> None:
        put = self.__dict__.__setitem__
        put("features", frozen(self.features, np.float64, "features", 2))
        rows, width = self.features.shape
        put("grades", frozen(self.grades, np.int32, "grades", 1))
        put("query_index", frozen(self.query_index, np.int64, "query_index", 1))
        for name in ("queries", "comments", "feature_names", "warnings"):
            put(name, tuple(getattr(self, name)))
        if self.missing is not None:
            codes = frozen(self.missing, np.uint8, "missing", 2)
            put("missing", codes if codes.any() else None)
        if not self.feature_names:
            put("feature_names", _numbers(width))
        check_features(self.features, self.missing)
        check_grades(self.grades, rows)
        check_index(self.query_index, len(self.queries), rows)
        check_qids(self.queries, self.query_index.tolist().index)
        if len(set(self.queries)) < len(self.queries):
            raise InputError("`queries` must be distinct")
        check_comments(self.comments, rows)
        check_names(self.feature_names, width)

    @classmethod
    def from_arrays(
        cls,
        features: Any,
        qids: Iterable[Any],
        grades: Any = None,
        *,
        docids: Iterable[Any] | None = None,
        comments: Iterable[str] | None = None,
        feature_names: Sequence[str] = (),
    ) -> Collection:
        """Build a Collection from rows in any order; NaN is a NULL feature, and no grades means unlabelled.

        The docids go into the comments as `docid = X`, LETOR's way, so give either docids or comments.
        """
        matrix = np.array(frozen(features, np.float64, "features", 2))
        codes = np.where(np.isnan(matrix), np.uint8(NULL), np.uint8(PRESENT))
        matrix[codes == NULL] = 0.0
        names = [str(qid) for qid in qids]
        if len(names) != len(matrix):
            raise InputError(f"{len(names)} qids for {len(matrix)} rows; give one for each")
        if docids is not None and comments is not None:
            raise InputError("give docids or comments, not both: a comment holds its docid as 'docid = X'")
        if docids is not None:
            comments = [docid_comment(docid) for docid in docids]
        notes = [""] * len(matrix) if comments is None else list(comments)
        known: dict[str, int] = {}
        index = np.array([known.setdefault(qid, len(known)) for qid in names], dtype=np.int64)
        labels = np.full(len(matrix), UNLABELLED, dtype=np.int32) if grades is None else grades
        labels = frozen(labels, np.int32, "grades", 1)
        check_comments(notes, len(matrix))
        check_grades(labels, len(matrix))
        check_qids(known, lambda place: names.index(list(known)[place]))
        check_ids("qid", names)
        check_ids("docid", (docid_of(note) if len(note) > LONGEST_ID else "" for note in notes))
        check_features(matrix, None)
        check_names(feature_names or _numbers(matrix.shape[1]), matrix.shape[1])
        return cls._grouped(matrix, labels, index, list(known), notes, codes, tuple(feature_names), int, "row")

    @classmethod
    def _grouped(
        cls,
        features: Array,
        grades: Array,
        index: Array,
        queries: Sequence[str],
        comments: Sequence[str],
        missing: Array | None,
        names: tuple[str, ...],
        place_of: Callable[[int], int],
        unit: str,
        warnings: tuple[Any, ...] = (),
    ) -> Collection:
        """Take over checked arrays that nobody else has, with the rows of each query brought together in place.

        `place_of` says in which `unit` a row stood, for the warning.
        """
        if (np.diff(index) < 0).any():
            starts = np.flatnonzero(np.diff(index, prepend=-1))
            _, first = np.unique(index[starts], return_index=True)
            resumed: dict[int, int] = {}
            for row in np.delete(starts, first).tolist():
                resumed.setdefault(int(index[row]), place_of(row))
            order = np.argsort(index, kind="stable")
            grades, index = grades[order], index[order]
            reorder(features, order)
            if missing is not None:
                reorder(missing, order)
            comments = [comments[row] for row in order]
            qids = tuple(queries[k] for k in resumed)
            warnings = (RegroupedQueries(qids, tuple(resumed.values()), unit), *warnings)
        if missing is not None and not missing.any():
            missing = None
        new = object.__new__(cls)
        new.__dict__.update(
            features=seal(features),
            grades=seal(grades),
            query_index=seal(index),
            queries=tuple(queries),
            comments=tuple(comments),
            missing=None if missing is None else seal(missing),
            feature_names=names or _numbers(features.shape[1]),
            warnings=warnings,
        )
        return new

    def __len__(self) -> int:
        return len(self.grades)

    def __repr__(self) -> str:
        return (
            f"Collection({len(self)} documents, {len(self.queries)} queries, {len(self.feature_names)} features, "
            f"{np.count_nonzero(self.grades != UNLABELLED)} graded)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collection):
            return NotImplemented
        mine, theirs = self.missing, other.missing
        return (
            self.features.shape == other.features.shape
            and self.queries == other.queries
            and self.feature_names == other.feature_names
            and self.comments == other.comments
            and (mine is None) == (theirs is None)
            and np.array_equal(self.grades, other.grades)
            and np.array_equal(self.query_index, other.query_index)
            and np.array_equal(self.features.view(np.int64), other.features.view(np.int64))
            and (mine is None or theirs is None or np.array_equal(mine, theirs))
        )

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays come out of a pickle writeable.
        self.__dict__.update({k: seal(v) if isinstance(v, np.ndarray) else v for k, v in state.items()})

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of everything that counts for equality, in hexadecimal."""
        digest = hashlib.sha256(b"rulerank collection 1")
        for array in (self.features, self.grades, self.query_index, self.missing):
            if array is None:
                digest.update(b"none")
                continue
            digest.update(f"{array.dtype.str[1:]}{array.shape}".encode())
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            digest.update(little.reshape(-1).view(np.uint8).data)
        for texts in (self.queries, self.comments, self.feature_names):
            # None of these holds a NUL, so the joined text says where each one ends.
            digest.update(f"{len(texts)}:".encode())
            digest.update("\0".join(texts).encode("utf-8") + b"\0")
        return digest.hexdigest()

    @cached_property
    def docids(self) -> tuple[str, ...]:
        """X of the comments that say `docid = X`; "" where none does."""
        return tuple(map(docid_of, self.comments))

    @cached_property
    def qids(self) -> Array:
        """The qid of each row (an object array of texts)."""
        names = np.empty(len(self.queries), dtype=object)
        names[:] = self.queries
        return seal(names[self.query_index])

    @cached_property
    def indptr(self) -> Array:
        """The first row of each query, and the number of rows at the end: query k has rows indptr[k]:indptr[k+1]."""
        return seal(np.searchsorted(self.query_index, np.arange(len(self.queries) + 1)))

    @cached_property
    def query_slices(self) -> tuple[slice, ...]:
        """The rows of each query."""
        ends = self.indptr.tolist()
        return tuple(map(slice, ends[:-1], ends[1:]))

    def with_grades(self, grades: Any) -> Self:
        """Return the same documents with other grades (-1 is unlabelled)."""
        return replace(self, grades=grades)

    def with_feature_names(self, names: Iterable[str]) -> Self:
        """Return the same documents with other names for the features."""
        return replace(self, feature_names=tuple(names))

    def select(self, rows: Any) -> Collection:
        """Return the documents at these rows (numbers, a mask or a slice), in that order, grouped by query."""
        picked = row_numbers(rows, len(self))
        old = self.query_index[picked]
        found, first = np.unique(old, return_index=True)
        found = found[np.argsort(first)]
        place = np.zeros(len(self.queries), dtype=np.int64)
        place[found] = np.arange(len(found))
        return self._grouped(
            self.features[picked],
            self.grades[picked],
            place[old],
            [self.queries[k] for k in found],
            [self.comments[row] for row in picked],
            None if self.missing is None else self.missing[picked],
            self.feature_names,
            picked.tolist().__getitem__,
            "row",
        )

    @classmethod
    def concat(cls, parts: Iterable[Collection]) -> Collection:
        """Join collections (the folds S1, S2, S3); a query in several parts is made one.

        Parts with named features need the same names. Where features are only numbered, a part that lacks the last
        ones (no row of its file had them) is widened, and they count as absent there.
        """
        parts = list(parts)
        if not parts:
            raise InputError("concat needs at least one collection")
        widest = max(parts, key=lambda part: len(part.feature_names))
        rows, width = sum(map(len, parts)), widest.features.shape[1]
        # The parts (widened, if need be) and the whole, each with a float and a code per cell.
        check_memory(2 * 9 * rows * width, f"joining {len(parts)} collections to {rows:,} rows of {width:,} features")
        if all(part.feature_names == _numbers(part.features.shape[1]) for part in parts):
            parts = [part._widened(widest.features.shape[1]) for part in parts]
        for number, part in enumerate(parts, 1):
            if part.feature_names != parts[0].feature_names:
                raise InputError(
                    f"part {number} has {part.features.shape[1]} features, part 1 {parts[0].features.shape[1]}, or "
                    "their names differ; collections that are joined need the same features"
                )
        known: dict[str, int] = {}
        index = [
            np.array([known.setdefault(qid, len(known)) for qid in part.queries], dtype=np.int64)[part.query_index]
            for part in parts
        ]
        codes = None
        if any(part.missing is not None for part in parts):
            blank = (np.zeros_like(p.features, dtype=np.uint8) if p.missing is None else p.missing for p in parts)
            codes = np.concatenate(list(blank))
        return cls._grouped(
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.grades for part in parts]),
            np.concatenate(index),
            list(known),
            [comment for part in parts for comment in part.comments],
            codes,
            parts[0].feature_names,
            np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts]).tolist().__getitem__,
            "part",
            tuple(warning for part in parts for warning in part.warnings),
        )

    def _widened(self, width: int) -> Collection:
        """Return the same documents with features up to number `width`, the new ones absent."""
        rows, have = self.features.shape
        if have == width:
            return self
        features, missing = np.zeros((rows, width)), np.full((rows, width), ABSENT, dtype=np.uint8)
        features[:, :have] = self.features
        missing[:, :have] = PRESENT if self.missing is None else self.missing
        return replace(self, features=features, missing=missing, feature_names=_numbers(width))

    def to_frame(self) -> pandas.DataFrame:
        """Return a pandas frame: qid, docid, grade, one column per feature (NaN where missing), comment."""
        import pandas as pd  # noqa: PLC0415 (half a second that only this method needs)

        matrix = self.features if self.missing is None else np.where(self.missing, np.nan, self.features)
        frame = pd.DataFrame(matrix, columns=list(self.feature_names))
        for name, column in (("grade", self.grades), ("docid", self.docids), ("qid", self.qids)):
            frame.insert(0, name, column, allow_duplicates=True)
        frame.insert(len(frame.columns), "comment", self.comments, allow_duplicates=True)
        return frame

    def summary(self) -> dict[str, Any]:
        """Return the figures that an overview shows."""
        grades, counts = np.unique(self.grades[self.grades != UNLABELLED], return_counts=True)
        sizes = np.diff(self.indptr) if self.queries else np.zeros(1, dtype=np.int64)
        same = (self.features == self.features[:1]).all(axis=0) if len(self) else np.zeros(0, dtype=bool)
        return {
            "rows": len(self),
            "documents": len({docid for docid in self.docids if docid}),
            "queries": len(self.queries),
            "features": len(self.feature_names),
            "grade_counts": dict(zip(grades.tolist(), counts.tolist(), strict=True)),
            "unlabelled": int(np.count_nonzero(self.grades == UNLABELLED)),
            "missing": 0 if self.missing is None else int(np.count_nonzero(self.missing)),
            "constant_features": [name for name, is_same in zip(self.feature_names, same, strict=False) if is_same],
            "documents_per_query": {
                "min": int(sizes.min()),
                "median": float(np.median(sizes)),
                "max": int(sizes.max()),
            },
        }


def _numbers(width: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, width + 1)))
