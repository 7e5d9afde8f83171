"""LightGBM's pair of files: svmlight data without qids, and the sizes of the queries beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulerank.collection import ABSENT, NULL, Collection
from rulerank.export.compare import check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats

DATA, QUERY = "lightgbm.txt", "lightgbm.txt.query"


@formats.register("lightgbm", "LightGBM, with its query file")
class LightGBM(Format):
    """Graded documents as svmlight data, `grade 1:value ...`, and a .query file with each query's number of documents.

    LightGBM finds the .query file by itself. Features keep LETOR's numbers from 1, so LightGBM's Column_0 is empty.
    Missing and NULL features are left out, which LightGBM and scikit-learn read as 0 and XGBoost as missing.
    """

    def names(self, export: Export) -> list[str]:
        """Return the names of the data and of the query file."""
        return [DATA, QUERY]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give both files."""
        grades = export.collection.grades.tolist()
        values = export.values
        missing = export.collection.missing
        if missing is not None and (missing == NULL).any():
            values = [b" ".join(pair for pair in row.split(b" ") if not pair.endswith(b":NULL")) for row in values]
        rows = (b"%d %s\n" % (grades[row], values[row]) for row in export.graded.tolist())
        yield DATA, b"".join(rows).replace(b" \n", b"\n")
        yield QUERY, b"".join(b"%d\n" % size for size in export.group_sizes)

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare sizes, and read the data with the queries put in again."""
        sizes = np.array(export.group_sizes)
        if name == QUERY:
            found = data.split(b"\n")
            if found != [str(size).encode() for size in sizes.tolist()] + [b""]:
                return [f"{name}: the sizes of the queries are not those of the collection"]
            return []
        lines = data.split(b"\n")[:-1]
        if len(lines) != sizes.sum():
            return [f"{name}: {len(lines)} documents are in the file, {sizes.sum()} were meant"]
        queries = np.repeat(np.arange(1, sizes.size + 1), sizes).tolist()
        parts = (line.partition(b" ") for line in lines)
        again = b"".join(
            b"%s qid:%d %s\n" % (grade, query, rest) for (grade, _, rest), query in zip(parts, queries, strict=True)
        )
        return check_letor(name, again, _bare(export.collection.select(export.graded)))


def _bare(collection: Collection) -> Collection:
    """Return the collection as the data file shows it: queries only numbered, no comments, NULL left out."""
    return replace(
        collection,
        queries=tuple(map(str, range(1, len(collection.queries) + 1))),
        comments=("",) * len(collection),
        missing=None if collection.missing is None else np.where(collection.missing, ABSENT, 0),
    )
