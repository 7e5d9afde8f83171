"""A finished simulation laid over a live campaign's learning curve: how such curves went where grades were known."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages import context
from pages.charts.figure import legend_again, legend_lines, limits, safe, value_axis, whole_steps
from pages.charts.learning import rank_legend, spread_ends
from pages.charts.series import DASHES as OWN
from pages.charts.series import sampler_looks
from pages.charts.theme import Theme, with_alpha
from pages.shared.layout import plain, sentence
from pages.simulate.run import curves_of, ranker_label, results_of, sampler_label, title_of
from rulerank.campaign import OpenCampaign
from rulerank.errors import RulerankError
from rulerank.metrics import Measure
from rulerank.metrics.conventions import conventions
from rulerank.simulate import Results

if TYPE_CHECKING:
    from db.simulations import Simulation

AHEAD = 2.0
"""How far the simulation is drawn: so many times as many labels as the campaign has, or its curve would be a speck."""

DASHES = ("dashdot", "7px,3px", "9px,2px,2px,2px,2px,2px")
"""Of a simulation's lines: the campaign's own are solid, its random replay is dotted, its ceilings are dashed."""

AFTER = 1001
"""Plotly gives 1000 to what has no rank."""


def lay_over(figure: go.Figure, opened: OpenCampaign, measure: Measure, x: str, ranker: str, theme: Theme) -> str:
    """Offer the finished simulations, draw the chosen one into the figure, and return what must be said about it.

    Without a finished simulation nothing is offered.
    """
    finished = [each for each in context.workspace().simulations.all() if each.job.state == "done"]
    if not finished or not figure.data:
        return ""
    finished.sort(key=lambda each: each.collection != opened.collection_id)
    by_number = {each.id: each for each in finished}
    row = st.container(horizontal=True, vertical_alignment="bottom")
    number = row.selectbox(
        "Lay a simulation over it",
        [None, *by_number],
        format_func=lambda key: "None" if key is None else _offered(by_number[key], opened),
        key=f"progress-overlay-{opened.id}",
        width=420,
        help="The mean curves of a finished simulation, with their 95% bands, beside this campaign's.",
    )
    if number is None:
        return ""
    try:
        return _draw(figure, by_number[number], opened, measure, x, ranker, theme, row)
    except RulerankError as error:
        return f"This simulation cannot be laid over: {sentence(str(error))}"


def _offered(simulation: Simulation, opened: OpenCampaign) -> str:
    same = " (same collection)" if simulation.collection == opened.collection_id else ""
    return f"{title_of(simulation)}{same}"


def _draw(
    figure: go.Figure,
    simulation: Simulation,
    opened: OpenCampaign,
    measure: Measure,
    x: str,
    ranker: str,
    theme: Theme,
    row: st.delta_generator.DeltaGenerator,
) -> str:
    stamp = context.workspace().simulations.stamp(simulation.id)
    results = results_of(simulation.id, stamp)
    if results is None:
        return "This simulation holds nothing."
    if x != "labels":
        return "A simulation takes no time over a document; choose labels as the axis to lay it over."
    if measure.name not in results.plan.metrics:
        there = ", ".join(str(each) for each in results.plan.measures)
        return f"This simulation did not measure {measure}; it has {there}."
    trained = [each.key for each in results.plan.rankers]
    learner = ranker if ranker in trained else trained[0]
    samplers = row.multiselect(
        "Samplers",
        results.samplers_done(),
        default=results.samplers_done(),
        format_func=sampler_label,
        key=f"progress-overlay-{opened.id}-{simulation.id}",
        width=420,
    )
    if not samplers:
        return ""
    frame = curves_of(simulation.id, stamp, measure.name, measure.expected)
    furthest = max(float(np.max(trace.x)) for trace in figure.data if len(trace.x) and trace.x[0] is not None)
    until = max(AHEAD * furthest, results.grid[min(4, len(results.grid) - 1)])
    frame = frame[(frame["ranker"] == learner) & (frame["labels"] <= until)]
    own, legend = len(figure.data), legend_lines(figure)
    taken = {trace.line.color for trace in figure.data}
    looks = simulated_looks([each.key for each in results.plan.samplers], theme, taken)
    last = {}
    for sampler in samplers:
        part, name = frame[frame["sampler"] == sampler], f"Simulated: {sampler_label(sampler)}"
        _add(figure, part, name, *looks[sampler])
        last[safe(name, 48)] = float(part["mean"].iloc[-1])
    rank_legend(figure, last, AFTER)
    # What is drawn first lies below: the campaign's own line stays on top of all bands.
    figure.data = figure.data[own:] + figure.data[:own]
    legend_again(figure, legend)
    shown = frame[frame["sampler"].isin(samplers)]
    figure.update_xaxes(whole_steps(max(furthest, float(frame["labels"].max()))))
    _widen(figure, shown[["low_queries", "high_queries"]].to_numpy().ravel(), str(measure), theme)
    return _words(results, opened, learner, ranker, int(frame["labels"].max()))


def simulated_looks(keys: list[str], theme: Theme, taken: Collection[str] = ()) -> dict[str, tuple[str, str]]:
    """Return the colour of each sampler of a simulation, which is that of every page, and a dash of its own here.

    A sampler whose colour a line of the campaign has already (`taken`) gets one that nothing here has, as long as there
    is such a one; grey stays: it is chance, whoever draws it.
    """
    looks = sampler_looks(keys, theme)
    used = {*taken, *(look.colour for look in looks.values())}
    free = [colour for colour in theme.lines if colour not in used]
    clashing = dict.fromkeys(look.colour for look in looks.values() if look.colour in theme.lines)
    moved = dict(zip([colour for colour in clashing if colour in taken], free, strict=False))
    return {key: (moved.get(look.colour, look.colour), DASHES[OWN.index(look.dash)]) for key, look in looks.items()}


def _add(figure: go.Figure, part: pd.DataFrame, name: str, colour: str, dash: str) -> None:
    """Draw one sampler's mean curve and band, thinner than the campaign's own, and behind them in the legend."""
    xs, low, high = (part[column].to_numpy() for column in ("labels", "low_queries", "high_queries"))
    figure.add_scatter(
        x=np.r_[xs, xs[::-1]],
        y=np.r_[low, high[::-1]],
        fill="toself",
        fillcolor=with_alpha(colour, 0.07),
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
        legendgroup=name,
        showlegend=False,
    )
    figure.add_scatter(
        x=xs,
        y=part["mean"].to_numpy(),
        name=safe(name, 48),
        legendgroup=name,
        mode="lines",
        line={"color": colour, "width": 1.6, "dash": dash},
        customdata=np.column_stack([low, high]),
        meta={"columns": ["low", "high"]},
        hovertemplate=f"<b>{safe(name, 60)}</b><br>%{{x:,d}} labels: %{{y:.4f}}"
        "<br>95% interval %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>",
    )


def _widen(figure: go.Figure, values: np.ndarray, title: str, theme: Theme) -> None:
    """Let the vertical axis hold these values too."""
    window = limits([*figure.layout.yaxis.range, *values], low=0, high=1)
    value_axis(figure, title, window or figure.layout.yaxis.range, theme)
    spread_ends(figure)


def _words(results: Results, opened: OpenCampaign, learner: str, ranker: str, until: int) -> str:
    plan, about = results.plan, results.about
    queries = sum(len(names) for names in about.queries.values())
    other = "" if learner == ranker else f" It has no {plain(ranker_label(ranker))}."
    rules = (
        ""
        if plan.convention == opened.settings.convention
        else f" Its convention is another: {conventions[plan.convention].label}."
    )
    further = f" It goes on to {results.labels:,d} labels." if until < results.labels else ""
    return (
        f"Simulated: samplers on {plain(about.dataset)} with known grades, ranked by {plain(ranker_label(learner))}, "
        f"mean over {len(results.folds)} folds and 95% bootstrap interval over their {queries:,d} test queries."
        f"{other}{rules}{further} It is evaluated on those queries and not on this campaign's, and chooses from "
        "other pools: compare how the curves rise, not how high they are."
    )
