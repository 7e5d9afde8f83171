"""A process that has everything imported and forks servers, workers and lookers from itself when the trial says so.

A forked server runs the product's own `app.py` under uvicorn; only its imports were done beforehand. So a kill costs
tenths of a second and not the seconds that a Python with Streamlit and numba takes to start. It runs without the
app's lifespan, which would start a worker per kill; the trial forks workers (the product's `db.jobs.worker`) itself.

Commands are lines of JSON on the standard input, and every one gets one line back.
"""

from __future__ import annotations

from tests.e2e.faults import clock

clock.install()  # before anything else is imported

import gc  # noqa: E402
import importlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from tests.e2e.forking import ROOT, imported_by  # noqa: E402

SERVING = ("uvicorn", "uvicorn.loops.auto", "uvicorn.protocols.http.auto")


def preload() -> None:
    """Import what a server or worker needs, but for `app.py` itself, which opens the database."""
    from tests.e2e.faults.jobs import register

    for name in (*SERVING, *imported_by(ROOT / "app.py")):
        importlib.import_module(name)
    register()
    warm_up()
    gc.collect()
    gc.freeze()


def warm_up() -> None:
    """Label a little in a database of no account: what is loaded on first use is loaded before any fork."""
    from db.workspace import Workspace
    from pages.label.service import answer
    from tests.e2e.faults.world import fresh_ticket, make_campaign

    with tempfile.TemporaryDirectory(prefix="rulerank-faults-") as folder:
        workspace = Workspace(f"sqlite:///{Path(folder) / 'warm.db'}")
        campaign, _ = make_campaign(workspace, "warm", random.Random(0))
        for name in ("first", "second"):
            ticket = fresh_ticket(workspace, workspace.people.add(name, "annotator"), campaign)
            for kind in ("look", "grade", "cannot_tell", "later", "grade", "undo", "look"):
                body = {"ticket": ticket, "kind": kind, "grade": 1, "reason": 0, "beyond": True}
                ticket = answer(workspace, body)["ticket"]
        workspace.close()


def serve(asked: dict[str, Any]) -> None:
    """Be a server until killed."""
    import uvicorn

    import app

    # Patience for open requests at a polite end is short: the trial's proxy may hold one for long.
    uvicorn.run(
        app.app,
        host="127.0.0.1",
        port=asked["port"],
        lifespan="off",
        log_level="warning",
        timeout_graceful_shutdown=2,
    )


def work(asked: dict[str, Any]) -> None:
    """Be a worker until killed."""
    from db.jobs.worker import main

    main(["--database", os.environ["RULERANK_DATABASE"], "--parent", str(os.getppid()), "--nice", "0"])


def look(asked: dict[str, Any]) -> None:
    """Open the campaign as a new process does, and write what the panel would show to a file."""
    from db.workspace import Workspace
    from pages.label.service import answer

    workspace = Workspace(os.environ["RULERANK_DATABASE"])
    shown = [answer(workspace, body) for body in asked["bodies"]]
    workspace.close()
    Path(asked["to"]).write_text(json.dumps(shown))


PARTS = {"serve": serve, "work": work, "look": look}


def fork(asked: dict[str, Any]) -> int:
    """Fork a process that plays a part, and return its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.environ.update(asked.get("environment", {}))
        clock.follow(asked["clock"])
        PARTS[asked["do"]](asked)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
        print(end.code, file=sys.stderr)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def reap(child: int, patience: float) -> bool:
    """Wait for the end of a child for a while; say whether it has ended."""
    end = time.monotonic() + patience
    while True:
        try:
            if os.waitpid(child, os.WNOHANG)[0]:
                return True
        except ChildProcessError:
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)


def main() -> None:
    """Do what the trial says until it hangs up; then nothing forked here stays."""
    preload()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trial decides what an interrupt means
    children: set[int] = set()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "reap":
            ended = asked["child"] not in children or reap(asked["child"], asked["patience"])
            if ended:
                children.discard(asked["child"])
            told: dict[str, Any] = {"ended": ended}
        else:
            child = fork(asked)
            children.add(child)
            told = {"child": child}
        print(json.dumps(told), flush=True)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.kill(child, signal.SIGCONT)
        reap(child, 5.0)


if __name__ == "__main__":
    main()
