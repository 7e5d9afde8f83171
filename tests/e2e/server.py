"""A real server, `streamlit run app.py`, on a free port with its own database; tests start, restart and end it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.e2e.forking import ROOT, Forked, forker

PATIENCE = 240.0
"""Seconds to wait for a server on a busy machine."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server process; `stop` ends it and no other."""

    forked = True
    """Whether it is forked from a process with everything imported, or is a Python of its own."""

    def __init__(
        self, folder: Path, *, database: str | None = None, sign_in: str = "open", app: str = "app.py", base: str = ""
    ) -> None:
        self.folder = folder
        self.database = database or f"sqlite:///{folder / 'labels.db'}"
        self.sign_in = sign_in
        self.app = app
        self.port = free_port()
        self.base = base  # the path that the app stands below, without slashes at its ends
        self.url = f"http://localhost:{self.port}" + (f"/{base}" if base else "")
        self._process: subprocess.Popen[bytes] | Forked | None = None

    def start(self) -> Server:
        """Start the server and wait until it answers."""
        command = ["run", self.app]
        command += ["--server.port", str(self.port), "--server.headless", "true", "--server.address", "localhost"]
        command += ["--server.baseUrlPath", self.base] if self.base else []
        environment = {**os.environ, "RULERANK_DATABASE": self.database, "RULERANK_SIGN_IN": self.sign_in}
        # Other tests keep the processors busy; a worker that lets them all go first would never come to its work.
        environment["RULERANK_WORKER_NICE"] = "0"
        if self.forked:
            self._process = forker().start(command, environment, self.log)
        else:
            command = [sys.executable, "-m", "streamlit", *command]
            with self.log.open("ab") as log:
                # From the root of the repository, because that is where Streamlit looks for .streamlit/config.toml.
                self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"the server did not start:\n{self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.1)
        return self

    @property
    def pid(self) -> int:
        """The number of the server's process."""
        if self._process is None:
            raise RuntimeError("the server does not run")
        return self._process.pid

    @property
    def log(self) -> Path:
        """Where the server's words go."""
        return self.folder / f"server-{self.port}.log"

    def answers(self) -> bool:
        """Say whether the server answers."""
        path = "/health" if self.app == "app.py" else "/_stcore/health"
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, *, kill: bool = False) -> None:
        """End the server: politely, or at once as a power cut would."""
        if self._process is None:
            return
        if kill:
            self._process.kill()
        else:
            self._process.terminate()
        end = time.monotonic() + 10
        while self._process.poll() is None:
            if time.monotonic() > end:
                self._process.kill()
            time.sleep(0.02)
        self._process = None

    def restart(self, *, kill: bool = False) -> None:
        """End the server and start it again on the same port and database."""
        self.stop(kill=kill)
        self.start()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()
