"""The files that somebody brought: a folder, a zip or single files, plain or compressed, as lines of text."""

from __future__ import annotations

import codecs
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from rulerank.errors import InputError
from rulerank.letor.source import BrokenStreamError, ByteSource, describe_foreign, open_source
from rulerank.prepare.encodings import Encoding, detect_encoding, given_encoding
from rulerank.prepare.problems import Problems

PIECE = 1 << 20
LONGEST_LINE = 1 << 26
MOST_FILES = 20_000
PACKED = (".gz", ".xz", ".bz2", ".zip")

Tell = Callable[[int], None]


@dataclass(frozen=True)
class DataFile:
    """A file: its name as messages show it, its size, and how it is opened (as often as needed)."""

    name: str
    size: int
    opened: Callable[[ExitStack], str | IO[bytes]]

    @property
    def plain_name(self) -> str:
        """Its name in lower case, without folders and without the ending of a compression."""
        name = PurePosixPath(self.name.lower()).name
        for ending in PACKED:
            name = name.removesuffix(ending)
        return name

    @property
    def folder(self) -> str:
        """The name of the folder it is in, in lower case."""
        return PurePosixPath(self.name.lower()).parent.name

    @contextmanager
    def open(self) -> Iterator[ByteSource]:
        """Open it as a stream of plain bytes."""
        with ExitStack() as stack:
            source = self.opened(stack)
            with open_source(source) as stream:
                yield stream

    def head(self, size: int = 4096) -> str:
        """Return its beginning as text, for a look at what it is."""
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
    if where.is_file() and zipfile.is_zipfile(where):
        return _members(where)
    if where.is_file():
        return [file_at(where)]
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
        raise InputError(f"{where} is not a file; check the path")
    return DataFile(name or str(where), where.stat().st_size, lambda stack: str(where))


def _members(path: Path) -> list[DataFile]:
    def opener(member: zipfile.ZipInfo) -> Callable[[ExitStack], IO[bytes]]:
        def opened(stack: ExitStack) -> IO[bytes]:
            return stack.enter_context(stack.enter_context(zipfile.ZipFile(path)).open(member))

        return opened

    try:
        with zipfile.ZipFile(path) as archive:
            found = [
                DataFile(member.filename, member.file_size, opener(member))
                for member in archive.infolist()
                if not member.is_dir() and not member.filename.startswith("__MACOSX")
                if not PurePosixPath(member.filename).name.startswith(".")
            ]
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise InputError(f"{path}: the zip cannot be opened ({error}); pack it again") from error
    return _checked(found, path)


def _checked(found: list[DataFile], where: Path) -> list[DataFile]:
    if not found:
        raise InputError(f"{where} holds no file; give the folder that holds the texts")
    if len(found) > MOST_FILES:
        raise InputError(f"{where} holds {len(found):,} files, more than {MOST_FILES:,}; join small files, or choose")
    return found


class TextLines:
    """The lines of one file, decoded; reading them notes lines that cannot be decoded, and tells how far it is."""

    def __init__(self, file: DataFile, problems: Problems, encoding: str | None = None, tell: Tell | None = None):
        self.name = file.name
        self.line = 0
        self.problems = problems
        self._file = file
        self._tell = tell
        self.encoding = given_encoding(encoding) if encoding else self._detected()

    def complain(self, text: str, message: str, line: int | None = None) -> None:
        """Note a problem of the present line, or of another one."""
        self.problems.add(self.name, line or max(self.line, 1), text, message)

    def __iter__(self) -> Iterator[str]:
        """Give the lines without their ends; the numbers of lines count from 1 in `line`."""
        self.line = 0
        try:
            with self._file.open() as stream:
                yield from self._lines(stream)
        except BrokenStreamError as error:
            self.complain("", str(error))

    def _detected(self) -> Encoding:
        try:
            with self._file.open() as stream:
                head = stream.read(PIECE)
                if not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and (
                    foreign := describe_foreign(head)
                ):
                    raise InputError(f"{self.name}: {foreign}")
                return detect_encoding(_pieces(stream, head))
        except BrokenStreamError as error:
            self.complain("", str(error))
            return Encoding("utf-8", "ASCII")

    def _lines(self, stream: ByteSource) -> Iterator[str]:
        skipped = stream.read(self.encoding.mark) if self.encoding.mark else b""
        if self.encoding.by_line:
            yield from self._byte_lines(stream, len(skipped))
            return
        decoder = codecs.getincrementaldecoder(self.encoding.name)("replace")
        rest = ""
        while piece := stream.read(PIECE):
            self._told(len(piece))
            *lines, rest = (rest + decoder.decode(piece)).split("\n")
            for line in lines:
                self.line += 1
                yield line.rstrip("\r")
        if rest:
            self.line += 1
            yield rest.rstrip("\r")

    def _byte_lines(self, stream: ByteSource, done: int) -> Iterator[str]:
        rest = b""
        while piece := stream.read(PIECE):
            self._told(len(piece) + done)
            done = 0
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise InputError(f"{self.name}: a line is longer than {LONGEST_LINE} bytes; is this a text file?")
            for line in lines:
                yield self._decoded(line)
        if rest:
            yield self._decoded(rest)

    def _decoded(self, raw: bytes) -> str:
        self.line += 1
        try:
            return raw.decode(self.encoding.name).rstrip("\r")
        except UnicodeDecodeError as error:
            text = raw.decode(self.encoding.name, "replace")
            self.complain(
                text,
                f"byte {error.start + 1} of the line is not {self.encoding.label}, as the rest of the file is; "
                "mend the line, or name the encoding",
            )
            return text.rstrip("\r")

    def _told(self, size: int) -> None:
        if self._tell:
            self._tell(size)


def _pieces(stream: ByteSource, head: bytes) -> Iterator[bytes]:
    while head:
        yield head
        head = stream.read(PIECE)
