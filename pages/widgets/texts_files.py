"""The files of somebody who brings texts: uploads, or a folder on the server, and what people say that each is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from pages.widgets.import_files import Upload
from rulerank.errors import InputError
from rulerank.letor.source import BrokenStreamError
from rulerank.prepare import DataFile, Named, files_of, find_layout, looks_like_zip, zip_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulerank.prepare import Layout

ROLES = {"documents": "Documents", "queries": "Queries", "judgements": "Judgements", "runs": "Runs"}

# Names by which a file is told to be of a role, whatever it is really called.
_TELLING = {
    "documents": "documents.txt",
    "queries": "queries.txt",
    "judgements": "qrels.txt",
    "runs": "some.run",
    "": "readme",
}


@dataclass(frozen=True)
class Brought:
    """Files that somebody brought, what tells them from others, and a name for them."""

    files: tuple[DataFile, ...]
    key: Hashable
    called: str


@dataclass(frozen=True)
class ChosenFile(DataFile):
    """A file of which somebody has said what it is; messages still call it by its own name."""

    role: str = ""  # none of the roles: it is not read

    @property
    def plain_name(self) -> str:
        """The name that tells its role."""
        return _TELLING[self.role]

    @property
    def folder(self) -> str:
        """No folder, since its name could tell of another role."""
        return ""


def with_roles(files: Iterable[DataFile], roles: Mapping[str, Sequence[str]]) -> tuple[DataFile, ...]:
    """Return files as somebody has divided them: names of files by role; those of no role are left aside."""
    by_name = {name: role for role, names in roles.items() for name in names}
    return tuple(ChosenFile(file.name, file.size, file.opened, by_name.get(file.name, "")) for file in files)


def uploaded(uploads: Sequence[Upload]) -> Brought:
    """Return the files of uploads; a zip counts as the files in it."""
    found: list[DataFile] = []
    with readable():
        for upload in uploads:
            data = upload.data or b""
            packed = looks_like_zip(upload.name, data[:8])
            found += _unpacked(upload.name, data) if packed else [_single(upload.name, data)]
    names = [file.name for file in found]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(f"two files are called {twice[0]}; upload one of them, or give it another name")
    if not found:
        raise InputError("the zip holds no file; pack the documents and queries again")
    called = PurePosixPath(uploads[0].name).name
    return Brought(tuple(found), tuple((upload.name, upload.size, upload.key) for upload in uploads), called)


def at_path(path_text: str) -> Brought:
    """Return the files of a folder, or of a zip, on the server."""
    path = Path(path_text.strip()).expanduser()
    with readable():
        files = files_of(path)
    changed = [(path / file.name if path.is_dir() else path).stat().st_mtime_ns for file in files]
    key = (str(path), tuple((file.name, file.size) for file in files), max(changed))
    return Brought(tuple(files), key, path.resolve().name)


def told(files: Sequence[DataFile]) -> Layout | str:
    """Tell by names and contents what the files are; else return in words what is missing."""
    with readable():
        try:
            return find_layout(files, Named())
        except InputError as error:
            return str(error)


@contextmanager
def readable() -> Iterator[None]:
    """Say in words what is wrong with a file that cannot be opened."""
    try:
        yield
    except BrokenStreamError as error:
        raise InputError(f"a file cannot be read: {error}") from error
    except OSError as error:
        raise InputError(f"a file cannot be read: {error.strerror or error}; check the path") from error


def _unpacked(name: str, data: bytes) -> list[DataFile]:
    return zip_files(name, lambda: zipfile.ZipFile(io.BytesIO(data)))


def _single(name: str, data: bytes) -> DataFile:
    return DataFile(name, len(data), lambda stack: _stream(name, data))


def _stream(name: str, data: bytes) -> IO[bytes]:
    stream = io.BytesIO(data)
    stream.name = name
    return stream
