"""Samplers side by side, label by label: growing lines, the grades of what each asked for, and a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.charts.figure import Floats, as_floats, empty_figure, legend_below, limits, new_figure, safe, value_axis
from pages.charts.learning import LINE, spread
from pages.charts.series import LineStyle
from pages.charts.theme import LIGHT, Theme, ink_of, with_alpha

SECONDS = 20.0
"""How long the whole replay takes."""

ROW = 44
"""Pixels for each sampler's row of grades, with the words above it."""

GAP = 56
"""Pixels between the curves and these rows: the axis and its title."""

BELOW = 88
"""Pixels below the rows: the slider and the legend."""

LETTERS = 110
"""Of the words above a row."""


@dataclass(frozen=True)
class Step:
    """One document that a sampler asked for: words that name it, and its grade."""

    words: str
    grade: int


@dataclass(frozen=True)
class ReplayLine:
    """One sampler: its name and look, the metric after each label, and what it asked for at each."""

    name: str
    look: LineStyle
    values: Sequence[float | None]
    steps: Sequence[Step]


def replay_figure(
    lines: Sequence[ReplayLine],
    *,
    metric_label: str,
    convention: str,
    caption: str,
    grade_names: Sequence[str],
    grade_colours: Sequence[str],
    band: tuple[Sequence[float | None], Sequence[float | None]] | None = None,
    theme: Theme = LIGHT,
    height: int = 250,
) -> go.Figure:
    """Return a figure with a frame for each label; at rest it shows the last one. `height`: of the curves alone.

    It has a play and a pause button and a slider. `band`: lower and upper edge of what chance gives, after each label.
    """
    title = f"{metric_label}, label by label"
    curves = [as_floats(line.values, f"the values of {line.name!r}") for line in lines]
    last = max((len(curve) for curve in curves), default=0)
    if not last or not any(np.isfinite(curve).any() for curve in curves):
        return empty_figure(title, f"{metric_label} is not defined here, so there is nothing to replay.", theme=theme)
    rows = ROW * len(lines)
    figure = new_figure(title, caption, theme=theme, height=48 + height + GAP + rows + BELOW, l=72, r=64, b=BELOW)
    figure.update_layout(meta={"caption": caption, "measure": f"{metric_label} ({convention})"})
    share = rows / (height + GAP + rows)
    seen = [*curves]
    if band is not None:
        seen += _add_band(figure, *band, theme)
    window = limits(np.concatenate(seen), low=0, high=1) or [0.0, 1.0]
    value_axis(figure, metric_label, window, theme)
    low, high = figure.layout.yaxis.range
    first = len(figure.data)
    pixels = height / (high - low)
    for trace in _traces(lines, curves, last, last, pixels, theme, grade_colours):
        figure.add_trace(trace)
    moving = list(range(first, len(figure.data)))
    figure.frames = [
        go.Frame(name=str(n), data=_traces(lines, curves, n, last, pixels, theme, grade_colours), traces=moving)
        for n in range(1, last + 1)
    ]
    for grade, (name, colour) in enumerate(zip(grade_names, grade_colours, strict=True)):
        mark = {"symbol": "square", "size": 10, "color": colour, "line": {"width": 1, "color": theme.muted}}
        figure.add_scatter(
            x=[None], y=[None], name=safe(f"{grade} {name}", 30), mode="markers", marker=mark, hoverinfo="skip"
        )
    reach = [0, last + 1]
    figure.update_xaxes(range=reach, tickformat=",d", title_text="Labels given")
    figure.update_layout(
        yaxis_domain=[share + GAP / (height + GAP + rows), 1],
        xaxis_anchor="y",
        yaxis2={"domain": [0, share], "range": [-0.35, len(lines) - 0.1], "visible": False, "fixedrange": True},
        xaxis2={"range": reach, "anchor": "y2", "visible": False, "matches": "x", "fixedrange": True},
        updatemenus=[_buttons(last)],
        sliders=[_slider(last, theme)],
    )
    legend_below(figure)
    figure.update_layout(legend_traceorder="normal")  # a band between two edges would turn it round
    return figure


def _traces(
    lines: Sequence[ReplayLine],
    curves: Sequence[Floats],
    shown: int,
    last: int,
    pixels: float,
    theme: Theme,
    colours: Sequence[str],
) -> list[go.Scatter]:
    """Return everything that moves, as it stands after so many labels: always as many traces, in the same order."""
    places = np.arange(1, last + 1)
    found = []
    for line, curve in zip(lines, curves, strict=True):
        found.append(
            go.Scatter(
                x=places[: min(shown, len(curve))],
                y=curve[:shown],
                name=safe(line.name, 40),
                mode="lines",
                line=line.look.line(),
                cliponaxis=False,
                hovertemplate=f"<b>{safe(line.name, 60)}</b><br>%{{x:,d}} labels: %{{y:.4f}}<extra></extra>",
            )
        )
    found.append(_ends(lines, curves, shown, last, pixels, theme))
    for place, line in enumerate(reversed(lines)):
        given = line.steps[:shown]
        found.append(
            go.Scatter(
                x=places[: len(given)],
                y=[float(place)] * len(given),
                xaxis="x2",
                yaxis="y2",
                name=safe(f"{line.name}: grades", 60),
                showlegend=False,
                mode="markers",
                marker={
                    "symbol": "square",
                    "size": 11,
                    "color": [colours[step.grade] for step in given],
                    "line": {"width": 1, "color": theme.muted},
                },
                customdata=[[safe(step.words, LETTERS), step.grade] for step in given],
                meta={"columns": ["document", "grade"]},
                hovertemplate=f"<b>{safe(line.name, 60)}</b>, label %{{x:,d}}<br>%{{customdata[0]}}<br>"
                "grade %{customdata[1]}<extra></extra>",
            )
        )
    found.append(_asked(lines, shown, theme))
    return found


def _ends(
    lines: Sequence[ReplayLine], curves: Sequence[Floats], shown: int, last: int, pixels: float, theme: Theme
) -> go.Scatter:
    """Return the values of now, at the right edge and moved apart."""
    now = [
        (float(curve[min(shown, len(curve)) - 1]), ink_of(line.look.colour, theme))
        for line, curve in zip(lines, curves, strict=True)
    ]
    known = sorted((each for each in now if np.isfinite(each[0])), key=lambda each: each[0])
    places = [place / pixels for place in spread([value * pixels for value, _ in known], LINE)]
    # As many points in every frame: one that is not defined yet is written as nothing.
    lacking = len(now) - len(known)
    return go.Scatter(
        x=[last + 1] * len(now),
        y=[*places, *([None] * lacking)],
        text=[*(f"<b>{value:.3f}</b>" for value, _ in known), *([""] * lacking)],
        textfont={"size": 13, "color": [*(colour for _, colour in known), *(["rgba(0,0,0,0)"] * lacking)]},
        textposition="middle right",
        mode="text",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )


def _asked(lines: Sequence[ReplayLine], shown: int, theme: Theme) -> go.Scatter:
    """Return the words above the rows: how many relevant documents each has found, and what it asks for now."""
    texts = []
    for line in reversed(lines):
        given = line.steps[:shown]
        found = sum(step.grade > 0 for step in given)
        now = f" · {safe(given[-1].words, LETTERS)}: <b>{given[-1].grade}</b>" if given else ""
        texts.append(f"<b>{safe(line.name, 40)}</b> {found} relevant{now}")
    return go.Scatter(
        x=[0.4] * len(lines),
        y=[place + 0.5 for place in range(len(lines))],
        xaxis="x2",
        yaxis="y2",
        text=texts,
        textposition="middle right",
        textfont={"size": 13, "color": [ink_of(line.look.colour, theme) for line in reversed(lines)]},
        mode="text",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )


def _add_band(
    figure: go.Figure, lower: Sequence[float | None], upper: Sequence[float | None], theme: Theme
) -> list[Floats]:
    """Draw the band of chance over its whole length: it stands still, and the lines grow into it."""
    low, high = as_floats(lower, "the lower edge of the band"), as_floats(upper, "the upper edge of the band")
    xs = np.arange(1, len(low) + 1)
    whole = np.isfinite(low) & np.isfinite(high)
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_scatter(x=xs[whole], y=low[whole], **shade)
    figure.add_scatter(x=xs[whole], y=high[whole], fill="tonexty", fillcolor=with_alpha(theme.baseline, 0.18), **shade)
    return [low[whole], high[whole]]


def _still(duration: float) -> dict[str, Any]:
    return {"frame": {"duration": duration, "redraw": False}, "transition": {"duration": 0}, "mode": "immediate"}


def _buttons(last: int) -> dict[str, Any]:
    """Return the buttons that the page's own Play and Pause press; they are out of sight (`pages/replay/page.py`)."""
    names = [str(n) for n in range(1, last + 1)]
    return {
        "type": "buttons",
        "direction": "right",
        "x": 1,
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "pad": {"b": 8},
        "buttons": [
            {"label": "Play", "method": "animate", "args": [names, _still(1000 * SECONDS / last)]},
            {"label": "Pause", "method": "animate", "args": [[None], _still(0)]},
        ],
    }


def _slider(last: int, theme: Theme) -> dict[str, Any]:
    steps = [{"label": " ", "method": "animate", "args": [[str(n)], _still(0)]} for n in range(1, last + 1)]
    return {
        "active": last - 1,
        "steps": steps,
        "x": 0,
        "len": 1,
        "y": 0,
        "pad": {"t": 12, "b": 0},
        "currentvalue": {"visible": False},
        "ticklen": 0,
        "minorticklen": 0,
        "font": {"color": "rgba(0,0,0,0)", "size": 1},
        "bgcolor": theme.grid,
        "bordercolor": theme.muted,
        "activebgcolor": theme.accent,
    }
