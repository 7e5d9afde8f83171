"""Files that somebody chose to import, uploads or files on the server, and what each of them holds."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from rulerank.errors import InputError
from rulerank.files import DAMAGED, PACKED, ZIP, BrokenStreamError
from rulerank.prepare import DataFile, Named, files_of, find_layout, looks_like_zip, part_of, paths_for, zip_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulerank.prepare import Layout


MOST_MEMBERS = 1000
SMALL, MOST_BYTES = ("features", "facts"), 1 << 25  # parts that are read in one go, and how large they may be
BROKEN = (*DAMAGED, RuntimeError, NotImplementedError, ValueError)
"""What a zip raises that is damaged, has a password, or is packed in an unusual way."""

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".xls", ".ods")
ENDINGS = (".txt", ".letor", ".dat", ".svm", *PACKED)
_FOLD = re.compile(r"fold(\d+)", re.IGNORECASE)
_BESIDE_DATA = ("readme", "license", "licence", "changelog")


@dataclass(frozen=True)
class Upload:
    """A file as it came: from a browser (`data`), or at a path on the server."""

    name: str
    data: bytes | None = None
    path: Path | None = None
    key: str = ""  # distinguishes two uploads of the same name
    member: zipfile.ZipInfo | None = None  # of the zip that data or path is, if not the zip itself is meant

    def open(self) -> IO[bytes]:
        """Return its bytes as a file, which has the name of the upload wherever it is kept."""
        if self.member is not None:
            try:
                return zipfile.ZipFile(replace(self, member=None).open()).open(self.member)
            except BROKEN as error:
                words = "cannot be unpacked"
                raise InputError(f"{self.name}: {words} ({error}); pack the zip again, without a password") from error
        if self.path is not None:
            try:
                raw = io.FileIO(self.path)
                raw.name = self.name
                return io.BufferedReader(raw)
            except OSError as error:
                raise InputError(f"{self.name}: cannot be opened: {error.strerror}; check the path") from error
        stream = io.BytesIO(self.data or b"")
        stream.name = self.name
        return stream

    def to_dict(self) -> dict[str, str]:
        """Return where it is as plain values; its bytes must be at a path."""
        if self.path is None or self.member is not None:
            raise InputError(f"{self.name}: only a file at a path can be handed over")
        return {"name": self.name, "path": str(self.path)}

    @staticmethod
    def from_dict(saved: dict[str, str]) -> Upload:
        """Return what `to_dict` described."""
        return Upload(saved["name"], path=Path(saved["path"]))

    @property
    def size(self) -> int:
        """Its size in bytes."""
        if self.member is not None:
            return self.member.file_size
        return self.path.stat().st_size if self.path is not None else len(self.data or b"")


@dataclass(frozen=True)
class Files:
    """What somebody chose to import."""

    letor: tuple[Upload, ...]  # and, among them, what `prepare` wrote beside a LETOR file
    evaluation: tuple[Upload, ...] = ()
    queries: Upload | None = None
    documents: Upload | None = None
    features: Upload | None = None  # names
    facts: Upload | None = None  # what `prepare` says that it did

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for another process to read."""
        several = {part: [each.to_dict() for each in getattr(self, part)] for part in ("letor", "evaluation")}
        one = {part: getattr(self, part) for part in ("queries", "documents", "features", "facts")}
        return several | {part: each.to_dict() for part, each in one.items() if each is not None}

    @staticmethod
    def from_dict(saved: dict[str, Any]) -> Files:
        """Return what `to_dict` described."""
        letor, evaluation = (tuple(map(Upload.from_dict, saved[part])) for part in ("letor", "evaluation"))
        one = {part: Upload.from_dict(each) for part, each in saved.items() if part not in ("letor", "evaluation")}
        return Files(letor, evaluation, **one)


def sorted_out(files: Files) -> Files:
    """Recognise the files that `prepare` writes beside a LETOR file by their names, and put each in its place.

    They may be among the uploads or in a zip. What somebody has put in its place already stays there.
    """
    parts: dict[str, Upload] = {}
    for upload in [each for one in files.letor for each in (one, *_inside(one))]:
        part = part_of(upload.name)
        if part is None or getattr(files, part) is not None:
            continue
        if part in parts:
            raise InputError(
                f"{parts[part].name} and {upload.name} both say what the {part} are; bring one collection at a time"
            )
        parts[part] = upload
    letor = tuple(upload for upload in files.letor if part_of(upload.name) is None)
    if not letor:
        raise InputError("choose at least one LETOR file")
    table = next((upload.name for upload in letor if is_table(upload)), None)
    if table is not None:
        raise InputError(f"{table} looks like a table of texts, not like a LETOR file: choose 'I have texts', above")
    evaluation = tuple(upload for upload in files.evaluation if part_of(upload.name) is None)
    return replace(files, letor=letor, evaluation=evaluation, **parts)


def is_table(upload: Upload) -> bool:
    """Say whether a file is a table by its name, not one that `prepare` wrote, and begins like no LETOR file."""
    if part_of(upload.name) is not None or not upload.name.lower().endswith(TABLES):
        return False
    with upload.open() as stream:
        return b"qid:" not in stream.read(4096)


def _inside(upload: Upload) -> Iterable[Upload]:
    """Give the files in a zip that `prepare` wrote beside its LETOR file; they are unpacked when they are read.

    A zip that cannot be opened is reported when its LETOR files are read.
    """
    try:
        with upload.open() as stream:
            if stream.read(4) not in ZIP:
                return
            with zipfile.ZipFile(stream) as archive:
                members = archive.infolist()
    except (*BROKEN, OSError):
        return
    for member in members:
        part, name = part_of(member.filename), f"{upload.name}/{member.filename}"
        if part is None or _is_clutter(member.filename):
            continue
        if part in SMALL and member.file_size > MOST_BYTES:
            raise InputError(f"{name}: {member.file_size:,} bytes are too many; what `prepare` writes is far smaller")
        yield replace(upload, name=name, member=member)


def one_fold(name: str, paths: list[str]) -> tuple[set[str], str]:
    """Keep one fold of a folder of folds: each holds the whole collection, only divided differently."""
    by_fold: dict[int, set[str]] = {}
    for path in paths:
        for part in PurePosixPath(path).parts[:-1]:
            found = _FOLD.fullmatch(part)
            if found:
                by_fold.setdefault(int(found.group(1)), set()).add(path)
                break
    if len(by_fold) < 2:
        return set(paths), ""
    first = min(by_fold)
    loose = set(paths) - set().union(*by_fold.values())
    words = f"of the {len(by_fold)} folds in {name}, which hold the same documents, Fold{first} was taken"
    return by_fold[first] | loose, words


def files_at(path_text: str) -> tuple[Upload, ...]:
    """Return the files at a path on the server: one file, or the data files of a folder and its folds."""
    path = Path(path_text.strip()).expanduser()
    if path.is_file():
        beside = [other for part, other in paths_for(path).items() if part != "letor" and other.is_file()]
        return tuple(Upload(str(file), path=file) for file in (path, *(beside if part_of(path.name) is None else ())))
    if not path.is_dir():
        raise InputError(f"{path} is neither a file nor a folder on the server; check the path")
    near = {file.relative_to(path).as_posix(): file for file in (*path.glob("*"), *path.glob("*/*")) if file.is_file()}
    found = {name: file for name, file in sorted(near.items()) if is_data(name)}
    parts = (Upload(str(file), path=file) for name, file in sorted(near.items()) if "/" not in name and part_of(name))
    if not found or len(found) > MOST_MEMBERS:
        raise InputError(f"{path} holds {len(found)} files ending in {', '.join(ENDINGS)}; name a folder of data files")
    kept, _ = one_fold(str(path), list(found))
    return (*(Upload(str(file), path=file) for name, file in found.items() if name in kept), *parts)


def is_data(path: str) -> bool:
    """Say whether a file's name may be one of LETOR data; packers and `prepare` add others of their own."""
    name = PurePosixPath(path.lower()).name
    if _is_clutter(path) or name.startswith(_BESIDE_DATA) or part_of(name) is not None:
        return False
    return name.endswith(ENDINGS)


def _is_clutter(path: str) -> bool:
    return any(part.startswith((".", "__macosx")) for part in PurePosixPath(path.lower()).parts)


ROLES = {
    "pairs": "One table with both",
    "documents": "Documents",
    "queries": "Queries",
    "judgements": "Judgements",
    "runs": "Runs",
}

# Names by which the role of a file is recognised, whatever it is really called.
_TELLING = {
    "pairs": "pairs.txt",
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
        """The name that shows its role."""
        return _TELLING[self.role]

    @property
    def folder(self) -> str:
        """No folder, since its name could suggest another role."""
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
            single = _single(upload)
            single.check_format()
            packed = looks_like_zip(upload.name, single.first_bytes()) and not single.is_workbook
            found += _unpacked(upload) if packed else [single]
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


def recognised(files: Sequence[DataFile]) -> Layout | str:
    """Recognise by names and contents what the files are; else return in words what is missing."""
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
