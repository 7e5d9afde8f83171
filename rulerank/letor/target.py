"""Where LETOR text goes to: a path (written whole or not at all, compressed by its ending) or a file object."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from rulerank.errors import InputError
from rulerank.files import whole_path

Target = str | os.PathLike[str] | IO[Any]
Write = Callable[[bytes], Any]


@contextmanager
def open_target(target: Target) -> Iterator[Write]:
    """Give a function that takes bytes; a path changes only if the block ends without an error."""
    if isinstance(target, str | os.PathLike):
        with whole_path(target) as path, path.open("wb") as file, compressed(file, os.path.realpath(target)) as stream:
            yield stream.write
    elif hasattr(target, "write"):
        yield _writer(target)
    else:
        raise InputError(f"a LETOR target is a path or a file object, not {type(target).__name__}")


@contextmanager
def compressed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """Yield a stream that compresses into a file as the ending of `name` says.

    No dates go in, so that equal contents give equal bytes.
    """
    path = Path(name)
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
        yield stream


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
