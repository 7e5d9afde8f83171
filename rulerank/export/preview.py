"""What an export would hold: counts, the first lines of every file, and what its reader should know beforehand."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.export.companions import completed
from rulerank.export.export import Export
from rulerank.export.formats.base import choose
from rulerank.export.lines import Pieces, joined
from rulerank.strategy import Strategy

LONGEST = 300  # characters of a line that are shown


@dataclass(frozen=True)
class FilePreview:
    """One file: its format, its size, and its first lines, the long ones cut."""

    name: str
    format: str
    size: int
    lines: int
    first: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True)
class SetPreview:
    """Numbers of queries and documents of one file of a fold."""

    queries: int
    documents: int


@dataclass(frozen=True)
class FoldPreview:
    """What the files of one fold hold."""

    number: int
    train: SetPreview
    validation: SetPreview
    test: SetPreview


@dataclass(frozen=True)
class ExportPreview:
    """Counts and first lines of an export; `notes` say what a trainer may stumble over.

    >>> from rulerank.synthetic import planted_collection
    >>> found = preview(planted_collection(queries=5, documents=4), formats=["letor"])
    >>> found.documents, found.queries, found.grade_counts, found.files[0].name
    (20, 5, {0: 16, 1: 3, 2: 1}, 'letor.txt')
    """

    documents: int
    left_out: int
    queries: int
    features: int
    grade_counts: dict[int, int]
    files: tuple[FilePreview, ...]
    folds: tuple[FoldPreview, ...]
    notes: tuple[str, ...]


def preview(
    collection: Collection,
    events: Iterable[Mapping[str, Any]] = (),
    *,
    formats: Iterable[str | Strategy] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    numbered: bool | None = False,
    evaluation: Collection | None = None,
    convention: str = "letor",
    scores: Iterable[float] | None = None,
    lines: int = 5,
) -> ExportPreview:
    """Return what `make_bundle` with the same arguments would hold; nothing is checked or packed yet.

    A format that cannot express the export has no files here, but a note that says why.
    """
    if not isinstance(lines, int | np.integer) or lines < 0:
        raise InputError(f"lines must be a whole number of at least 0, not {lines!r}")
    export = Export.prepare(
        collection, events, folds=folds, seed=seed, unlabelled=unlabelled, numbered=numbered, evaluation=evaluation,
        convention=convention,
        scores=scores,
    )  # fmt: skip
    chosen = completed(export, choose(formats))
    summary = export.collection.summary()
    conflicts = [problem for each in chosen for problem in each.conflicts(export)]
    chosen = [each for each in chosen if not each.conflicts(export)]
    files = [
        FilePreview(
            name, each.name, sum(map(len, pieces)), sum(p.lines for p in pieces), _head(pieces, lines), each.label
        )
        for each in chosen
        for name, pieces in each.pieces(export)
    ]
    return ExportPreview(
        documents=summary["rows"],
        left_out=export.left_out,
        queries=summary["queries"],
        features=summary["features"],
        grade_counts=summary["grade_counts"],
        files=tuple(files),
        folds=_folds(export) if any(each.has_folds for each in chosen) else (),
        notes=(*conflicts, *_notes(export)),
    )


def _head(pieces: Pieces, lines: int) -> tuple[str, ...]:
    few = itertools.takewhile(lambda before: before < lines, itertools.accumulate((p.lines for p in pieces), initial=0))
    data = joined(pieces[: sum(1 for _ in few)])
    found: list[str] = []
    at = 0
    while at < len(data) and len(found) < lines:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at : min(end, at + 4 * LONGEST)].decode("utf-8", "replace")  # a character has up to four bytes
        found.append(line if len(line) <= LONGEST else f"{line[:LONGEST]} ...")
        at = end + 1
    return tuple(found)


def _folds(export: Export) -> tuple[FoldPreview, ...]:
    sizes = np.diff(export.collection.indptr)
    return tuple(
        FoldPreview(fold + 1, *(SetPreview(len(part), int(sizes[part].sum())) for part in export.sets(fold)))
        for fold in range(export.folds)
    )


def _notes(export: Export) -> list[str]:
    collection = export.collection
    notes = []
    odd = [qid for qid in collection.queries if not (qid.isascii() and qid.isdigit())]
    if odd and export.numbers is None:
        notes.append(
            f"{len(odd)} qids are not whole numbers, as {odd[0]}: scikit-learn and XGBoost cannot read them from LETOR "
            "files; LightGBM's files work for them, and for XGBoost with set_group"
        )
    bare = sum(not docid for docid in collection.docids)
    if bare:
        notes.append(f"{bare} documents have no docid and go by their row, as row17, in the qrels and the CSV")
    starts = np.cumsum([0, *export.group_sizes[:-1]])
    grades = collection.grades[export.graded]
    same = 0
    if grades.size:
        same = int((np.maximum.reduceat(grades, starts) == np.minimum.reduceat(grades, starts)).sum())
    if same:
        which = "1 query has a single grade" if same == 1 else f"{same} queries have a single grade"
        notes.append(f"{which}: pairwise and listwise trainers learn nothing from {'it' if same == 1 else 'them'}")
    if collection.missing is not None:
        notes.append(
            f"{np.count_nonzero(collection.missing)} values are missing: left out or NULL in LETOR files, left out in "
            "LightGBM's, empty in the CSV"
        )
    return notes
