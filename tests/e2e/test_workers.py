"""The workers beside a server: uploads are read there, and a page that waits for one is told when it has ended."""

from __future__ import annotations

import json
import os
import re
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from tests.e2e.screen import Screen
from tests.e2e.server import Server


def workers(server: Server) -> list[int]:
    """Return the numbers of the server's worker processes."""
    found = []
    for task in Path(f"/proc/{server.pid}/task").iterdir():
        with suppress(OSError):  # threads and processes come and go
            for pid in (task / "children").read_text().split():
                if b"db.jobs.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(int(pid))
    return found


def memory(pid: int, what: str) -> int:
    """Return the bytes of memory of a process: now (VmRSS), or the most that it ever had (VmHWM)."""
    told = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return 0 if told is None else int(told[1]) * 1024  # one that has just ended has none


def health(server: Server) -> dict[str, str]:
    """How each part of the server does, and the whole."""
    try:
        answer = urllib.request.urlopen(f"{server.url}/health", timeout=60)
    except urllib.error.HTTPError as trouble:
        answer = trouble
    with answer:
        found = json.load(answer)
    parts = {name: part.get("problem", part["status"]) for name, part in found["parts"].items()}
    return {"status": found["status"], **parts}


def until(true: Callable[[], object], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def upload(screen: Screen, name: str, data: bytes) -> None:
    screen.go("/new")
    expect(screen.page.get_by_text("LETOR files", exact=True)).to_be_visible()
    uploader = screen.page.get_by_test_id("stFileUploaderDropzoneInput").first
    uploader.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def wide(rows: int, features: int) -> bytes:
    """A file of few bytes whose table of features is large: each row has one of them."""
    lines = (f"{row % 2} qid:{row // 20} {row % features + 1}:1 # docid = D{row}\n" for row in range(rows))
    return "".join(lines).encode()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes as Linux shows them")
class TestWorkers:
    @thorough_only
    def test_a_wide_file_takes_memory_in_a_worker_and_not_in_the_server(self, screen, server):
        upload(screen, "small.txt", wide(100, 5))
        expect(screen.button("Create the campaign")).to_be_visible()
        before, rows, features = memory(server.pid, "VmHWM"), 8_000, 4_000
        table = rows * features * 8
        upload(screen, "wide.txt", wide(rows, features))
        most: dict[int, int] = {}

        def shown() -> bool:
            for pid in workers(server):
                with suppress(OSError):
                    most[pid] = max(most.get(pid, 0), memory(pid, "VmHWM"))
            return screen.page.get_by_text("4,000", exact=True).count() > 0

        until(shown)
        assert max(most.values()) > table
        assert memory(server.pid, "VmHWM") - before < table / 2

        # And the worker's memory comes back: a new process takes the place of one that has grown.
        def small() -> bool:
            with suppress(OSError):
                return max(memory(pid, "VmRSS") for pid in workers(server)) < table
            return False

        until(lambda: workers(server) and small())
        assert health(server) == {"status": "ok", "store": "ok", "worker": "ok"}

    @thorough_only
    def test_workers_that_were_killed_come_back_and_the_page_goes_on(self, screen, server):
        until(lambda: len(workers(server)) == 2)
        for pid in workers(server):
            os.kill(pid, signal.SIGSTOP)  # so that nobody reads the file before they are killed
        upload(screen, "again.txt", wide(60, 6))
        expect(screen.page.get_by_text("Reading the files...")).to_be_visible()
        for pid in workers(server):
            os.kill(pid, signal.SIGKILL)
        until(lambda: "The background worker has ended once" in health(server)["worker"])
        expect(screen.button("Create the campaign")).to_be_visible()
        until(lambda: health(server) == {"status": "ok", "store": "ok", "worker": "ok"})
        assert len(workers(server)) == 2

    def test_nothing_is_left_when_the_server_ends(self, server):
        until(lambda: len(workers(server)) == 2)
        left = workers(server)
        server.stop()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))
