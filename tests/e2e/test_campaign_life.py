"""A campaign changes while people label: what the lead changes, the annotator sees once; it is paused and archived."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from db.workspace import Workspace
from tests.e2e.screen import Screen

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def server(start, folder):
    """A server with accounts, a lead, an annotator, and the demo."""
    workspace = Workspace(f"sqlite:///{folder / 'labels.db'}")
    workspace.people.add("Rosa", "admin", PASSWORD)
    workspace.people.add("Ben", "annotator", PASSWORD)
    workspace.demo()
    workspace.close()
    return start(sign_in="accounts")


def signed_in(chromium, server, name: str) -> Screen:
    made = Screen(chromium, server.url)
    made.sign_in(name, PASSWORD)
    return made


def picture(screen: Screen, name: str) -> None:
    """Keep a picture where somebody asked for them."""
    folder = os.environ.get("RULERANK_PICTURES", "")
    if folder:
        screen.page.screenshot(path=Path(folder) / f"{name}.png")


def rename_first_grade(screen: Screen, name: str) -> None:
    """Type a name into the table of the grades, which is drawn on a canvas: below its head, beside the key."""
    grid = screen.page.get_by_test_id("stDataFrame").first.locator("canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    screen.page.mouse.dblclick(box["x"] + 110, box["y"] + 52)
    screen.page.get_by_test_id("portal").locator("textarea, input").fill(name)
    screen.page.keyboard.press("Enter")


def test_the_lead_changes_pauses_archives_and_restores_while_somebody_labels(chromium, server, log):
    rosa, ben = signed_in(chromium, server, "Rosa"), signed_in(chromium, server, "Ben")
    ben.go("/label")
    ben.press("1")
    # The lead changes the guidelines and the name of a grade.
    rosa.go("/settings")
    expect(rosa.page.get_by_text("Nothing is changed yet")).to_be_visible()
    field = rosa.page.get_by_role("textbox", name="Guidelines (Markdown)")
    expect(field).not_to_have_value("")
    field.fill(f"{field.input_value()}\nIf in doubt, read it twice.")
    field.blur()
    expect(rosa.page.get_by_text("Everybody who has labelled here sees the difference once")).to_be_visible()
    rename_first_grade(rosa, "off topic")
    picture(rosa, "settings-rename")
    expect(rosa.page.locator(".rr-diff")).to_contain_text("off topic")
    picture(rosa, "settings-change")
    rosa.click("^Save")
    expect(rosa.page.get_by_text("Saved. It holds from the next document on.")).to_be_visible()
    # The annotator finishes the document that was on the screen, and reads what is new before the next one.
    ben.page.keyboard.press("2")
    news = ben.page.locator(".rr-news")
    expect(news).to_contain_text("Guidelines")
    assert [each.inner_text() for each in news.locator("ins").all()] == ["If in doubt, read it twice.", "off topic"]
    assert [each.inner_text() for each in news.locator("del").all()] == ["not relevant"]
    ben.saved(2)
    picture(ben, "label-news")
    ben.page.keyboard.press("1")  # grades nothing: there is no document
    assert len(log.events("grade")) == 2
    ben.page.keyboard.press("Enter")
    ben.document()
    expect(news).to_have_count(0)
    ben.page.get_by_text("Guidelines", exact=True).click()
    expect(ben.page.get_by_text("If in doubt, read it twice.")).to_be_visible()
    expect(ben.page.get_by_role("button", name="off topic")).to_be_visible()
    ben.press("1")
    ben.saved(3)
    # Paused.
    rosa.page.get_by_role("tab", name="History").click()
    picture(rosa, "settings-history")
    rosa.page.get_by_role("tab", name="Pause, copy, end").click()
    picture(rosa, "settings-life")
    rosa.click("Pause labelling")
    expect(rosa.page.get_by_text("This campaign is paused.")).to_be_visible()
    ben.page.keyboard.press("1")
    expect(ben.page.locator(".rr-pause")).to_contain_text("paused")
    picture(ben, "label-paused")
    rosa.click("Resume labelling")
    ben.go("/label")
    ben.press("1")
    ben.saved(4)
    # Archived, and restored from Home.
    rosa.page.get_by_role("tab", name="Pause, copy, end").click()
    rosa.click("Archive the campaign")
    rosa.page.wait_for_url(re.compile(r":\d+/(\?|$)"))
    ben.go("/")
    expect(ben.page.get_by_role("button", name="Label")).to_have_count(0)
    rosa.ready()
    rosa.page.get_by_role("combobox", name="Show").click()
    rosa.page.get_by_role("option", name="Archived").click()
    rosa.click("Restore")
    ben.go("/label")
    ben.press("1")
    ben.saved(5)
    kinds = [kind for (kind,) in log.rows("SELECT kind FROM label_events ORDER BY id")]
    assert kinds.count("change") == 6  # guidelines, read, paused, resumed, archived, restored
    for screen in (rosa, ben):
        screen.close()
