"""Finding one's way: title, address, menu, the way back, what is in view, and taking a figure along."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from tests.e2e.pictures import label_demo, wait_for_quiet
from tests.e2e.screen import Screen

SMALL = {"width": 1366, "height": 768}
TABLET = {"width": 820, "height": 1180}
SIDE = "() => document.querySelector('[data-testid=stSidebar]')?.getBoundingClientRect().right ?? 0"


@pytest.fixture(scope="module")
def tab(chromium, server):
    """A window of a small laptop, with the demo and some labels."""
    label_demo(server.database, 12)
    opened = Screen(chromium, server.url, viewport=SMALL, accept_downloads=True)
    yield opened
    opened.close()


def metric(tab: Screen):
    return tab.page.get_by_role("combobox", name="Metric")


def choose(tab: Screen, box: str, option: str) -> None:
    tab.page.get_by_role("combobox", name=box, exact=True).click()
    tab.page.get_by_role("option", name=option, exact=True).click()
    tab.ready()


@thorough_only
def test_the_title_of_the_browser_names_page_and_campaign(tab):
    for path, page in (("/progress", "Progress"), ("/label", "Label"), ("/export", "Export")):
        tab.go(f"{path}?campaign=1")
        tab.page.wait_for_function(f"() => document.title.startsWith('{page} · Demo')")
        assert tab.page.title() == f"{page} · Demo: questions about Python · rulerank"
        expect(tab.page.get_by_test_id("stSidebarLogo")).to_be_visible()
    tab.go("/simulate?campaign=1")
    tab.page.wait_for_function("() => document.title === 'Simulate · rulerank'")


def test_the_menu_is_in_sections(tab):
    tab.go("/?campaign=1")
    menu = tab.page.locator(".st-key-rr-pages")
    expect(menu.locator(".rr-section")).to_have_text(["Work", "Watch", "Study", "Set up"])
    expect(menu.get_by_role("link")).to_have_count(15)  # without a sign-in there are no sessions


SHOWN = """() => document.querySelector('.st-key-rr-figure-replay .js-plotly-plot')
    ?._fullData.find(trace => trace.name === 'SSAR').x.length"""


def test_a_replay_is_one_click_away_plays_by_itself_and_obeys_keys(tab):
    tab.go("/?campaign=1")
    tab.click("Watch 60 labels")
    tab.page.wait_for_url("**/replay?campaign=1")
    tab.page.wait_for_function(f"() => {{ const n = ({SHOWN})(); return n > 2 && n < 60 }}")
    box = tab.page.locator(".st-key-rr-figure-replay .js-plotly-plot").bounding_box()
    assert box["y"] + 0.8 * box["height"] <= SMALL["height"]  # the curves, and what each sampler asks for
    before = tab.page.evaluate(SHOWN)
    tab.page.get_by_role("button", name="Play").press("Enter")
    tab.page.wait_for_function(f"before => ({SHOWN})() < before", arg=before)  # from the beginning
    tab.page.get_by_role("button", name="Pause").press("Enter")
    expect(tab.page.locator(".st-key-rr-figure-replay .updatemenu-container")).to_be_hidden()


def test_the_chart_of_progress_is_in_view_on_a_small_laptop(tab):
    tab.go("/progress?campaign=1")
    wait_for_quiet(tab)
    box = tab.page.locator(".st-key-rr-figure-progress-curve .js-plotly-plot").bounding_box()
    assert box["y"] + box["height"] <= SMALL["height"]
    assert box["height"] >= 350
    head = tab.page.get_by_role("heading", name="Progress").bounding_box()
    assert head["y"] < 60
    assert head["height"] < 40


def test_an_address_opens_the_view_that_it_names_and_back_is_the_way_back(tab):
    tab.go("/progress?campaign=1")
    choose(tab, "Metric", "NDCG@k")
    tab.page.wait_for_url("**/progress?campaign=1&measure=ndcg%4010")
    choose(tab, "k", "3")
    tab.page.wait_for_url("**/progress?campaign=1&measure=ndcg%403")
    tab.page.go_back()
    tab.page.wait_for_url("**&measure=ndcg%4010")
    expect(tab.page.get_by_role("combobox", name="k", exact=True)).to_have_value("10")
    tab.page.go_back()
    tab.page.wait_for_url("**/progress?campaign=1")
    expect(metric(tab)).to_have_value("MAP")
    tab.page.go_forward()
    tab.page.wait_for_url("**&measure=ndcg%4010")
    expect(metric(tab)).to_have_value("NDCG@k")
    tab.go("/progress?campaign=1&measure=precision%405&ranker=lrar&against=minutes")  # as a colleague opens it
    expect(metric(tab)).to_have_value("P@k")
    # While the page is drawn anew, the figure of the drawing before may stand below it for a moment.
    expect(tab.page.get_by_text("P@5 over labelling time").first).to_be_visible()
    tab.go("/progress?campaign=1&measure=nonsense&ranker=none")
    expect(metric(tab)).to_have_value("MAP")


def test_the_query_is_part_of_the_address_of_a_ranking(tab):
    tab.go("/ranking?campaign=1")
    before = tab.page.get_by_role("combobox", name="Query").input_value()
    tab.page.get_by_role("combobox", name="Query").click()
    tab.page.get_by_role("option").nth(2).click()
    tab.page.wait_for_url("**/ranking?campaign=1&query=*")
    chosen = tab.page.get_by_role("combobox", name="Query").input_value()
    assert chosen != before
    tab.page.reload()
    tab.ready()
    expect(tab.page.get_by_role("combobox", name="Query")).to_have_value(chosen)


def test_a_figure_is_taken_along_as_svg_png_and_numbers_and_cited(tab):
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.go("/progress?campaign=1")
    wait_for_quiet(tab)
    figure = tab.page.locator(".st-key-rr-figure-progress-curve")
    saved = {}
    for name, button in (
        ("svg", figure.locator("[data-rr-save=svg]")),
        ("png", figure.locator("[data-rr-save=png]")),
        ("csv", figure.locator(".st-key-rr-csv-progress-curve button").first),
    ):
        with tab.page.expect_download() as download:
            button.click()
        assert download.value.suggested_filename == f"rulerank-demo-questions-about-python-map.{name}"
        saved[name] = Path(download.value.path()).read_bytes()
    assert b"Labels given" in saved["svg"]
    assert b"<image" not in saved["svg"]
    assert saved["png"].startswith(b"\x89PNG")
    width = figure.locator(".js-plotly-plot").bounding_box()["width"]
    assert int.from_bytes(saved["png"][16:20], "big") == pytest.approx(2 * width, abs=4)  # at twice the size
    texts = [each for each in ElementTree.fromstring(saved["svg"]).iter() if each.tag.endswith("}text")]
    assert "Weighted items" in ["".join(each.itertext()) for each in texts]
    for text in texts:  # has its width written down, for viewers with another font
        assert any(part.get("textLength") for part in text.iter()), "".join(text.itertext())
    tab.page.emulate_media(color_scheme="dark")
    tab.go("/progress?campaign=1")
    wait_for_quiet(tab)
    with tab.page.expect_download() as download:
        figure.locator("[data-rr-save=svg]").click()
    dark = set(re.findall(r"rgb\(\d+, \d+, \d+\)", Path(download.value.path()).read_text("utf-8")))
    light = set(re.findall(r"rgb\(\d+, \d+, \d+\)", saved["svg"].decode()))
    assert dark == light  # for papers: on white, with the inks of the light page
    tab.page.emulate_media(color_scheme="light")
    rows = list(csv.DictReader(io.StringIO(saved["csv"].decode("utf-8-sig"))))
    assert {"series", "x", "y"} <= set(rows[0])
    assert "Weighted items" in {row["series"] for row in rows}
    figure.get_by_role("button", name="Copy as citation").click()
    expect(figure.get_by_role("button", name="Copied")).to_be_visible()
    cited = tab.page.evaluate("() => navigator.clipboard.readText()")
    assert cited.startswith("MAP (")
    assert "equal scores in file order" in cited
    assert "Demo: questions about Python (content " in cited


PRINTED = """if (window !== top) window.print = () => {
    top.printed = '<!DOCTYPE html>' + document.documentElement.outerHTML;
    dispatchEvent(new Event('afterprint'));
}"""


@pytest.fixture(scope="module")
def printing(chromium, tab):
    """A window in which what is sent to the printer is kept; a browser without windows has no dialog to save it by."""
    opened = Screen(chromium, tab.url, viewport=SMALL)
    opened.page.add_init_script(PRINTED)
    yield opened
    opened.close()


def pdf_of(printing: Screen, figure: str) -> tuple[bytes, float, float]:
    """Return a figure's PDF as the browser writes what was printed, and the size of the figure on its page."""
    place = printing.page.locator(figure)
    box = place.locator(".js-plotly-plot").bounding_box()
    title = printing.page.title()
    place.locator("[data-rr-save=pdf]").click()
    sent = printing.page.wait_for_function("() => window.printed").json_value()
    expect(printing.page.locator("iframe")).to_have_count(0)  # nothing is left behind
    assert printing.page.title() == title
    paper = printing.context.new_page()
    paper.route("**/printed", lambda route: route.fulfill(body=sent, content_type="text/html; charset=utf-8"))
    paper.goto(f"{printing.url}/printed")
    assert paper.title().startswith("rulerank-demo-questions-about-python")
    written = paper.pdf(prefer_css_page_size=True)
    paper.close()
    return written, box["width"], box["height"]


@pytest.mark.parametrize(
    ("page", "figure"),
    [("progress", "rr-figure-progress-curve"), ("competence", "competence-plot")],
    ids=["lines", "cells"],
)
def test_a_figure_is_printed_alone_as_a_pdf_of_its_size_without_bitmaps(printing, page, figure):
    printing.go(f"/{page}?campaign=1")
    wait_for_quiet(printing)
    written, width, height = pdf_of(printing, f".st-key-{figure}")
    assert written.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", written)) == 1
    sides = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", written).groups()
    assert [float(side) for side in sides] == pytest.approx([0.75 * width, 0.75 * height], abs=1.5)  # points
    assert b"/Font" in written  # text is text
    assert not re.search(rb"/Subtype\s*/Image", written)


@thorough_only
def test_the_side_bar_folds_away_on_a_tablet(tab):
    tab.go("/progress?campaign=1")
    assert tab.page.evaluate(SIDE) > 200
    tab.page.set_viewport_size(TABLET)
    tab.page.wait_for_function(f"() => ({SIDE})() < 20")
    tab.page.reload()
    tab.ready()
    tab.page.wait_for_function(f"() => ({SIDE})() < 20")
    tab.page.get_by_test_id("stExpandSidebarButton").click()
    tab.page.wait_for_function(f"() => ({SIDE})() > 200")
    tab.page.locator(".st-key-rr-pages").get_by_role("link", name="Competence").click()
    tab.page.wait_for_function(f"() => ({SIDE})() < 20")
    wait_for_quiet(tab)
    wide = tab.page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= TABLET["width"]  # nothing is moved sideways
    tab.page.set_viewport_size(SMALL)
    tab.page.wait_for_function(f"() => ({SIDE})() > 200")


def test_competence_and_clicks_say_first_what_is_to_be_seen(tab):
    tab.go("/competence?campaign=1")
    key = tab.page.locator(".rr-key")
    expect(key.get_by_role("img", name="near the grade")).to_be_visible()
    expect(key).to_contain_text("needs labels of its own query")
    tab.go("/clicks")
    expect(key.get_by_role("img", name="stops where satisfied")).to_be_visible()
    expect(key).to_contain_text("sharpen what they mean")
