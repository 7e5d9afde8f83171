"""Learning curves of a simulation: one line per sampler (or ranker) with its 95% band, ceilings, published values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.figure import empty_figure, legend_below, limits, new_figure, safe, value_axis, whole_steps
from pages.charts.learning import FEW, add_ceilings, add_last_values, points_of, rank_legend
from pages.charts.series import LineStyle, look_at
from pages.charts.theme import LIGHT, Theme, with_alpha

AXES = {
    "labels": ("Labels given", "%{x:,d} labels", ",d"),
    "share": ("Labels given (share of the pool)", "%{x:.2%} of the pool", ".3~%"),
}
"""x of the curves: the axis' name, how a hover text says it, and the format of its ticks."""

THIN = ("dot", "dashdot", "longdashdot", "2px,6px", "8px,2px,2px,2px")
"""The lines of published values, which are all of one colour."""


@dataclass(frozen=True)
class Line:
    """One curve: its name, its place in the plan, points, band, and natural stop.

    labels: what a click on a point stands for, whatever x shows. look: what the sampler or ranker looks like on every
    page; without one, the place decides.
    """

    name: str
    place: int
    x: ArrayLike
    mean: ArrayLike
    low: ArrayLike
    high: ArrayLike
    labels: ArrayLike
    stop: tuple[float, float] | None = None
    look: LineStyle | None = None


@dataclass(frozen=True)
class Published:
    """A published value to compare with."""

    method: str
    value: float


def simulation_curves(
    lines: Sequence[Line],
    *,
    about: str,
    metric_label: str,
    convention: str,
    evaluated_on: str,
    band: str,
    x: str = "labels",
    ceilings: Mapping[str, float] | None = None,
    published: Sequence[Published] = (),
    theme: Theme = LIGHT,
    height: int = 520,
) -> go.Figure:
    """Return metric against labels: the mean over seeds and folds of each line, and what 95% of what lies in its band.

    about: which collection it is, and what all lines share. A point's customdata is (place of the line, labels, low,
    high), so that a click says which selection it was.
    """
    title = f"{metric_label} as labels come in"
    drawn = [line for line in lines if np.isfinite(np.asarray(line.mean, np.float64)).any()]
    if not drawn:
        return empty_figure(title, "No sampler has finished on every fold yet.", theme=theme)
    axis, hover, ticks = AXES[x]
    caption = f"{about}. {convention}. Evaluated on {evaluated_on}." + (f" Bands: {band}." if band else "")
    if any(line.stop for line in drawn):
        caption += " Stars: the mean number of labels at the natural stop, marked on the line."
    figure = new_figure(title, caption, theme=theme, height=height, l=72, r=64)
    figure.update_layout(meta={"caption": caption, "measure": f"{metric_label} ({convention})"})
    for line in drawn:
        _add_band(figure, line, min(0.14, 0.2 / len(drawn)), theme)
    seen = [np.asarray(values, np.float64) for line in drawn for values in (line.mean, line.low, line.high)]
    ends = [_add_line(figure, line, f"{hover}: {safe(metric_label)}", theme) for line in drawn]
    for line in drawn:
        _add_stop(figure, line, hover, theme)
    colours = {line.name: colour_of(line, theme) for line in drawn}
    seen.append(add_ceilings(figure, ceilings or None, colours, theme))
    furthest = max(float(np.max(np.asarray(line.x, np.float64))) for line in drawn)
    seen.append(_add_published(figure, published, [0.0, furthest], theme))
    window = limits(np.concatenate(seen), low=0, high=1) or [0.0, 1.0]
    figure.update_xaxes(title_text=axis, rangemode="tozero", tickformat=ticks)
    if x == "labels":
        figure.update_xaxes(whole_steps(furthest))
    value_axis(figure, metric_label, window, theme)
    rank_legend(figure, {name: y for name, y, _ in ends})
    legend_below(figure)
    add_last_values(figure, ends)
    return figure


def look_of(line: Line, theme: Theme) -> LineStyle:
    """Return what a line looks like."""
    return line.look or look_at(line.place, theme)


def colour_of(line: Line, theme: Theme) -> str:
    """Return a line's colour."""
    return look_of(line, theme).colour


def _add_band(figure: go.Figure, line: Line, strength: float, theme: Theme) -> None:
    xs, low = points_of(line.x, line.low, f"the band of {line.name!r}")
    high = points_of(line.x, line.high, f"the band of {line.name!r}")[1]
    whole = np.isfinite(low) & np.isfinite(high)
    if not whole.any():
        return
    figure.add_scatter(
        x=np.r_[xs[whole], xs[whole][::-1]],
        y=np.r_[low[whole], high[whole][::-1]],
        fill="toself",
        fillcolor=with_alpha(colour_of(line, theme), strength),
        mode="lines",
        # Where several bands lie on each other, their edges tell them apart.
        line={"width": 1, "color": with_alpha(colour_of(line, theme), 0.4)},
        hoverinfo="skip",
        legendgroup=f"line{line.place}",
        showlegend=False,
    )


def _add_line(figure: go.Figure, line: Line, point: str, theme: Theme) -> tuple[str, float, str]:
    """Draw one line with its marks, and return its name, its last value and its colour."""
    look = look_of(line, theme)
    xs, ys = points_of(line.x, line.mean, f"the curve {line.name!r}")
    low = points_of(line.x, line.low, f"the curve {line.name!r}")[1]
    high = points_of(line.x, line.high, f"the curve {line.name!r}")[1]
    labels = points_of(line.x, line.labels, f"the labels of {line.name!r}")[1]
    figure.add_scatter(
        x=xs,
        y=ys,
        name=safe(line.name, 48),
        legendgroup=f"line{line.place}",
        mode="lines+markers",
        line=look.line(),
        # Every point can be clicked, so every point has a mark; where there are many, a small one.
        marker=look.marker(7 if xs.size <= FEW else 5),
        selected={"marker": {"size": 13, "opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
        customdata=np.column_stack([np.full(xs.size, line.place), labels, low, high]),
        meta={"columns": ["place", "labels", "low", "high"]},
        hovertemplate=f"<b>{safe(line.name, 60)}</b><br>{point} %{{y:.4f}}"
        + ("<br>95% interval %{customdata[2]:.4f} to %{customdata[3]:.4f}" if np.isfinite(low).any() else "")
        + "<extra></extra>",
    )
    last = int(np.flatnonzero(np.isfinite(ys))[-1])
    return safe(line.name, 48), float(ys[last]), look.colour


def _add_stop(figure: go.Figure, line: Line, hover: str, theme: Theme) -> None:
    """Mark on the line where the sampler stops by itself.

    Runs stop at different numbers of labels, so the mean of their values there lies beside the line; it is said on
    hovering. A stop beyond the line's end has no place on it.
    """
    xs, ys = points_of(line.x, line.mean, f"the curve {line.name!r}")
    xs, ys = xs[np.isfinite(ys)], ys[np.isfinite(ys)]
    if line.stop is None or not np.isfinite(line.stop).all() or not xs[0] <= line.stop[0] <= xs[-1]:
        return
    figure.add_scatter(
        x=[line.stop[0]],
        y=[float(np.interp(line.stop[0], xs, ys))],
        mode="markers",
        legendgroup=f"line{line.place}",
        showlegend=False,
        marker={
            "symbol": "star",
            "size": 15,
            "color": colour_of(line, theme),
            "line": {"width": 1.5, "color": theme.background},
        },
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"<b>{safe(line.name, 60)}</b><br>natural stop after {hover}, on average"
        f"<br>mean of the runs at their own stops: {line.stop[1]:.4f}<extra></extra>",
    )


def _add_published(figure: go.Figure, published: Sequence[Published], x: list[float], theme: Theme) -> np.ndarray:
    """Draw published values as thin lines across the figure, named in the legend: words on them would collide."""
    for place, each in enumerate(published):
        figure.add_scatter(
            x=x,
            y=[each.value, each.value],
            name=f"{safe(each.method, 24)}, published: {each.value:.3f}",
            mode="lines",
            line={"dash": THIN[place % len(THIN)], "width": 1.3, "color": theme.muted},
            hovertemplate=f"<b>{safe(each.method, 40)}</b><br>published: {each.value:.4f}, all labels<extra></extra>",
        )
    return np.array([each.value for each in published])
