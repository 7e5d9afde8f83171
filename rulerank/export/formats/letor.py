"""LETOR: all documents in one file, or in folds by query; and the names of features, which it has no place for."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.errors import InputError
from rulerank.export.cells import check_letor
from rulerank.export.export import TEXT, Export
from rulerank.export.formats.base import Format, bytes_of, formats, text_of
from rulerank.export.lines import Pieces, cut, unlike

SETS = ("train", "vali", "test")


@formats.register("letor", "LETOR, one file")
class LetorFile(Format):
    """All documents in one LETOR file, `grade qid:Q 1:value 2:value ... #comment`, grouped by query.

    >>> from rulerank.collection import Collection
    >>> from rulerank.export.export import Export
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> name, data = next(LetorFile().files(Export.prepare(collection)))
    >>> name
    'letor.txt'
    >>> print(data.decode(), end="")
    2 qid:q1 1:0.5 #docid = a
    0 qid:q1 1:0.25 #docid = b
    """

    from_text = True
    has_queries = True
    loading = """\
        import itertools
        import rulerank
        import sklearn.datasets
        collection = rulerank.read_letor("letor.txt")
        # scikit-learn needs qids that are whole numbers
        features, grades, qids = sklearn.datasets.load_svmlight_file("letor.txt", query_id=True)
        groups = [len(list(rows)) for _, rows in itertools.groupby(qids)]
        try:
            import xgboost
            matrix = xgboost.DMatrix(features, grades, group=groups)
        except ImportError:
            print("XGBoost is not installed here; nothing else needs it")
        """

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return [TEXT]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        yield TEXT, export.block_pieces(range(len(export.blocks)))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the file with the collection, bit for bit."""
        return export.text_problems if data == export.text else check_letor(name, data, export.letor)


@formats.register("folds", "LETOR, folds split by query")
class LetorFolds(Format):
    """LETOR's folder of folds, Fold1/train.txt, vali.txt, test.txt and so on; no query stands in two of a fold's files.

    With parts S1 to Sk, Fold1 trains on S1 to Sk-2, validates on Sk-1 and tests on Sk; Fold2 starts at S2, and so on.

    >>> from rulerank.synthetic import planted_collection
    >>> LetorFolds().names(Export.prepare(planted_collection(queries=5, documents=3), folds=3))[:3]
    ['Fold1/train.txt', 'Fold1/vali.txt', 'Fold1/test.txt']
    """

    from_text = True
    checked_by_text = True
    has_queries = True
    has_folds = True

    def names(self, export: Export) -> list[str]:
        """Return the files' names, fold by fold."""
        return [f"Fold{fold}/{kind}.txt" for fold in range(1, export.folds + 1) for kind in SETS]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the files: each the lines of its queries, part by part."""
        names = iter(self.names(export))
        for fold in range(export.folds):
            for queries in export.sets(fold):
                yield next(names), export.block_pieces(queries.tolist())

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the file with the part of the collection that it should hold, bit for bit.

        The text of the whole export is read back and compared, once. A file that is, byte for byte, the lines of its
        queries in that text holds what they hold: each line of a LETOR file is read on its own. Any other file is
        read in full, and compared with its documents.
        """
        folder, _, file = name.partition("/")
        sets = export.sets(int(folder.removeprefix("Fold")) - 1)
        queries = sets[SETS.index(file.removesuffix(".txt"))]
        if not export.text_problems and not unlike([export.blocks[query] for query in queries.tolist()], data):
            return []
        return check_letor(name, data, export.letor.select(export.rows_of(queries)))

    def conflicts(self, export: Export) -> list[str]:
        """Say if the queries are too few; else make sure that each is in one file of each fold, and tested once."""
        try:
            _ = export.parts
        except InputError as exc:
            return [f"folds: {exc}"]
        everything = range(len(export.collection.queries))
        problems = []
        tested: list[int] = []
        for fold in range(export.folds):
            train, validation, test = (queries.tolist() for queries in export.sets(fold))
            tested += test
            if sorted(train + validation + test) != list(everything):
                problems.append(f"Fold{fold + 1}: not every query stands in exactly one of its files")
        if sorted(tested) != list(everything):
            problems.append("folds: not every query is tested exactly once")
        return problems


@formats.register("features", "Feature names")
class FeatureNames(Format):
    """Number and name of each feature, with a tab between; blanks and line breaks within a name become one space.

    >>> from rulerank.collection import Collection
    >>> from rulerank.export.export import Export
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> [(name, data.split()) for name, data in FeatureNames().files(Export.prepare(collection))]
    [('features.txt', [b'1', b'1'])]
    """

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["features.txt"]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        yield "features.txt", cut(bytes_of("".join(f"{number}\t{name}\n" for number, name in _listed(export))))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the lines with the collection's features."""
        rows = [line.split("\t") for line in text_of(data).split("\n")[:-1]]
        if rows != [[str(number), label] for number, label in _listed(export)]:
            return [f"{name}: the names of the features are not those of the collection"]
        return []


def _listed(export: Export) -> list[tuple[int, str]]:
    return [(number, " ".join(name.split())) for number, name in enumerate(export.collection.feature_names, 1)]
