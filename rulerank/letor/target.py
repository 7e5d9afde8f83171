"""Where LETOR text goes to: a path (written whole or not at all, compressed by its ending) or a file object."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import secrets
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from rulerank.errors import InputError

Target = str | os.PathLike[str] | IO[Any]
Write = Callable[[bytes], Any]


@contextmanager
def open_target(target: Target) -> Iterator[Write]:
    """Give a function that takes bytes; a path changes only if the block ends without an error."""
    if isinstance(target, str | os.PathLike):
        path = Path(os.path.realpath(target))
        try:
            with _replaced(path) as file, _compressed(file, path) as write:
                yield write
        except (OSError, ValueError) as exc:
            if isinstance(exc, InputError):
                raise
            reason = getattr(exc, "strerror", None) or exc
            raise InputError(f"{os.fspath(target)}: cannot be written: {reason}; check the path and the room") from exc
    elif hasattr(target, "write"):
        yield _writer(target)
    else:
        raise InputError(f"a LETOR target is a path or a file object, not {type(target).__name__}")


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """Write beside the path and put the whole file in its place at the end."""
    if path.exists() and not path.is_file():
        # A device or a pipe is not replaced, but written to (and a folder refused).
        with path.open("wb") as file:
            yield file
        return
    beside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(6)}.tmp")
    try:
        with beside.open("xb") as file:
            yield file
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def _compressed(file: IO[bytes], path: Path) -> Iterator[Write]:
    """Compress as the path's ending says; no dates go in, so that equal contents give equal bytes."""
    with ExitStack() as stack:
        stream: Any = file
        match path.suffix.lower():
            case ".gz":
                stream = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
            case ".xz":
                stream = stack.enter_context(lzma.LZMAFile(file, "wb"))
            case ".bz2":
                stream = stack.enter_context(bz2.BZ2File(file, "wb"))
            case ".zip":
                archive = stack.enter_context(zipfile.ZipFile(file, "w"))
                member = zipfile.ZipInfo(path.stem if Path(path.stem).suffix else f"{path.stem}.txt")
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = 0o644 << 16
                stream = stack.enter_context(archive.open(member, "w", force_zip64=True))
        yield stream.write


def _writer(target: IO[Any]) -> Write:
    """Return the function that writes bytes to a binary or a text stream."""
    try:
        is_text = isinstance(target, io.TextIOBase)
        if not is_text:
            target.write(b"")
    except TypeError:
        is_text = True
    except (OSError, ValueError) as exc:
        raise InputError(f"the target cannot be written to: {exc}") from exc

    def write(data: bytes) -> None:
        try:
            if is_text:
                target.write(data.decode("utf-8"))
                return
            view = memoryview(data)
            while view:  # a raw stream may take only a part at a time
                taken = target.write(view)
                view = view[taken if isinstance(taken, int) else len(view) :]
        except UnicodeEncodeError as exc:
            raise InputError(f"the target's encoding cannot hold the text ({exc}); open it in binary mode") from exc
        except (OSError, ValueError) as exc:
            raise InputError(f"the target cannot be written to: {exc}") from exc

    return write
