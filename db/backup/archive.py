"""The file of a backup: a zip with the database and a manifest, in which a checksum covers every byte.

It holds `manifest.json` and `backup.db`, a SQLite database, both stored as they are, so that nothing in it is larger
than the file. The comment at the end of the zip is the SHA-256 of all bytes before it: whatever is changed, cut off or
added is noticed before anything is read as a zip.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

from db.store.errors import DatabaseError
from db.store.files import create_private

FORMAT = 1
DATABASE, MANIFEST = "backup.db", "manifest.json"
LARGEST_MANIFEST = 1 << 20
_MARK = b"rulerank backup, SHA-256 of all bytes before this line: "
BLANK = _MARK + b"0" * 64 + b"\n"
_PART = 1 << 20


class DamagedBackupError(DatabaseError):
    """A file is not a backup, or not a whole one."""


class RoomError(DatabaseError):
    """There is too little room on a disk."""


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself."""

    format: int
    rulerank: str  # the version that made it
    made_at: str  # UTC
    made_from: str  # "sqlite" or "postgresql"
    revision: str  # of the schema
    fingerprint: str  # SHA-256 of the schema
    size: int  # bytes of the database
    sha256: str  # of the database
    tables: dict[str, dict[str, Any]]  # rows and content of each
    problem: str | None = None  # what was wrong with the database already when the backup was made

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read a manifest; anything but one of ours raises an error."""
        try:
            said = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DamagedBackupError(f"its {MANIFEST} is not JSON ({error})") from error
        if isinstance(said, dict) and isinstance(said.get("format"), int) and said["format"] > FORMAT:
            raise DamagedBackupError(f"it has the format {said['format']}, of a newer version; update rulerank")
        wanted = {"format": int, "size": int, "tables": dict, **dict.fromkeys(_TEXTS, str)}
        right = (
            isinstance(said, dict)
            and said.keys() == {*wanted, "problem"}
            and all(type(said[name]) is kind for name, kind in wanted.items())
            and isinstance(said["problem"], str | None)
            and all(isinstance(each, dict) and each.keys() == {"rows", "sha256"} for each in said["tables"].values())
        )
        if not right:
            raise DamagedBackupError(f"its {MANIFEST} does not say what it should")
        return cls(**said)


_TEXTS = ("rulerank", "made_at", "made_from", "revision", "fingerprint", "sha256")


def write_archive(target: Path, database: Path, manifest: Manifest) -> None:
    """Write a backup into a new file that its owner alone may read."""
    create_private(target)
    with target.open("r+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.comment = BLANK
            archive.writestr(_entry(MANIFEST), json.dumps(asdict(manifest), indent=1) + "\n")
            with database.open("rb") as source, archive.open(_entry(DATABASE), "w", force_zip64=True) as entry:
                shutil.copyfileobj(source, entry, _PART)
        seal(file)


def seal(file: IO[bytes]) -> None:
    """Put the checksum of all bytes before it into the comment of a zip, which has left its place blank."""
    length = file.seek(0, 2) - len(BLANK)
    file.seek(0)
    digest = _digest(file, length)
    file.seek(length)
    file.write(_ending(digest))


def read_manifest(file: Path | IO[bytes]) -> Manifest:
    """Return what a backup says of itself, unproven."""
    with zipfile.ZipFile(file) as archive:
        return Manifest.from_json(archive.read(MANIFEST))


def read_archive(source: Path, target: Path) -> Manifest:
    """Prove every byte of a backup, and write its database into a new file; return the manifest."""
    _prove_bytes(source)
    try:
        with zipfile.ZipFile(source) as archive:
            found = {info.filename: info for info in archive.infolist()}
            stored = all(info.compress_type == zipfile.ZIP_STORED for info in found.values())
            if sorted(archive.namelist()) != [DATABASE, MANIFEST] or not stored:
                raise DamagedBackupError(f"it does not hold just {MANIFEST} and {DATABASE}, uncompressed")
            if found[MANIFEST].file_size > LARGEST_MANIFEST:
                raise DamagedBackupError(f"its {MANIFEST} is too large")
            manifest = Manifest.from_json(archive.read(MANIFEST))
            size = found[DATABASE].file_size
            if not size == manifest.size == found[DATABASE].compress_size < source.stat().st_size:
                raise DamagedBackupError(f"its {DATABASE} is not as large as its {MANIFEST} says")
            need_room(target.parent, size)
            with archive.open(DATABASE) as entry:
                _extract(entry, target, manifest.sha256)
            return manifest
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise DamagedBackupError(f"it is not a zip as rulerank writes it ({error})") from error


def is_archive(source: Path) -> bool:
    """Say whether a file begins as a zip does."""
    with source.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def need_room(folder: Path, size: int) -> None:
    """Raise an error unless so many bytes can be written to a folder."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise RoomError(
            f"{folder} has room for {free:,} bytes, and {size:,} are needed; nothing was changed. Make room, or choose "
            "another place."
        )


def _extract(entry: IO[bytes], target: Path, sha256: str) -> None:
    create_private(target)
    digest = hashlib.sha256()
    with target.open("r+b") as file:
        while part := entry.read(_PART):
            digest.update(part)
            file.write(part)
    if digest.hexdigest() != sha256:
        raise DamagedBackupError(f"its {DATABASE} has another checksum than its {MANIFEST} says")


def _prove_bytes(source: Path) -> None:
    length = source.stat().st_size - len(BLANK)
    with source.open("rb") as file:
        file.seek(max(0, length))
        ending = file.read()
        if length < 0 or not re.fullmatch(re.escape(_MARK) + rb"[0-9a-f]{64}\n", ending):
            raise DamagedBackupError("it does not end with a backup's checksum: cut off, changed, or another zip file")
        file.seek(0)
        if ending != _ending(_digest(file, length)):
            raise DamagedBackupError("its checksum is wrong: some of its bytes have changed since it was made")


def _digest(file: IO[bytes], length: int) -> str:
    digest = hashlib.sha256()
    while length > 0 and (part := file.read(min(_PART, length))):
        digest.update(part)
        length -= len(part)
    return digest.hexdigest()


def _ending(digest: str) -> bytes:
    return _MARK + digest.encode() + b"\n"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, time.gmtime()[:6])
    entry.external_attr = 0o600 << 16
    return entry
