"""Your sessions: listed in words, ended one by one or all but this one."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages import context
from pages.sessions.service import ago, browser_name

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
)
EDGE = CHROME + " Edg/126.0.0.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)


def run_page() -> AppTest:
    page = AppTest.from_file("../../pages/sessions/page.py", default_timeout=600)
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def ann(workspace, monkeypatch):
    """Ann is signed in here, and twice elsewhere; returns the three cookies."""
    person = workspace.people.add("Ann", "annotator", "a long password")
    cookies = [
        workspace.people.sign(person, f"192.0.2.{n}", agent) for n, agent in enumerate((FIREFOX, CHROME, IPHONE))
    ]
    context.wire(workspace, "accounts")
    monkeypatch.setattr(context, "signed_in", lambda: workspace.people.read(cookies[0]))
    return cookies


def test_each_says_which_browser_from_where_and_since_when(workspace, ann):
    told = [each.value.replace("\\", "") for each in run_page().markdown]
    assert len(told) == 3
    assert "**Firefox on Linux** · **this one**" in told[0]
    assert "from 192.0.2.0" in told[0]
    assert "last used just now" in told[0]
    assert {"Chrome on Windows", "Safari on iOS"} == {each.split("**")[1] for each in told[1:]}


def test_one_and_all_others_can_be_ended(workspace, ann):
    page = run_page()
    second = workspace.people.read(ann[1]).session
    page.button(key=f"session-end-{second}").click().run()
    assert [workspace.people.read(each) is not None for each in ann] == [True, False, True]
    page.button(key="session-end-others").click().run()
    assert [workspace.people.read(each) is not None for each in ann] == [True, False, False]
    assert not page.button


def test_hostile_names_of_browsers_are_words(workspace, ann, monkeypatch):
    monkeypatch.setattr("pages.sessions.service.UNKNOWN", "[x](http://evil.example)")
    workspace.people.sign(workspace.people.read(ann[0]), "", "**bold** [x](http://evil.example)")
    assert not any("](http://evil.example)" in each.value for each in run_page().markdown)


def test_single_user_mode_has_none(workspace):
    page = run_page()
    assert "no sign-in" in page.info[0].value
    assert not page.button


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Windows"),
        (EDGE, "Edge on Windows"),
        (IPHONE, "Safari on iOS"),
        ("", "Unknown browser"),
        ("curl/8.5.0", "Unknown browser"),
    ],
)
def test_browsers_are_named_as_people_know_them(agent, name):
    assert browser_name(agent) == name


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"), (7300, "2 hours ago")],
)
def test_how_long_ago(seconds, words):
    assert ago(1000.0, 1000.0 + seconds) == words
