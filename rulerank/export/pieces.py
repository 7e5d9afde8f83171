"""Contents in pieces: a file is a row of them, and files that share text share the pieces, packed once.

A piece is deflated on its own (RFC 1951): nothing in it refers back to what stood before it, and a full flush ends it
at a whole byte. So packed pieces set one behind the other, and then `END`, unpack to their texts set one behind the
other, in whichever order they stand. That is what makes folds cheap (they are the queries of the whole file in
another order), and what lets several threads pack one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from isal import isal_zlib

LEVEL = 1  # of compression, of 0 to 3: the higher ones gain next to nothing on numbers
SIZE = 1 << 18  # bytes of a piece of text that nobody shares: larger ones pack no better
END = b"\x03\x00"  # the last block of a deflated stream, with nothing in it


class Piece:
    """Some text, and the same packed."""

    def __init__(self, text: bytes | memoryview) -> None:
        self.text = text

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def packed(self) -> bytes:
        """The text deflated (with ISA-L, in a third of zlib's time); the same text gives the same bytes."""
        # A compressor that has been used before would pack the same text differently.
        packer = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)
        return packer.compress(self.text) + packer.flush(isal_zlib.Z_FULL_FLUSH)

    @cached_property
    def lines(self) -> int:
        """The number of line ends."""
        return bytes(self.text).count(b"\n")


Pieces = Sequence[Piece]


def cut(text: bytes | memoryview) -> list[Piece]:
    """Return a text that no other file shares as pieces."""
    view = memoryview(text)
    return [Piece(view[at : at + SIZE]) for at in range(0, len(view), SIZE)]


def joined(pieces: Pieces) -> bytes:
    """Return the text of the pieces."""
    return b"".join(piece.text for piece in pieces)


def batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Give the pieces in handfuls of about `SIZE` bytes, each worth a thread's while."""
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece)
        if size >= SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def unlike(pieces: Pieces, data: bytes) -> bool:
    """Say whether the pieces' texts, one behind the other, are anything else than `data`."""
    at = 0
    for piece in pieces:
        if not data.startswith(piece.text, at):  # views compare byte by byte, this does not
            return True
        at += len(piece)
    return at != len(data)
