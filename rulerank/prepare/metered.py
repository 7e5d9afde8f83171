"""The zip that an Excel workbook is, read within the memory limit; and files of Office that are no such zip.

What is parsed as a whole (the table of texts, styles) and every single row are metered, so that a small file that
unpacks to an enormous one is refused before it fills the memory.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import IO, Any, cast

from rulerank.errors import InputError
from rulerank.memory import MemoryMeter

SAVE = "open the file in Excel or LibreOffice and save it as .xlsx or as CSV UTF-8"
PIECE = 1 << 20
BYTES_PER_TAG, BYTES_PER_OBJECT = 100, 2000  # of an element in memory, and of what openpyxl makes of one
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_DECLARED = (b"<!DOCTYPE", b"<!ENTITY")


def describe_old(stream: IO[bytes]) -> str | None:
    """Say what to do with a file of Excel's former format, or one that has a password; None if it is neither."""
    piece = stream.read(PIECE)
    if not piece.startswith(_OLD):
        return None
    rest = b""
    while piece:
        if _LOCKED in rest + piece:
            return f"the workbook has a password; {SAVE} without a password"
        rest, piece = piece[-len(_LOCKED) :], stream.read(PIECE)
    return f"this is an old Office file (such as .xls), which is not read; {SAVE}"


class Archive(zipfile.ZipFile):
    """The zip that a workbook is; what is read of it is metered."""

    def __init__(self, file: str | IO[bytes], name: str, count: Callable[[float], None] = lambda share: None) -> None:
        super().__init__(file)
        self.called = name
        self.weight = BYTES_PER_OBJECT
        self._count = count

    def open(self, name: Any, mode: Any = "r", pwd: Any = None, *, force_zip64: bool = False) -> IO[bytes]:
        """Open a part; `count` gets the share of it that each piece is."""
        size = self.getinfo(name).file_size if isinstance(name, str) else name.file_size
        part = super().open(name, mode, pwd, force_zip64=force_zip64)
        return cast(IO[bytes], Metered(part, size, self))

    def counted(self, share: float) -> None:
        """Report that a share of a sheet is read."""
        self._count(share)


class Metered(io.RawIOBase):
    """A part of a workbook that may not need more memory than the limit between two rests."""

    def __init__(self, stream: IO[bytes], size: int, archive: Archive) -> None:
        self._stream, self._size, self._archive = stream, size, archive
        words = f"{archive.called}: what stands together in the workbook"
        self._meter = MemoryMeter(words, "save the rows as CSV")
        self._tail = b""

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; refuse entities, by which a few bytes become very many."""
        if size < 0:
            self._meter.check(self._size)
        piece = self._stream.read(size)
        seen = self._tail + piece.replace(b"\0", b"")  # also where two bytes make a character
        self._tail = seen[-len(_DECLARED[0]) :]
        if any(word in seen for word in _DECLARED):
            raise InputError(f"{self._archive.called}: it declares entities, which Excel never writes; {SAVE}")
        self._meter.add(2 * len(piece) + self._archive.weight * piece.count(b"<"))
        self._archive.counted(len(piece) / max(self._size, 1))
        return piece

    def rest(self, kept: int = 0) -> None:
        """Count from here: of what was read before so many bytes are kept."""
        self._meter.kept = kept

    def close(self) -> None:
        """Close the part."""
        self._stream.close()
        super().close()
