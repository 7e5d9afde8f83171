"""Write, check, sum and pack the files of an export, on all cores at once, into a zip of pieces packed already."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO
from zipfile import ZipInfo

from isal import isal_zlib

from rulerank.export.export import Export
from rulerank.export.formats.base import Format
from rulerank.export.lines import END, Piece, Pieces, batches, joined
from rulerank.kernels import workers

DATE = 1 << 5 | 1  # 1 January 1980 in every bundle, so that equal contents give equal bytes
MODE = 0o644 << 16  # readable by all
UNIX, DEFLATED, UTF_8 = 3 << 8, 8, 1 << 11
PLAIN, LARGE = 20, 45  # versions of the format that a reader needs
LIMIT = 0xFFFFFFFF  # what this or more stands in a ZIP64 record
MOST = 0xFFFF  # so many entries or more do, too

_LOCAL, _CENTRAL, _LAST = "<4s5H3I2H", "<4s6H3I5H2I", "<4s4H2IH"
_SIZES_64 = "<2H2Q"
_LAST_64, _PLACE_64 = "<4sQ2H2I4Q", "<4sIQI"


@dataclass(frozen=True)
class _Entry:
    name: bytes
    flags: int
    crc: int
    packed: int
    size: int
    at: int


class ZipWriter:
    """Writes entries one after the other; `finish` writes the directory, without which there is no archive."""

    def __init__(self, file: IO[bytes], limit: int = LIMIT) -> None:
        self._file = file
        self._limit = limit
        self._entries: list[_Entry] = []
        self._at = 0

    def put(self, name: str, pieces: Pieces, crc: int) -> None:
        """Write one file; `crc` is the CRC-32 of its text."""
        packed = sum(len(piece.packed) for piece in pieces) + len(END)
        encoded, flags = (name.encode("ascii"), 0) if name.isascii() else (name.encode(), UTF_8)
        entry = _Entry(encoded, flags, crc, packed, sum(map(len, pieces)), self._at)
        self._entries.append(entry)
        extra = self._extra(entry.size, entry.packed) if max(entry.size, entry.packed) >= self._limit else b""
        sizes = (LIMIT, LIMIT) if extra else (entry.packed, entry.size)
        version = LARGE if extra else PLAIN
        header = struct.pack(
            _LOCAL, b"PK\3\4", version, flags, DEFLATED, 0, DATE, crc, *sizes, len(encoded), len(extra)
        )
        self._write(header + encoded + extra)
        for piece in pieces:
            self._write(piece.packed)
        self._write(END)

    def finish(self) -> None:
        """Write the central directory and its end."""
        start = self._at
        for entry in self._entries:
            self._write(self._central(entry))
        size, count = self._at - start, len(self._entries)
        if max(start, size) >= self._limit or count >= MOST:
            last = self._at
            self._write(
                struct.pack(_LAST_64, b"PK\6\6", 44, UNIX | LARGE, LARGE, 0, 0, count, count, size, start)
                + struct.pack(_PLACE_64, b"PK\6\7", 0, last, 1)
            )
            start, size, count = LIMIT, LIMIT, MOST
        self._write(struct.pack(_LAST, b"PK\5\6", 0, 0, count, count, size, start, 0))

    def _central(self, entry: _Entry) -> bytes:
        numbers = (entry.size, entry.packed, entry.at)
        large = [number for number in numbers if number >= self._limit]
        size, packed, at = (LIMIT if number >= self._limit else number for number in numbers)
        extra = self._extra(*large) if large else b""
        version = LARGE if extra else PLAIN
        return (
            struct.pack(
                _CENTRAL, b"PK\1\2", UNIX | version, version, entry.flags, DEFLATED, 0, DATE, entry.crc, packed, size,
                len(entry.name), len(extra), 0, 0, 0, MODE, at,
            )
            + entry.name
            + extra
        )  # fmt: skip

    @staticmethod
    def _extra(*numbers: int) -> bytes:
        return struct.pack(f"<2H{len(numbers)}Q", 1, 8 * len(numbers), *numbers)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)


def packed_in(file: IO[bytes], entry: ZipInfo) -> bytes:
    """Return what the archive holds of an entry, packed as it is; nothing if its own header says otherwise."""
    file.seek(entry.header_offset)
    header = file.read(struct.calcsize(_LOCAL))
    if len(header) < struct.calcsize(_LOCAL):
        return b""
    magic, _, flags, method, _, _, crc, packed, size, name, extra = struct.unpack(_LOCAL, header)
    stored, more = file.read(name), file.read(extra)
    if (packed, size) == (LIMIT, LIMIT) and len(more) == struct.calcsize(_SIZES_64):
        _, _, size, packed = struct.unpack(_SIZES_64, more)
    found = (magic, flags, method, crc, size, packed, stored.decode(errors="replace"))
    if found != (b"PK\3\4", entry.flag_bits, DEFLATED, entry.CRC, entry.file_size, entry.compress_size, entry.filename):
        return b""
    return file.read(entry.compress_size)


def is_packed(packed: bytes, pieces: Pieces) -> bool:
    """Say whether these are the packed pieces and `END`, byte for byte."""
    at = 0
    for part in (*(piece.packed for piece in pieces), END):
        if not packed.startswith(part, at):
            return False
        at += len(part)
    return at == len(packed)


Check = Callable[[], list[str]]  # waits for the problems of a file


@dataclass(frozen=True)
class PackedFile:
    """A file of the export: what it is made of, and what is being found out about it."""

    name: str
    pieces: Pieces
    checked: Check
    summed: Future[tuple[str, int]]  # SHA-256 and CRC-32
    packed: list[Future[None]]  # of the pieces that no earlier file has

    @property
    def ready(self) -> bool:
        """Whether it could be put into the bundle."""
        return self.summed.done() and all(each.done() for each in self.packed)


@contextmanager
def thread_pool() -> Iterator[ThreadPoolExecutor]:
    """Give threads for one export; what they have not begun when it ends or fails is dropped."""
    pool = ThreadPoolExecutor(workers(), thread_name_prefix="rulerank-export")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def checked_pieces(
    export: Export, chosen: list[Format], pool: ThreadPoolExecutor
) -> Iterator[tuple[str, Pieces, Check]]:
    """Give every file with its check, which runs beside whatever the caller does with the file."""
    if any(each.from_text for each in chosen):
        _ = export.blocks  # here, where writing has all cores, and no format waits for another that writes
    # What is made and checked in Python holds the other threads up; begun first, it goes on beside compiled code.
    order = sorted(chosen, key=lambda each: each.from_text)
    begun = {each.name: pool.submit(_begin, each, export, pool) for each in order}
    for each in chosen:
        yield from begun[each.name].result()


def packed_files(export: Export, chosen: list[Format], pool: ThreadPoolExecutor) -> Iterator[PackedFile]:
    """Start what is to be done with each file and give it; the caller keeps the pieces of those he was given."""
    known: set[int] = set()  # pieces by identity
    for name, pieces, checked in checked_pieces(export, chosen, pool):
        new = [piece for piece in pieces if id(piece) not in known]
        known.update(map(id, new))
        packed = [pool.submit(_pack, batch) for batch in batches(new)]
        yield PackedFile(name, pieces, checked, pool.submit(sums_of, pieces), packed)


def sums_of(pieces: Pieces) -> tuple[str, int]:
    """Return SHA-256 and CRC-32 of the text."""
    text = joined(pieces)  # at once: between two pieces a thread may have to wait for the others
    return hashlib.sha256(text).hexdigest(), isal_zlib.crc32(text)


def _begin(each: Format, export: Export, pool: ThreadPoolExecutor) -> list[tuple[str, Pieces, Check]]:
    """Make the files of a format, and see to it that each is checked."""
    return [(name, pieces, _checking(each, export, name, pieces, pool)) for name, pieces in each.pieces(export)]


def _checking(each: Format, export: Export, name: str, pieces: Pieces, pool: ThreadPoolExecutor) -> Check:
    """Have a file checked: at once what Python checks, for two such threads only hinder each other; last what waits."""
    check = partial(_check, each, export, name, pieces)
    if each.checked_by_text:
        return check
    if each.from_text:
        return pool.submit(check).result
    problems = check()
    return lambda: problems


def _check(each: Format, export: Export, name: str, pieces: Pieces) -> list[str]:
    return each.check(export, name, joined(pieces))


def _pack(batch: list[Piece]) -> None:
    for piece in batch:
        _ = piece.packed
