"""Who may read the files: what rulerank creates is its owner's alone, and what is open to others is reported.

A database holds password hashes and the secret of the sign-in cookies, and so does every copy of it.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path

OWNER_ONLY = 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to a database file, with the mode of that file
BACKUPS = "rulerank-backup-*.zip"


def create_private(path: Path) -> None:
    """Create an empty file that its owner alone may read and write, whatever the umask; one that exists is an error.

    SQLite takes a file of no bytes for a new database, and gives what it keeps beside it the same mode.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
    try:
        if os.name == "posix":
            os.fchmod(descriptor, OWNER_ONLY)  # an umask may have taken the owner's own rights
    finally:
        os.close(descriptor)


def open_to_others(paths: Iterable[Path]) -> list[str]:
    """Return a sentence for every file that others than its owner may read or write, with the command that mends it."""
    found = []
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if os.name == "posix" and stat.S_ISREG(mode) and mode & OTHERS:
            command = f"chmod 600 {shlex.quote(str(path))}"
            found.append(
                f"{path} can be read or changed by other users (mode {mode & 0o777:04o}). To mend it: {command}"
            )
    return found


def private_files(database: Path | None, secrets: Iterable[Path] = ()) -> list[Path]:
    """Return what should be readable by its owner alone: a database, what lies beside it, its copies, and secrets."""
    found = list(secrets)
    if database is not None:
        copies = f"{database.stem}.*{database.suffix}"
        found += [database, *(Path(f"{database}{end}") for end in BESIDE)]
        found += [path for pattern in (copies, BACKUPS) for path in sorted(database.parent.glob(pattern))]
    return list(dict.fromkeys(found))
