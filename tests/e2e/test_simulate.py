"""The Simulate page in a real browser with its worker: run, click a point, come back; stop, go on, delete."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from rulerank.simulate import Plan
from rulerank.synthetic import planted_collection
from tests.e2e.screen import Screen

PATIENCE = 90_000
POINT = """([name, place]) => {
    const plot = document.querySelector("[class*=st-key-simulate-curves] .js-plotly-plot");
    const line = plot._fullData.find(trace => trace.name === name), box = plot.getBoundingClientRect();
    const { xaxis, yaxis } = plot._fullLayout;
    return [box.left + xaxis._offset + xaxis.c2p(line.x[place]), box.top + yaxis._offset + yaxis.c2p(line.y[place])];
}"""


@pytest.fixture(scope="module")
def workspace(server):
    opened = Workspace(server.database)
    opened.collections.add("planted", planted_collection(9, 14, 6, seed=5))
    yield opened
    opened.close()


@pytest.fixture
def page(workspace, screen: Screen):
    screen.page.set_viewport_size({"width": 1366, "height": 1400})
    return screen.page


def test_run_read_click_and_come_back(page, workspace, screen, chromium, server):
    screen.go("/simulate")
    page.get_by_label("Seeds", exact=True).fill("2")
    page.get_by_label("Seeds", exact=True).press("Enter")
    expect(page.get_by_text(re.compile(r"25 runs of about \d+ labels each"))).to_be_visible()
    screen.click("Run")
    expect(page.get_by_text("Labels saved", exact=True)).to_be_visible(timeout=PATIENCE)
    (done,) = workspace.simulations.all()
    assert f"simulation={done.id}" in page.url

    page.wait_for_selector("[class*=st-key-simulate-curves] .js-plotly-plot .main-svg")
    screen.ready()
    page.locator("[class*=st-key-simulate-curves]").scroll_into_view_if_needed()
    x, y = page.evaluate(POINT, ["SSAR", 4])
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    results = workspace.simulations.results(done.id)
    chosen = results.selected(results.find("ssar", 1), results.grid[4])
    told = f"{len(chosen)} documents of {chosen['qid'].nunique()} queries"
    expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_role("combobox", name="Chosen by")).to_have_value("SSAR")

    page.set_viewport_size({"width": 420, "height": 1400})
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.width < 420")
    plot = page.locator("[class*=st-key-simulate-curves] .js-plotly-plot")
    axis, legend = (plot.locator(part).bounding_box() for part in (".xtitle", ".legend"))
    assert legend["y"] >= axis["y"] + axis["height"]  # under the axis, however many lines it takes

    with page.expect_download() as saved:
        page.get_by_role("button", name="Every value (CSV)").click()
    assert saved.value.path().read_text().splitlines()[0].startswith("dataset,fold,sampler")

    server.restart()
    other = Screen(chromium, server.url)
    other.go(f"/simulate?simulation={done.id}")
    expect(other.page.get_by_text("Labels saved", exact=True)).to_be_visible()
    other.close()


@thorough_only
def test_stop_go_on_and_delete(page, workspace, screen):
    collection = workspace.collections.all()[0].id
    plan = Plan(samplers=("committee", "random"), seeds=400, folds=3, budget=40, every=2, metrics=("map",))
    number = workspace.simulations.ask(collection, plan, "A long one")
    screen.go(f"/simulate?simulation={number}")
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 2,403 runs\."))).to_be_visible(timeout=PATIENCE)
    screen.button("Stop").click()
    expect(page.get_by_text(re.compile(r"Stopped after \d+ of 2,403 runs"))).to_be_visible(timeout=PATIENCE)
    stopped = workspace.simulations.get(number).job
    assert stopped.state == "stopped"
    kept = workspace.simulations.results(number)
    assert len(kept.finished) >= stopped.done

    screen.button("Go on").click()
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 2,403 runs\."))).to_be_visible(timeout=PATIENCE)
    assert workspace.simulations.get(number).job.done >= stopped.done
    screen.button("Stop").click()
    expect(page.get_by_text(re.compile("Stopped after"))).to_be_visible(timeout=PATIENCE)
    screen.button("Delete").click()
    screen.button("Delete it").click()
    expect(page.get_by_text("Simulations so far")).to_be_visible()
    assert workspace.simulations.get(number) is None
    assert workspace.simulations.stamp(number) == ""
