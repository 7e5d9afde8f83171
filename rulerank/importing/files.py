"""Files that somebody chose to import: uploads or files on the server, and what each of them holds."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from rulerank.errors import InputError
from rulerank.files import DAMAGED, PACKED, ZIP
from rulerank.prepare import part_of, paths_for

MOST_MEMBERS = 1000
SMALL, MOST_BYTES = ("features", "facts"), 1 << 25  # parts that are read in one go, and how large they may be
BROKEN = (*DAMAGED, RuntimeError, NotImplementedError, ValueError)
"""What a zip raises that is damaged, has a password, or is packed in an unusual way."""

ENDINGS = (".txt", ".letor", ".dat", ".svm", *PACKED)
_FOLD = re.compile(r"fold(\d+)", re.IGNORECASE)
_BESIDE_DATA = ("readme", "license", "licence", "changelog")


@dataclass(frozen=True)
class Upload:
    """A file as it came: from a browser (`data`), or at a path on the server."""

    name: str
    data: bytes | None = None
    path: Path | None = None
    key: str = ""  # tells two uploads of the same name apart
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
    """Tell the files that `prepare` writes beside a LETOR file by their names, and put each in its place.

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
    evaluation = tuple(upload for upload in files.evaluation if part_of(upload.name) is None)
    return replace(files, letor=letor, evaluation=evaluation, **parts)


def _inside(upload: Upload) -> Iterable[Upload]:
    """Give the files in a zip that `prepare` wrote beside its LETOR file; they are unpacked when they are read.

    A zip that cannot be opened is told when its LETOR files are read.
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
