"""LETOR in folds: queries are dealt to parts, and each fold rotates the parts into train, vali and test."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.errors import InputError
from rulerank.export.compare import check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats
from rulerank.export.pieces import Pieces, unlike

SETS = ("train", "vali", "test")


@formats.register("folds", "LETOR, folds split by query")
class LetorFolds(Format):
    """LETOR's folder of folds, Fold1/train.txt, vali.txt, test.txt and so on; no query stands in two of a fold's files.

    With parts S1 to Sk, Fold1 trains on S1 to Sk-2, validates on Sk-1 and tests on Sk; Fold2 starts at S2, and so on.
    """

    from_text = True
    checked_by_text = True

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
        return check_letor(name, data, export.collection.select(export.rows_of(queries)))

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
