"""The processes that a trial starts, kills, pauses and starts again: servers and workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.e2e.faults.clock import SITE, VARIABLE, set_clock
from tests.e2e.server import ROOT, free_port

START_PATIENCE = 45.0


class ForkServer:
    """The process that servers and workers are forked from; see `forkserver.py`."""

    def __init__(self, database: str, log: Path) -> None:
        environment = {**os.environ, "RULERANK_DATABASE": database, "RULERANK_SIGN_IN": "open"}
        self._lock = threading.Lock()
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.faults.forkserver"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._hear()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that forks servers has ended; see {self._log.name}")
        told: dict[str, Any] = json.loads(line)
        return told

    def ask(self, **asked: Any) -> dict[str, Any]:
        """Say one thing, and return the answer."""
        assert self._process.stdin is not None
        with self._lock:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            return self._hear()

    def close(self) -> None:
        """End it and whatever it forked."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


class Process:
    """A process with a clock of its own; `start`, `kill`, `end` and `pause` may be called in any order."""

    def __init__(self, name: str, part: str, forks: ForkServer, folder: Path, gate: threading.RLock) -> None:
        self.name = name
        self.part = part
        self.forks = forks
        self.folder = folder
        self.gate = gate  # held while the store is away: whoever starts then would make a new one
        self.clock = folder / f"{name}.clock"
        self.log = folder / f"{name}.log"
        self.pid: int | None = None
        self.more: dict[str, Any] = {}
        set_clock(self.clock, 0.0)

    def launch(self) -> None:
        """Make the process; it is not ready yet."""
        told = self.forks.ask(do=self.part, log=str(self.log), clock=str(self.clock), **self.more)
        self.pid = int(told["child"])

    def reap(self, patience: float = 0.0) -> bool:
        """Say whether it has ended, after waiting a while for that."""
        return self.pid is None or bool(self.forks.ask(do="reap", child=self.pid, patience=patience)["ended"])

    def ready(self) -> bool:
        """Say whether it does its work."""
        return not self.reap()

    def start(self, stop: threading.Event | None = None) -> bool:
        """Start it, again and again if it ends at once because the store is in trouble; say whether it is ready."""
        end = time.monotonic() + START_PATIENCE
        while time.monotonic() < end and not (stop and stop.is_set()):
            if self.reap():
                with self.gate:
                    self.launch()
            if self.ready():
                return True
            time.sleep(0.03)
        return False

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> bool:
        """End it as a power cut would (SIGKILL); False if there was nothing to kill."""
        if self.reap():
            return False
        self.send(signal.SIGKILL)
        self.reap(10.0)
        self.pid = None
        return True

    def end(self) -> None:
        """End it politely (SIGTERM), and by force if it does not hear."""
        self.send(signal.SIGTERM)
        if not self.reap(8.0):
            self.kill()
        self.pid = None


class ServerProcess(Process):
    """A forked server on a port that stays the same."""

    def __init__(self, name: str, forks: ForkServer, folder: Path, gate: threading.RLock) -> None:
        super().__init__(name, "serve", forks, folder, gate)
        self.port = free_port()
        self.more = {"port": self.port}

    def ready(self) -> bool:
        """Say whether it answers at all; what it says of its store is not asked here."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def healthy(self) -> bool:
        """Say whether it says that its store is well; a worker that was killed too often may rest for longer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                told = json.load(error)
            except ValueError:
                return False
        except (OSError, ValueError):
            return False
        return bool(told.get("parts", {}).get("store", told).get("status") == "ok")


class ColdServerProcess(ServerProcess):
    """A server started as users start it, with `streamlit run app.py` and the worker that the app keeps itself."""

    def __init__(self, name: str, forks: ForkServer, folder: Path, gate: threading.RLock, database: str) -> None:
        super().__init__(name, forks, folder, gate)
        site = folder / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(SITE)
        paths = os.pathsep.join(filter(None, [str(site), str(ROOT), os.environ.get("PYTHONPATH", "")]))
        self.environment = {**os.environ, "RULERANK_DATABASE": database, "RULERANK_SIGN_IN": "open"}
        self.environment |= {"PYTHONPATH": paths, VARIABLE: str(self.clock), "RULERANK_WORKER_NICE": "0"}
        self._process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Make the process; it is not ready yet."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)]
        command += ["--server.headless", "true", "--server.address", "localhost"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        self.pid = self._process.pid

    def reap(self, patience: float = 0.0) -> bool:
        """Say whether it has ended, after waiting a while for that."""
        if self._process is None or self.pid is None:
            return True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.poll() is not None

    def workers(self) -> list[int]:
        """Return the workers that this server keeps."""
        import psutil  # type: ignore[import-untyped]

        with suppress(psutil.Error):
            children = psutil.Process(self.pid).children(recursive=True) if self.pid else []
            return [child.pid for child in children if "db.jobs.worker" in " ".join(child.cmdline())]
        return []
