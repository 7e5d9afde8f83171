"""The files of somebody who brings texts: uploads, or a folder on the server, and what people say that each is."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rulerank.errors import InputError
from rulerank.files import BrokenStreamError
from rulerank.importing.files import Upload
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


def uploaded(uploads: Sequence[Upload]) -> tuple[DataFile, ...]:
    """Return the files of uploads; a zip counts as the files in it."""
    found: list[DataFile] = []
    with readable():
        for upload in uploads:
            with upload.open() as stream:
                packed = looks_like_zip(upload.name, stream.read(8))
            found += _unpacked(upload) if packed else [_single(upload)]
    names = [file.name for file in found]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(f"two files are called {twice[0]}; upload one of them, or give it another name")
    if not found:
        raise InputError("the zip holds no file; pack the documents and queries again")
    return tuple(found)


def at_path(path: str | Path) -> tuple[DataFile, ...]:
    """Return the files of a folder, or of a zip, on the server."""
    with readable():
        return tuple(files_of(path))


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


def _unpacked(upload: Upload) -> list[DataFile]:
    return zip_files(upload.name, lambda: zipfile.ZipFile(upload.open()))


def _single(upload: Upload) -> DataFile:
    return DataFile(upload.name, upload.size, lambda stack: stack.enter_context(upload.open()))


def has_own_format(file: DataFile) -> bool:
    """Say whether a file is TREC's or SMART's; queries of theirs may go with tables of documents."""
    return file.head(64).lstrip().startswith(("<", ".I "))
