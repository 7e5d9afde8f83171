"""The labelling panel when things go wrong: answers that are lost, a second tab, a store that is away, bad documents.

The tests of this file follow one another on one screen, as an annotator's day does.
"""

from __future__ import annotations

import json
import sqlite3
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen


@pytest.fixture(scope="module")
def second(chromium, server, screen):
    """Another tab of the same browser."""
    opened = Screen(chromium, server.url)
    yield opened
    opened.close()


def told(screen):
    return screen.page.locator(".rr-saved")


def kinds(log) -> list[str]:
    return [kind for (kind,) in log.rows("SELECT kind FROM label_events ORDER BY id")]


def test_one_press_of_z_takes_back_one_label_though_its_answer_is_lost(screen, log):
    screen.go()
    screen.click("Try the demo")
    screen.document()
    screen.press("1")
    screen.press("2")
    lost = []

    def lose(route):
        if not lost and json.loads(route.request.post_data)["kind"] == "undo":
            lost.append(route.fetch())  # it reaches the server, and the answer does not come back
            route.abort()
        else:
            route.continue_()

    screen.page.route("**/act", lose)
    before = screen.document()
    screen.page.keyboard.press("z")
    screen.document_after(before)
    screen.page.unroute("**/act")
    assert lost
    assert kinds(log) == ["grade", "grade", "undo"]
    expect(told(screen)).to_contain_text("Taken back: 2 · answers it. The document is here again.")


def test_a_second_tab_is_told_that_the_first_was_quicker(screen, second, log):
    second.page.goto(screen.page.url)
    second.ready()
    assert second.document() == screen.document()
    screen.press("1")
    second.page.keyboard.press("2")
    expect(told(second)).to_contain_text("“1 · related” in another tab")
    expect(told(second)).to_contain_text("your “2 · answers it” was not saved")
    assert kinds(log) == ["grade", "grade", "undo", "grade"]
    second.press("0")
    screen.page.keyboard.press("z")
    expect(told(screen)).to_contain_text("nothing was taken back")
    assert kinds(log) == ["grade", "grade", "undo", "grade", "grade"]


def test_a_second_tab_is_told_that_the_first_gave_the_same(screen, second, log):
    screen.page.reload()
    second.page.reload()
    assert second.document() == screen.document()
    before = kinds(log)
    screen.press("1")
    second.page.keyboard.press("1")
    expect(told(second)).to_contain_text("This document got “1 · related” in another tab already")
    assert second.document() == screen.document()
    assert kinds(log) == [*before, "grade"]


def test_a_key_waits_until_the_store_is_back(screen, server, log, folder):
    path, away = folder / "labels.db", folder / "away.db"
    screen.page.reload()
    token = screen.document()
    row, before = log.held(token), log.events("grade")
    path.rename(away)
    screen.page.keyboard.press("2")
    expect(told(screen)).to_contain_text("moved, removed or replaced")
    expect(told(screen)).to_contain_text("Your key 2 is not saved yet; it is sent again by itself.")
    screen.page.keyboard.press("1")
    expect(told(screen)).to_contain_text("Your key 1 was not taken")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{server.url}/health", timeout=60)
    assert caught.value.code == 503
    assert json.loads(caught.value.read())["parts"]["store"]["kind"] == "gone"
    other = screen.context.new_page()
    other.goto(f"{server.url}/progress")
    expect(other.get_by_text("moved, removed or replaced")).to_be_visible()
    other.close()
    assert not path.exists()
    away.rename(path)
    screen.document_after(token)
    expect(told(screen)).to_contain_text("2 · answers it")
    assert log.events("grade") == [*before, (row, 2, "")]


def test_a_document_that_cannot_be_shown_is_put_aside(screen, log):
    writer = sqlite3.connect(log.path)
    writer.execute("UPDATE document_texts SET body = CAST(x'636166e9' AS TEXT) WHERE rowid % 2 = 0")
    writer.commit()
    writer.close()
    aside = screen.page.locator(".rr-aside")
    for _ in range(30):
        screen.press("0")
        if aside.count():
            break
    expect(aside).to_contain_text("could not be shown and")
    expect(aside).to_contain_text("cannot be read as UTF-8")
    screen.go("/progress")
    expect(screen.page.get_by_text("Could not be shown:")).to_be_visible()
