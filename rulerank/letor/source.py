"""Where LETOR text comes from: a path or a file object, plain or compressed, as a stream of bytes.

The kind of compression is told by the first bytes, not by the name.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

from rulerank.errors import InputError
from rulerank.foreign.storable import readable

Source = str | os.PathLike[str] | IO[Any]

PIECE = 1 << 16
SPOOL = 1 << 24

_GZIP, _XZ, _BZ2, _ZIP = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_FOREIGN = {
    b"\x28\xb5\x2f\xfd": "the file is compressed with zstd; unpack it first, or use gzip, xz, bz2 or zip",
    b"7z\xbc\xaf\x27\x1c": "the file is a 7z archive; unpack it first, or use gzip, xz, bz2 or zip",
    _GZIP: "the file is compressed twice; unpack it first",
    _XZ: "the file is compressed twice; unpack it first",
    _ZIP: "the file is compressed twice; unpack it first",
}


class BrokenStreamError(Exception):
    """A compressed stream ends too soon or is damaged."""


def describe_foreign(head: bytes) -> str | None:
    """Say what the first bytes show to be something other than LETOR text, if they do."""
    if head[257:262] == b"ustar":
        return "the file is a tar archive; unpack it and read its files one by one"
    return next((reason for magic, reason in _FOREIGN.items() if head.startswith(magic)), None)


def source_name(source: Source) -> str:
    """Return the name that messages use for a source."""
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    return readable(name) if isinstance(name, str) and name else "<stream>"


class _Counted(io.RawIOBase):
    """Gives back the bytes that were read to tell the kind of file, then the rest, and counts them all."""

    def __init__(self, stream: IO[Any], name: str) -> None:
        self._stream = stream
        self._name = name
        self._head = b""
        self.done = 0

    def readable(self) -> bool:
        return True

    def peek(self, size: int) -> bytes:
        """Return the first bytes without using them up."""
        while len(self._head) < size:
            piece = self._take(size - len(self._head))
            if not piece:
                break
            self._head += piece
        return self._head

    def _take(self, size: int) -> bytes:
        try:
            piece = self._stream.read(size)
        except UnicodeDecodeError as exc:
            raise InputError(f"{self._name}: the text is not UTF-8 ({exc}); open the file in binary mode") from exc
        except (OSError, ValueError) as exc:
            raise InputError(f"{self._name}: cannot be read: {exc}") from exc
        if isinstance(piece, str):
            # Whatever is no character becomes bytes that are no UTF-8, which the readers refuse by line and column.
            try:
                return piece.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                return piece.encode("utf-8", "surrogatepass")
        if piece is None:
            raise InputError(f"{self._name}: the stream has no data yet; open it in blocking mode")
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise InputError(f"{self._name}: read() gave {type(piece).__name__}, not bytes or text")
        return bytes(piece)

    def readinto(self, buffer: Any) -> int:
        if self._head:
            piece, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        else:
            piece = self._take(len(buffer))
            # A text stream counts characters, so its bytes may be more than asked for.
            if len(piece) > len(buffer):
                piece, self._head = piece[: len(buffer)], piece[len(buffer) :]
        self.done += len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


class ByteSource:
    """The plain bytes of a source, with the count of bytes done and to do.

    The count is of the bytes as they are stored (compressed), except for a zip, where it is of the file in it.
    """

    def __init__(self, name: str, stream: IO[bytes], kind: str, done: Callable[[], int], total: int | None) -> None:
        self.name = name
        self.done = done
        self.total = total
        self._stream = stream
        self._kind = kind

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, and none only at the end."""
        try:
            return self._stream.read(size)
        except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile) as exc:
            raise BrokenStreamError(self._broken(exc)) from exc
        except OSError as exc:
            if self._kind == "bz2" and exc.errno is None:
                raise BrokenStreamError(self._broken(exc)) from exc
            raise InputError(f"{self.name}: cannot be read: {exc}") from exc

    def _broken(self, exc: BaseException) -> str:
        return f"the {self._kind} data end too soon or are damaged ({exc}); fetch or pack the file again"


def _open_zip(file: IO[bytes], name: str, stack: ExitStack) -> ByteSource:
    try:
        archive = stack.enter_context(zipfile.ZipFile(file))
        members = [m for m in archive.infolist() if not _is_clutter(m)]
        if len(members) != 1:
            names = ", ".join(readable(m.filename) for m in members[:10]) or "none"
            raise InputError(
                f"{name}: the zip must hold one file, but it holds {len(members)} ({names}); "
                "pack them one by one, or read each with zipfile and pass the open file"
            )
        stream = stack.enter_context(archive.open(members[0]))
    except (zipfile.BadZipFile, EOFError) as exc:
        raise BrokenStreamError(f"the zip ends too soon or is damaged ({exc}); fetch or pack it again") from exc
    except (RuntimeError, NotImplementedError) as exc:
        raise InputError(f"{name}: the zip cannot be unpacked: {exc}") from exc
    shown = f"{name}/{readable(members[0].filename)}"
    return ByteSource(shown, stream, "zip", stream.tell, members[0].file_size)


def _copied(counted: _Counted, stack: ExitStack) -> IO[bytes]:
    """Copy a stream into a temporary file: a zip's directory stands at its end, where a stream may not go."""
    copy = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=SPOOL))  # noqa: SIM115 (it is)
    while piece := counted.read(PIECE):
        copy.write(piece)
    return copy


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    """Say whether a zip's member is a folder, or a file that packers add on their own."""
    folder, _, file = member.filename.rpartition("/")
    return member.is_dir() or file.startswith(".") or folder.split("/")[0] == "__MACOSX"


def _total(stream: IO[Any]) -> int | None:
    """Return the number of bytes still to come, where a stream knows it."""
    if isinstance(stream, io.TextIOBase):
        return None
    try:
        here = stream.tell()
        end = stream.seek(0, os.SEEK_END)
        stream.seek(here)
    except (OSError, ValueError, AttributeError):
        return None
    return max(end - here, 0) if isinstance(end, int) else None


@contextmanager
def open_source(source: Source) -> Iterator[ByteSource]:
    """Open a path, or take a file object as it stands (it is left open), and undo its compression."""
    name = source_name(source)
    with ExitStack() as stack:
        opened = isinstance(source, str | os.PathLike)
        if isinstance(source, str | os.PathLike):
            try:
                raw: IO[Any] = stack.enter_context(open(source, "rb", buffering=0))
            except (OSError, ValueError) as exc:
                reason = getattr(exc, "strerror", None) or exc
                raise InputError(f"{name}: cannot be opened: {reason}; check the path") from exc
        elif hasattr(source, "read"):
            raw = source
        else:
            raise InputError(f"a LETOR source is a path or a file object, not {type(source).__name__}")
        total = _total(raw)
        counted = _Counted(raw, name)
        head = counted.peek(len(_XZ))
        if head.startswith((_ZIP, _EMPTY_ZIP)):
            yield _open_zip(raw if opened else _copied(counted, stack), name, stack)
            return
        plain = io.BufferedReader(counted, PIECE)
        kind = "plain"
        stream: Any = plain
        if head.startswith(_GZIP):
            kind, stream = "gzip", stack.enter_context(gzip.GzipFile(fileobj=plain))
        elif head.startswith(_XZ):
            kind, stream = "xz", stack.enter_context(lzma.LZMAFile(plain))
        elif head.startswith(_BZ2):
            kind, stream = "bz2", stack.enter_context(bz2.BZ2File(plain))
        yield ByteSource(name, stream, kind, lambda: counted.done, total)
