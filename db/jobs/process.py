"""A worker as a process: started beside its parent, showing that it is alive, and ending with its parent."""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import sqlalchemy as sa

URL_VARIABLE = "RULERANK_DATABASE"
GRACE_SECONDS = 5.0
LOOK_SECONDS = 0.5
BEAT_SECONDS = 1.0
"""Between two signs of life to whoever supervises this worker."""

GROWN_BYTES = 600 << 20
"""Memory that an idle worker may keep: what Python once had it seldom gives back, so a new process takes its place."""

_log = logging.getLogger("rulerank.worker")


# For the parent -----------------------------------------------------------------------------------------------------


def new_owner() -> str:
    """Return a name for a worker that no other has had: it distinguishes a dead worker's jobs from all others."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"


def start_worker(
    url: str | sa.URL, *, log: Path | None = None, options: Sequence[str] = (), signs: int | None = None
) -> subprocess.Popen[bytes]:
    """Start a worker beside this process, at whose end it ends too; it writes to this process's stderr, or to `log`.

    The URL goes through the environment, because everybody on a machine can read the arguments of a process. Signs of
    life are written to the pipe `signs`, if there is one.
    """
    if isinstance(url, sa.URL):
        url = url.render_as_string(hide_password=False)
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, URL_VARIABLE: url, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "db.jobs.worker", "--parent", str(os.getpid()), *options]
    command += [] if signs is None else ["--signs", str(signs)]
    with ExitStack() as stack:
        out = None if log is None else stack.enter_context(log.open("ab"))
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            pass_fds=() if signs is None else (signs,),
        )  # fmt: skip


def stop_worker(process: subprocess.Popen[bytes]) -> None:
    """End a worker: its job goes back into the queue if it notices in time, and is taken up again in any case."""
    process.terminate()
    process.send_signal(signal.SIGCONT)  # one that was halted could not end
    end_surely(process)


def end_surely(process: subprocess.Popen[bytes]) -> None:
    """Wait for a worker that was asked to end; one that does not is killed."""
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# For the worker -----------------------------------------------------------------------------------------------------


def watch_parent(parent: int, end: Callable[[], None]) -> None:
    """Let the worker end when its parent has: by itself if it can, and else at once, so that no orphan stays."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    _log.info("the process that started this worker is gone; ending")
    end()
    time.sleep(GRACE_SECONDS)
    os._exit(1)


def wake_with_parent() -> None:
    """Let the system wake this process when its parent has ended: one that is halted could not see that itself."""
    set_signal_at_parents_death = 1
    with suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(set_signal_at_parents_death, signal.SIGCONT, 0, 0, 0)


def send_signs(pipe: int) -> None:
    """Write a byte now and then for as long as this process lives, so that one that hangs is detected."""
    os.set_blocking(pipe, False)
    while True:
        # A full pipe: nobody has looked for long, and there are signs enough in it.
        with suppress(BlockingIOError):
            try:
                os.write(pipe, b".")
            except BrokenPipeError:
                return  # nobody looks any more
        time.sleep(BEAT_SECONDS)


def has_grown() -> bool:
    """Say whether this process holds more memory than an idle worker should."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError):
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") > GROWN_BYTES
