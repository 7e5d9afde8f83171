"""Curves over a campaign: how near the natural stop is, and how much of the relevant is found."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.figure import count_axis, empty_figure, legend_below, new_figure
from pages.charts.learning import FEW, points_of
from pages.charts.theme import LIGHT, Theme


def rules_curve(
    rounds: ArrayLike,
    rule_counts: ArrayLike,
    labelled_minimum: ArrayLike | float | None,
    stopped: bool = False,
    *,
    theme: Theme = LIGHT,
    height: int = 380,
) -> go.Figure:
    """Return the rule count of each chosen document against the fewest rules of a labelled one, the stop line.

    SSAR stops when the document with the fewest rules of the whole pool is already labelled, that is when the two
    meet. `labelled_minimum` is one number per round, or one number for all.
    """
    title = "How near the natural stop is"
    if np.size(rounds) == 0:
        return empty_figure(
            title, "No document has been chosen yet. The first label draws the first point.", theme=theme
        )
    xs, counts = points_of(rounds, rule_counts, "the rule counts")
    least = np.asarray(np.nan if labelled_minimum is None else labelled_minimum)
    floor = points_of(rounds, np.full(xs.size, least) if least.ndim == 0 else least, "the labelled minimum")[1]
    caption = (
        "Line: the rules of the document that was chosen in each round. The natural stop is where no unlabelled "
        "document of the pool draws fewer rules than every labelled one."
    )
    figure = new_figure(title, caption, theme=theme, height=height, l=72)
    one = xs.size == 1
    figure.add_scatter(
        x=xs,
        y=counts,
        name="Chosen document",
        mode="markers" if one else "lines+markers",
        line={"color": theme.accent, "width": 2.5, "shape": "hv"},
        marker={"size": 8 if one else 5 if xs.size <= FEW else 0.1, "color": theme.accent},
        hovertemplate="Round %{x:,d}<br>the chosen document draws <b>%{y:,d}</b> rules<extra></extra>",
    )
    if np.isfinite(floor).any():
        figure.add_scatter(
            x=xs,
            y=floor,
            name="Fewest rules of a labelled document (stop line)",
            mode="markers" if one else "lines",
            marker={"symbol": "line-ew-open", "size": 14, "color": theme.text},
            line={"color": theme.text, "width": 1.5, "dash": "dash", "shape": "hv"},
            hovertemplate="Round %{x:,d}<br>stop line: <b>%{y:,d}</b> rules<extra></extra>",
        )
    if stopped:
        figure.add_vline(
            x=xs[-1],
            line={"color": theme.lines[1], "width": 1.5},
            annotation_text=f"Natural stop, round {int(xs[-1]):,d}",
            annotation_position="top left",
            annotation_font={"size": 13, "color": theme.lines[1]},
        )
    figure.update_xaxes(title_text="Round", **count_axis(xs[-1]))
    figure.update_yaxes(title_text="Rules (count)", **count_axis(np.nanmax([0.0, *counts, *floor])))
    legend_below(figure)
    return figure


def found_curve(
    labels: ArrayLike,
    relevant_found: ArrayLike,
    total_relevant: int | None = None,
    pool_size: int | None = None,
    *,
    theme: Theme = LIGHT,
    height: int = 380,
) -> go.Figure:
    """Return the share of the relevant documents found, against labels, with the diagonal that a random order gives.

    Where nobody knows how many are relevant (`total_relevant` None), their number is shown instead of the share.
    """
    title = "Relevant documents found"
    if np.size(labels) == 0:
        return empty_figure(title, "No label yet. The curve starts with the first one.", theme=theme)
    xs, found = points_of(labels, relevant_found, "the relevant found")
    if total_relevant == 0:
        return empty_figure(title, "No document of this pool is relevant, so there is no share to show.", theme=theme)
    known = total_relevant is not None
    caption = (
        f"Share of the pool's {total_relevant:,d} relevant documents (known grade above 0)."
        if known
        else "Documents with a grade above 0 so far; how many the whole pool holds is not known."
    )
    if known and pool_size:
        caption += " Diagonal: labels given in random order."
    figure = new_figure(title, caption, theme=theme, height=height, l=72)
    ys = found / total_relevant if total_relevant else found
    if known and pool_size:
        end = min(float(xs[-1]), float(pool_size))
        figure.add_scatter(
            x=[0, end],
            y=[0, end / pool_size],
            name="Random order (expected)",
            mode="lines",
            line={"color": theme.baseline, "width": 2, "dash": "dot"},
            hovertemplate="Random order<br>%{x:,d} labels: %{y:.1%}<extra></extra>",
        )
    value = "<b>%{y:.1%}</b> (%{customdata:,d} documents)" if known else "<b>%{y:,d}</b> documents"
    figure.add_scatter(
        x=xs,
        y=ys,
        name="This campaign",
        mode="lines" if xs.size > FEW else "lines+markers",
        line={"color": theme.accent, "width": 2.5},
        marker={"size": 6, "color": theme.accent},
        customdata=found,
        hovertemplate=f"%{{x:,d}} labels: {value}<extra></extra>",
    )
    figure.update_xaxes(title_text="Labels given", **count_axis(xs[-1]))
    if known:
        most = min(1.0, max(0.05, float(np.nanmax(ys)), float(xs[-1]) / (pool_size or np.inf)))
        figure.update_yaxes(
            title_text="Relevant documents found (%)", tickformat=".0%", range=[-0.02 * most, 1.08 * most]
        )
    else:
        figure.update_yaxes(title_text="Relevant documents found (count)", **count_axis(np.nanmax([0.0, *found])))
    if known and pool_size:
        legend_below(figure)
    return figure
