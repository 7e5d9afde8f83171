"""Names of the features, which a LETOR file has no place for."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, formats, text_of
from rulerank.export.pieces import Pieces, cut


@formats.register("features", "Feature names")
class FeatureNames(Format):
    """Number and name of each feature, with a tab between; blanks and line breaks within a name become one space."""

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
