"""The competence map in a real browser: hovering, a click on a cell, and what it moves without drawing the map anew."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from db.workspace import Workspace
from pages.competence.heatmap import make_panels
from pages.competence.layers import LEAST_WIDTH
from rulerank.campaign.competence import competence_map
from tests.e2e.pictures import label_demo, wait_for_quiet
from tests.e2e.screen import Screen

PLACE = """([panel, column, row]) => {
    const plot = document.querySelector(".st-key-competence-plot .js-plotly-plot");
    const number = panel ? panel + 1 : "", box = plot.getBoundingClientRect();
    const x = plot._fullLayout[`xaxis${number}`], y = plot._fullLayout[`yaxis${number}`];
    return [box.left + x._offset + x.c2p(column), box.top + y._offset + y.c2p(row)];
}"""
FRAMES = """() => [...document.querySelectorAll(".rr-frame")].map(frame => {
    const box = frame.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
})"""
HOVER = "() => [...document.querySelectorAll('.hoverlayer text')].map(text => text.textContent).join(' ')"


@pytest.fixture(scope="module")
def found(server):
    """The map as the server's own database gives it: the campaign, the map, and its panels."""
    label_demo(server.database)
    workspace = Workspace(server.database)
    opened = workspace.open(workspace.demo())
    opened.live.refresh()
    kept = competence_map(opened)
    yield opened, kept, make_panels(kept.delta, kept.rows.tolist(), kept.grades)
    workspace.close()


@pytest.fixture(scope="module")
def page(found, screen: Screen):
    screen.page.set_viewport_size({"width": 1366, "height": 1400})
    screen.go("/competence")
    screen.page.wait_for_selector(".st-key-competence-plot .js-plotly-plot .main-svg")
    wait_for_quiet(screen)
    screen.page.evaluate(
        """() => {
            window.drawn = 0;
            const plot = document.querySelector(".st-key-competence-plot .js-plotly-plot");
            plot.on("plotly_afterplot", () => { window.drawn += 1; });
        }"""
    )
    return screen.page


def point(page, panel: int, column: int, row: int) -> tuple[float, float]:
    """Point at the middle of a cell, as a hand does: by moving there."""
    x, y = page.evaluate(PLACE, [panel, column, row])
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.wait_for_function(f"({HOVER})() !== ''")
    return x, y


def query_of(found, row: int) -> str:
    opened, kept, _ = found
    return str(opened.collection.queries[kept.queries[row]])


def test_a_click_on_a_cell_opens_its_query_and_document(page, found):
    opened, kept, panels = found
    panel, column, row = 1, panels[1].columns // 2, len(kept.queries) // 2
    x, y = point(page, panel, column, row)
    page.mouse.click(x, y)
    qid, _ = opened.document(int(kept.rows[panels[panel].first[column]]))
    expect(page.get_by_text(f"(query {qid}, grade {panels[panel].title[0][-1]})")).to_be_visible()
    assert page.get_by_role("combobox", name="Function of the query").input_value().startswith(query_of(found, row))
    frames = page.evaluate(FRAMES)
    assert len(frames) == len(panels) + 1
    assert sum(left <= x <= right and top <= y <= bottom for left, top, right, bottom in frames) == 2
    assert page.evaluate("() => window.drawn") == 0  # the map itself was neither sent nor drawn again


def test_the_way_back_leads_to_the_choice_before(page, found):
    _, _, panels = found
    places = [(0, 0, 1), (0, 1, 2)]
    for panel, column, row in places:
        page.mouse.click(*point(page, panel, column, row))
        page.wait_for_url(lambda url, row=row: f"query={query_of(found, row)}" in url)
    page.go_back()
    expect(page.get_by_role("combobox", name="Function of the query")).to_have_value(
        re.compile(f"^{re.escape(query_of(found, 1))}")
    )
    page.wait_for_function(f"wanted => ({FRAMES})().length === wanted", arg=len(panels) + 1)


def test_a_telephone_shows_the_map_in_its_own_width(page, chromium, server):
    narrow = Screen(chromium, server.url, viewport={"width": 390, "height": 800})
    narrow.go("/competence")
    drawn = narrow.page.locator(".st-key-competence-plot .js-plotly-plot .main-svg").first
    drawn.wait_for()
    wait_for_quiet(narrow)
    assert drawn.bounding_box()["width"] >= LEAST_WIDTH
    expect(narrow.page.get_by_text("move it sideways")).to_be_visible()
    assert narrow.page.evaluate("() => document.documentElement.scrollWidth") <= 390  # the map moves, not the page
    expect(page.get_by_text("move it sideways")).not_to_be_visible()
    narrow.close()


@pytest.mark.parametrize("clicks", [2, 3])
def test_a_double_click_zooms_and_chooses_nothing(page, found, clicks):
    """Nor does a third click right after it, which meets what has just moved there."""
    page.evaluate("() => { window.drawn = 0; }")
    chosen, before = page.get_by_role("combobox", name="Function of the query").input_value(), page.evaluate(FRAMES)
    (left, top), (right, bottom) = (page.evaluate(PLACE, [1, at, row]) for at, row in ((1, 3), (4, 8)))
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=3)
    page.mouse.up()
    page.wait_for_function("() => window.drawn > 0")
    page.wait_for_timeout(400)  # or the press that began the zoom counts as the first of two clicks
    near = page.evaluate("() => document.querySelector('.st-key-competence-plot .js-plotly-plot').layout.xaxis2.range")
    x, y = page.evaluate(PLACE, [1, 2, 5])
    page.mouse.move(x - 2, y)
    page.mouse.click(x, y, click_count=clicks)
    page.wait_for_function(
        """near => {
            const range = document.querySelector(".st-key-competence-plot .js-plotly-plot")._fullLayout.xaxis2.range;
            return Math.abs(range[1] - range[0]) > Math.abs(near[1] - near[0]) + 1;
        }""",
        arg=near,
    )
    page.wait_for_timeout(2000)  # longer than a click takes to be told and answered
    assert page.get_by_role("combobox", name="Function of the query").input_value() == chosen
    for after, frame in zip(page.evaluate(FRAMES), before, strict=True):
        assert after == pytest.approx(frame, abs=1)
    page.evaluate("() => { window.drawn = 0; }")


def test_zooming_moves_the_frames_with_the_map(page):
    before = page.evaluate(FRAMES)
    (left, top), (right, bottom) = (page.evaluate(PLACE, [1, at, row]) for at, row in ((1, 3), (4, 8)))
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move((left + right) / 2, (top + bottom) / 2)
    page.mouse.move(right, bottom)
    page.mouse.up()
    page.wait_for_function("() => window.drawn > 0")
    assert page.evaluate(FRAMES) != before
    page.locator(".st-key-competence-plot .modebar-btn[data-title='Reset axes']").click()
    page.wait_for_function("() => window.drawn > 1")
    page.wait_for_timeout(500)
    for after, frame in zip(page.evaluate(FRAMES), before, strict=True):
        assert after == pytest.approx(frame, abs=1)


def test_a_silent_cell_says_so(page, found):
    panels = found[2]
    silent = [
        (number, int(column), int(row))
        for number, panel in enumerate(panels)
        for row, column in np.argwhere(np.isnan(panel.delta))
    ]
    point(page, *silent[0])
    assert "no rule" in page.evaluate(HOVER)


def test_a_cell_beside_a_silent_one_tells_its_value(page, found):
    """The grey ground lies under the whole panel, and must not speak for the cells above it."""
    panels = found[2]
    number = next(place for place, panel in enumerate(panels) if np.isnan(panel.delta).any())
    row, column = (int(each) for each in np.argwhere(np.isfinite(panels[number].delta))[0])
    page.mouse.move(5, 5)
    page.wait_for_function(f"({HOVER})() === ''")
    point(page, number, column, row)
    assert f"Δ {panels[number].delta[row, column]:.2f}" in page.evaluate(HOVER)
    assert "no rule" not in page.evaluate(HOVER)
