"""Reading files that may be compressed, and writing files whole or not at all.

The kind of compression is detected from the first bytes, not from the name.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import secrets
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from rulerank.errors import InputError
from rulerank.foreign.storable import readable

Source = str | os.PathLike[str] | IO[Any]

PIECE = 1 << 16
SPOOL = 1 << 24

PACKED = (".gz", ".xz", ".bz2", ".zip")
"""Endings of the names of compressed files that can be read."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of a zip; the second is of one that holds no file."""

DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile)
"""What reading a compressed stream raises that ends too soon or is damaged."""

_GZIP, _XZ, _BZ2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh"
_MAGIC = max(map(len, (_GZIP, _XZ, _BZ2, *ZIP)))  # bytes that have to be seen
_FOREIGN = {
    b"\x28\xb5\x2f\xfd": "the file is compressed with zstd; unpack it first, or use gzip, xz, bz2 or zip",
    b"7z\xbc\xaf\x27\x1c": "the file is a 7z archive; unpack it first, or use gzip, xz, bz2 or zip",
    _GZIP: "the file is compressed twice; unpack it first",
    _XZ: "the file is compressed twice; unpack it first",
    ZIP[0]: "the file is compressed twice; unpack it first",
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
    """Gives back the bytes that were read to detect the kind of file, then the rest, and counts them all."""

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
        except DAMAGED as exc:
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
        members = [m for m in archive.infolist() if not is_clutter(m)]
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


def is_clutter(member: zipfile.ZipInfo) -> bool:
    """Say whether a zip's member is a folder, or a file that packers add on their own."""
    path = PurePosixPath(member.filename)
    return member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith(".")


def without_packing(name: str, endings: Iterable[str] = PACKED) -> str:
    """Return a file's name in lower case, without the endings of compressions.

    >>> without_packing("Train.TXT.gz")
    'train.txt'
    """
    name = name.lower()
    for ending in endings:
        name = name.removesuffix(ending)
    return name


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
    """Open a path, or take a file object as it stands (it is left open), and undo its compression.

    A zip must hold one file. A stream that is damaged raises BrokenStreamError, anything else InputError.
    """
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
            raise InputError(f"a source is a path or a file object, not {type(source).__name__}")
        total = _total(raw)
        counted = _Counted(raw, name)
        head = counted.peek(_MAGIC)
        if head.startswith(ZIP):
            yield _open_zip(raw if opened else _copied(counted, stack), name, stack)
            return
        kind, stream = unpacked(io.BufferedReader(counted, PIECE), head)
        stack.enter_context(stream)
        yield ByteSource(name, stream, kind, lambda: counted.done, total)


def unpacked(file: IO[bytes], head: bytes) -> tuple[str, IO[bytes]]:
    """Return the kind of compression (gzip, xz, bz2 or plain) that a file's first bytes show, and its plain bytes."""
    if head.startswith(_GZIP):
        return "gzip", cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if head.startswith(_XZ):
        return "xz", cast(IO[bytes], lzma.LZMAFile(file))
    if head.startswith(_BZ2):
        return "bz2", cast(IO[bytes], bz2.BZ2File(file))
    return "plain", file


@contextmanager
def whole_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new name beside `path`, with the same ending, to write a file to; the file takes the place at the end.

    If the block raises, what was there before stays, and what was written is deleted. A file that is replaced keeps
    its mode. A device or a pipe is not replaced: its own name is yielded. Trouble with the disk raises InputError.
    """
    target = _target(path)
    if target.exists() and not target.is_file():
        yield target
        return
    # A name as long as names may be still gets its ending.
    beside = target.with_name(f".{secrets.token_hex(6)}-{target.name[-40:]}")
    try:
        yield beside
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except OSError as error:
        raise _not_written(path, error.strerror or error) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _target(path: str | os.PathLike[str]) -> Path:
    """Return where a file is to be written, which is what a link points to."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise _not_written(path, "it is a folder")
        if not target.parent.is_dir():
            raise _not_written(path, f"the folder {target.parent} does not exist")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _not_written(path, error) from error
    return target


def _not_written(path: str | os.PathLike[str], reason: object) -> InputError:
    return InputError(f"{os.fspath(path)}: cannot be written: {reason}; check the path and the room")


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also if the process is ended on the way."""
    with whole_path(path) as beside:
        beside.write_bytes(content)


def put_in_place(file: Path, target: Path) -> None:
    """Give a complete file its name; after a power cut it is there whole, or not at all."""
    _flush(file)
    file.replace(target)
    if os.name == "posix":
        _flush(target.parent)


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
