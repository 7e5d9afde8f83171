"""Requests to an ASGI application, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def wait_for(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, in a thread of its own: a browser of other tests may keep a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def scope_of(method: str = "GET", path: str = "/", *, kind: str = "http", scheme: str = "http", **headers: str) -> dict:
    """A request to localhost:8501 from this machine; underscores in names of headers become hyphens."""
    given = {"host": "localhost:8501", **{name.replace("_", "-").lower(): value for name, value in headers.items()}}
    made: dict[str, Any] = {
        "type": kind,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": scheme,
        "server": ("localhost", 8501),
        "client": ("127.0.0.1", 50000),
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items()],
    }
    return made | ({"method": method} if kind == "http" else {"subprotocols": []})


def ask(app: Any, scope: dict, messages: list[dict] | None = None) -> list[dict]:
    """Send a request with its messages, and return what came back."""
    waiting = list(messages or [{"type": "http.request", "body": b"", "more_body": False}])
    came: list[dict] = []

    async def receive() -> dict:
        return waiting.pop(0) if waiting else {"type": f"{scope['type']}.disconnect", "code": 1000}

    async def send(message: dict) -> None:
        came.append(message)

    wait_for(app(scope, receive, send))
    return came


def status(came: list[dict]) -> int:
    """The status of an answer."""
    return came[0]["status"]
