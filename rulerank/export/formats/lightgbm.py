"""LightGBM's pair of files: svmlight data without qids, and the sizes of the queries beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulerank.collection import ABSENT, Collection
from rulerank.export.cells import are_pairs, check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats
from rulerank.export.lines import Pieces, cut, svmlight_lines, with_queries

DATA, QUERY = "lightgbm.txt", "lightgbm.txt.query"


@formats.register("lightgbm", "LightGBM, with its query file")
class LightGBM(Format):
    """Graded documents as svmlight data, `grade 1:value ...`, and a .query file with each query's number of documents.

    LightGBM finds the .query file by itself. Features keep LETOR's numbers from 1, so LightGBM's Column_0 is empty.
    Missing and NULL features are left out, which LightGBM and scikit-learn read as 0 and XGBoost as missing.

    >>> from rulerank.collection import Collection
    >>> from rulerank.export.export import Export
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> name, data = next(LightGBM().files(Export.prepare(collection)))
    >>> name
    'lightgbm.txt'
    >>> print(data.decode(), end="")
    2 1:0.5
    0 1:0.25
    """

    from_text = True
    loading = """\
        import lightgbm
        import sklearn.datasets
        data = lightgbm.Dataset("lightgbm.txt")  # it finds lightgbm.txt.query by itself
        # with LightGBM's usual 20 labels in a leaf it would learn next to nothing from a small set
        model = lightgbm.train({"objective": "lambdarank", "min_data_in_leaf": 2, "verbose": -1}, data)
        # LightGBM counts features from 0. So, to rank other documents, with their file in place of this one:
        size = model.num_feature()
        others, _ = sklearn.datasets.load_svmlight_file("lightgbm.txt", zero_based=True, n_features=size)
        ranked = model.predict(others)
        """

    def names(self, export: Export) -> list[str]:
        """Return the names of the data and of the query file."""
        return [DATA, QUERY]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give both files."""
        yield DATA, cut(svmlight_lines(export.text, export.line_ends[export.graded]))
        yield QUERY, cut(b"".join(b"%d\n" % size for size in export.group_sizes))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare sizes, and read the data; differences are found by reading it with the queries put in again."""
        sizes = np.array(export.group_sizes, dtype=np.int64)
        if name == QUERY:
            found = data.split(b"\n")
            if found != [str(size).encode() for size in sizes.tolist()] + [b""]:
                return [f"{name}: the sizes of the queries are not those of the collection"]
            return []
        lines = data.count(b"\n")
        if lines != sizes.sum() or not data.endswith(b"\n"):
            return [f"{name}: {lines} whole documents are in the file, {sizes.sum()} were meant"]
        graded = export.collection
        if export.graded.size < len(graded):
            graded = graded.select(export.graded)
        if are_pairs(data, graded):
            return []
        return check_letor(name, with_queries(data, sizes), _bare(graded))


def _bare(collection: Collection) -> Collection:
    """Return the collection as the data file shows it: queries only numbered, no comments, NULL left out."""
    return replace(
        collection,
        queries=tuple(map(str, range(1, len(collection.queries) + 1))),
        comments=("",) * len(collection),
        missing=None if collection.missing is None else np.where(collection.missing, ABSENT, 0),
    )
