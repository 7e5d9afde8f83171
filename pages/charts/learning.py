"""The learning curve: what the ranker has learnt so far, a random replay, the ceiling, and the values at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.figure import (
    Floats,
    as_floats,
    empty_figure,
    height_drawn,
    legend_below,
    limits,
    new_figure,
    safe,
    same_length,
    value_axis,
    whole_steps,
)
from pages.charts.series import LineStyle, look_at
from pages.charts.theme import LIGHT, Theme, with_alpha
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
    """One line: a name and its points; y is None or not a number where the metric is not defined yet.

    look: what it looks like on every page; without one, its place among the lines decides.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    look: LineStyle | None = None


@dataclass(frozen=True)
class ShadedBand:
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
    band: ShadedBand | None = None,
    ceiling: float | Mapping[str, float] | None = None,
    changes: Sequence[float] = (),
    theme: Theme = LIGHT,
    height: int = 420,
) -> go.Figure:
    """Return metric against labels (or minutes): one line per ranker, the random replay's band, the full-label ceiling.

    `ceiling` is one value, or one for each name in `series` (several rankers have several). A value that is not
    defined is not drawn, and a line has a gap there; it is never shown as 0. `changes` are places of x at which the
    guidelines changed: a dotted line each.
    """
    if x not in AXES:
        raise InputError(f"x of a learning curve is one of {', '.join(AXES)}, not {x!r}")
    axis, unit, x_format, tick_format = AXES[x]
    title = f"{metric_label} as labels come in" if x == "labels" else f"{metric_label} over labelling time"
    lines = [
        (curve.look or look_at(place, theme), curve.name, *points_of(curve.x, curve.y, f"the curve {curve.name!r}"))
        for place, curve in enumerate(series)
    ]
    drawn = [line for line in lines if np.isfinite(line[3]).any()]
    if not drawn:
        return empty_figure(
            title,
            f"{metric_label} is not defined yet. The curve starts as soon as the ranker has labels to learn from and "
            "a query with a relevant document to be measured on.",
            theme=theme,
        )
    caption = f"Evaluated on {evaluated_on}."  # the convention stands in the line to cite the figure by
    if band is not None:
        runs = f" of {band.runs} runs" if band.runs else ""
        caption += f" Grey: {band.name.lower()}, mean{runs} and 95% interval."
    if changes:
        caption += " Upright dotted line: the guidelines or grades changed."
    figure = new_figure(title, caption, theme=theme, height=height, l=72, r=64)
    figure.update_layout(meta={"caption": caption, "measure": f"{metric_label} ({convention})"})
    point = f"%{{x:{x_format}}} {unit}: {safe(metric_label)}"
    seen = [line[3] for line in drawn]
    if band is not None:
        seen += _add_band(figure, band, point, theme)
    colours = {name: look.colour for look, name, _, _ in drawn}
    ends = [_add_curve(figure, *line, point) for line in drawn]
    seen.append(add_ceilings(figure, ceiling, colours, theme))
    for place in sorted(set(changes)):
        figure.add_vline(x=place, line={"dash": "dot", "width": 1.5, "color": theme.muted})
    window = limits(np.concatenate(seen), low=0, high=1) or [0.0, 1.0]
    figure.update_xaxes(title_text=axis, rangemode="tozero", tickformat=tick_format)
    if x == "labels":
        reach = [line[2] for line in drawn] + ([] if band is None else [as_floats(band.x, "x of the random replay")])
        figure.update_xaxes(whole_steps(float(np.max(np.concatenate(reach)))))
    value_axis(figure, metric_label, window, theme)
    rank_legend(figure, {name: y for name, y, _ in ends})
    legend_below(figure)
    add_last_values(figure, ends)
    return figure


def points_of(xs: ArrayLike, ys: ArrayLike, what: str) -> tuple[Floats, Floats]:
    """Return the points as arrays in the order of x, whatever the order they came in; infinite is not a number."""
    left, right = as_floats(xs, f"x of {what}"), as_floats(ys, f"y of {what}")
    same_length(x=left, y=right)
    order = np.argsort(left, kind="stable")
    return left[order], np.where(np.isfinite(right), right, np.nan)[order]


def _add_curve(
    figure: go.Figure, look: LineStyle, name: str, xs: Floats, ys: Floats, point: str
) -> tuple[str, float, str]:
    """Draw one line and return its name, its last value and its colour."""
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
        line=look.line(),
        marker=look.marker(sizes),
        connectgaps=False,
        cliponaxis=False,
        hovertemplate=f"<b>{safe(name, 60)}</b><br>{point} %{{y:.4f}}<extra></extra>",
    )
    return safe(name, 40), float(ys[last]), look.colour


def _add_band(figure: go.Figure, band: ShadedBand, point: str, theme: Theme) -> list[Floats]:
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
        meta={"columns": ["low", "high"]},
        hovertemplate=f"<b>{safe(band.name, 60)}</b><br>{point} %{{y:.4f}}"
        "<br>95% interval %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>",
    )
    return [low[whole], high[whole], mean]


LINE = 15
"""Pixels between two values that are written under each other."""

END = "end"
"""The name of the values that stand at the right edge."""


def rank_legend(figure: go.Figure, last: Mapping[str, float], first: int = 1) -> None:
    """Let the legend name lines in the order of their last values, the highest first: as they stand at the right."""
    order = sorted(last, key=lambda name: -last[name])
    for trace in figure.data:
        if trace.name in last:
            trace.legendrank = first + order.index(trace.name)


def add_last_values(figure: go.Figure, ends: Iterable[tuple[str, float, str]]) -> None:
    """Write each line's last value at the right edge, outside of what is drawn, where it covers no curve."""
    for _, y, colour in ends:
        _add_end(figure, y, f"<b>{y:.3f}</b>", colour)
    spread_ends(figure)


def _add_end(figure: go.Figure, y: float, text: str, colour: str) -> None:
    figure.add_annotation(
        {"x": 1, "xref": "paper", "y": y, "text": text, "name": END, "showarrow": False},
        xanchor="left",
        xshift=8,
        font={"color": colour, "size": 13},
    )


def spread_ends(figure: go.Figure) -> None:
    """Move the values at the right edge apart where they would lie on each other; again, when the axis has changed."""
    low, high = figure.layout.yaxis.range
    pixels = height_drawn(figure) / (high - low)
    notes = sorted((each for each in figure.layout.annotations if each.name == END), key=lambda each: each.y)
    for note, place in zip(notes, spread([note.y * pixels for note in notes]), strict=True):
        note.yshift = place - note.y * pixels


def spread(places: Sequence[float], apart: float = LINE) -> list[float]:
    """Return rising places moved as little as can be, so that any two are so far apart; a crowd keeps its middle.

    >>> spread([0, 4, 100])
    [-5.5, 9.5, 100.0]
    """
    crowds: list[tuple[float, int]] = []  # of those that touch each other: the mean of where the first would be, number
    for number, place in enumerate(places):
        crowds.append((float(place) - number * apart, 1))
        while len(crowds) > 1 and crowds[-2][0] > crowds[-1][0]:
            (left, several), (right, more) = crowds[-2:]
            crowds[-2:] = [((left * several + right * more) / (several + more), several + more)]
    starts = [start for start, several in crowds for _ in range(several)]
    return [start + number * apart for number, start in enumerate(starts)]


def add_ceilings(
    figure: go.Figure, ceiling: float | Mapping[str, float] | None, colours: Mapping[str, str], theme: Theme
) -> Floats:
    """Draw the dashed line of each ceiling and return their values.

    Its words stand in the legend, and its value at the right edge: on the line they would lie on a curve.
    """
    each = ceiling if isinstance(ceiling, Mapping) else {} if ceiling is None else {"": ceiling}
    known = {name: float(value) for name, value in each.items() if np.isfinite(value)}
    for name, value in known.items():
        colour = colours.get(name, theme.text)
        line = {"dash": "dash", "width": 1.5, "color": colour}
        words = f"All labels{f', {safe(name, 24)}' if len(known) > 1 else ''}: {value:.3f}"
        figure.add_hline(y=value, line=line)
        figure.add_scatter(x=[None], y=[None], name=words, mode="lines", line=line, hoverinfo="skip")
        _add_end(figure, value, f"{value:.3f}", colour)
    return np.array(list(known.values()))
