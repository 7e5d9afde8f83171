"""Reading on the Label page: what stays in sight, what keys move, and what a person may set for themselves.

The tests of this file follow one another on one screen, as an annotator's day does.
"""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from db.workspace import Workspace
from rulerank.campaign import GradeLevel, Settings
from rulerank.collection import Collection
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, QueryText, Texts
from tests.e2e.screen import DWELL, Screen

LINES = (
    "an experimental study of a wing in a propeller slipstream was\n"
    "made in order to determine the spanwise distribution of the lift\n"
    "increase due to slipstream at different angles of attack of the wing .\n\n"
)
CODE = "for wing in wings:\n    lift = measure(wing)\n    print(lift)\n\n"
GRADES = ("Off topic", "Hardly", "Marginal", "Fair", "Highly relevant", "Perfect")
DOCUMENTS = 60


@pytest.fixture(scope="module")
def campaigns(server) -> tuple[int, int]:
    """One campaign of long texts with six grades, and a small one that reaches its natural stop."""
    docids = [f"D{number}" for number in range(DOCUMENTS)]
    matrix = np.random.default_rng(1).random((DOCUMENTS, 4))
    collection = Collection.from_arrays(matrix, ["1"] * DOCUMENTS, [-1] * DOCUMENTS, docids=docids)
    texts = Texts(
        {"1": QueryText("lift of a wing", "What a slipstream adds to the lift of a wing.")},
        {docid: DocumentText("Wings", CODE + LINES * 30) for docid in docids},
    )
    grades = tuple(GradeLevel(name, f"It is {name.lower()}.") for name in GRADES)
    grades = (*grades[:5], GradeLevel("Perfect", "It is perfect.", colour="#00429d"))
    workspace = Workspace(server.database)
    person = workspace.people.ensure_single_user()
    long = workspace.import_campaign(
        "Long", collection, Settings(sampler="random", grades=grades), texts=texts, person=person.id
    )
    small = workspace.import_campaign("Small", planted_collection(1, 24, 2, seed=3), Settings(), person=person.id)
    workspace.close()
    return long, small


@pytest.fixture(scope="module")
def reader(screen, campaigns) -> Screen:
    """The screen on the campaign of long texts, all of the first text in sight."""
    screen.page.set_viewport_size({"width": 1366, "height": 768})
    screen.go(f"/label?campaign={campaigns[0]}")
    screen.document()
    return screen


def box(screen: Screen, selector: str) -> dict[str, float]:
    found = screen.page.locator(selector).bounding_box()
    assert found is not None
    return found


def scrolled(screen: Screen) -> float:
    return float(screen.page.locator(".rr-document").evaluate("box => box.scrollTop"))


def whole_text(screen: Screen) -> None:
    screen.page.wait_for_timeout(320)  # the same key sooner would count as bounced
    screen.page.keyboard.press("t")
    expect(screen.button("Whole text")).to_have_attribute("aria-pressed", "true")


def test_long_texts_move_by_keys_without_a_click(reader):
    keys = reader.page.keyboard
    whole_text(reader)
    seen = [scrolled(reader)]
    for key in ("ArrowDown", "PageDown", "Space", "End"):
        keys.press(key)
        seen.append(scrolled(reader))
    assert seen[0] == 0
    assert seen == sorted(set(seen)), seen
    for key in ("ArrowUp", "PageUp", "Shift+Space", "Home"):
        keys.press(key)
        seen.append(scrolled(reader))
    assert seen[4:] == sorted(set(seen[4:]), reverse=True), seen
    assert seen[-1] == 0


def test_the_focus_stays_with_the_document_after_every_label(reader, log):
    reader.press("1")
    expect(reader.page.locator(".rr-document")).to_be_focused()
    token = reader.document()
    reader.page.locator(".rr-grades button").nth(2).click()
    reader.document_after(token)
    expect(reader.page.locator(".rr-document")).to_be_focused()
    given = log.events("grade")
    whole_text(reader)
    reader.page.keyboard.press("Space")  # on a button that kept the focus, it would grade this document too
    assert scrolled(reader) > 0
    reader.page.wait_for_timeout(300)
    assert log.events("grade") == given


@pytest.mark.parametrize(
    "keys",
    ["s 1", "s s", "s Enter", "l", "n Escape 1", "v 0", "w 2", "Tab 1", "z"],
    ids=lambda keys: keys.replace(" ", "-"),
)
def test_enter_and_space_never_grade_a_document_that_came_after_the_focus(reader, log, keys):
    reader.press("3")  # something to undo, and the panel's keys are at rest
    token = reader.document()
    for key in keys.split():
        reader.page.wait_for_timeout(320)
        reader.page.keyboard.press(key)
    reader.document_after(token)
    expect(reader.page.locator(".rr-document")).to_be_focused()
    before, token = log.events(), reader.document()
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Space")
    reader.page.wait_for_timeout(300)
    assert (log.events(), reader.token()) == (before, token)
    for key in {"v", "w"}.intersection(keys.split()):  # puts away what was opened
        reader.page.keyboard.press(key)


def test_the_heading_names_the_campaign_in_one_line_above_the_document(reader):
    reader.page.set_viewport_size({"width": 1366, "height": 768})
    heading = reader.page.get_by_role("heading", name="Label Long", exact=True)
    assert heading.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") == pytest.approx(22, abs=1)
    assert heading.bounding_box()["height"] < 40
    assert reader.page.locator(".rr-document").bounding_box()["height"] > 380


@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080)])
def test_the_panel_fills_the_window_and_no_more(reader, size):
    width, height = size
    reader.page.set_viewport_size({"width": width, "height": height})
    reader.page.wait_for_timeout(300)
    panel, text = box(reader, ".rr-panel"), box(reader, ".rr-document")
    assert height - 24 <= panel["y"] + panel["height"] <= height
    assert text["height"] >= 0.45 * height
    assert reader.page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight <= main.clientHeight + 1")
    reader.page.set_viewport_size({"width": 1366, "height": 768})


def test_the_query_stays_on_top_whatever_is_opened(reader):
    before = box(reader, ".rr-query")["y"]
    reader.page.keyboard.press("w")
    expect(reader.page.locator(".rr-picture")).to_be_visible()
    assert box(reader, ".rr-query")["y"] == before
    grades = box(reader, ".rr-grades")
    assert grades["y"] + grades["height"] < 768
    reader.page.keyboard.press("n")
    expect(reader.page.locator(".rr-note textarea")).to_be_focused()
    assert box(reader, ".rr-query")["y"] == before
    assert box(reader, ".rr-document")["height"] > 100
    reader.page.keyboard.press("Escape")
    expect(reader.page.locator(".rr-document")).to_be_focused()


def test_the_reason_is_a_sentence_and_a_picture_with_the_rules_folded(reader):
    reason = reader.page.locator(".rr-why")
    expect(reason.locator(".rr-because")).to_contain_text("Why the last one, “Wings”? Chosen by “Random”: its feature ")
    assert 3 <= reason.locator("svg circle").count() <= 5
    expect(reason.get_by_text("rules from what was labelled")).to_be_hidden()
    reason.locator("summary").click()
    expect(reason.get_by_text("rules from what was labelled")).to_be_visible()
    reader.press_again("w")
    expect(reason).to_have_count(0)


def test_six_grades_stand_in_one_row_each_in_its_colour_with_its_meaning(reader):
    buttons = reader.page.locator(".rr-grades button").all()
    assert len({round(found["y"]) for found in map(Locator.bounding_box, buttons)}) == 1
    colours = [button.evaluate("button => getComputedStyle(button).backgroundColor") for button in buttons]
    assert len(set(colours)) == 6
    assert colours[5] == "rgb(0, 66, 157)"  # the campaign's own
    buttons[4].hover()
    assert buttons[4].get_attribute("title") == "It is highly relevant."
    shown = buttons[4].evaluate("button => getComputedStyle(button, '::after').content")
    assert shown == '"It is highly relevant."'


def test_an_ignored_key_is_shown_as_ignored(reader, log):
    told = reader.page.locator(".rr-quiet")
    before, token = len(log.events("grade")), reader.document()
    reader.bounce("0", 20)
    expect(told).to_contain_text("Your key 0 was ignored")
    token = reader.document_after(token)
    both = (
        "keys => keys.forEach(key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))"
    )
    reader.page.wait_for_timeout(320)
    reader.page.evaluate(both, ["1", "2"])
    expect(told).to_contain_text("Your key 2 was not taken: your key 1 is still being saved.")
    reader.document_after(token)
    assert [grade for _, grade, _ in log.events("grade")[before:]] == [0, 1]
    expect(told).to_have_text("")


def test_a_note_typed_just_before_a_reload_is_kept(reader, log):
    token, drafts = reader.document(), len(log.events("draft"))
    reader.page.keyboard.press("n")
    reader.page.keyboard.type("half a thought")
    assert len(log.events("draft")) == drafts
    expect(reader.page.locator(".rr-note")).to_contain_text("Saved with the grade you give")
    reader.page.reload()
    assert reader.document() == token
    log.wait_for("draft", drafts + 1)
    expect(reader.page.locator(".rr-note textarea")).to_have_value("half a thought")
    reader.page.wait_for_timeout(DWELL)  # the page is new, and so is the document on it
    reader.press("1")
    assert "half a thought" in [text for _, _, text in log.events("note")]
    expect(reader.page.locator(".rr-saved")).to_contain_text("1 · Hardly, with your note")


def test_lines_broken_by_hand_flow_and_can_be_seen_as_they_came(reader):
    text = reader.page.locator(".rr-document pre")
    whole_text(reader)
    assert LINES.replace("\n", " ").strip() in text.text_content()
    assert CODE in text.text_content()
    reader.page.keyboard.press("v")
    raw = reader.button("Line breaks as they came")
    raw.click()
    expect(raw).to_have_attribute("aria-pressed", "true")
    reader.page.wait_for_function(
        "part => document.querySelector('.rr-document pre').textContent.includes(part)", arg=LINES
    )
    assert text.text_content() == CODE + LINES * 30
    raw.click()
    reader.page.wait_for_function(
        "part => !document.querySelector('.rr-document pre').textContent.includes(part)", arg=LINES
    )


def test_size_width_and_keys_on_buttons_are_kept(reader):
    text = reader.page.locator(".rr-document pre")
    size = "text => parseFloat(getComputedStyle(text).fontSize)"
    before = text.evaluate(size)
    for name in ("Large text", "Text only", "Keys on buttons"):
        reader.button(name).click()
    assert text.evaluate(size) > before
    reader.page.reload()
    reader.document()
    assert text.evaluate(size) > before
    assert box(reader, ".rr-panel")["width"] <= 820
    expect(reader.page.locator("[data-testid=stSidebar]")).to_be_hidden()
    expect(reader.page.locator(".rr-grades kbd").first).to_be_hidden()
    reader.page.keyboard.press("v")
    for name in ("Middle text", "Text only", "Keys on buttons"):
        reader.button(name).click()
    reader.page.wait_for_timeout(320)
    reader.press_again("v")
    expect(reader.page.locator(".rr-grades kbd").first).to_be_visible()
    expect(reader.page.locator(".rr-view")).to_have_count(0)


def test_progress_is_told_in_an_annotators_words(reader, log):
    given = len(log.events("grade")) - len(log.events("undo"))
    told = reader.page.locator(".rr-progress")
    expect(told).to_contain_text(f"{given} labels today, {given} in all")
    expect(told).to_contain_text(f"about {DOCUMENTS - given} labels to go")
    share = told.get_by_role("progressbar").get_attribute("aria-valuenow")
    reader.press("0")
    assert int(told.get_by_role("progressbar").get_attribute("aria-valuenow")) > int(share)
    assert "draws" not in told.text_content()


def test_a_telephone_has_large_buttons_no_keys_and_nothing_beside_the_page(chromium, server, campaigns):
    phone = Screen(chromium, server.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        phone.go(f"/label?campaign={campaigns[0]}")
        phone.document()
        assert phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390
        expect(phone.page.locator(".rr-panel kbd").first).to_be_hidden()
        buttons = [button.bounding_box() for button in phone.page.locator(".rr-grades button").all()]
        assert all(
            found["height"] >= 48 and found["width"] >= 90 and found["x"] + found["width"] <= 390 for found in buttons
        )
        assert buttons[-1]["y"] + buttons[-1]["height"] <= 844
        phone.page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 150)")
        phone.page.wait_for_timeout(200)
        assert box(phone, ".rr-query")["y"] >= 0
    finally:
        phone.close()


def test_going_on_beyond_the_natural_stop_is_remembered(reader, campaigns):
    reader.go(f"/label?campaign={campaigns[1]}")
    on = reader.button("Keep labelling anyway")
    for _ in range(20):
        token = reader.document()
        reader.page.keyboard.press("1")
        reader.page.wait_for_function("old => document.querySelector('.rr-panel').dataset.token !== old", arg=token)
        if on.is_visible():
            break
    reader.page.get_by_role("main").get_by_role("link", name="Progress").click()
    reader.page.wait_for_url(f"**/progress?campaign={campaigns[1]}*")
    reader.go(f"/label?campaign={campaigns[1]}")
    on.click()
    token = reader.document()
    reader.page.reload()
    assert reader.document() == token
    reader.go(f"/label?campaign={campaigns[0]}")
    reader.document()
    assert reader.page.evaluate("() => window.rulerankPanel.view.beyond") is False
