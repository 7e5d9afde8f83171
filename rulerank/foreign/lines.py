"""Whole lines of a stream, a block of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from rulerank.foreign.decoding import Bytes

CHUNK = 1 << 17  # bytes of text at a time: fits a processor's cache, and is small beside the arrays that result


class Kind(Enum):
    """What a block is."""

    LINES = "whole lines"
    LAST = "the last line, which has no newline of its own"
    TOO_LONG = "the beginning of a line that is too long; the rest of it is skipped"


class LineBlocks:
    """Blocks of whole lines; `rest` is the beginning of a line whose end is not read yet."""

    def __init__(self, stream: Bytes, longest: int) -> None:
        self.rest = b""
        self._stream = stream
        self._longest = longest
        self._head = b""

    def peek(self) -> bytes:
        """Return the beginning of the stream, which stays to be read."""
        self._head = self._head or self._stream.read(CHUNK)
        return self._head

    def __iter__(self) -> Iterator[tuple[Kind, bytes]]:
        piece = self.peek()
        while piece:
            end = piece.rfind(b"\n") + 1
            if end:
                text, self.rest = self.rest + piece[:end], piece[end:]
                yield Kind.LINES, text
                piece = self._stream.read(CHUNK)
                continue
            parts, length = [self.rest], len(self.rest)
            while piece and b"\n" not in piece and length <= self._longest:
                parts.append(piece)
                length += len(piece)
                piece = self._stream.read(CHUNK)
            self.rest = b"".join(parts)
            if length > self._longest:
                begun, self.rest = self.rest, b""
                yield Kind.TOO_LONG, begun
                piece = self._after_line(piece)
        if self.rest:
            last, self.rest = self.rest, b""
            yield Kind.LAST, last + b"\n"

    def _after_line(self, piece: bytes) -> bytes:
        while piece and b"\n" not in piece:
            piece = self._stream.read(CHUNK)
        return piece.partition(b"\n")[2] or self._stream.read(CHUNK)
