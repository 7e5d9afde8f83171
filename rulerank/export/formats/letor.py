"""LETOR, all documents in one file."""

from __future__ import annotations

from collections.abc import Iterator

from rulerank.export.compare import check_letor
from rulerank.export.export import TEXT, Export
from rulerank.export.formats.base import Format, formats
from rulerank.export.pieces import Pieces


@formats.register("letor", "LETOR, one file")
class LetorFile(Format):
    """All documents in one LETOR file, `grade qid:Q 1:value 2:value ... #comment`, grouped by query."""

    from_text = True

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return [TEXT]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        yield TEXT, export.block_pieces(range(len(export.blocks)))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the file with the collection, bit for bit."""
        return export.text_problems if data == export.text else check_letor(name, data, export.collection)
