"""A folder for what people upload, until a worker has read it and it is stored or thrown away.

Servers and workers of one database must see the same folder. It is its owner's alone, and nothing stays in it: it is
emptied when a page is done with it, after a day, and when the server starts.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import sqlalchemy as sa

from db.jobs.queue import OVER
from db.store.engine import Database
from db.store.tables import jobs
from rulerank.errors import InputError, RulerankError
from rulerank.importing.files import Upload

VARIABLE = "RULERANK_UPLOADS"
KEEP_SECONDS = 24 * 3600.0
SWEEP_SECONDS = 3600.0
END_OF_TIME = 1e12
STORE = "import"
KINDS = ("look", "heads", "read", "read_clicks", STORE)
"""Jobs that a page asks for while somebody imports files: of no use to anybody once it is done."""

_log = logging.getLogger("rulerank")
_TOKEN = re.compile(r"[0-9a-f]{32}")


def folder_for(database: Database) -> Path:
    """Return where uploads of a database are kept."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return Path(named).expanduser()
    if database.path is not None:
        return database.path.resolve().with_name(f"{database.path.name}-uploads")
    # Without its password, which another server may write differently.
    which = hashlib.sha256(str(database.url).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"rulerank-uploads-{os.getuid()}-{which}"


class Uploads:
    """The folders of uploads, one for each choice of files; a token names a folder."""

    def __init__(self, database: Database, folder: Path | None = None) -> None:
        self.database = database
        self.folder = folder or folder_for(database)
        self._swept = time.monotonic()

    def begin(self) -> str:
        """Make an empty folder, and return its token."""
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            self.sweep()
        self._make_safe()
        token = secrets.token_hex(16)
        with _reported("make a folder for the upload"):
            (self.folder / token).mkdir(mode=0o700)
        return token

    def path(self, token: str) -> Path:
        """Return the folder of a token."""
        if not _TOKEN.fullmatch(token):
            raise InputError("this is no token of an upload")
        return self.folder / token

    def put(self, token: str, name: str, stream: IO[bytes]) -> Upload:
        """Write an uploaded file into a folder; its own name is kept for messages alone."""
        place = self.path(token) / f"file-{secrets.token_hex(8)}"
        with _reported(f"keep {name}"):
            number = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(number, "wb") as file:
                stream.seek(0)
                shutil.copyfileobj(stream, file, 1 << 20)
        return Upload(name, path=place)

    def remove(self, token: str) -> None:
        """Remove a folder with all that is in it."""
        shutil.rmtree(self.path(token), ignore_errors=True)

    def sweep(self, *, at_start: bool = False) -> None:
        """Remove what nobody came back for within a day; at the start of a server, what its last run left behind.

        Servers that share a PostgreSQL database may share the folder too: one that starts leaves the others' alone.
        """
        self._swept = time.monotonic()
        alone = at_start and self.database.is_sqlite
        # The clock may have been set back since: at a start everything is old, whatever its time says.
        before = END_OF_TIME if alone else time.time() - KEEP_SECONDS
        try:
            in_use = self._forget_jobs(before, alone=alone)
        except (sa.exc.DBAPIError, RulerankError) as error:
            _log.warning("old uploads stay for now, because the database does not answer: %s", error)
            return
        for each in self.folder.iterdir() if self.folder.is_dir() else ():
            with suppress(OSError):
                if _TOKEN.fullmatch(each.name) and each.name not in in_use and each.stat().st_mtime < before:
                    shutil.rmtree(each, ignore_errors=True)

    def _forget_jobs(self, before: float, *, alone: bool) -> set[str]:
        """Forget jobs of pages that are gone, and return the folders that others still need.

        With a server that starts alone, all pages are gone: nobody will look at what is read, but a campaign that
        somebody has asked for is stored all the same.
        """
        ours = jobs.c.kind.in_(KINDS)
        over = sa.and_(jobs.c.state.in_(OVER), jobs.c.finished_at < before)
        old = sa.and_(ours, sa.or_(over, jobs.c.kind != STORE) if alone else over)
        with self.database.write() as connection:
            connection.execute(sa.delete(jobs).where(old))
            under_way = sa.and_(ours, jobs.c.state.not_in(OVER))
            waiting = connection.scalars(sa.select(jobs.c.arguments).where(under_way)).all()
        return {str(arguments.get(name)) for arguments in waiting for name in ("token", "raw")}

    def _make_safe(self) -> None:
        """Make the folder its owner's alone; one that is somebody else's is refused."""
        with _reported("make the folder for uploads"):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise InputError(
                f"the folder for uploads, {self.folder}, belongs to somebody else; set {VARIABLE} to another"
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            self.folder.chmod(0o700)


@contextmanager
def _reported(what: str) -> Iterator[None]:
    """Turn trouble with the folder into words."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise RulerankError(f"the server cannot {what}: {why}; ask the administrator") from error
