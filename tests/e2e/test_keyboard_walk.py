"""With nothing but keys: to every page, through all of it, and the main thing of each done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect
from thorough import THOROUGH, thorough_only

from db.workspace import Workspace
from rulerank.synthetic import planted_collection
from tests.e2e.pictures import label_demo, wait_for_quiet
from tests.e2e.screen import Screen
from tests.prepare.pair_table import PAIRS, table

MENU = {
    "Label": "label", "My labels": "mine", "Progress": "progress", "Replay": "replay", "Competence": "competence",
    "Ranking": "ranking", "Agreement": "agreement", "Discussions": "discussions", "Simulate": "simulate",
    "Clicks": "clicks", "New campaign": "new", "Export": "export",
    "Settings": "settings", "People": "people", "Home": "",
}  # fmt: skip
MOST = 150
"""Presses of Tab after which a page is taken for a trap."""
FIRST = "Skip to main content"
"""The first stop of every page; seen only while it has the focus."""

# What can be seen of the focus: outline and shadow of an element and of what is around it. What the browser clips away,
# such as the input of a radio button, shows nothing.
LOOK = """element => {
    const seen = [];
    for (let each = element, far = 0; each && far < 5; each = each.parentElement, far++) {
        const style = getComputedStyle(each), box = each.getBoundingClientRect();
        if (style.overflow !== "visible" && (box.width < 4 || box.height < 4)) seen.length = 0;
        else seen.push(`${style.outlineStyle === "none" ? "" : style.outline} ${style.boxShadow}`);
    }
    return seen.join(";");
}"""
FOCUS = f"""() => {{
    const at = document.activeElement, box = at.getBoundingClientRect(), walked = window.walked ??= [];
    if (at === document.body) return {{ name: "", role: "" }};
    const before = walked.at(-1)?.at, after = Node.DOCUMENT_POSITION_FOLLOWING;
    const name = at.getAttribute("aria-label") || at.labels?.[0]?.innerText || at.innerText || at.tagName;
    const found = {{
        name: name.trim().replaceAll("\\n", " ").slice(-60), role: at.getAttribute("role") ?? at.tagName.toLowerCase(),
        follows: !before || before === at || Boolean(before.compareDocumentPosition(at) & after),
        visible: box.width > 0 && box.height > 0,
    }};
    walked.push({{ at, look: ({LOOK})(at), name: found.name }});
    return found;
}}"""
# Afterwards, when they no longer have the focus: the names of those that look as they did with it.
UNSHOWN = f"""() => window.walked
    .filter(({{ at, look }}) => at.isConnected && at !== document.activeElement && ({LOOK})(at) === look)
    .map(({{ name }}) => name)"""


@dataclass
class Keys:
    """A person without a mouse."""

    screen: Screen

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            self.screen.page.keyboard.press(key)

    def focus(self) -> dict[str, Any]:
        """Return what has the focus; its name is empty where nothing has."""
        return dict(self.screen.page.evaluate(FOCUS))

    def tab_to(self, name: str, role: str = "", key: str = "Tab") -> None:
        """Press Tab until something of this name has the focus; a page is gone round at most twice."""
        seen = []
        for _ in range(2 * MOST):
            now = self.focus()
            if re.search(name, now["name"]) and now["role"].startswith(role):
                return
            seen.append(now["name"])
            self.press(key)
        raise AssertionError(f"Tab does not reach {name}: {seen}")

    def do(self, name: str, *keys: str, role: str = "") -> None:
        """Go to something, press keys on it, and wait for what they do; the focus stays on the page."""
        self.tab_to(name, role)
        self.press(*keys)
        self.screen.page.wait_for_timeout(100)
        self.screen.ready()
        assert self.focus()["name"], f"{name}: the focus is lost"

    def visit(self, title: str) -> None:
        """Go to a page by the menu."""
        self.do(rf"\b{title}$", "Enter", role="a")
        self.screen.page.wait_for_url(re.compile(rf":\d+/{MENU[title]}(\?|$)"))
        wait_for_quiet(self.screen)

    def walk(self) -> Iterator[dict[str, Any]]:
        """Press Tab from the top of a page to its end, and yield each stop on the way.

        After the last stop Chromium hands the focus to its own window, where nothing of the page has it, or, about
        every fifth time, straight back to the first stop. Either is the end of the page.
        """
        self.screen.page.evaluate("() => document.activeElement.blur()")
        self.tab_to(f"^{FIRST}$")
        self.screen.page.evaluate("() => { window.walked = []; }")
        for _ in range(MOST):
            self.press("Tab")
            now = self.focus()
            if not now["name"]:
                self.press("Tab")
                now = self.focus()
                assert now["name"] == FIRST, "the focus is lost on the way"
            if now["name"] == FIRST:
                return
            yield now
        raise AssertionError("Tab does not come to the end of the page")


@pytest.fixture(scope="module")
def keys(chromium, server):
    """The demo with some labels, a small collection to simulate on, and a person without a mouse."""
    label_demo(server.database, 24)
    workspace = Workspace(server.database)
    workspace.collections.add("A planted one", planted_collection(6, 10, 5, seed=5))
    workspace.close()
    screen = Screen(chromium, server.url, viewport={"width": 1366, "height": 768}, accept_downloads=True)
    screen.go("/?campaign=1")
    wait_for_quiet(screen)
    yield Keys(screen)
    screen.close()


@pytest.mark.parametrize("title", MENU if THOROUGH else ["Label", "Home"])
def test_every_page_is_reached_and_walked_through(keys, title):
    keys.visit(title)
    stops = list(keys.walk())
    assert not keys.screen.page.evaluate(UNSHOWN), "the focus does not show"
    assert not [stop["name"] for stop in stops if not stop["follows"]], "out of order"
    assert not [stop["name"] for stop in stops if not stop["visible"]], "out of sight"
    assert len(stops) > len(MENU)


def test_a_label_is_given_and_taken_back(keys):
    keys.visit("Label")
    screen = keys.screen
    keys.tab_to("^Document$")
    screen.press("1")
    assert keys.focus()["name"] == "Document"
    saved = screen.page.get_by_text(re.compile(r"Saved #\d+:"))
    expect(saved).to_be_visible()
    screen.press("z")
    assert keys.focus()["name"] == "Document"
    keys.tab_to("^related")
    before = screen.document()
    keys.press("Enter")
    screen.document_after(before)
    assert keys.focus()["name"] == "Document"  # a second Enter must not grade the next one
    screen.press("z")
    assert keys.focus()["name"] == "Document"


def test_the_measure_of_progress_is_changed(keys):
    keys.visit("Progress")
    keys.do("^Metric$", "ArrowDown", "ArrowDown", "Enter")
    keys.screen.page.wait_for_url("**&measure=*")
    assert keys.focus()["name"] == "Metric"


@thorough_only
def test_another_query_of_ranking_is_chosen(keys):
    keys.visit("Ranking")
    keys.do("^Query$", "ArrowDown", "ArrowDown", "Enter")
    keys.screen.page.wait_for_url("**&query=*")
    assert keys.focus()["name"] == "Query"


@thorough_only
def test_another_function_of_competence_is_looked_at(keys):
    keys.visit("Competence")
    box = keys.screen.page.get_by_role("combobox", name="Function of the query")
    before = box.input_value()
    keys.do("^Function of the query$", "ArrowDown", "ArrowDown", "Enter")
    expect(box).not_to_have_value(before)
    assert keys.focus()["name"] == "Function of the query"


@thorough_only
def test_another_side_of_agreement_is_opened(keys):
    keys.visit("Agreement")
    keys.do("", "ArrowRight", role="tab")
    assert keys.focus()["role"] == "tab"
    expect(keys.screen.page.get_by_role("tab").nth(1)).to_have_attribute("aria-selected", "true")


@thorough_only
def test_a_log_of_clicks_is_made_up_and_read(keys):
    keys.visit("Clicks")
    keys.do("^Upload a log$", "ArrowRight", "ArrowRight", "Space", role="radio")
    keys.do(r"\bSimulate$", "Enter", role="button")
    keys.screen.page.get_by_role("button", name="Fit", exact=True).wait_for()
    keys.do(r"\bFit$", "Enter", role="button")
    keys.screen.page.get_by_text("Perplexity by position").first.wait_for()


@thorough_only
def test_a_small_simulation_is_run(keys):
    keys.visit("Simulate")
    page = keys.screen.page
    keys.do("^Collection$", "A", "Enter", role="combobox")
    expect(page.get_by_role("combobox", name="Collection")).to_have_value("A planted one")
    keys.do("^Seeds$", "Control+a", "1", "Enter")
    keys.do(r"\bRun$", "Enter", role="button")
    expect(page.get_by_text("Labels saved", exact=True)).to_be_visible()


def test_an_export_is_downloaded(keys):
    keys.visit("Export")
    keys.do(r"\bCheck and pack$", "Enter", role="button")
    keys.screen.page.get_by_role("button", name="Download the bundle").wait_for()
    with keys.screen.page.expect_download() as download:
        keys.do(r"\bDownload the bundle", "Enter", role="button")
    assert download.value.suggested_filename.endswith(".zip")


@thorough_only
def test_a_campaign_is_made_from_a_table(keys):
    keys.visit("New campaign")
    page = keys.screen.page
    keys.do("I have", "ArrowRight", role="input")
    expect(page.get_by_text("Files of the collection")).to_be_visible()
    with page.expect_file_chooser() as chooser:  # from the way there on: the browser takes a moment to listen
        keys.tab_to(r"\bUpload$", "button")
        keys.press("Enter")
    chooser.value.set_files({"name": "helpdesk.csv", "mimeType": "text/csv", "buffer": table()})
    expect(page.get_by_text(f"All {PAIRS} query-document pairs of the table are kept")).to_be_visible()
    keys.do(r"\bCreate the campaign$", "Enter", role="button")
    keys.screen.button("Start labelling").wait_for()
    keys.tab_to(r"\bStart labelling$", "button")
    keys.press("Enter")
    page.wait_for_url("**/label?campaign=*")


@thorough_only
def test_somebody_is_added(keys):
    keys.visit("People")
    keys.do("^Name$", "F", "i", "n", "n")
    keys.do("^Password$", *"a long password")
    keys.do(r"\bAdd$", "Enter", role="button")
    expect(keys.screen.page.get_by_text("Finn").first).to_be_visible()


def test_a_page_with_the_focus_has_an_outline_and_no_line_through_its_title(keys):
    """Streamlit draws an inner shadow a little below the top, which is where the title stands."""
    keys.screen.go("/?campaign=1")
    keys.press("Tab")  # the focus is shown to who uses keys
    look = """() => {
        const main = document.querySelector('[data-testid="stMain"]');
        main.focus();
        return [getComputedStyle(main).outlineStyle, getComputedStyle(main, "::before").boxShadow];
    }"""
    assert keys.screen.page.evaluate(look) == ["solid", "none"]


def test_a_button_that_has_copied_is_as_wide_as_before(keys):
    keys.screen.go("/competence?campaign=1")
    wait_for_quiet(keys.screen)
    keys.screen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = keys.screen.page.locator("[data-rr-copy]").first
    before = button.bounding_box()["width"]
    button.click()
    expect(button).to_have_text("Copied")
    assert button.bounding_box()["width"] == pytest.approx(before, abs=0.5)
