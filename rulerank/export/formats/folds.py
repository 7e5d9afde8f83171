"""LETOR in folds: queries are dealt to parts, and each fold rotates the parts into train, vali and test."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.errors import InputError
from rulerank.export.compare import check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats

SETS = ("train", "vali", "test")


@formats.register("folds", "LETOR, folds split by query")
class LetorFolds(Format):
    """LETOR's folder of folds, Fold1/train.txt, vali.txt, test.txt and so on; no query stands in two of a fold's files.

    With parts S1 to Sk, Fold1 trains on S1 to Sk-2, validates on Sk-1 and tests on Sk; Fold2 starts at S2, and so on.
    """

    def names(self, export: Export) -> list[str]:
        """Return the files' names, fold by fold."""
        return [f"Fold{fold}/{kind}.txt" for fold in range(1, export.folds + 1) for kind in SETS]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give the files, joined from the lines of their queries."""
        texts = self._part_texts(export)
        names = iter(self.names(export))
        for first in range(export.folds):
            turn = texts[first:] + texts[:first]
            for data in (b"".join(turn[:-2]), turn[-2], turn[-1]):
                yield next(names), data

    @staticmethod
    def _part_texts(export: Export) -> list[bytes]:
        ends = export.collection.indptr.tolist()
        lines = export.lines
        return [
            b"".join(b"\n".join(lines[ends[query] : ends[query + 1]]) + b"\n" for query in part.tolist())
            for part in export.parts
        ]

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the file with the part of the collection that it should hold, bit for bit."""
        folder, _, file = name.partition("/")
        fold = export.meant_folds[int(folder.removeprefix("Fold")) - 1]
        sets = dict(zip(SETS, (fold.train, fold.validation, fold.test), strict=True))
        return check_letor(name, data, sets[file.removesuffix(".txt")])

    def conflicts(self, export: Export) -> list[str]:
        """Say if the queries are too few; else make sure that each is in one file of each fold, and tested once."""
        try:
            _ = export.parts
        except InputError as exc:
            return [f"folds: {exc}"]
        everything = sorted(export.collection.queries)
        problems = []
        tested: list[str] = []
        for fold in export.meant_folds:
            tested += fold.test.queries
            if sorted([*fold.train.queries, *fold.validation.queries, *fold.test.queries]) != everything:
                problems.append(f"Fold{fold.number}: not every query stands in exactly one of its files")
        if sorted(tested) != everything:
            problems.append("folds: not every query is tested exactly once")
        return problems
