"""A browser for all tests of this folder; a server and a screen for each file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.screen import Log, Screen, find_chromium, open_browser
from tests.e2e.server import Server


@pytest.fixture(scope="session")
def chromium():
    """The browser; without one the tests are skipped, unless everything must be there."""
    if find_chromium() is None:
        message = "needs Chromium or Chrome, which is not on this machine's path"
        if os.environ.get("RULERANK_REFERENCE_REQUIRED", "") == "1":
            pytest.fail(message)
        pytest.skip(message)
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session", autouse=True)
def _demo_once(demo_built_once) -> None:
    """Many servers start with the demo in their database."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder for the server of this file."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def start(chromium, folder) -> Iterator[Callable[..., Server]]:
    """`start(...)`: a server that ends with this file's tests."""
    started: list[Server] = []

    def make(**options: Any) -> Server:
        started.append(Server(folder, **options).start())
        return started[-1]

    yield make
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def server(start) -> Server:
    """The server of this file, in single-user mode on a new database."""
    return start()


@pytest.fixture(scope="module")
def screen(chromium, server) -> Iterator[Screen]:
    """One tab that the tests of this file share, because a browser keeps its page too."""
    opened = Screen(chromium, server.url)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def log(server) -> Log:
    """The server's database, read from outside."""
    return Log(server.database)
