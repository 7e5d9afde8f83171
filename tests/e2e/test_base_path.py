"""The app below a path of a larger site (`server.baseUrlPath`): signing in, labelling with keys, signing out."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from tests.e2e.screen import Log, Screen

BASE = "tools/rulerank"
PASSWORD = "a long enough word"


def address_of(server, path: str) -> str:
    """An address on the server as a stranger writes it: not below the app's path unless `path` says so."""
    return server.url.removesuffix(f"/{BASE}") + path


def label_three(screen: Screen, log: Log, start: int = 0) -> None:
    for number, key in enumerate("012", start=start + 1):
        screen.press(key)
        screen.saved(number)
    assert [grade for _, grade, _ in log.events("grade")][start:] == [0, 1, 2]


def outside(screen: Screen) -> list[str]:
    """Collect what the browser asks this server for that does not stand below the app's path."""
    found: list[str] = []

    def note(request) -> None:
        site, _, path = request.url.partition("/" + BASE)
        if request.url.startswith("http") and not path and site == request.url:
            found.append(request.url)

    screen.page.on("request", note)
    return found


@thorough_only
def test_one_person_labels_and_looks_around(chromium, start):
    server = start(base=BASE)
    with urllib.request.urlopen(address_of(server, f"/{BASE}/health"), timeout=60) as answer:
        assert json.load(answer)["status"] == "ok"
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(address_of(server, "/health"), timeout=60)
    screen, log = Screen(chromium, server.url), Log(server.database)
    try:
        elsewhere = outside(screen)
        screen.go()
        screen.click("Try the demo")
        label_three(screen, log)
        screen.press("z")
        assert len(log.events("undo")) == 1
        for page in ("Progress", "Export", "Home"):
            screen.page.get_by_role("link", name=page).first.click()
            expect(screen.page.get_by_role("heading", name="Campaigns" if page == "Home" else page)).to_be_visible()
            screen.ready()
        screen.go("/label")
        screen.document()
        assert elsewhere == []
    finally:
        screen.close()
        server.stop()


def test_somebody_signs_in_labels_and_signs_out(chromium, start, folder):
    database = f"sqlite:///{folder / 'accounts.db'}"
    workspace = Workspace(database)
    workspace.people.add_first_admin("Ada", PASSWORD)
    workspace.demo()
    workspace.close()
    server = start(base=BASE, sign_in="accounts", database=database)
    screen, log = Screen(chromium, server.url), Log(database)
    try:
        elsewhere = outside(screen)
        screen.sign_in("Ada", "not this one")
        expect(screen.page.get_by_text("do not match")).to_be_visible()
        screen.sign_in("Ada", PASSWORD)
        expect(screen.page.get_by_text("Signed in as")).to_be_visible()
        assert screen.page.url.startswith(server.url)
        ours = [each for each in screen.context.cookies() if each["name"].startswith("rulerank")]
        assert {each["path"] for each in ours} == {f"/{BASE}"}  # no business of what else lives on this host
        screen.go("/label")
        label_three(screen, log)
        screen.page.get_by_role("button", name="Sign out").click()
        expect(screen.page.locator("input[name=password]")).to_be_visible()
        assert screen.page.url.startswith(server.url)
        screen.go("/label")
        expect(screen.page.locator("input[name=password]")).to_be_visible()
        assert elsewhere == []
    finally:
        screen.close()
        server.stop()
