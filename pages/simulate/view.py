"""The curves of a simulation on the page, and what the reader may choose to see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from pages import charts
from pages.charts.theme import Theme
from pages.simulate.figure import Line, Published, simulation_curves
from pages.simulate.run import (
    curves_of,
    evaluated_words,
    metric_label,
    ranker_label,
    sampler_label,
    summary_of,
)
from rulerank.metrics import Measure
from rulerank.simulate import Plan, Results

if TYPE_CHECKING:
    from db.simulations import Simulation

BANDS = {
    "queries": ("Queries", "low_queries", "high_queries", "95% bootstrap interval over the test queries"),
    "folds": ("Folds", "low", "high", "95% Student interval over the folds' means"),
    "seeds": ("Seeds", "low_seeds", "high_seeds", "95% Student interval over seeds (lines without a band ran once)"),
    "none": ("Nothing", "none", "none", ""),
}
"""What a band is over: its name, its columns among the curves, and its words."""


@dataclass(frozen=True)
class ChosenView:
    """What the reader chose to look at: either all samplers with one ranker, or all rankers with one sampler."""

    metric: str
    expected: bool
    band: str
    x: str
    compare: str
    sampler: str
    ranker: str

    def measure(self, plan: Plan) -> Measure:
        """Return what is measured."""
        return Measure.parse(self.metric, convention=plan.convention, expected=self.expected)

    def pairs(self, results: Results) -> list[tuple[str, str]]:
        """Return the (sampler, ranker) of each line, in the plan's order."""
        if self.compare == "samplers":
            return [(each.key, self.ranker) for each in results.plan.samplers]
        return [(self.sampler, each.key) for each in results.plan.rankers]

    def name(self, sampler: str, ranker: str) -> str:
        """Return what a line is called."""
        return sampler_label(sampler) if self.compare == "samplers" else ranker_label(ranker)

    def looks(self, results: Results, theme: Theme) -> dict[str, charts.LineStyle]:
        """Return what the lines look like, by the keys of samplers or rankers: the same as on every other page."""
        if self.compare == "samplers":
            return charts.sampler_looks((each.key for each in results.plan.samplers), theme)
        return charts.ranker_looks((each.key for each in results.plan.rankers), theme)

    @property
    def fixed(self) -> str:
        """What all lines share, in words."""
        if self.compare == "samplers":
            return f"ranked by {ranker_label(self.ranker)}"
        return f"chosen by {sampler_label(self.sampler)}"


def ask_look(number: int, results: Results) -> ChosenView:
    """Ask what the curves show."""
    plan, done = results.plan, results.samplers_done()
    rankers = [each.key for each in plan.rankers]
    row = st.container(horizontal=True, vertical_alignment="bottom")
    metric = row.selectbox("Metric", plan.metrics, format_func=metric_label, key=f"simulate-metric-{number}", width=150)
    compare, sampler, ranker = "samplers", done[0], rankers[0]
    if len(rankers) > 1:
        compare = row.segmented_control(
            "Compare",
            ["samplers", "rankers"],
            default="samplers",
            required=True,
            format_func=str.capitalize,
            key=f"simulate-compare-{number}",
        )
        if compare == "samplers":
            ranker = row.selectbox(
                "Ranker", rankers, format_func=ranker_label, key=f"simulate-ranker-{number}", width=220
            )
        else:
            sampler = row.selectbox(
                "Sampler", done, format_func=sampler_label, key=f"simulate-sampler-{number}", width=220
            )
    x = row.segmented_control(
        "Against",
        ["labels", "share"],
        default="labels",
        required=True,
        format_func={"labels": "Labels", "share": "% of the pool"}.__getitem__,
        key=f"simulate-x-{number}",
    )
    band = row.selectbox(
        "Bands over",
        list(BANDS),
        format_func=lambda key: BANDS[key][0],
        key=f"simulate-band-{number}",
        width=140,
        help="Queries: how far other test queries would move the mean. Folds: Student's interval over the folds' "
        "means, wide, because folds differ. Seeds: how far another draw would move it.",
    )
    expected = row.toggle(
        "Average over ties",
        key=f"simulate-ties-{number}",
        help="Documents with equal scores stay in file order, which flatters a ranker with many ties if the file is "
        "sorted well. Averaged, the value is the exact mean over all orders of such documents.",
    )
    return ChosenView(metric, expected, band, x or "labels", compare or "samplers", sampler, ranker)


def show_figure(simulation: Simulation, stamp: str, results: Results, look: ChosenView) -> tuple[str, int] | None:
    """Show the learning curves; return the sampler and the labels of the point that was clicked, if one was."""
    frame = curves_of(simulation.id, stamp, look.metric, look.expected).assign(none=np.nan)
    summary = summary_of(simulation.id, stamp, look.metric, look.expected, None).set_index(["sampler", "ranker"])
    _, low, high, words = BANDS[look.band]
    pool = float(np.mean(results.about.pools))
    pairs, lines, ceilings = look.pairs(results), [], {}
    looks = look.looks(results, charts.current_theme())
    for place, (sampler, ranker) in enumerate(pairs):
        part = frame[(frame["sampler"] == sampler) & (frame["ranker"] == ranker)]
        if part.empty:
            continue
        stop = summary.loc[(sampler, ranker), ["stop", "at_stop"]].tolist()
        at = stop[0] / (pool if look.x == "share" else 1.0)
        name = look.name(sampler, ranker)
        x, mean, lower, upper, labels = (part[column] for column in (look.x, "mean", low, high, "labels"))
        stopped = (at, stop[1]) if np.isfinite(stop).all() else None
        own = looks[sampler if look.compare == "samplers" else ranker]
        lines.append(Line(name, place, x, mean, lower, upper, labels, stopped, own))
        ceilings[name if look.compare == "rankers" else ""] = float(part["ceiling"].iloc[0])
    figure = simulation_curves(
        lines,
        about=f"{results.about.dataset}, {look.fixed}",
        metric_label=metric_label(look.metric),
        convention=look.measure(results.plan).words,
        evaluated_on=evaluated_words(results),
        band=words,
        x=look.x,
        ceilings=ceilings,
        published=ask_published(simulation.id, results, look),
        theme=charts.current_theme(),
    )
    name = f"{results.about.dataset} {look.metric} {look.fixed}"
    used = charts.methods(dict.fromkeys(each for each, _ in pairs), dict.fromkeys(each for _, each in pairs))
    source = charts.Source(results.about.dataset, results.about.data_hash, used)
    event = charts.show(figure, name, key=f"simulate-curves-{simulation.id}", clicks=True, source=source)
    st.caption("Click a point to see which documents had been chosen up to there.")
    return _clicked(event, pairs)


def _clicked(event: Any, pairs: Sequence[tuple[str, str]]) -> tuple[str, int] | None:
    points = event.selection.points if event is not None else []
    data = points[0].get("customdata") if points else None
    if not data:
        return None
    place, labels = (int(each) for each in list(data.values() if isinstance(data, dict) else data)[:2])
    return (pairs[place][0], labels) if 0 <= place < len(pairs) else None


def ask_published(number: int, results: Results, look: ChosenView) -> list[Published]:
    """Ask which published values are drawn, where there are any for this data set and metric."""
    found = results.references()
    if not found or look.metric != "map" or results.plan.convention == "trec":
        return []
    names = {f"{each.method}|{each.paper}": each for each in found}
    usual = dict.fromkeys([next(iter(names)), max(names, key=lambda name: names[name].map)])
    chosen = st.multiselect(
        "Published values",
        list(names),
        default=list(usual),
        format_func=lambda name: f"{names[name].method}: {names[name].map:.3f} ({names[name].source})",
        key=f"simulate-published-{number}",
        help="As printed, with all labels and LETOR's own five folds; the folds here are others, so a difference of a "
        "point or two says nothing.",
    )
    return [Published(names[name].method, names[name].map) for name in chosen]
