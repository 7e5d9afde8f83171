"""A process that has Streamlit and the app's modules imported, and forks servers from itself when a test says so.

A forked server is `streamlit run` with the product's own `app.py`; only its imports were done beforehand, which take
longer than all the rest of a start. Commands are lines of JSON on the standard input; every one gets one line back.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SERVING = ("streamlit.web.cli", "streamlit.web.bootstrap", "uvicorn", "uvicorn.protocols.http.auto")


def imported_by(path: Path) -> list[str]:
    """Return the modules that a file imports at its beginning."""
    names = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return names


# The side of the tests -----------------------------------------------------------------------------------------------


class Forked:
    """A server that was forked; as far as it is needed it is like `subprocess.Popen`."""

    def __init__(self, forker: Forker, pid: int) -> None:
        self.pid = pid
        self._forker = forker
        self._ended = False

    def poll(self) -> int | None:
        """Return a number if it has ended, None if it has not."""
        self._ended = self._ended or self._forker.ask(do="ended", pid=self.pid)
        return 0 if self._ended else None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """End it politely."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class Forker:
    """The process that forks; it ends with the tests, and what it has forked with it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.forking"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.close)

    def ask(self, **command: Any) -> Any:
        """Give a command and return what comes back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(command), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def start(self, arguments: list[str], environment: dict[str, str], log: Path) -> Forked:
        """Fork `streamlit` with these arguments."""
        return Forked(self, self.ask(do="fork", arguments=arguments, environment=environment, log=str(log)))

    def close(self) -> None:
        """Let it end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(60)


@cache
def forker() -> Forker:
    """Return the one forking process of this test run."""
    return Forker()


# The process itself --------------------------------------------------------------------------------------------------


def fork(arguments: list[str], environment: dict[str, str], log: str) -> int:
    """Fork a process that is `streamlit` with these arguments, and return its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (words, 1), (words, 2)):
            os.dup2(source, target)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["streamlit", *arguments]
        sys.modules["streamlit.web.cli"].main(arguments, prog_name="streamlit")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def has_ended(pid: int) -> bool:
    """Say whether a child has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def main() -> None:
    """Do what the tests say until they hang up; then nothing that was forked here stays."""
    for name in (*SERVING, *imported_by(ROOT / "app.py")):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the tests decide what an interrupt means
    children: list[int] = []
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.pop("do") == "fork":
            children.append(fork(**asked))
            print(children[-1], flush=True)
        else:
            print(json.dumps(has_ended(asked["pid"])), flush=True)
    for child in children:
        if not has_ended(child):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
