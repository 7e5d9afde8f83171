"""The campaign that a person has chosen stays: in every address, through every link, and named in every heading."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from rulerank.campaign import GradeLevel, Settings
from rulerank.synthetic import planted_collection
from tests.e2e.screen import DWELL

OLD, NEW = "The older one", "The newest one"
PAGES = ("Progress", "Competence", "Ranking", "Agreement", "Export")


@pytest.fixture(scope="module")
def campaigns(server) -> dict[str, int]:
    """Two campaigns, made from outside."""
    workspace = Workspace(server.database)
    try:
        settings = Settings(grades=tuple(GradeLevel(f"grade {number}") for number in range(3)), grades_known=True)
        return {
            name: workspace.import_campaign(name, planted_collection(6, 10, 10 + seed), settings)
            for seed, name in enumerate((OLD, NEW))
        }
    finally:
        workspace.close()


def follow(screen, name: str) -> None:
    """Follow a link of the side bar, and wait for its page."""
    screen.page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    screen.page.wait_for_url(re.compile(rf"/{name.lower()}\b" if name != "Home" else r"/(\?|$)"))
    screen.ready()


def shows(screen, page: str, campaign: str, number: int) -> None:
    """Wait until a page names a campaign in its heading and its address."""
    expect(screen.page.get_by_role("heading", name=f"{page} {campaign}", exact=True)).to_be_visible()
    assert screen.page.url.endswith(f"?campaign={number}")


@thorough_only
def test_the_side_bar_keeps_the_campaign(screen, campaigns):
    screen.go()
    screen.page.locator(f".st-key-label-{campaigns[OLD]} button").click()
    screen.document()
    expect(screen.page.get_by_text(f"Label {OLD}")).to_be_visible()
    assert screen.page.url.endswith(f"/label?campaign={campaigns[OLD]}")
    for page in PAGES:
        follow(screen, page)
        shows(screen, page, OLD, campaigns[OLD])
    follow(screen, "Label")
    screen.document()
    expect(screen.page.get_by_text(f"Label {OLD}")).to_be_visible()


def test_pages_that_are_about_no_campaign_pass_it_on(screen, campaigns):
    screen.go(f"/progress?campaign={campaigns[OLD]}")
    for page in ("Home", "Simulate", "Clicks"):
        follow(screen, page)
    follow(screen, "Ranking")
    shows(screen, "Ranking", OLD, campaigns[OLD])


def test_an_address_and_the_way_back_are_followed(screen, campaigns):
    screen.go(f"/progress?campaign={campaigns[OLD]}")
    shows(screen, "Progress", OLD, campaigns[OLD])
    screen.go(f"/progress?campaign={campaigns[NEW]}")
    shows(screen, "Progress", NEW, campaigns[NEW])
    follow(screen, "Export")
    shows(screen, "Export", NEW, campaigns[NEW])
    screen.page.go_back()
    shows(screen, "Progress", NEW, campaigns[NEW])
    screen.page.go_back()
    shows(screen, "Progress", OLD, campaigns[OLD])


def test_the_box_in_the_side_bar_changes_address_and_links(screen, campaigns):
    screen.go(f"/ranking?campaign={campaigns[NEW]}")
    screen.page.get_by_test_id("stSidebar").get_by_role("combobox").click()
    screen.page.get_by_role("option", name=OLD).click()
    shows(screen, "Ranking", OLD, campaigns[OLD])
    follow(screen, "Progress")
    shows(screen, "Progress", OLD, campaigns[OLD])


def test_labels_go_to_the_campaign_that_is_named(screen, campaigns, log):
    screen.go(f"/progress?campaign={campaigns[OLD]}")
    follow(screen, "Label")
    expect(screen.page.get_by_text(f"Label {OLD}")).to_be_visible()
    screen.page.wait_for_timeout(DWELL)  # the document was seen before, on a page that is gone
    screen.press("1")
    log.wait_for("grade", 1)
    assert log.rows("SELECT campaign_id FROM label_events WHERE kind = 'grade'") == [(campaigns[OLD],)]


def test_a_campaign_that_is_not_here_is_not_replaced_by_another(screen, campaigns):
    screen.go(f"/label?campaign={max(campaigns.values()) + 90}")
    expect(screen.page.get_by_text("names a campaign that is not here")).to_be_visible()
    assert screen.token() is None
