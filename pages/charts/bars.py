"""Bars and dots: people's speed, p(q|d), the grades given, and agreement with its intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.figure import as_floats, counted, empty_figure, limits, new_figure, safe, same_length
from pages.charts.theme import LIGHT, Theme, grade_colours
from rulerank.campaign.labels import Speed
from rulerank.errors import InputError

ROW = 30
"""Pixels of one person's, query's or measure's row."""


@dataclass(frozen=True)
class Agreement:
    """One measure of agreement, or one pair of people: the value, its 95% interval, and the documents behind it."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    documents: int | None = None


def _rows(figure: go.Figure, names: Sequence[object], axis: str = "yaxis") -> None:
    """Name the rows of a horizontal chart, the first on top; two people of one name stay two rows."""
    figure.update_layout(
        {
            axis: {
                "tickvals": list(range(len(names))),
                "ticktext": [safe(name, 22) for name in names],
                "range": [len(names) - 0.4, -0.6],
                "showgrid": False,
                "showline": False,
                "ticks": "",
                "ticklabelstandoff": 8,
                "tickfont": {"size": 14, "color": figure.layout.template.layout.font.color},
            }
        }
    )


def annotator_speed(people: Iterable[Speed], *, theme: Theme = LIGHT) -> go.Figure:
    """Return labels given (bars) and median seconds per label (dots, with the middle half as a line), by person."""
    title = "Labels and speed by person"
    rows = sorted(people, key=lambda person: (-person.labels, person.name))
    if not rows:
        return empty_figure(title, "Nobody has labelled yet.", theme=theme)
    caption = "Dots: median seconds from showing a document to its label; lines: the middle half of the labels."
    figure = new_figure(title, caption, theme=theme, height=170 + ROW * len(rows), l=24)
    few = {"nticks": 4, "tickangle": 0}
    figure.update_layout(
        xaxis={"domain": [0, 0.46], "title": {"text": "Labels given"}, "tickformat": ",d", **few},
        xaxis2={"domain": [0.54, 1], "title": {"text": "Seconds a label"}, "anchor": "y2", **few},
        yaxis2={
            "anchor": "x2",
            "matches": "y",
            "showticklabels": False,
            "showgrid": False,
            "showline": False,
            "ticks": "",
        },
        bargap=0.4,
    )
    _rows(figure, [person.name for person in rows])
    places = list(range(len(rows)))
    names = [safe(person.name, 80) for person in rows]
    labels = [person.labels for person in rows]
    figure.add_bar(
        x=labels,
        y=places,
        orientation="h",
        marker={"color": theme.accent},
        text=[f"{count:,d}" for count in labels],
        textposition="outside",
        cliponaxis=False,
        customdata=names,
        hovertemplate="<b>%{customdata}</b><br>%{x:,d} labels<extra></extra>",
    )
    timed = [(place, person) for place, person in enumerate(rows) if person.median_seconds is not None]
    for place, person in timed:
        if person.quartiles is not None:
            figure.add_shape(
                {"type": "line", "x0": person.quartiles[0], "x1": person.quartiles[1], "y0": place, "y1": place},
                xref="x2",
                yref="y2",
                line={"color": theme.accent, "width": 2},
            )
    seconds = as_floats([person.median_seconds for _, person in timed], "the median seconds")
    figure.add_scatter(
        x=seconds,
        y=[place for place, _ in timed],
        xaxis="x2",
        yaxis="y2",
        mode="markers+text",
        marker={"size": 10, "color": theme.accent},
        text=[f"{value:.1f} s" for value in seconds],
        textposition="top center",
        textfont={"size": 12},
        cliponaxis=False,
        customdata=[
            [
                names[place],
                "" if person.quartiles is None else "<br>middle half {:.1f} to {:.1f} s".format(*person.quartiles),
            ]
            for place, person in timed
        ],
        hovertemplate="<b>%{customdata[0]}</b><br>median %{x:.1f} s per label%{customdata[1]}<extra></extra>",
    )
    slowest = max([1.0, *seconds, *(person.quartiles[1] for _, person in timed if person.quartiles)])
    figure.update_layout(xaxis2_range=[0, 1.12 * slowest], xaxis_range=[0, 1.18 * max(1, *labels)])
    for place in set(places) - {place for place, _ in timed}:
        figure.add_annotation(
            {"text": "not yet", "x": 0, "y": place, "xref": "x2", "yref": "y2", "xanchor": "left", "showarrow": False},
            font={"color": theme.muted, "size": 12},
        )
    return figure


def query_weights_bar(
    weights: ArrayLike, qids: Sequence[object], top: int = 15, *, document: object = None, theme: Theme = LIGHT
) -> go.Figure:
    """Return p(q|d) of one document (query-level paper, eq. 9-10): the `top` heaviest functions, the rest as one."""
    title = "Which functions rank this document" if document is None else f"Which functions rank {safe_title(document)}"
    shares = as_floats(weights, "the weights")
    same_length(weights=shares, qids=qids)
    shares = np.where(np.isfinite(shares), shares, 0)
    if top < 1:
        raise InputError(f"top must be at least 1, not {top}")
    if not (shares > 0).any():
        return empty_figure(title, "No function has a weight for this document yet.", theme=theme)
    order = np.argsort(-shares, kind="stable")[:top]
    order = order[shares[order] > 0]
    rest, others = shares.sum() - shares[order].sum(), int((shares > 0).sum() - order.size)
    names: list[object] = [qids[place] for place in order]
    values = [float(shares[place]) for place in order]
    places = [int(place) for place in order]
    if others:
        names.append(counted(others, "other"))
        values.append(float(rest))
        places.append(-1)
    caption = "p(q|d), the weight of each query-level function; the weights of all functions sum to 1."
    figure = new_figure(title, caption, theme=theme, height=150 + 24 * len(values), l=24, r=56)
    _rows(figure, names)
    figure.add_bar(
        x=values,
        y=list(range(len(values))),
        orientation="h",
        marker={"color": [theme.accent if place >= 0 else theme.baseline for place in places]},
        text=[f"{value:.3f}" for value in values],
        textposition="outside",
        cliponaxis=False,
        customdata=[[place, safe(name, 80)] for place, name in zip(places, names, strict=True)],
        hovertemplate="Function of query <b>%{customdata[1]}</b><br>p(q|d) %{x:.4f}<extra></extra>",
    )
    figure.update_layout(bargap=0.3)
    figure.update_xaxes(title_text="p(q|d)", tickformat=".2~f", rangemode="tozero")
    figure.update_yaxes(title_text="Query")
    return figure


def safe_title(value: object) -> str:
    """Return a foreign name short enough for a title; the title itself escapes it."""
    text = " ".join(str(value).split())
    return text if len(text) <= 36 else f"{text[:20]}…{text[-15:]}"


def grade_histogram(
    counts: Sequence[int],
    names: Sequence[str] | None = None,
    *,
    colours: Sequence[str] | None = None,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Return how often each grade 0..k was given; `colours` are the campaign's own, else the theme's."""
    title = "Grades given"
    numbers = as_floats(counts, "the counts")
    words = [str(name) for name in names] if names is not None else [""] * numbers.size
    fills = list(colours) if colours is not None else list(grade_colours(max(1, numbers.size), theme))
    same_length(counts=numbers, names=words, colours=fills[: numbers.size] if colours is None else fills)
    total = numbers.sum()
    if total == 0:
        return empty_figure(title, "No label yet. Grades appear here as they are given.", theme=theme)
    caption = f"{counted(total, 'label')}; the current grade of each labelled document."
    figure = new_figure(title, caption, theme=theme, height=340)
    figure.add_bar(
        x=list(range(numbers.size)),
        y=numbers,
        marker={"color": fills[: numbers.size], "line": {"color": theme.muted, "width": 1}},
        text=[f"{int(count):,d}<br>{count / total:.0%}" for count in numbers],
        textposition="outside",
        cliponaxis=False,
        customdata=[[safe(word, 80), share] for word, share in zip(words, numbers / total, strict=True)],
        hovertemplate="<b>Grade %{x} %{customdata[0]}</b><br>%{y:,d} labels (%{customdata[1]:.1%})<extra></extra>",
    )
    ticks = [f"{grade}<br>{safe(word, 18)}" if word else str(grade) for grade, word in enumerate(words)]
    figure.update_xaxes(
        title_text="Grade", tickvals=list(range(numbers.size)), ticktext=ticks, showgrid=False, ticks=""
    )
    figure.update_yaxes(title_text="Documents (count)", tickformat=",d", range=[0, 1.22 * numbers.max()])
    figure.update_layout(bargap=0.35)
    return figure


def agreement_dots(
    values: Iterable[Agreement], *, measure: str = "Krippendorff's alpha (ordinal)", theme: Theme = LIGHT
) -> go.Figure:
    """Return agreement as dots with 95% intervals; dashed lines at 0.667 and 0.8, Krippendorff's customary limits."""
    title = "Agreement between people"
    rows = list(values)
    if not any(row.value is not None and np.isfinite(row.value) for row in rows):
        return empty_figure(
            title, "Agreement needs documents that two people labelled. Set an overlap of 2 or more.", theme=theme
        )
    caption = (
        f"{measure}, with 95% intervals where given. 1 is perfect, 0 is chance. "
        "Dashed: 0.667 and 0.8, the customary limits."
    )
    figure = new_figure(title, caption, theme=theme, height=170 + ROW * len(rows), l=24)
    _rows(figure, [row.name for row in rows])
    for limit in (2 / 3, 0.8):
        figure.add_vline(x=limit, line={"color": theme.baseline, "width": 1, "dash": "dash"}, layer="below")
    value = as_floats([row.value for row in rows], "the values")
    low, high = as_floats([row.low for row in rows], "low"), as_floats([row.high for row in rows], "high")
    known = np.isfinite(value)
    spread = known & np.isfinite(low) & np.isfinite(high)
    notes = []
    for place, row in enumerate(rows):
        note = f"<br>95% interval {low[place]:.3f} to {high[place]:.3f}" if spread[place] else ""
        notes.append([safe(row.name, 80), note + (f"<br>{row.documents:,d} documents" if row.documents else "")])
    figure.add_scatter(
        x=value,
        y=list(range(len(rows))),
        mode="markers",
        marker={"size": 11, "color": theme.accent},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.where(spread, high - value, 0),
            "arrayminus": np.where(spread, value - low, 0),
            "color": theme.accent,
            "thickness": 2,
            "width": 0,
        },
        customdata=notes,
        hovertemplate="<b>%{customdata[0]}</b>: %{x:.3f}%{customdata[1]}<extra></extra>",
    )
    for place in range(len(rows)):
        text = f"{round(value[place], 2) + 0.0:.2f}".replace("-", "−") if known[place] else "not yet"
        figure.add_annotation(
            {"text": text, "x": 1, "y": place, "xref": "paper", "xanchor": "left", "xshift": 6, "showarrow": False},
            font={"size": 13, "color": theme.text if known[place] else theme.muted},
        )
    lowest = limits([0.0, *value, *low], high=None)
    figure.update_xaxes(
        title_text=safe(measure), tickformat=".1f", range=[min(-0.02, lowest[0] if lowest else 0), 1.02]
    )
    figure.update_layout(margin_r=64)
    return figure
