"""A new installation: its first administrator; and single-user mode, which serves its own machine and no other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import quote, urlencode

from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from tests.e2e.screen import Screen
from tests.e2e.server import ROOT, Server, free_port

PASSWORD = "correct horse battery"


def ask(server: Server, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
    """Send a request with these headers; returns the status, and the words or cookies that came back."""
    connection = HTTPConnection("localhost", server.port, timeout=60)
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    if form is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request(method, path, urlencode(form or {}), sent)
    answer = connection.getresponse()
    words = answer.read().decode(errors="replace") + "; ".join(answer.headers.get_all("set-cookie") or [])
    connection.close()
    return answer.status, words


def test_the_first_account_is_made_in_the_browser(chromium, tmp_path):
    with Server(tmp_path, sign_in="accounts") as server:
        screen = Screen(chromium, server.url)
        screen.go("/people")
        password = screen.page.get_by_label("Password", exact=True)
        assert password.get_attribute("autocomplete") == "new-password"
        expect(screen.page.get_by_label("Code")).to_have_count(0)
        screen.page.get_by_label("Name").fill("you")
        password.fill(PASSWORD)
        screen.button("Make the account").click()
        expect(screen.page.get_by_role("alert")).to_contain_text("belongs to the single-user mode")
        screen.page.get_by_label("Name").fill("Ada")
        screen.page.get_by_label("Password", exact=True).fill(PASSWORD)
        screen.page.get_by_label("Password", exact=True).press("Enter")
        expect(screen.page.get_by_text("Signed in as Ada (admin)")).to_be_visible()
        screen.close()
        # A second one is not made the same way.
        status, words = ask(server, "POST", "/begin", {"person": "Eve", "password": PASSWORD}, Origin=server.url)
        assert (status, "rulerank=" in words, quote("already") in words) == (303, False, True)
        workspace = Workspace(server.database)
        assert [person.name for person in workspace.people.list()] == ["Ada"]
        workspace.close()


@thorough_only
def test_from_elsewhere_the_first_account_takes_the_code_of_the_log(chromium, tmp_path):
    with Server(tmp_path, sign_in="accounts") as server:
        code = re.search(r"first one is ([0-9a-f]{12})", server.log.read_text()).group(1)
        form = {"person": "Eve", "password": PASSWORD}
        for far in ({"Host": "rulerank.example.org"}, {"X_Forwarded_For": "192.0.2.7"}):
            for wrong in ({}, {"code": "0" * 12}):
                status, words = ask(server, "POST", "/begin", {**form, **wrong}, **far)
                assert (status, "rulerank=" in words) == (303, False)
        screen = Screen(chromium, server.url, extra_http_headers={"X-Forwarded-For": "192.0.2.7"})
        screen.go()
        screen.page.get_by_label("Name").fill("Ada")
        screen.page.get_by_label("Password", exact=True).fill(PASSWORD)
        screen.page.get_by_label("Code").fill(f" {code.upper()} ")
        screen.button("Make the account").click()
        expect(screen.page.get_by_text("Signed in as Ada (admin)")).to_be_visible()
        screen.close()


def test_single_user_mode_answers_its_own_machine_only(start):
    server = start()
    for near in ({}, {"Host": "127.0.0.1"}, {"Host": f"localhost:{server.port}"}, {"Host": "[::1]:80"}):
        assert ask(server, "GET", "/", **near)[0] == 200
    # As a proxy passes requests on, and as a name that a stranger points at this machine would arrive.
    far = ({"X_Forwarded_For": "192.0.2.7"}, {"Host": "rulerank.example.org"}, {"Host": "localhost.evil.example"})
    for path in ("/", "/health", "/_stcore/health", "/act", "/enter"):
        for headers in far:
            status, words = ask(server, "GET", path, **headers)
            assert (status, "RULERANK_SIGN_IN=accounts" in words) == (403, True)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    key = {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert ask(server, "GET", "/_stcore/stream", **upgrade, **key, X_Forwarded_For="192.0.2.7")[0] == 403


@thorough_only
def test_single_user_mode_refuses_to_listen_elsewhere(tmp_path):
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    command += ["--server.address", "0.0.0.0"]
    environment = {**os.environ, "RULERANK_SIGN_IN": "open", "RULERANK_DATABASE": f"sqlite:///{tmp_path / 'labels.db'}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode != 0
    assert "rulerank: without sign-in the app must listen on localhost only" in done.stderr
    assert "Traceback" not in done.stderr
