"""Accounts: two people at once, roles on every page, wrong passwords, signing out."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from db.workspace import Workspace
from tests.e2e.screen import Screen

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def server(start, folder):
    """A server with accounts: an admin and two annotators, and the demo."""
    workspace = Workspace(f"sqlite:///{folder / 'labels.db'}")
    workspace.people.add("Ada", "admin", PASSWORD)
    for name in ("Ben", "Cleo"):
        workspace.people.add(name, "annotator", PASSWORD)
    workspace.demo()
    workspace.close()
    return start(sign_in="accounts")


@pytest.fixture(scope="module")
def people(server):
    """The numbers of the people by name."""
    workspace = Workspace(server.database)
    found = {person.name: person.id for person in workspace.people.list()}
    workspace.close()
    return found


@pytest.fixture(scope="module")
def two(chromium, server):
    """Ben and Cleo, signed in, each in a browser of their own, on the Label page."""
    screens = []
    for name in ("Ben", "Cleo"):
        screens.append(Screen(chromium, server.url))
        screens[-1].sign_in(name, PASSWORD)
        screens[-1].go("/label")
    yield screens
    for screen in screens:
        screen.close()


def test_a_stranger_sees_nothing_but_the_sign_in(chromium, server):
    stranger = Screen(chromium, server.url)
    for path in ("/", "/label", "/people"):
        stranger.go(path)
        expect(stranger.page.locator("input[name=password]")).to_be_visible()
        expect(stranger.page.locator(".rr-document")).to_have_count(0)
    stranger.sign_in("Ben", "wrong password")
    expect(stranger.page.get_by_text("do not match")).to_be_visible()
    assert not any(cookie["name"] == "rulerank" for cookie in stranger.context.cookies())
    stranger.close()


def test_two_people_never_see_the_same_document(two, log, people):
    ben, cleo = two
    seen: dict[str, list[int]] = {"Ben": [], "Cleo": []}
    tokens = [ben.document(), cleo.document()]
    for step in range(8):
        rows = [log.held(token) for token in tokens]
        assert rows[0] != rows[1]
        seen["Ben"].append(rows[0])
        seen["Cleo"].append(rows[1])
        # Both keys before either next document: the two labels meet in the server.
        for screen, key in zip(two, ("0", "1"), strict=True):
            screen.document()
            screen.page.keyboard.press(key)
        tokens = [screen.document_after(token) for screen, token in zip(two, tokens, strict=True)]
        assert step < 7 or len(set(seen["Ben"]) & set(seen["Cleo"])) == 0
    for name, grade in (("Ben", 0), ("Cleo", 1)):
        assert log.events("grade", people[name]) == [(row, grade, "") for row in seen[name]]
    assert len({row for row, _, _ in log.events("grade")}) == 16


def test_an_annotator_reaches_no_other_page(two):
    ben = two[0]
    for path in ("/progress", "/export", "/people"):
        ben.go(path)
        expect(ben.page.get_by_role("heading", name="Campaigns")).to_be_visible()
    expect(ben.page.get_by_role("link", name="People")).to_have_count(0)


def test_an_admin_reaches_every_page_and_can_leave(chromium, server):
    ada = Screen(chromium, server.url)
    ada.sign_in("Ada", PASSWORD)
    ada.go("/people")
    expect(ada.page.get_by_role("heading", name="People")).to_be_visible()
    cookie = next(cookie for cookie in ada.context.cookies() if cookie["name"] == "rulerank")
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    ada.page.goto(server.url + "/leave")
    ada.ready()
    expect(ada.page.locator("input[name=password]")).to_be_visible()
    ada.close()
