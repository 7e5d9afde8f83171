"""Where the log is kept, on a small disk of its own, and what can befall it; `postgres.py` has the other store."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

Wait = Callable[[float], object]
"""Waits so many seconds, or less if the round ends."""

Fault = Callable[[random.Random, Wait], int | None]
"""Does harm, waits, and mends it; returns how many processes it killed, where it kills any."""


class Store(Protocol):
    """What a trial needs of a store."""

    url: str
    gate: threading.RLock
    disk: str

    def reader(self) -> sa.Engine:
        """Return a way to read it that keeps no connection and makes no new file."""

    def faults(self) -> dict[str, tuple[float, Fault]]:
        """Return what can be done to it, each with how often (as a weight)."""

    def mend(self) -> None:
        """Make it whole again, whatever was going on."""

    def close(self) -> None:
        """Remove it."""


class Disk:
    """A folder of limited size: a mounted tmpfs where this process may mount one, else an ordinary folder."""

    def __init__(self, megabytes: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rr-"))
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "rulerank-trial", str(self.folder)]
        self.limited = (
            os.geteuid() == 0
            and shutil.which("mount") is not None
            and subprocess.run(command, check=False, capture_output=True).returncode == 0
        )
        self._filler = self.folder / "filler"

    def fill(self) -> None:
        """Leave no byte free."""
        with suppress(OSError), self._filler.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while file.write(b"\0" * size):
                        pass

    def free(self) -> None:
        """Give the room back."""
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder."""
        if self.limited:
            subprocess.run(["umount", "-l", str(self.folder)], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class SqliteStore:
    """A database file, with its write-ahead log beside it."""

    def __init__(self, writers: Callable[[], list[int]]) -> None:
        self._disk = Disk(256)
        self._home, self._away = self._disk.folder / "home", self._disk.folder / "away"
        self._home.mkdir()
        self.path = self._home / "labels.db"
        self.url = f"sqlite:///{self.path}"
        self.gate = threading.RLock()
        self.writers = writers  # the processes that write to the file
        self.disk = "a full tmpfs" if self._disk.limited else "RLIMIT_FSIZE of the servers"

    def reader(self) -> sa.Engine:
        """Return a way to read it that keeps no connection and makes no new file."""
        return sa.create_engine(f"sqlite:///file:{self.path}?mode=ro&uri=true", poolclass=sa.pool.NullPool)

    def faults(self) -> dict[str, tuple[float, Fault]]:
        """Return what can be done to it, each with how often (as a weight)."""
        return {
            "disk full": (3.0, self.fill),
            "database file moved away": (2.0, self.move),
            "database read-only": (1.0, self.protect),
            "database locked by another program": (2.0, self.lock),
        }

    def fill(self, rng: random.Random, wait: Wait) -> None:
        """Leave no room for anything to be written."""
        with ExitStack() as mending:
            if self._disk.limited:
                mending.callback(self._disk.free)
                self._disk.fill()
            else:
                for pid in self.writers():
                    with suppress(ProcessLookupError, PermissionError):
                        soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
                        mending.callback(_unlimit, pid, (soft, hard))
            wait(rng.uniform(0.3, 2.5))

    def move(self, rng: random.Random, wait: Wait) -> None:
        """Put the file and its log elsewhere, and back; whoever has them open still has them.

        The whole folder changes its name, and an empty one takes its place: a file that met the log of another one
        would be damaged by the trial and not by the product.
        """
        with self.gate:
            try:
                os.rename(self._home, self._away)
                self._home.mkdir()
                wait(rng.uniform(0.3, 2.5))
            finally:
                self._bring_back()

    def _bring_back(self) -> None:
        if not self._away.exists():
            return
        if self._home.exists():  # with what somebody may have made in its place
            os.rename(self._home, self._disk.folder / f"made-meanwhile-{time.monotonic_ns()}")
        os.rename(self._away, self._home)

    def protect(self, rng: random.Random, wait: Wait) -> None:
        """Let nobody open the files for writing."""
        with self.gate:
            try:
                self._set_protected(True)
                wait(rng.uniform(0.3, 2.0))
            finally:
                self._set_protected(False)

    def _set_protected(self, protected: bool) -> None:
        for ending in ("", "-wal", "-shm"):
            path = Path(f"{self.path}{ending}")
            if not path.exists():
                continue
            if os.geteuid() == 0:  # root may write whatever the mode says, but not what is immutable
                flag = "+i" if protected else "-i"
                subprocess.run(["chattr", flag, str(path)], check=False, capture_output=True)
            else:
                path.chmod(0o400 if protected else 0o600)

    def lock(self, rng: random.Random, wait: Wait) -> None:
        """Hold the write lock as a tool would that somebody opened the file with."""
        with suppress(sqlite3.Error):
            connection = sqlite3.connect(f"file:{self.path}?mode=rw", uri=True, timeout=1.0, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                wait(rng.uniform(0.3, 2.5))
                connection.execute("ROLLBACK")
            finally:
                connection.close()

    def mend(self) -> None:
        """Make it whole again, whatever was going on."""
        self._disk.free()
        self._set_protected(False)
        self._bring_back()

    def close(self) -> None:
        """Remove it."""
        self.mend()
        self._disk.close()


def _unlimit(pid: int, limits: tuple[int, int]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
