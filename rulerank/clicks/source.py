"""Where a click log comes from: a path or an open file, plain or compressed, as lines with their numbers."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from rulerank.errors import InputError

Source = str | os.PathLike[str] | IO[Any]

_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}


def name_of(source: Source) -> str:
    """Return the name that messages use for a source."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else "<stream>"


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Yield a source as bytes, unpacked where its first bytes say that it is gzip, xz or bz2."""
    name = name_of(source)
    try:
        if isinstance(source, str | os.PathLike):
            with open(source, "rb") as file:
                yield _unpacked(file)
        else:
            start = source.tell()
            try:
                raw = source if isinstance(source.read(0), bytes) else io.BytesIO(source.read().encode())
                yield _unpacked(cast(IO[bytes], raw))
            finally:
                source.seek(start)  # so that it can be read again
    except IsADirectoryError:
        raise InputError(f"{name} is a folder; give the file of the log") from None
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name} is damaged or ends too soon: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    start = file.tell()
    head = file.read(8)
    file.seek(start)
    for magic, opener in _OPENERS.items():
        if head.startswith(magic):
            return cast(IO[bytes], opener(file))
    return file


def text_lines(file: IO[bytes]) -> Iterator[str]:
    """Yield the lines as text; bytes that are not UTF-8 become U+FFFD, which the layouts refuse."""
    for place, line in enumerate(file):
        text = line.decode("utf-8", "replace")
        yield text.removeprefix("\ufeff") if place == 0 else text
