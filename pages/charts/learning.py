"""The learning curve: what the ranker has learnt so far, a random replay, the ceiling, and the values at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.figure import (
    WIDE,
    Floats,
    as_floats,
    empty_figure,
    limits,
    new_figure,
    safe,
    same_length,
    whole_steps,
)
from pages.charts.legend import height_drawn, legend_below
from pages.charts.theme import LIGHT, SYMBOLS, Theme, with_alpha
from rulerank.errors import InputError

AXES = {
    "labels": ("Labels given", "labels", ",d", ",d"),
    "minutes": ("Labelling time (minutes)", "min", ",.1f", ",~r"),
}
"""x of a learning curve: the axis' name, the unit in hover texts, number formats of these and of the ticks."""

FEW = 30
"""Up to this many points, each gets its own mark."""


@dataclass(frozen=True)
class Curve:
    """One line: a name and its points; y is None or not a number where the metric is not defined yet."""

    name: str
    x: ArrayLike
    y: ArrayLike


@dataclass(frozen=True)
class Band:
    """What the lines are compared with: the mean of a seeded random replay and its 95% interval."""

    x: ArrayLike
    mean: ArrayLike
    low: ArrayLike
    high: ArrayLike
    name: str = "Random order"
    runs: int | None = None


def learning_curve(
    series: Iterable[Curve],
    *,
    metric_label: str,
    convention: str,
    evaluated_on: str,
    x: str = "labels",
    band: Band | None = None,
    ceiling: float | Mapping[str, float] | None = None,
    theme: Theme = LIGHT,
    height: int = 460,
) -> go.Figure:
    """Return metric against labels (or minutes): one line a ranker, the random replay's band, the full-label ceiling.

    `ceiling` is one value, or one for each name in `series` (several rankers have several). A value that is not
    defined is not drawn, and a line has a gap there; it is never shown as 0.
    """
    if x not in AXES:
        raise InputError(f"x of a learning curve is one of {', '.join(AXES)}, not {x!r}")
    axis, unit, x_format, tick_format = AXES[x]
    title = f"{metric_label} as labels come in" if x == "labels" else f"{metric_label} over labelling time"
    lines = [(curve.name, *points_of(curve.x, curve.y, f"the curve {curve.name!r}")) for curve in series]
    drawn = [(number, line) for number, line in enumerate(lines) if np.isfinite(line[2]).any()]
    if not drawn:
        return empty_figure(
            title,
            f"{metric_label} is not defined yet. The curve starts as soon as the ranker has labels to learn from and "
            "a query with a relevant document to be measured on.",
            theme=theme,
        )
    caption = f"{convention}. Evaluated on {evaluated_on}."
    if band is not None:
        runs = f" of {band.runs} runs" if band.runs else ""
        caption += f" Grey: {band.name.lower()}, mean{runs} and 95% interval."
    figure = new_figure(title, caption, theme=theme, height=height, letters=WIDE, l=72, r=64)
    point = f"%{{x:{x_format}}} {unit}: {safe(metric_label)}"
    seen = [line[2] for _, line in drawn]
    if band is not None:
        seen += _add_band(figure, band, point, theme)
    colours = {name: theme.lines[number % len(theme.lines)] for number, (name, _, _) in drawn}
    ends = [_add_curve(figure, number, *line, point, theme) for number, line in drawn]
    seen.append(add_ceilings(figure, ceiling, colours, theme))
    window = limits(np.concatenate(seen), low=0, high=1) or [0.0, 1.0]
    figure.update_xaxes(title_text=axis, rangemode="tozero", tickformat=tick_format)
    if x == "labels":
        reach = [line[1] for _, line in drawn] + ([] if band is None else [as_floats(band.x, "x of the random replay")])
        figure.update_xaxes(whole_steps(float(np.max(np.concatenate(reach)))))
    figure.update_yaxes(title_text=safe(metric_label), tickformat=".2f", range=window)
    legend_below(figure)
    add_last_values(figure, ends, window, theme)
    return figure


def points_of(xs: ArrayLike, ys: ArrayLike, what: str) -> tuple[Floats, Floats]:
    """Return the points as arrays in the order of x, whatever the order they came in; infinite is not a number."""
    left, right = as_floats(xs, f"x of {what}"), as_floats(ys, f"y of {what}")
    same_length(x=left, y=right)
    order = np.argsort(left, kind="stable")
    return left[order], np.where(np.isfinite(right), right, np.nan)[order]


def _add_curve(
    figure: go.Figure, number: int, name: str, xs: Floats, ys: Floats, point: str, theme: Theme
) -> tuple[float, float, str]:
    """Draw one line and return where it ends, and its colour."""
    colour = theme.lines[number % len(theme.lines)]
    known = np.isfinite(ys)
    alone = known & ~np.r_[False, known[:-1]] & ~np.r_[known[1:], False]
    last = int(np.flatnonzero(known)[-1])
    # A line through many points needs no marks, but a point between two gaps would be lost without one.
    sizes = np.where(alone | (known.sum() <= FEW), 7, 0)
    sizes[last] = 9
    figure.add_scatter(
        x=xs,
        y=ys,
        name=safe(name, 40),
        mode="lines+markers",
        line={"color": colour, "width": 2.5},
        marker={
            "size": sizes,
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
            "symbol": SYMBOLS[number % len(SYMBOLS)],
        },
        connectgaps=False,
        cliponaxis=False,
        hovertemplate=f"<b>{safe(name, 60)}</b><br>{point} %{{y:.4f}}<extra></extra>",
    )
    return float(xs[last]), float(ys[last]), colour


def _add_band(figure: go.Figure, band: Band, point: str, theme: Theme) -> list[Floats]:
    xs, mean = points_of(band.x, band.mean, "the random replay")
    _, low = points_of(band.x, band.low, "the band's lower edge")
    _, high = points_of(band.x, band.high, "the band's upper edge")
    whole = np.isfinite(low) & np.isfinite(high)
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "legendgroup": "band", "showlegend": False}
    figure.add_scatter(x=xs[whole], y=low[whole], **shade)
    figure.add_scatter(x=xs[whole], y=high[whole], fill="tonexty", fillcolor=with_alpha(theme.baseline, 0.22), **shade)
    figure.add_scatter(
        x=xs,
        y=mean,
        name=safe(band.name, 40),
        legendgroup="band",
        mode="lines" if len(xs) > 1 else "markers",
        marker={"color": theme.baseline, "size": 8},
        line={"color": theme.baseline, "width": 2, "dash": "dot"},
        customdata=np.column_stack([low, high]),
        hovertemplate=f"<b>{safe(band.name, 60)}</b><br>{point} %{{y:.4f}}"
        "<br>95% interval %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>",
    )
    return [low[whole], high[whole], mean]


LINE = 15
"""Pixels between two values that are written under each other."""

BESIDE = 2
"""Ceilings that are named on their lines, side by side."""


def add_last_values(figure: go.Figure, ends: list[tuple[float, float, str]], window: list[float], theme: Theme) -> None:
    """Write each line's last value beside its end, moved apart where lines end close together."""
    pixels = height_drawn(figure) / (window[1] - window[0])
    taken = -np.inf
    for x, y, colour in sorted(ends, key=lambda end: end[1]):
        taken = max(y * pixels, taken + LINE)
        figure.add_annotation(
            {"x": x, "y": y, "text": f"<b>{y:.3f}</b>", "showarrow": False, "xanchor": "left", "xshift": 8},
            yshift=taken - y * pixels,
            bgcolor=with_alpha(theme.background, 0.75),
            borderpad=0,
            font={"color": colour, "size": 13},
        )


def add_ceilings(
    figure: go.Figure, ceiling: float | Mapping[str, float] | None, colours: Mapping[str, str], theme: Theme
) -> Floats:
    """Draw the dashed line of each ceiling and return their values.

    The words of two stand side by side on their lines; of more, in the legend, or they would lie on each other.
    """
    each = ceiling if isinstance(ceiling, Mapping) else {} if ceiling is None else {"": ceiling}
    known = {name: float(value) for name, value in each.items() if np.isfinite(value)}
    for place, (name, value) in enumerate(known.items()):
        colour = colours.get(name, theme.text)
        line = {"dash": "dash", "width": 1.5, "color": colour}
        words = f"All labels{f', {safe(name, 24)}' if len(known) > 1 else ''}: {value:.3f}"
        figure.add_hline(y=value, line=line)
        if len(known) > BESIDE:
            figure.add_scatter(x=[None], y=[None], name=words, mode="lines", line=line)
            continue
        figure.add_annotation(
            text=words,
            x=0.005 + place / max(3, len(known)),
            y=value,
            xref="paper",
            xanchor="left",
            yanchor="bottom",
            showarrow=False,
            bgcolor=with_alpha(theme.background, 0.75),
            borderpad=0,
            font={"size": 13, "color": colour},
        )
    return np.array(list(known.values()))
