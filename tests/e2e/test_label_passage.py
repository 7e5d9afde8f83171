"""Long texts on the Label page: the best passage first, the whole text one key away, without asking the server."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from db.workspace import Workspace
from pages.shared.document import LONG
from rulerank.campaign import Settings
from rulerank.collection import Collection
from rulerank.text import DocumentText, QueryText, Texts

FILLER = "Nothing of interest stands in this sentence at all. " * 60
ANSWER = "The flutter of a wing grows with the speed of the air."


@pytest.fixture(scope="module")
def campaign(server) -> int:
    """Twelve documents of one query: all long, but for the last two."""
    count = 12
    docids = [f"D{number}" for number in range(count)]
    matrix = np.random.default_rng(1).random((count, 3))
    collection = Collection.from_arrays(matrix, ["1"] * count, [-1] * count, docids=docids)
    documents = {docid: DocumentText("On wings", f"{FILLER}{ANSWER} {FILLER}") for docid in docids[:-2]}
    documents |= {docid: DocumentText("On wings", ANSWER) for docid in docids[-2:]}
    workspace = Workspace(server.database)
    person = workspace.people.ensure_single_user()
    number = workspace.import_campaign(
        "Wings", collection, Settings(sampler="random"), texts=Texts({"1": QueryText("flutter of wings")}, documents),
        person=person.id,
    )  # fmt: skip
    workspace.close()
    return number


def test_t_turns_to_the_whole_text_and_back(screen, log, campaign):
    screen.go(f"/label?campaign={campaign}")
    screen.document()
    text, button = screen.page.locator(".rr-document"), screen.button("Whole text")
    while button.count() == 0:
        screen.press("0")
    before = log.events()
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    expect(text).to_contain_text("Best passage for the query")
    expect(text).to_contain_text(ANSWER)
    expect(text.locator("pre mark").first).to_have_text("flutter")
    assert len(text.text_content()) < LONG
    assert text.evaluate("box => box.scrollHeight <= box.clientHeight"), "the passage must be in sight"
    screen.page.keyboard.press("t")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(text).to_contain_text(FILLER.strip())
    assert text.locator("pre").text_content() == f"{FILLER}{ANSWER} {FILLER}"
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert len(text.text_content()) < LONG
    assert [url for url in asked if url.endswith("/act")] == []
    assert log.events() == before


def test_the_choice_is_for_one_document_and_short_texts_have_none(screen, campaign):
    seen = set()
    for _ in range(11):  # both kinds are among so many, and one is left to go on to
        screen.document()
        button = screen.button("Whole text")
        seen.add(button.count())
        if button.count():
            expect(button).to_have_attribute("aria-pressed", "false")
            screen.page.wait_for_timeout(320)  # the same key sooner would count as bounced
            screen.page.keyboard.press("t")
            expect(button).to_have_attribute("aria-pressed", "true")
        else:
            assert screen.page.locator(".rr-document pre").text_content() == ANSWER
        if seen == {0, 1}:
            break
        screen.press("1")
    assert seen == {0, 1}


def test_the_buttons_stand_in_one_row_beside_an_open_sidebar(screen, campaign):
    while screen.button("Whole text").count() == 0:
        screen.press("1")
    buttons = screen.page.locator(".rr-around button")
    rows = {}
    for width in (1366, 820):
        screen.page.set_viewport_size({"width": width, "height": 768})
        screen.page.wait_for_timeout(300)
        rows[width] = [round(box["y"]) for box in map(Locator.bounding_box, buttons.all())]
    assert len(rows[1366]) == 7
    assert len(set(rows[1366])) == 1
    assert len(set(rows[820])) <= 2
