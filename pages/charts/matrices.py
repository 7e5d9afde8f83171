"""Small matrices with their numbers written in: who gave which grade, and how alike the rankings are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from pages.charts.figure import empty_figure, new_figure, safe
from pages.charts.theme import LIGHT, Theme, colour_scale, light_of_dark, mix, text_on
from rulerank.errors import InputError

CELL = 46
"""Pixels of one cell's height."""


def _square(matrix: ArrayLike, names: Sequence[object], what: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must hold numbers: {error}") from None
    if array.size == 0 and not names:
        return array.reshape(0, 0)
    if array.shape != (len(names), len(names)):
        raise InputError(f"{what} must be {len(names)} by {len(names)}, as there are names, but is {array.shape}")
    return array


def _colour_at(colours: Sequence[str], share: float) -> str:
    """Return the colour at a share of an evenly spaced scale, as plotly draws it."""
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    left = min(int(place), len(colours) - 2)
    return mix(colours[left], colours[left + 1], place - left)


def _add_matrix(
    figure: go.Figure,
    array: NDArray[np.float64],
    names: Sequence[object],
    *,
    shown: NDArray[np.float64],
    words: list[list[str]],
    hover: list[list[str]],
    scale: Sequence[str],
    low: float,
    high: float,
) -> None:
    """Draw the cells and write each number on its own, in the ink that reads on it.

    A number is called by the ink that it has on a light page, for the file that is made of a dark one's figure.
    """
    light = [light_of_dark().get(colour, colour) for colour in scale]
    count = len(names)
    figure.add_heatmap(
        z=shown,
        zmin=low,
        zmax=high,
        colorscale=colour_scale(scale),
        showscale=False,
        xgap=2,
        ygap=2,
        text=hover,
        hoverongaps=False,
        hovertemplate="%{text}<extra></extra>",
    )
    for row, column in np.ndindex(array.shape):
        if np.isfinite(shown[row, column]) and words[row][column]:
            share = float((shown[row, column] - low) / (high - low))
            figure.add_annotation(
                {"text": words[row][column], "x": column, "y": row, "showarrow": False},
                name=text_on(_colour_at(light, share)),
                font={"size": 14, "color": text_on(_colour_at(scale, share))},
            )
    ticks = {"tickvals": list(range(count)), "ticktext": [safe(name, 20) for name in names]}
    plain = {"showgrid": False, "showline": False, "ticks": "", "ticklabelstandoff": 6}
    figure.update_xaxes(**ticks, **plain, range=[-0.5, count - 0.5])
    figure.update_yaxes(**ticks, **plain, range=[count - 0.5, -0.5])


def confusion_matrix(
    matrix: ArrayLike,
    names: Sequence[object],
    *,
    rows: str = "First person",
    columns: str = "Second person",
    theme: Theme = LIGHT,
) -> go.Figure:
    """Return how often one person's grade (row) met another's (column); shade is the share within the row."""
    title = "Which grades are confused"
    counts = _square(matrix, names, "the confusion matrix")
    total = counts.sum()
    if total == 0:
        return empty_figure(title, "No document has two labels yet, so there is nothing to compare.", theme=theme)
    agreed = np.trace(counts) / total
    caption = f"{int(total):,d} pairs of labels, {agreed:.0%} equal (the diagonal). Shade: share within the row."
    sums = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, sums, out=np.zeros_like(counts), where=sums > 0)
    figure = new_figure(title, caption, theme=theme, height=190 + CELL * len(names))
    labels = [safe(name, 60) for name in names]
    _add_matrix(
        figure,
        counts,
        names,
        shown=share,
        words=[[f"{int(value):,d}" for value in row] for row in counts],
        hover=[
            [
                f"{safe(rows)}: <b>{labels[i]}</b><br>{safe(columns)}: <b>{labels[j]}</b><br>"
                f"{int(counts[i, j]):,d} pairs, {share[i, j]:.0%} of the row"
                for j in range(len(names))
            ]
            for i in range(len(names))
        ],
        scale=(theme.surface, theme.accent),
        low=0,
        high=1,
    )
    figure.update_xaxes(title_text=safe(columns, 40))
    figure.update_yaxes(title_text=safe(rows, 40))
    return figure


def tau_matrix(
    matrix: ArrayLike, names: Sequence[object], *, evaluated_on: str = "", theme: Theme = LIGHT
) -> go.Figure:
    """Return Kendall's tau between the rankers trained on each person's labels: lower triangle, scale -1 to 1."""
    title = "Does disagreement change the ranking?"
    taus = _square(matrix, names, "the tau matrix")
    below = np.tril(np.ones(taus.shape, bool), -1)
    if not np.isfinite(taus[below]).any():
        return empty_figure(
            title, "This needs two people with enough labels for a ranker each. It fills as they label.", theme=theme
        )
    caption = "Kendall's tau between rankers trained on one person's labels each; 1: the same order, 0: unrelated."
    if evaluated_on:
        caption += f" Mean over the queries of {evaluated_on}."
    figure = new_figure(title, caption, theme=theme, height=190 + CELL * len(names))
    labels = [safe(name, 60) for name in names]
    shown = np.where(below & np.isfinite(taus), taus, np.nan)
    _add_matrix(
        figure,
        taus,
        names,
        shown=shown,
        words=[[f"{value:.2f}".replace("-", "−") for value in row] for row in taus],
        hover=[
            [f"<b>{labels[i]}</b> and <b>{labels[j]}</b><br>Kendall's tau {taus[i, j]:.3f}" for j in range(len(names))]
            for i in range(len(names))
        ],
        scale=theme.diverging,
        low=-1,
        high=1,
    )
    for row, column in np.argwhere(below & ~np.isfinite(taus)):
        figure.add_annotation(
            {"text": "not yet", "x": int(column), "y": int(row), "showarrow": False},
            font={"size": 12, "color": theme.muted},
        )
    figure.update_xaxes(range=[-0.5, len(names) - 1.5])
    figure.update_yaxes(range=[len(names) - 0.5, 0.5])
    return figure
