"""LETOR, all documents in one file."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.export.compare import check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats


@formats.register("letor", "LETOR, one file")
class LetorFile(Format):
    """All documents in one LETOR file, `grade qid:Q 1:value 2:value ... #comment`, grouped by query."""

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["letor.txt"]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give the file."""
        yield "letor.txt", export.text

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the file with the collection, bit for bit."""
        return check_letor(name, data, export.collection)
