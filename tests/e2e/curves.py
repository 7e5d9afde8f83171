"""Learning curves of a finished simulation as a figure for the documents, drawn by the page's own code in a browser.

    python -m tests.e2e.curves FOLDER OUT.svg RANKER SAMPLER,SAMPLER,...

FOLDER is what `rulerank simulate --out FOLDER` wrote.
"""

from __future__ import annotations

import sys
from pathlib import Path

import plotly.graph_objects as go

from pages.simulate.figure import Line, simulation_curves
from pages.simulate.run import evaluated_words, metric_label, ranker_label, sampler_label
from pages.simulate.view import BANDS
from rulerank.simulate import Results
from tests.e2e.screen import open_browser

WIDTH, HEIGHT = 900, 580
DRAW = """size => Plotly.toImage(document.querySelector('.plotly-graph-div'), {format: 'svg', ...size})
    .then(address => decodeURIComponent(address.slice(address.indexOf(',') + 1)))"""


def figure_of(results: Results, ranker: str, samplers: list[str]) -> go.Figure:
    """Return MAP against labels, a line a sampler, all for one ranker."""
    frame = results.curves("map")
    _, low, high, words = BANDS["seeds"]
    lines, ceilings = [], {}
    for place, sampler in enumerate(samplers):
        part = frame[(frame["sampler"] == sampler) & (frame["ranker"] == ranker)]
        if part.empty:
            raise SystemExit(f"{sampler} with {ranker} is not in this simulation")
        columns = (part[name] for name in ("labels", "mean", low, high, "labels"))
        lines.append(Line(sampler_label(sampler), place, *columns))
        ceilings[""] = float(part["ceiling"].iloc[0])
    return simulation_curves(
        lines,
        about=f"{results.about.dataset}, ranked by {ranker_label(ranker)}",
        metric_label=metric_label("map"),
        convention="LETOR's convention",
        evaluated_on=evaluated_words(results),
        band=words,
        ceilings=ceilings,
        height=HEIGHT,
    )


def main(arguments: list[str]) -> int:
    """Draw and write."""
    folder, out, ranker, samplers = arguments
    figure = figure_of(Results.load(folder), ranker, samplers.split(","))
    with open_browser() as browser:
        page = browser.new_page()
        page.set_content(figure.to_html(include_plotlyjs=True, full_html=True))
        page.wait_for_selector(".plotly-graph-div .main-svg")
        Path(out).write_text(page.evaluate(DRAW, {"width": WIDTH, "height": HEIGHT}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
