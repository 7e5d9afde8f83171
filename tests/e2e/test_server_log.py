"""A browser session leaves a log that says who did what, and no page of ours asks for what is not there."""

from __future__ import annotations

import re

import pytest

from db.workspace import Workspace
from tests.e2e.screen import Screen

PASSWORD = "a long enough word"
PAGES = ("/", "/label", "/progress", "/competence", "/ranking", "/agreement", "/export", "/people", "/sessions")


@pytest.mark.parametrize("base", ["", "tools/rulerank"])
def test_a_session_of_an_administrator(chromium, start, folder, base):
    database = f"sqlite:///{folder / f'labels-{len(base)}.db'}"
    workspace = Workspace(database)
    ada = workspace.people.add("Ada", "admin", PASSWORD)
    campaign = workspace.demo(ada.id)
    workspace.close()
    server = start(database=database, sign_in="accounts", base=base)
    screen = Screen(chromium, server.url)
    missing: list[str] = []
    screen.page.on("response", lambda answer: missing.append(answer.url) if answer.status == 404 else None)
    try:
        screen.sign_in("Ada", "a wrong password")
        screen.sign_in("Ada", PASSWORD)
        for page in PAGES:
            screen.go(page if page == "/" else f"{page}?campaign={campaign}")
        screen.go("/export")
        screen.click("Make a backup")
        screen.page.get_by_text(re.compile(r"Download rulerank-backup-")).wait_for()
    finally:
        screen.close()
    assert missing == []
    said = server.log.read_text()
    assert " 404 " not in said
    events = re.findall(r"^rulerank: time=\S+Z event=(\S+) (.*)$", said, re.MULTILINE)
    assert [event for event, _ in events] == ["start", "sign-in-refused", "sign-in", "backup"]
    facts = dict(events)
    assert re.match(r"version=\S+ database=sqlite:\S+ sign_in=accounts listens=localhost:\d+$", facts["start"])
    assert "why=wrong-password person=Ada " in facts["sign-in-refused"]
    assert "person=Ada role=admin how=password " in facts["sign-in"]
    assert "by=Ada file=rulerank-backup-" in facts["backup"]
    assert PASSWORD not in said
    assert "wrong password" not in said
