"""What is written into learning curves: each line's last value at its end, and what all labels would give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from pages.charts.figure import Floats, safe
from pages.charts.legend import height_drawn
from pages.charts.theme import Theme, with_alpha

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
