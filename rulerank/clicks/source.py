"""Where a click log comes from: a path or an open file, plain or compressed, as lines with their numbers."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from rulerank.clicks.problems import RowError
from rulerank.errors import InputError
from rulerank.files import DAMAGED, Source, source_name, unpacked
from rulerank.foreign.decoding import Utf8Stream, bad_lines, is_utf8, without_bad_bytes
from rulerank.foreign.lines import Kind, LineBlocks

LONGEST_LINE = 1 << 26


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Yield a source as bytes, unpacked where its first bytes say that it is gzip, xz or bz2."""
    name = source_name(source)
    try:
        if isinstance(source, str | os.PathLike):
            with open(source, "rb") as file:
                yield _unpacked(file)
        else:
            start = source.tell()
            try:
                raw = (
                    source
                    if isinstance(source.read(0), bytes)
                    else io.BytesIO(source.read().encode("utf-8", "surrogatepass"))
                )
                yield _unpacked(cast(IO[bytes], raw))
            finally:
                source.seek(start)  # so that it can be read again
    except IsADirectoryError:
        raise InputError(f"{name} is a folder; give the file of the log") from None
    except DAMAGED as error:
        raise InputError(f"{name} is damaged or ends too soon: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    start = file.tell()
    head = file.read(8)
    file.seek(start)
    return unpacked(file, head)[1]


class LogLines:
    """The lines of a log as text, with their ends; what is no text in a line is its `fault`, for the row to refuse."""

    name: str
    total: int | None = None

    def __init__(self, file: IO[bytes], name: str = "the log") -> None:
        self.name = name
        self._file = file
        self._fault = ""

    def check(self) -> None:
        """Raise a RowError if a line that was given since the last check is no text."""
        if self._fault:
            fault, self._fault = self._fault, ""
            raise RowError(fault)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of the file."""
        return self._file.read(size)

    def done(self) -> int:
        """Return how many bytes were read; nobody asks."""
        return 0

    def __iter__(self) -> Iterator[str]:
        stream = Utf8Stream(self)
        for kind, block in LineBlocks(stream, LONGEST_LINE):
            if kind is Kind.TOO_LONG:
                raise InputError(f"{self.name}: a line is longer than {LONGEST_LINE} bytes; is this a click log?")
            faults = {} if is_utf8(block) else {line: (column, block[at]) for line, column, at in bad_lines(block)}
            lines = (without_bad_bytes(block) if faults else block).decode("utf-8").split("\n")[:-1]
            for number, line in enumerate(lines):
                if number in faults:
                    column, byte = faults[number]
                    self._fault = f"column {column}: {stream.refusal(byte)}; save the file as UTF-8"
                yield line + "\n"
