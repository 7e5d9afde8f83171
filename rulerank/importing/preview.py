"""What a page shows of files that were read, as plain values: it never needs the features themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.collection import UNLABELLED, Collection
from rulerank.importing.read import Imported

FIRST_ROWS = 50
FIRST_FEATURES = 12


@dataclass(frozen=True)
class Preview:
    """Figures, warnings and the first rows of a collection that was read, and whether texts came with it."""

    summary: dict[str, Any]  # `Collection.summary`, with the grades' counts as a list
    feature_names: list[str]
    columns: list[str]  # of the first rows
    rows: list[list[str | float | None]]
    files: list[tuple[str, int, int]]  # name, documents, queries
    notes: list[str]  # what to look at twice
    facts: list[str]  # what was read and done
    texts: tuple[int, int] | None  # queries and documents of the collection that have one
    stored: bool  # here already, with its texts if it has some
    content_hash: str

    @staticmethod
    def of(imported: Imported) -> Preview:
        """Look at what was read."""
        collection, texts = imported.collection, imported.texts
        summary = collection.summary()
        counts = summary["grade_counts"]
        summary["grade_counts"] = [counts.get(grade, 0) for grade in range(max(counts, default=-1) + 1)]
        coverage = None
        if texts is not None:
            queries = len(texts.queries.keys() & set(collection.queries))
            coverage = queries, len(texts.documents.keys() & {docid for docid in collection.docids if docid})
        return Preview(
            summary=summary,
            feature_names=list(collection.feature_names),
            columns=["qid", "docid", "grade", *map(_plain, collection.feature_names[:FIRST_FEATURES])],
            rows=list(_first_rows(collection)),
            files=list(imported.files),
            notes=list(imported.notes),
            facts=list(imported.facts),
            texts=coverage,
            stored=imported.stored,
            content_hash=collection.content_hash,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can write it."""
        return asdict(self)

    @staticmethod
    def from_dict(saved: dict[str, Any]) -> Preview:
        """Return what `to_dict` described."""
        files = [(name, documents, queries) for name, documents, queries in saved["files"]]
        texts = None if saved["texts"] is None else (int(saved["texts"][0]), int(saved["texts"][1]))
        return Preview(**{**saved, "files": files, "texts": texts})


@dataclass(frozen=True)
class RowFacts:
    """Of each row its grade, its query, and whether it came from the files of the evaluation set: no features."""

    grades: np.ndarray
    query_index: np.ndarray
    second: np.ndarray

    @staticmethod
    def of(imported: Imported) -> RowFacts:
        """Return the few numbers by which rows are divided."""
        return RowFacts(imported.collection.grades, imported.collection.query_index, imported.second)

    def save(self, path: Path) -> None:
        """Write them to a file."""
        with path.open("wb") as file:
            np.savez_compressed(file, grades=self.grades, query_index=self.query_index, second=self.second)

    @staticmethod
    def load(path: Path) -> RowFacts:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as found:
            return RowFacts(found["grades"], found["query_index"], found["second"])


def _first_rows(collection: Collection) -> Iterator[list[str | float | None]]:
    """Give qid, docid, grade and first features of the first rows; a value that is missing is None."""
    for row in range(min(FIRST_ROWS, len(collection))):
        qid, docid = collection.queries[collection.query_index[row]], collection.docids[row]
        grade = int(collection.grades[row])
        values: list[float | None] = collection.features[row, :FIRST_FEATURES].tolist()
        if collection.missing is not None:
            codes = collection.missing[row, :FIRST_FEATURES].tolist()
            values = [None if code else value for code, value in zip(codes, values, strict=True)]
        yield [_plain(qid), _plain(docid or ""), "not yet" if grade == UNLABELLED else str(grade), *values]


def _plain(text: str) -> str:
    """Return a text as every database can keep it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
