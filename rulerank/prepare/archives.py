"""Zips that somebody brought: the files in them, or in words what is wrong. Nothing is ever unpacked to disk."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO

from rulerank.errors import InputError
from rulerank.files import DAMAGED, ZIP, is_clutter
from rulerank.prepare.metered import SAVE

Opened = Callable[[ExitStack], IO[bytes]]
OpenArchive = Callable[[], zipfile.ZipFile]

WORKBOOKS = (".xlsx", ".xlsm")
MAGIC = (*ZIP, b"PK\x07\x08")  # and of one that was packed in several volumes


def looks_like_zip(name: str, head: bytes) -> bool:
    """Say whether a file means to be a zip, by its name or by its first bytes."""
    return name.lower().endswith(".zip") or head.startswith(MAGIC)


def holds_workbook(name: str, source: str | IO[bytes]) -> bool:
    """Say whether a file is an Excel workbook: a zip with the parts of one, or a zip of that name that is damaged."""
    try:
        with ExitStack() as stack:
            stream = stack.enter_context(open(source, "rb")) if isinstance(source, str) else source
            if not stream.read(4).startswith(MAGIC):
                return False
            with zipfile.ZipFile(stream) as archive:
                return "xl/workbook.xml" in archive.namelist()
    except (*DAMAGED, OSError, NotImplementedError, ValueError, struct.error):
        return name.lower().endswith(WORKBOOKS)


def describe_workbook(name: str, members: Collection[str]) -> str | None:
    """Say what to do with a zip that is really a spreadsheet which is not read here; None if it is none."""
    if "xl/workbook.xml" in members:
        return f"{name}: this is an Excel workbook, no LETOR file; bring it where texts are asked for ('I have texts')"
    if "xl/workbook.bin" not in members and not ("content.xml" in members and "mimetype" in members):
        return None
    return f"{name}: this is a spreadsheet, but no .xlsx; {SAVE}"


def zip_members(name: str, archive_of: OpenArchive) -> list[tuple[str, int, Opened]]:
    """Return name, size and opener of every file in a zip; folders and what packers add are left out.

    `archive_of` opens the zip, as often as needed. One that is damaged, has a password, or names files outside of
    itself is refused.
    """
    try:
        with archive_of() as archive:
            members = [member for member in archive.infolist() if not is_clutter(member)]
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, ValueError, struct.error) as error:
        raise InputError(
            f"{name}: the zip ends too soon or is damaged, or is none ({error}); fetch or pack it again"
        ) from error
    if workbook := describe_workbook(name, [member.filename for member in members]):
        raise InputError(workbook)
    for member in members:
        if _points_outside(member.filename):
            raise InputError(
                f"{name}: the file {member.filename!r} in it points outside of the zip; nothing was read. "
                "Pack the folder again with a usual packer"
            )
        if member.flag_bits & 1:
            raise InputError(
                f"{name}: the file {member.filename} in it has a password; unpack it first, "
                "or pack it again without one"
            )
    return [(member.filename, member.file_size, _opener(name, member, archive_of)) for member in members]


def _opener(name: str, member: zipfile.ZipInfo, archive_of: OpenArchive) -> Opened:
    def opened(stack: ExitStack) -> IO[bytes]:
        try:
            return stack.enter_context(stack.enter_context(archive_of()).open(member))
        except (RuntimeError, NotImplementedError, ValueError, struct.error) as error:
            raise InputError(
                f"{name}: the file {member.filename} in it cannot be unpacked ({error}); "
                "pack it again the usual way (deflate)"
            ) from error

    return opened


def _points_outside(name: str) -> bool:
    """Say whether a name would lead out of the folder that a zip were unpacked to."""
    windows = PureWindowsPath(name)
    return PurePosixPath(name).is_absolute() or bool(windows.drive or windows.root) or ".." in windows.parts
