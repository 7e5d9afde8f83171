"""The legend under a figure: it stands below the axis at any width of the page, and leaves what is drawn its room."""

from __future__ import annotations

import html

import plotly.graph_objects as go

LINE = 20
"""Pixels of a line of the legend."""

LETTER, MARK = 7, 45
"""Pixels of a letter, and of the mark before a name with the gap behind it."""

WIDTH = 320
"""Pixels that names are reckoned to stand in: about what a telephone has."""


def legend_below(figure: go.Figure) -> None:
    """Show the legend at the lower edge of the figure, which grows by as many lines as the names may need.

    Plotly keeps the axis above a legend that is placed in the whole figure; how many lines that takes in the reader's
    window is not known here, so only the height is an estimate.
    """
    figure.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "tracegroupgap": 0,
        },
        height=figure.layout.height + LINE * (legend_lines(figure) - 1),
    )


def legend_again(figure: go.Figure, lines: int) -> None:
    """Let a figure grow whose legend had so many lines before more was drawn into it."""
    figure.update_layout(height=figure.layout.height + LINE * (legend_lines(figure) - lines))


def height_drawn(figure: go.Figure) -> float:
    """Return the height in pixels that is left to what is drawn, if the legend takes as many lines as reckoned."""
    margin = figure.layout.margin
    return float(figure.layout.height - margin.t - margin.b - LINE * legend_lines(figure))


def legend_lines(figure: go.Figure) -> int:
    """Return how many lines the names take, one after the other, where the page is narrow."""
    lines, taken = 1, 0
    for trace in figure.data:
        if trace.name is None or trace.showlegend is False:
            continue
        width = MARK + LETTER * len(html.unescape(trace.name))
        if taken and taken + width > WIDTH:
            lines, taken = lines + 1, 0
        taken += width
    return lines
