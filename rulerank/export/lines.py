"""Lines of LETOR text turned into the lines of other formats, in compiled code; no number is written anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from isal import isal_zlib

from rulerank.collection.fields import Array
from rulerank.kernels import kernel

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


_NEWLINE, _SPACE, _HASH, _COMMA, _ZERO, _COLON, _N = 10, 32, 35, 44, 48, 58, 78


def joined_cells(cells: Sequence[bytes]) -> tuple[Array, Array]:
    """Return texts as one array of bytes, and where each ends, with a zero in front."""
    ends = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, cells), np.int64, len(cells)), out=ends[1:])
    return np.frombuffer(b"".join(cells), dtype=np.uint8), ends


def svmlight_lines(text: bytes, starts: Array) -> memoryview:
    """Return the LETOR lines that begin at `starts` without qid, comment and NULL values: `grade 1:value ...`."""
    source = np.frombuffer(text, dtype=np.uint8)
    out = np.empty(source.size, dtype=np.uint8)
    return out[: _svmlight(source, starts, out)].data


def table_lines(text: bytes, queries: Array, qids: Sequence[bytes], ids: Sequence[bytes], width: int) -> memoryview:
    """Return all LETOR lines as lines of a table: `qid,docid,grade,value,...`, an empty cell for what is missing.

    `queries` says which of the qids each line has; these and the ids come quoted as the table needs them.
    """
    source = np.frombuffer(text, dtype=np.uint8)
    qid_text, qid_ends = joined_cells(qids)
    id_text, id_ends = joined_cells(ids)
    room = source.size + len(ids) * (width + 4) + id_text.size + int(np.diff(qid_ends)[queries].sum())
    out = np.empty(room, dtype=np.uint8)
    return out[: _table(source, queries, qid_text, qid_ends, id_text, id_ends, width, out)].data


def with_queries(data: bytes, sizes: Array) -> memoryview:
    """Return svmlight lines with qids 1, 2, ... put in after the grades; `sizes` are the lines of each."""
    source = np.frombuffer(data, dtype=np.uint8)
    out = np.empty(source.size + int(sizes.sum()) * 24, dtype=np.uint8)
    return out[: _put_queries(source, sizes, out)].data


@kernel
def _svmlight(text: Array, starts: Array, out: Array) -> int:
    at = 0
    for start in starts:
        i = start
        while text[i] != _SPACE:
            out[at] = text[i]
            at += 1
            i += 1
        i = _after_qid(text, i)
        while text[i] == _SPACE and text[i + 1] != _HASH:
            pair = at
            out[at] = _SPACE
            at += 1
            i += 1
            is_null = False
            while text[i] != _SPACE and text[i] != _NEWLINE:
                is_null = is_null or text[i] == _N
                out[at] = text[i]
                at += 1
                i += 1
            if is_null:
                at = pair
        out[at] = _NEWLINE
        at += 1
    return at


@kernel
def _after_qid(text: Array, at: int) -> int:
    """Return where the token after the blank at `at` ends."""
    at += 1
    while text[at] != _SPACE and text[at] != _NEWLINE:
        at += 1
    return at


@kernel
def _table(
    text: Array,
    queries: Array,
    qids: Array,
    qid_ends: Array,
    ids: Array,
    id_ends: Array,
    width: int,
    out: Array,
) -> int:
    at = 0
    i = 0
    for row in range(queries.size):
        for k in range(qid_ends[queries[row]], qid_ends[queries[row] + 1]):
            out[at] = qids[k]
            at += 1
        out[at] = _COMMA
        at += 1
        for k in range(id_ends[row], id_ends[row + 1]):
            out[at] = ids[k]
            at += 1
        out[at] = _COMMA
        at += 1
        while text[i] != _SPACE:
            out[at] = text[i]
            at += 1
            i += 1
        i = _after_qid(text, i)
        column = 0
        while text[i] == _SPACE and text[i + 1] != _HASH:
            i += 1
            number = 0
            while text[i] != _COLON:
                number = number * 10 + text[i] - _ZERO
                i += 1
            i += 1
            while column < number:
                out[at] = _COMMA
                at += 1
                column += 1
            is_null = text[i] == _N
            while text[i] != _SPACE and text[i] != _NEWLINE:
                if not is_null:
                    out[at] = text[i]
                    at += 1
                i += 1
        while column < width:
            out[at] = _COMMA
            at += 1
            column += 1
        while text[i] != _NEWLINE:
            i += 1
        i += 1
        out[at] = _NEWLINE
        at += 1
    return at


@kernel
def _put_queries(text: Array, sizes: Array, out: Array) -> int:
    at = 0
    i = 0
    digits = np.empty(20, dtype=np.uint8)
    for query in range(sizes.size):
        count = 0
        number = query + 1
        while number > 0:
            digits[count] = _ZERO + number % 10
            number //= 10
            count += 1
        for _ in range(sizes[query]):
            while text[i] != _SPACE and text[i] != _NEWLINE:
                out[at] = text[i]
                at += 1
                i += 1
            out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = 32, 113, 105, 100, 58
            at += 5
            for k in range(count - 1, -1, -1):
                out[at] = digits[k]
                at += 1
            while text[i] != _NEWLINE:
                out[at] = text[i]
                at += 1
                i += 1
            out[at] = _NEWLINE
            at += 1
            i += 1
    return at
