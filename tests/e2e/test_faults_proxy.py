"""The proxy of the trial does what its table of faults says: who got the request how often, and who got the answer."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.e2e.faults import protocol, proxy
from tests.e2e.faults.protocol import UnansweredError, post
from tests.e2e.faults.proxy import RATES, Proxy, ProxyThread

PATIENCE = 0.3


class Counting(BaseHTTPRequestHandler):
    """Counts the acts that it got whole, in the order in which it got them."""

    got: list[str]

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["content-length"]))
        try:
            self.got.append(json.loads(asked)["name"])
        except ValueError:
            return
        told = json.dumps({"got": self.got, "filling": "x" * 2000}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    handler = type("Handler", (Counting,), {"got": []})
    made = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def copied() -> list[str]:
    """The acts that the proxy says it sent more often than it was asked to."""
    return []


@pytest.fixture
def through(server, copied, monkeypatch) -> Iterator[Proxy]:
    monkeypatch.setattr(protocol, "PATIENCE", PATIENCE)
    made = Proxy(server.server_port, random.Random(1), Counter(), copied.append)
    made.patience = PATIENCE
    thread = ProxyThread([made])
    yield made
    thread.close()


def asked(through: Proxy, name: str) -> bool:
    """Ask once; say whether there was an answer."""
    try:
        return post(through.port, {"name": name}, name)[0] == 200
    except UnansweredError:
        return False


def settled(server: ThreadingHTTPServer, wanted: int) -> list[str]:
    """What the server got, after everything that is under way has come."""
    got: list[str] = server.RequestHandlerClass.got  # type: ignore[attr-defined]
    end = time.monotonic() + 10
    while len(got) < wanted and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(PATIENCE)
    return got


# Which fault lets how many copies reach the server, and whether the annotator gets the answer in time.
EXPECTED = {
    "request dropped": (0, False),
    "answer dropped": (1, False),
    "request delayed": (1, False),
    "answer delayed": (1, None),
    "request doubled": (2, True),
    "request held back": (1, False),
    "request cut short": (0, False),
    "answer cut short": (1, False),
    "connection reset": (0, False),
    "connection reset after the act": (1, False),
}


def test_every_fault_is_tried_here():
    assert set(EXPECTED) == set(RATES)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_does_what_its_name_says(fault, server, through, copied, monkeypatch):
    monkeypatch.setattr(proxy, "RATES", {fault: 1.0})
    copies, answered = EXPECTED[fault]
    assert asked(through, "act") is answered or answered is None
    assert settled(server, copies) == ["act"] * copies
    assert through.counts == {fault: 1}
    assert copied == (["act"] if fault == "request doubled" else [])


def test_a_request_that_is_held_back_comes_after_a_later_one(server, through, monkeypatch):
    monkeypatch.setattr(proxy, "RATES", {"request held back": 1.0})
    first = threading.Thread(target=asked, args=(through, "first"))
    first.start()
    while not through.counts:
        time.sleep(0.005)
    through.calm = True
    assert asked(through, "second")
    first.join()
    assert settled(server, 2) == ["second", "first"]


def test_in_calm_everything_passes(server, through, monkeypatch):
    monkeypatch.setattr(proxy, "RATES", {"request dropped": 1.0})
    through.calm = True
    assert all(asked(through, str(number)) for number in range(20))
    assert settled(server, 20) == [str(number) for number in range(20)]
    assert not through.counts
