"""Folders for unfinished files, which disappear with the process that made them, at the latest when the next one looks.

A process keeps its folder locked. The lock goes with the process, however it ends, so that whoever can take it knows
that the folder is a left-over. It lies where the finished file will: a file only moves whole within one file system.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where old folders are recognised by their age
    fcntl = None  # type: ignore[assignment]

PREFIX = ".rulerank-work-"
OLD_SECONDS = 3600.0
"""After this long nobody works any more on what cannot be locked, or what version 0.1.0 left, which had no locks."""

_OLD_FOLDERS = (".rulerank-restore-", ".rulerank-dump-")  # as version 0.1.0 named them
_OLD_FILES = re.compile(r"\..+\.[0-9a-f]{8}\.part(-wal|-shm|-journal)?")  # as version 0.1.0 named unfinished files
_log = logging.getLogger(__name__)


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield a new folder within `parent` that only its owner can enter; at the end it is gone, with all in it."""
    parent.mkdir(0o700, parents=True, exist_ok=True)
    sweep(parent)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            folder.chmod(0o700)
            lock = _lock(folder)
            break
        except FileNotFoundError:
            continue  # before it was locked, somebody took it for a left-over
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep(parent: Path) -> list[Path]:
    """Remove the unfinished files that dead processes left in a folder, and return what was removed."""
    removed = []
    with contextlib.suppress(OSError):
        for entry in sorted(os.scandir(parent), key=lambda each: each.name):
            path = Path(entry.path)
            with contextlib.suppress(OSError):
                if _is_ours(path) and (_remove_folder(path) if _is_folder(entry) else _remove_file(path)):
                    removed.append(path)
                    _log.info("%s was left by a process that ended early, and is removed", path)
    return removed


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _is_ours(path: Path) -> bool:
    return not hasattr(os, "getuid") or path.lstat().st_uid == os.getuid()


def _lock(folder: Path) -> int | None:
    """Take the lock of a new folder; None where there are no locks. An error says that the folder was removed."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(folder).st_ino == os.fstat(descriptor).st_ino:
            return descriptor
        raise FileNotFoundError(folder)
    except FileNotFoundError:
        os.close(descriptor)
        raise
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise FileNotFoundError(folder) from error  # whoever has it is about to remove the folder
        return None


def _remove_folder(folder: Path) -> bool:
    if folder.name.startswith(_OLD_FOLDERS) or (folder.name.startswith(PREFIX) and fcntl is None):
        if _age(folder) < OLD_SECONDS:
            return False
        shutil.rmtree(folder)
        return True
    if not folder.name.startswith(PREFIX):
        return False
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    except OSError:
        return False  # its process lives, or locks are unknown here and nobody may conclude that it is dead
    finally:
        os.close(descriptor)
    return True


def _remove_file(path: Path) -> bool:
    if not _OLD_FILES.fullmatch(path.name) or _age(path) < OLD_SECONDS:
        return False
    path.unlink()
    return True


def _age(path: Path) -> float:
    """Return how many seconds ago a file, or anything in a folder, was last written."""
    inside = path.rglob("*") if path.is_dir() else ()
    return time.time() - float(max(each.lstat().st_mtime for each in (path, *inside)))
