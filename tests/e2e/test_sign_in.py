"""Accounts: two people at once, roles on every page, wrong passwords, signing out."""

from __future__ import annotations

from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from tests.e2e.screen import Screen
from tests.e2e.server import Server

PASSWORD = "correct horse battery"


def post(server: Server, path: str, form: dict[str, str], headers: dict[str, str], status: int = 303) -> str:
    """Send a form as a program can, and return the cookies of the answer."""
    connection = HTTPConnection("localhost", server.port, timeout=60)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, urlencode(form), {**kind, **headers})
    answer = connection.getresponse()
    assert answer.status == status
    connection.close()
    return "; ".join(answer.headers.get_all("set-cookie") or [])


@pytest.fixture(scope="module")
def server(start, folder):
    """A server with accounts: an admin, a researcher and two annotators, and the demo."""
    workspace = Workspace(f"sqlite:///{folder / 'labels.db'}")
    workspace.people.add("Ada", "admin", PASSWORD)
    workspace.people.add("Rosa", "researcher", PASSWORD)
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
        stranger.page.locator("input[name=password]").fill("nothing lies over the form")
        expect(stranger.page.locator(".rr-document")).to_have_count(0)
        expect(stranger.page.get_by_role("dialog")).to_have_count(0)
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
    for path in ("/progress", "/competence", "/ranking", "/agreement", "/export", "/new", "/people"):
        ben.go(path)
        expect(ben.page.get_by_text("This page is not for the role annotator.")).to_be_visible()
        expect(ben.page.get_by_role("heading")).to_have_count(0)
    expect(ben.page.get_by_role("link", name="People")).to_have_count(0)


@thorough_only
def test_a_researcher_reaches_every_page_but_people(chromium, server):
    rosa = Screen(chromium, server.url)
    rosa.sign_in("Rosa", PASSWORD)
    rosa.go("/new")
    expect(rosa.page.get_by_role("heading", name="New campaign", exact=True)).to_be_visible()
    rosa.go("/people")
    expect(rosa.page.get_by_text("This page is not for the role researcher.")).to_be_visible()
    expect(rosa.page.get_by_role("link", name="People")).to_have_count(0)
    rosa.close()


def test_the_form_is_one_that_people_and_password_managers_know(chromium, server):
    stranger = Screen(chromium, server.url)
    stranger.go()
    name, password = stranger.page.get_by_label("Name"), stranger.page.get_by_label("Password", exact=True)
    expect(name).to_be_focused()
    assert name.get_attribute("autocomplete") == "username"
    assert password.get_attribute("autocomplete") == "current-password"
    name.fill("ben")
    password.fill(PASSWORD)
    stranger.page.get_by_label("Show the password").check()
    expect(password).to_have_attribute("type", "text")
    stranger.page.get_by_label("Show the password").uncheck()
    expect(password).to_have_attribute("type", "password")
    password.press("Enter")
    expect(stranger.page.get_by_text("Signed in as Ben (annotator)")).to_be_visible()
    stranger.close()


@thorough_only
def test_a_wrong_name_and_a_wrong_password_are_told_alike_and_guessing_is_slowed_down(chromium, server):
    stranger = Screen(chromium, server.url)
    said = []
    for name in ("Cleo", "Nobody at all"):
        stranger.sign_in(name, "wrong password")
        said.append(stranger.page.get_by_role("alert").inner_text())
        expect(stranger.page.locator("input[name=person]")).to_have_value(name)
        expect(stranger.page.locator("input[name=password]")).to_have_value("")
        expect(stranger.page.locator("input[name=password]")).to_be_focused()
    assert said[0] == said[1]
    sly = 'Eve"><img src=x onerror=alert(1)>'
    stranger.sign_in(sly, "wrong password")
    expect(stranger.page.locator("input[name=person]")).to_have_value(sly)
    expect(stranger.page.locator("form img")).to_have_count(0)
    for _ in range(4):
        post(server, "/enter", {"person": "Guess", "password": "x"}, {})
    stranger.sign_in("guess", "wrong password")
    expect(stranger.page.get_by_text("do not match")).to_be_visible()
    stranger.sign_in("GUESS", "wrong password")
    expect(stranger.page.get_by_text("Too many wrong tries")).to_be_visible()
    # Words in the address are not shown as the app's own.
    stranger.context.clear_cookies()
    stranger.go("/?wait=for+the+**call**+of+our+support&refused=1")
    expect(stranger.page.get_by_role("alert")).to_have_count(0)
    stranger.close()


def test_a_form_of_another_site_signs_nobody_in(server):
    form = {"person": "Ben", "password": PASSWORD}
    ours = {"Origin": server.url}
    assert "rulerank=" in post(server, "/enter", form, ours)
    assert "rulerank=" in post(server, "/enter", form, {"Sec-Fetch-Site": "same-origin"})
    for theirs in ({"Origin": "http://evil.example"}, {**ours, "Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert "rulerank=" not in post(server, "/enter", form, theirs, status=403)
        assert post(server, "/leave", {}, theirs, status=403) == ""
    assert "rulerank=" not in post(server, "/enter", {**form, "more": "x" * 30_000}, ours)
    # There is an administrator, so nobody else becomes one here.
    assert "rulerank=" not in post(server, "/begin", {"person": "Eve", "password": PASSWORD}, ours)


def test_an_admin_reaches_every_page_and_can_leave(chromium, server):
    ada = Screen(chromium, server.url)
    ada.sign_in("Ada", PASSWORD)
    ada.go("/people")
    expect(ada.page.get_by_role("heading", name="People")).to_be_visible()
    cookie = next(cookie for cookie in ada.context.cookies() if cookie["name"] == "rulerank")
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"  # who follows a link from elsewhere is signed in; changes ask for the origin
    ada.page.goto(server.url + "/leave")  # a link on any page could lead here, and must not sign anybody out
    ada.go("/people")
    expect(ada.page.get_by_role("heading", name="People")).to_be_visible()
    ada.page.get_by_role("button", name="Sign out").click()
    expect(ada.page.locator("input[name=password]")).to_be_visible()
    ada.close()
