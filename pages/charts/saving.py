"""What a campaign saves, drawn into its learning curve: from its last point to where random order gets as far."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from pages.charts.theme import LIGHT, Theme


@dataclass(frozen=True)
class SavingArrow:
    """A campaign's labels, the labels with which random order has the same value on average, and that value."""

    labels: float
    random: float
    value: float


def add_saving(figure: go.Figure, arrow: SavingArrow, theme: Theme = LIGHT) -> None:
    """Draw the arrow between the two, and the number of labels saved above its middle."""
    figure.add_annotation(
        x=arrow.random,
        y=arrow.value,
        ax=arrow.labels,
        ay=arrow.value,
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.1,
        arrowwidth=1.8,
        arrowcolor=theme.text,
        startstandoff=6,
        name="saving",
    )
    figure.add_annotation(
        x=(arrow.labels + arrow.random) / 2,
        y=arrow.value,
        text=f"<b>{round(arrow.random - arrow.labels):,d} labels saved</b>",
        yshift=11,
        showarrow=False,
        font={"size": 13, "color": theme.text},
        bgcolor=theme.background,
        borderpad=1,
        name="saving",
    )
