"""Zip files from pieces that are packed already, which the standard library's writer has no door for.

The layout is that of PKWARE's APPNOTE 6.3: a local header before each entry (4.3.7), the central directory (4.3.12)
and its end (4.3.16), with the ZIP64 records (4.3.14, 4.3.15, 4.5.3) where a number outgrows 32 bits.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import IO
from zipfile import ZipInfo

from rulerank.export.pieces import END, Pieces

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
    told, more = file.read(name), file.read(extra)
    if (packed, size) == (LIMIT, LIMIT) and len(more) == struct.calcsize(_SIZES_64):
        _, _, size, packed = struct.unpack(_SIZES_64, more)
    found = (magic, flags, method, crc, size, packed, told.decode(errors="replace"))
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
