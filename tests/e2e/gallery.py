"""Every part of the design on one page, light and dark, with made-up data: docs/design.md in pictures.

python -m tests.e2e.gallery [FOLDER]

Writes gallery-light.html, gallery-dark.html, a picture of each, and one picture and SVG a figure.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from pages import charts
from pages.charts.theme import DARK, FONT, LIGHT, TYPE, Theme, grade_chip, grade_chip_css, grade_colours, logo
from pages.clicks.view import perplexity_curves
from pages.competence.heatmap import competence_heatmaps
from pages.shared.keys import reader_key, scale_key
from pages.shared.layout import SPACE
from pages.simulate.figure import Line, Published, simulation_curves
from pages.simulate.run import ranker_label, sampler_label
from rulerank.clicks import PAPER, click_models
from rulerank.registry import rankers, samplers
from tests.e2e.screen import open_browser

WIDTH = 1000
SOURCE = charts.Source("made up", "0123456789abcdef")
MEASURED = {"metric_label": "NDCG@10", "convention": "LETOR (as Eval-Score-4.0 prints), equal scores in file order"}
DRAW = """async () => {
    const drawn = {};
    for (const plot of document.querySelectorAll(".plot")) {
        const figure = JSON.parse(plot.querySelector("script").textContent);
        const place = plot.appendChild(document.createElement("div"));
        await Plotly.newPlot(place, figure.data, figure.layout, { displayModeBar: false });
        const size = { width: place.offsetWidth, height: place.offsetHeight };
        const image = await Plotly.toImage(place, { format: "svg", ...size });
        drawn[plot.id] = decodeURIComponent(image.slice(image.indexOf(",") + 1));
    }
    return drawn;
}"""


def rising(seed: int, start: float, end: float, number: int = 24) -> np.ndarray:
    """Return a curve that rises as learning curves do."""
    steps = np.linspace(0, 1, number)
    return start + (end - start) * (1 - np.exp(-4 * steps)) + np.random.default_rng(seed).normal(0, 0.006, number)


def figures(theme: Theme) -> Iterator[tuple[str, go.Figure]]:
    """Yield each kind of figure, with its name."""
    rng = np.random.default_rng(7)
    xs = np.arange(4, 100, 4)
    looks = charts.ranker_looks(["weighted_items", "lrar", "query_level_rules"], theme)
    curves = [
        charts.Curve(ranker_label(key), xs, rising(n, 0.3, 0.46 - 0.02 * n), look)
        for n, (key, look) in enumerate(looks.items())
    ]
    mean = rising(9, 0.3, 0.4)
    band = charts.ShadedBand(xs, mean, mean - 0.03, mean + 0.03, runs=20)
    words = {**MEASURED, "evaluated_on": "the evaluation set: 300 documents of 14 queries"}
    yield "learning curve", charts.learning_curve(curves, band=band, ceiling=0.47, theme=theme, **words)
    yield (
        "learning curve from zero",
        charts.learning_curve([charts.Curve("This campaign", xs, rising(3, 0.02, 0.4))], theme=theme, **words),
    )
    yield "nothing yet", charts.learning_curve([], theme=theme, **words)
    keys = ["ssar", "ssarp", "random", "uncertainty", "cover"]
    lines = []
    for place, (key, look) in enumerate(charts.sampler_looks(keys, theme).items()):
        ys = rising(place, 0.3, 0.46 - 0.015 * place)
        stop = (60.0, float(ys[14])) if place < 2 else None
        lines.append(Line(sampler_label(key), place, xs, ys, ys - 0.012, ys + 0.012, xs, stop, look))
    yield (
        "simulation",
        simulation_curves(
            lines,
            about="Made up, ranked by LRAR",
            band="95% bootstrap interval over the test queries",
            ceilings={"": 0.47},
            published=[Published("RankSVM", 0.445)],
            theme=theme,
            **words,
        ),
    )
    yield "stop line", charts.rules_curve(range(1, 41), np.arange(1, 41) ** 1.5, np.full(40, 240.0), theme=theme)
    yield "found", charts.found_curve(range(1, 61), np.cumsum(rng.random(60) < 0.5), 120, 500, theme=theme)
    speeds = [charts.Speed("Ada", 40, 4.2, (3.0, 6.1)), charts.Speed("Cleo", 21, 6.4, (4.0, 9.0))]
    yield "people", charts.annotator_speed(speeds, theme=theme)
    yield "weights", charts.query_weights_bar(rng.dirichlet(np.ones(12)), [f"q{n}" for n in range(12)], 8, theme=theme)
    yield "grades", charts.grade_histogram([60, 25, 15], ["not relevant", "relevant", "answers it"], theme=theme)
    agreed = [charts.Agreement("Everybody (alpha)", 0.71, 0.62, 0.79, 80), charts.Agreement("Ada and Cleo", 0.66)]
    yield "agreement", charts.agreement_dots(agreed, theme=theme)
    grades = ["0 not relevant", "1 relevant", "2 answers it"]
    yield "confusion", charts.confusion_matrix([[30, 4, 1], [3, 12, 4], [0, 2, 9]], grades, theme=theme)
    people = ["Ada", "Cleo", "Finn"]
    yield "tau", charts.tau_matrix([[1, 0.8, 0.3], [0.8, 1, -0.2], [0.3, -0.2, 1]], people, theme=theme)
    delta = np.abs(rng.normal(0, 0.7, (16, 48))).clip(0, 2)
    delta[rng.random(delta.shape) < 0.08] = np.nan
    levels = np.r_[np.zeros(30, int), np.ones(14, int), np.full(4, 2)]
    names = ["not relevant", "relevant", "answers it"]
    yield (
        "competence",
        competence_heatmaps(
            delta, [f"query {n}" for n in range(16)], range(48), levels, grade_names=names, theme=theme
        ),
    )
    marginal = {click_models[name].label: 1.1 + rising(n, 0.3, 0.05, 10) for n, name in enumerate(PAPER)}
    yield "perplexity", perplexity_curves(marginal, theme=theme)


def swatches(theme: Theme) -> str:
    """Return the colours by what they mean, and the looks of samplers and rankers."""
    meant = {
        "text": theme.text, "muted: captions, axes": theme.muted, "primary: buttons": theme.primary,
        "accent: what a figure is about": theme.accent, "baseline: chance": theme.baseline,
        "silent: no value": theme.silent, "grid": theme.grid, "surface": theme.surface, "background": theme.background,
    }  # fmt: skip
    cells = [_cell(colour, words) for words, colour in meant.items()]
    for entries, looks, label in (
        (samplers, charts.sampler_looks, sampler_label),
        (rankers, charts.ranker_looks, ranker_label),
    ):
        found = looks([entry.name for entry in entries], theme)
        cells.append("<br>")
        cells += [_cell(look.colour, f"{label(key)} · {look.symbol} · {look.dash}") for key, look in found.items()]
    return "".join(cells)


def _cell(colour: str, words: str) -> str:
    return f'<span class="cell"><i style="background:{colour}"></i>{html.escape(words)}<br><code>{colour}</code></span>'


def page_of(theme: Theme) -> str:
    """Return the page of one appearance; figures are drawn when it is opened."""
    grades = grade_colours(5, theme)
    chips = " ".join(grade_chip(grade, f"grade {grade}") for grade in range(5))
    sizes = "".join(f'<p style="font-size:{size}px;margin:4px 0">{name}: {size} px</p>' for name, size in TYPE.items())
    spaces = "".join(f'<i class="space" style="width:{size}px"></i>{size} ' for size in SPACE)
    plots = []
    for name, figure in figures(theme):
        content = figure.to_json().replace("</", "<\\/")
        caption, cited = (
            html.escape(each) for each in (figure.layout.meta["caption"], charts.citation(figure, SOURCE))
        )
        plots.append(
            f'<section><div class="plot" id="{name.replace(" ", "-")}">'
            f'<script type="application/json">{content}</script></div>'
            f'<p class="caption">{caption}</p><p class="caption">{cited}</p></section>'
        )
    scale = scale_key(theme.competence, theme.silent, ("near the grade", "far off", "no rule"), theme)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>rulerank: the design, {theme.name}</title>
<style>
body {{ font: 15px/1.5 {FONT}; color: {theme.text}; background: {theme.background}; width: {WIDTH}px;
  margin: 24px auto; }}
h1 {{ font-size: {TYPE["title"]}px }} h2 {{ font-size: {TYPE["section"]}px; margin: 24px 0 8px }}
.cell {{ display: inline-block; width: 230px; margin: 4px 12px 4px 0; font-size: 13px; vertical-align: top }}
.cell i {{ display: block; height: 24px; border-radius: 6px; border: 1px solid {theme.grid} }}
.space {{ display: inline-block; height: 16px; background: {theme.accent}; margin-right: 4px }}
.caption {{ color: {theme.muted}; font-size: {TYPE["caption"]}px; margin: 4px 0 }}
button {{ font: inherit; padding: 4px 12px; border-radius: 6px; border: 1px solid {theme.grid}; color: {theme.text};
  background: {theme.background} }}
.main {{ background: {theme.primary}; border-color: {theme.primary}; color: #fff }}
.box {{ border: 1px solid {theme.grid}; border-radius: 6px; padding: 16px; background: {theme.surface} }}
</style>{grade_chip_css(grades)}
<main>{logo(theme)}<h1>The design, {theme.name}</h1>
<h2>Colours by meaning</h2>{swatches(theme)}
<h2>Type</h2>{sizes}<h2>Space</h2>{spaces}<h2>Grades</h2>{chips}
<h2>Buttons and boxes</h2><button class="main">The one thing to do</button> <button>Another</button>
<div class="box" style="margin-top:12px">A box holds what belongs together.</div>
<h2>Keys</h2>{scale}<br>{reader_key(theme)}
<h2>Figures</h2>{"".join(plots)}
</main></html>"""


def make_gallery(folder: Path) -> list[Path]:
    """Write the pages, their pictures and every figure into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with open_browser() as browser:
        for theme in (LIGHT, DARK):
            page = browser.new_page(viewport={"width": WIDTH + 60, "height": 900})
            content = page_of(theme)
            made.append(folder / f"gallery-{theme.name}.html")
            script = f"<script>{get_plotlyjs()}</script><script>({DRAW})()</script>"
            made[-1].write_text(content.replace("</html>", f"{script}</html>"), encoding="utf-8")
            page.set_content(content)
            page.add_script_tag(content=get_plotlyjs())
            for name, drawn in page.evaluate(DRAW).items():
                made.append(folder / f"{name}-{theme.name}.svg")
                made[-1].write_text(drawn, encoding="utf-8")
            made.append(folder / f"gallery-{theme.name}.png")
            page.screenshot(path=made[-1], full_page=True)
            page.close()
    return made


def main(arguments: list[str]) -> int:
    """Make the gallery in the folder that is named, or in `gallery`."""
    if len(arguments) > 1:
        print(__doc__)
        return 2
    for path in make_gallery(Path(arguments[0] if arguments else "gallery")):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
