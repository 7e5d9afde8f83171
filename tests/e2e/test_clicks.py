"""The Clicks page in a real browser: upload a log, fit, cancel, measure a campaign, use what was learned elsewhere."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from thorough import thorough_only

from db.workspace import Workspace
from rulerank.campaign import Settings
from rulerank.clicks import bilingual_user, fit, made_up_lists, read_log, simulate_log, write_log
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, Texts
from tests.e2e.screen import Screen
from tests.pages.conftest import give_labels

PATIENCE = 60_000
BAD_ROW = 'q1,d1 d2,1 0,"native native",1,1\n'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A log of bilingual users in three layouts, and one with a bad row at its end."""
    folder = tmp_path_factory.mktemp("clicks")
    user = bilingual_user()
    lists = made_up_lists(depth=4, languages=user.languages, grades=5, pool=8, seed=1)
    log = simulate_log(user, lists, 4000, seed=1)
    for ending in ("csv", "jsonl", "parquet"):
        write_log(log, folder / f"good.{ending}")
    (folder / "broken.csv").write_text((folder / "good.csv").read_text() + BAD_ROW)
    return folder


@pytest.fixture(scope="module")
def campaign(server) -> int:
    """A campaign with an evaluation set, whose documents are in the log's two languages."""
    workspace = Workspace(server.database)
    collection = planted_collection(12, 10, 8, seed=5)
    docids = dict.fromkeys(collection.docids)
    spoken = {docid: DocumentText("", "x", ("native", "english")[place % 2]) for place, docid in enumerate(docids)}
    person = workspace.people.ensure_single_user()
    number = workspace.import_campaign(
        "Two languages",
        collection,
        Settings(grades_known=True),
        texts=Texts({}, spoken),
        evaluation_rows=np.flatnonzero(collection.query_index >= 6),
        person=person.id,
    )
    give_labels(workspace, number, person.id, 12)
    workspace.close()
    return number


def upload(screen: Screen, path) -> Page:
    """Choose a file, and read it."""
    page = screen.page
    page.locator(".st-key-clicks-file input[type=file]").set_input_files(path)
    expect(page.locator(".st-key-clicks-file").get_by_text(path.name)).to_be_visible()
    page.wait_for_timeout(1000)  # the name stands there before the page has run with the new file
    screen.ready()
    screen.click("Read the log")
    return page


def saved(page: Page, name: str) -> str:
    with page.expect_download() as found:
        page.get_by_role("button", name=name).click()
    return found.value.path().read_text()


@thorough_only
def test_upload_fit_cancel_and_use_elsewhere(screen, files, campaign):
    screen.page.set_viewport_size({"width": 1366, "height": 1400})
    screen.go("/clicks")
    page = upload(screen, files / "broken.csv")
    expect(page.get_by_text("1 row of broken.csv cannot be used.")).to_be_visible(timeout=PATIENCE)

    for ending in ("jsonl", "parquet", "csv"):
        if page.get_by_text("Another log").count():
            page.get_by_text("Another log").click()
        upload(screen, files / f"good.{ending}")
        caption = page.locator("[data-testid=stCaptionContainer]").get_by_text(f"good.{ending}", exact=True)
        expect(caption).to_be_visible(timeout=PATIENCE)
        expect(page.locator("[data-testid=stMetricValue]").first).to_have_text("4,000", timeout=PATIENCE)
        expect(page.get_by_role("button", name="Read the log")).not_to_be_visible()  # the form is folded

    page.locator(".st-key-clicks-fit button").click()
    expect(page.get_by_text("Perplexity by position (marginal)")).to_be_visible(timeout=PATIENCE)
    made = json.loads(saved(page, "This model (JSON)"))
    known = fit("eia", read_log(files / "good.csv", depth=5), seed=0)
    assert made["model"] == "eia"
    assert made["loglik"] == pytest.approx(known.loglik, abs=0.01)

    page.get_by_role("spinbutton", name="Splits").fill("1000")
    page.get_by_role("spinbutton", name="Splits").press("Enter")
    screen.ready()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile("cancelled; nothing was kept", re.I))).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)

    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measured (CSV)")).to_be_visible(timeout=PATIENCE)
    head, line = saved(page, "Measured (CSV)").splitlines()
    assert head.removeprefix("\ufeff").startswith('Ranker,"ERR-EIA, learned"')
    screen.click("Use on Progress and Ranking")
    expect(page.get_by_text(re.compile("This campaign keeps"))).to_be_visible(timeout=PATIENCE)

    screen.go(f"/progress?campaign={campaign}")
    page.get_by_role("combobox", name="Metric").click()
    page.get_by_role("option", name="ERR-EIA, learned").click()
    value = page.locator("[data-testid=stMetric]").filter(has_text="ERR-EIA, learned now")
    expect(value).to_contain_text(re.compile(r"0\.\d{3}"), timeout=PATIENCE)
    shown = float(re.search(r"0\.\d{3}", value.inner_text())[0])
    assert shown == pytest.approx(float(line.split(",")[1]), abs=0.00056)  # both are rounded
    expect(page.get_by_text(re.compile(r"learned from good\.csv \(4,000 sessions\)"))).to_be_visible()
