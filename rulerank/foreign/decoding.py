"""How the bytes of a file become text, for every reader: whole lines, a block at a time, and JSON."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, NoReturn, Protocol

from rulerank.errors import InputError
from rulerank.foreign.encodings import BAD_CHARACTER, Encoding, given_encoding, marked_encoding
from rulerank.foreign.numbers import shown
from rulerank.memory import check_memory

CHUNK = 1 << 17  # bytes of text at a time: fits a processor's cache, and is small beside the arrays that result


class LineKind(Enum):
    """What a block is."""

    LINES = "whole lines"
    LAST = "the last line, which has no newline of its own"
    TOO_LONG = "the beginning of a line that is too long; the rest of it is skipped"


class LineBlocks:
    """Blocks of whole lines; `rest` is the beginning of a line whose end is not read yet."""

    def __init__(self, stream: Bytes, longest: int) -> None:
        self.rest = b""
        self._stream = stream
        self._longest = longest
        self._head = b""

    def peek(self) -> bytes:
        """Return the beginning of the stream, which stays to be read."""
        self._head = self._head or self._stream.read(CHUNK)
        return self._head

    def __iter__(self) -> Iterator[tuple[LineKind, bytes]]:
        piece = self.peek()
        while piece:
            end = piece.rfind(b"\n") + 1
            if end:
                text, self.rest = self.rest + piece[:end], piece[end:]
                yield LineKind.LINES, text
                piece = self._stream.read(CHUNK)
                continue
            parts, length = [self.rest], len(self.rest)
            while piece and b"\n" not in piece and length <= self._longest:
                parts.append(piece)
                length += len(piece)
                piece = self._stream.read(CHUNK)
            self.rest = b"".join(parts)
            if length > self._longest:
                begun, self.rest = self.rest, b""
                yield LineKind.TOO_LONG, begun
                piece = self._after_line(piece)
        if self.rest:
            last, self.rest = self.rest, b""
            yield LineKind.LAST, last + b"\n"

    def _after_line(self, piece: bytes) -> bytes:
        while piece and b"\n" not in piece:
            piece = self._stream.read(CHUNK)
        return piece.partition(b"\n")[2] or self._stream.read(CHUNK)


HEAD = 4  # bytes of the longest mark
_QUESTION = "rulerank-question-marks"
UTF8 = Encoding("utf-8", "valid")


class Bytes(Protocol):
    """A stream of bytes that knows its name and how much of it is read."""

    name: str
    total: int | None

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, and none only at the end."""
        ...

    def done(self) -> int:
        """Return how many bytes were read, as they are stored."""
        ...


class Utf8Stream:
    """A stream as UTF-8, whatever encoding it has, without its mark.

    What is no character in its encoding becomes bytes that are no UTF-8, so that `bad_lines` finds it by line.
    """

    def __init__(self, stream: Bytes, given: str | None = None) -> None:
        self.name = stream.name
        self.total = stream.total
        self._stream = stream
        self._head = b""
        while len(self._head) < HEAD and (piece := stream.read(HEAD - len(self._head))):
            self._head += piece
        self.encoding = given_encoding(given, self._head) if given else marked_encoding(self._head) or UTF8
        self._head = self._head[self.encoding.mark :]
        self._decoder = None
        if self.encoding.name != "utf-8":
            self._decoder = codecs.getincrementaldecoder(self.encoding.name)(BAD_CHARACTER)

    def done(self) -> int:
        """Return how many bytes were read, as they are stored."""
        return self._stream.done()

    def read(self, size: int) -> bytes:
        """Return up to about `size` bytes of UTF-8, and none only at the end."""
        while True:
            piece, self._head = self._head + self._stream.read(size), b""
            if self._decoder is None:
                return piece
            text = self._decoder.decode(piece, not piece)
            if text or not piece:
                return text.encode("utf-8", "surrogatepass")

    def refusal(self, byte: int) -> str:
        """Say what is wrong with a byte that `bad_lines` found."""
        if self._decoder is None:
            return f"byte {byte:02X} is not UTF-8"
        return f"this is no character in {self.encoding.label}"


def bad_lines(text: bytes) -> Iterator[tuple[int, int, int]]:
    """Give the lines (from 0) of a text that are not UTF-8, each with the column (from 1) and place of its first fault.

    The column counts characters, the place counts bytes of the whole text.
    """
    if text.isascii():
        return
    start = 0
    for number, line in enumerate(text.split(b"\n")):
        place = bad_byte(line)
        if place is not None:
            yield number, len(line[:place].decode("utf-8")) + 1, start + place
        start += len(line) + 1


def bad_byte(line: bytes) -> int | None:
    """Return the place of the first byte that is not UTF-8, or None."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def is_utf8(text: bytes) -> bool:
    """Say whether all of a text is UTF-8."""
    return text.isascii() or bad_byte(text) is None


def without_bad_bytes(text: bytes) -> bytes:
    """Return a text of the same length with `?` for each byte that is not UTF-8."""
    return text.decode("utf-8", _QUESTION).encode("utf-8")


def decode_line(line: bytes) -> str:
    """Return one line as text, or raise an InputError with the column of its first byte that is not UTF-8."""
    place = bad_byte(line)
    if place is None:
        return line.decode("utf-8")
    column = len(line[:place].decode("utf-8")) + 1
    raise InputError(f"column {column}: byte {line[place]:02X} is not UTF-8; save the file as UTF-8")


def decode_whole(data: bytes, name: str) -> str:
    """Return a whole small file as text: UTF-8, or what its mark says; an InputError names line and column."""
    encoding = marked_encoding(data) or UTF8
    rest = data[encoding.mark :]
    try:
        return rest.decode(encoding.name)
    except UnicodeDecodeError as error:
        before = rest[: error.start].decode(encoding.name, "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise InputError(
            f"{name}:{line}:{column}: byte {rest[error.start]:02X} is not {encoding.label}; save the file as UTF-8"
        ) from error


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "?" * (error.end - error.start), error.end


codecs.register_error(_QUESTION, _question_marks)


SMALL = 1 << 20  # characters that cannot become much memory
BYTES_PER_CHARACTER = 4
BYTES_PER_VALUE = 72  # the shortest values, `{}` and `[]`, are the most wasteful


def parse_json(text: str) -> Any:
    """Return what a JSON text says; an InputError says why it is none, or that it needs too much memory."""
    if len(text) > SMALL:
        values = sum(map(text.count, ",:[{"))
        check_memory(BYTES_PER_CHARACTER * len(text) + BYTES_PER_VALUE * values, "a JSON text of this size")
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise InputError("values are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(error)) from error


def _refuse(constant: str) -> NoReturn:
    raise InputError(f"{shown(constant)} is no number in JSON")
