"""The files that somebody brought: a folder, a zip or single files, plain or compressed, as lines of text."""

from __future__ import annotations

import codecs
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from rulerank.errors import InputError
from rulerank.files import DAMAGED, BrokenStreamError, ByteSource, describe_foreign, open_source, without_packing
from rulerank.foreign.encodings import (
    BAD,
    BAD_CHARACTER,
    LONGEST_LINE,
    Encoding,
    detect_encoding,
    given_encoding,
    is_binary,
)
from rulerank.foreign.storable import readable
from rulerank.prepare.archives import OpenArchive, holds_workbook, looks_like_zip, zip_members
from rulerank.prepare.metered import describe_old
from rulerank.prepare.problems import TextProblems

if TYPE_CHECKING:
    from rulerank.prepare.gathered import LeftOut
    from rulerank.prepare.workbook import SheetRow

PIECE = 1 << 20
MOST_FILES = 20_000
FORMATS = "CSV, TSV, JSONL, Excel (.xlsx), BEIR, TREC or SMART files"


@dataclass(frozen=True)
class DataFile:
    """A file: its name as messages show it, its size, and how it is opened (as often as needed)."""

    name: str
    size: int
    opened: Callable[[ExitStack], str | IO[bytes]]

    @property
    def plain_name(self) -> str:
        """Its name in lower case, without folders and without the ending of a compression."""
        return without_packing(PurePosixPath(self.name).name)

    @property
    def folder(self) -> str:
        """The name of the folder it is in, in lower case."""
        return PurePosixPath(self.name.lower()).parent.name

    @contextmanager
    def open(self) -> Iterator[ByteSource]:
        """Open it as a stream of plain bytes."""
        try:
            with ExitStack() as stack:
                source = self.opened(stack)
                with open_source(source) as stream:
                    yield stream
        except DAMAGED as error:
            raise BrokenStreamError(f"the zip is damaged ({error}); fetch or pack it again") from error

    def first_bytes(self) -> bytes:
        """Return its very first bytes as they are, packed or not."""
        with ExitStack() as stack:
            source = self.opened(stack)
            try:
                stream = stack.enter_context(open(source, "rb")) if isinstance(source, str) else source
                return stream.read(8)
            except OSError as error:
                raise InputError(f"{self.name}: cannot be read: {error.strerror or error}; check the path") from error

    @property
    def is_workbook(self) -> bool:
        """Whether it is an Excel workbook, by its first bytes and by what is packed in it, or else by its name."""
        with ExitStack() as stack:
            return holds_workbook(self.name, self.opened(stack))

    def check_format(self) -> None:
        """Refuse a workbook of a kind that cannot be read, and say how it can become one that is."""
        with ExitStack() as stack:
            source = self.opened(stack)
            stream = stack.enter_context(open(source, "rb")) if isinstance(source, str) else source
            if old := describe_old(stream):
                raise InputError(f"{self.name}: {old}")

    def head(self, size: int = 4096) -> str:
        """Return its beginning as text, for a look at what it is; a workbook has none."""
        if self.is_workbook:
            return ""
        try:
            with self.open() as stream:
                piece = stream.read(size)
        except BrokenStreamError:
            return ""
        encoding = detect_encoding([piece])
        return piece[encoding.mark :].decode(encoding.name, "replace")


def files_of(path: str | Path) -> list[DataFile]:
    """Return the files of a folder (and the folders in it), of a zip, or the one file that the path names."""
    where = Path(path).expanduser()
    if where.is_file():
        single = file_at(where)
        single.check_format()
        if single.is_workbook:
            return [single]
        if looks_like_zip(where.name, single.first_bytes()):
            return _checked(zip_files(readable(str(where)), lambda: zipfile.ZipFile(where)), where)
        return [single]
    if not where.is_dir():
        raise InputError(f"{where} is neither a folder nor a file; give the folder that holds the texts")
    found = [
        file_at(file, file.relative_to(where).as_posix())
        for file in sorted(where.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(where).parts)
    ]
    return _checked(found, where)


def file_at(path: str | Path, name: str | None = None) -> DataFile:
    """Return the file at a path."""
    where = Path(path).expanduser()
    if not where.is_file():
        raise InputError(f"{readable(str(where))} is not a file; check the path")
    return DataFile(readable(name or str(where)), where.stat().st_size, lambda stack: str(where))


def zip_files(name: str, archive_of: OpenArchive) -> list[DataFile]:
    """Return the files of a zip, wherever it is; `archive_of` opens it as often as needed."""
    members = zip_members(name, archive_of)
    return _limited([DataFile(readable(member), size, opened) for member, size, opened in members], name)


def _checked(found: list[DataFile], where: Path) -> list[DataFile]:
    if not found:
        raise InputError(f"{where} holds no file; give the folder that holds the texts")
    return _limited(found, where)


def _limited(found: list[DataFile], where: str | Path) -> list[DataFile]:
    if len(found) > MOST_FILES:
        raise InputError(f"{where} holds {len(found):,} files, more than {MOST_FILES:,}; join small files, or choose")
    return found


class TextLines:
    """The lines of one file, decoded; those that cannot be decoded are noted, and `count` gets the bytes read."""

    unit = "line"  # what problems are counted by
    format: str  # the encoding, to tell people
    notes: tuple[str, ...] = ()  # what people should know about the file
    left_out: tuple[LeftOut, ...] = ()

    def __init__(
        self,
        file: DataFile,
        problems: TextProblems,
        encoding: str | None = None,
        count: Callable[[int], None] = lambda size: None,
    ):
        self.name = file.name
        self.line = 0
        self.problems = problems
        self._file = file
        self._count = count
        self._broken = False
        self._start(encoding)

    def _start(self, encoding: str | None) -> None:
        self.encoding = self._found(encoding)
        self.format = self.encoding.label

    def cells(self) -> Iterator[SheetRow] | None:
        """Give the rows of a sheet by their cells; None of a text, which is cut into lines."""
        return None

    def complain(self, text: str, message: str, line: int | None = None) -> None:
        """Note a problem of the present line, or of another one; that a file is damaged is the last of its problems."""
        if not self._broken:
            self.problems.add(self.name, line or max(self.line, 1), text, message)

    def _complain_broken(self, error: BrokenStreamError) -> None:
        self.complain("", str(error))
        self._broken = True

    def __iter__(self) -> Iterator[str]:
        """Give the lines without their ends; the numbers of lines count from 1 in `line`."""
        self.line = 0
        try:
            with self._file.open() as stream:
                yield from self._lines(stream)
        except BrokenStreamError as error:
            self._complain_broken(error)

    def _found(self, given: str | None) -> Encoding:
        """Return the encoding: the given one, or what the file's bytes show."""
        try:
            with self._file.open() as stream:
                head = stream.read(PIECE)
                if given:
                    return given_encoding(given, head)
                if foreign := describe_foreign(head) or describe_old(io.BytesIO(head)):
                    raise InputError(f"{self.name}: {foreign}")
                found = detect_encoding(_pieces(stream, head))
                if found.by_line and is_binary(head):
                    raise InputError(
                        f"{self.name}: this is no text, or it is damaged; bring texts as {FORMATS}, "
                        "or leave the file out"
                    )
                return found
        except BrokenStreamError as error:
            self._complain_broken(error)
            return Encoding("utf-8", "ASCII")

    def _lines(self, stream: ByteSource) -> Iterator[str]:
        skipped = stream.read(self.encoding.mark) if self.encoding.mark else b""
        if self.encoding.by_line:
            yield from self._byte_lines(stream, len(skipped))
            return
        decoder = codecs.getincrementaldecoder(self.encoding.name)(BAD_CHARACTER)
        rest = ""
        while piece := stream.read(PIECE):
            self._count(len(piece))
            *lines, rest = (rest + decoder.decode(piece)).split("\n")
            self._check_length(len(rest))
            for line in lines:
                yield self._checked(line)
        rest += decoder.decode(b"", True)
        if rest:
            yield self._checked(rest)

    def _checked(self, line: str) -> str:
        """Complain of a line that holds what is no character in the file's encoding."""
        self.line += 1
        if BAD in line:
            line = line.replace(BAD, "\ufffd")
            self._complain_character(line, f"column {line.index(chr(0xFFFD)) + 1}: this")
        return line.rstrip("\r")

    def _complain_character(self, text: str, which: str) -> None:
        given = self.encoding.how == "given"
        known = "which was named as the encoding" if given else "as the rest of the file is"
        better = "another encoding, or none to have it detected" if given else "the encoding"
        self.complain(text, f"{which} is not {self.encoding.label}, {known}; fix the line, or name {better}")

    def _byte_lines(self, stream: ByteSource, done: int) -> Iterator[str]:
        rest = b""
        while piece := stream.read(PIECE):
            self._count(len(piece) + done)
            done = 0
            *lines, rest = (rest + piece).split(b"\n")
            self._check_length(len(rest))
            for line in lines:
                yield self._decoded(line)
        if rest:
            yield self._decoded(rest)

    def _check_length(self, size: int) -> None:
        if size > LONGEST_LINE:
            raise InputError(f"{self.name}: a line is longer than {LONGEST_LINE} bytes; is this a text file?")

    def _decoded(self, raw: bytes) -> str:
        self.line += 1
        try:
            return raw.decode(self.encoding.name).rstrip("\r")
        except UnicodeDecodeError as error:
            text = raw.decode(self.encoding.name, "replace")
            before = raw[: error.start].decode(self.encoding.name, "replace")
            self._complain_character(text, f"column {len(before) + 1}: byte {raw[error.start]:02X}")
            return text.rstrip("\r")


def _pieces(stream: ByteSource, head: bytes) -> Iterator[bytes]:
    while head:
        yield head
        head = stream.read(PIECE)
