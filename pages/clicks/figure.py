"""Perplexity by position: how well each click model foresees the click at each place of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pages.charts.figure import WIDE, empty_figure, new_figure, safe
from pages.charts.legend import legend_below
from pages.charts.theme import LIGHT, SYMBOLS, Theme

DASHES = ("solid", "dash")
"""After the last colour they begin again, with the next of these."""


def perplexity_curves(
    series: Mapping[str, Sequence[float]], *, kind: str = "marginal", theme: Theme = LIGHT, height: int = 460
) -> go.Figure:
    """Return one line a model over the positions of the list; 1 is a model that is never surprised."""
    title = f"Perplexity by position ({kind})"
    if not series:
        return empty_figure(title, "No model is fitted yet. Choose models above, and fit them.", theme=theme)
    caption = "Of the last click, on the log that the models were fitted to. Lower is better; 1 would be certainty. "
    caption += "A click on a name below leaves that model out."
    figure = new_figure(title, caption, theme=theme, height=height, letters=WIDE, l=72)
    for place, (name, values) in enumerate(series.items()):
        turn, colour = divmod(place, len(theme.lines))
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=list(values),
            name=safe(name),
            mode="lines+markers",
            line={"color": theme.lines[colour], "width": 2.5, "dash": DASHES[turn % len(DASHES)]},
            marker={"size": 8, "symbol": SYMBOLS[colour % len(SYMBOLS)], "color": theme.lines[colour]},
            hovertemplate=f"{safe(name)}<br>position %{{x}}: <b>%{{y:.4f}}</b><extra></extra>",
        )
    figure.update_xaxes(title_text="Position", dtick=1 if max(map(len, series.values())) <= 20 else 5)
    figure.update_yaxes(title_text="Perplexity", tickformat=".2f")
    legend_below(figure)
    return figure
