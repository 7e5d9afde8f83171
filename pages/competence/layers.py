"""What the competence figure is made of: panels with the documents of one grade each, axes, heat, and means."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.charts.figure import counted, safe
from pages.charts.theme import Theme, colour_scale

LEAST_WIDTH = 640
"""Pixels that the figure always has; a narrower window moves it sideways."""

TITLE_LETTERS = 52
"""Letters of a line of all panels' titles together that fit into LEAST_WIDTH, beside names of rows of common length."""

LEAST_LETTERS = 6
"""Where a panel has room for fewer, a name would be cut to nothing; it is shown on hovering alone."""

TITLE_LINE = 18
"""Height of a line of a title, in pixels."""

GAP, MEANS = 0.015, 0.11
"""Shares of the figure's width: between panels, and for the functions' means on the right."""

ROW_PIXELS = 14
"""Rows lower than this do not all get a name."""


@dataclass(frozen=True)
class Panel:
    """The documents of one grade (`rows`) as columns; column c stands for rows[edges[c]:edges[c + 1]]."""

    title: tuple[str, str]  # the grade, and its name or nothing
    delta: NDArray[np.float32]
    rows: NDArray[np.int64]
    edges: NDArray[np.int64]
    names: list[str]

    @property
    def documents(self) -> int:
        """How many documents the panel stands for."""
        return int(self.rows.size)

    @property
    def columns(self) -> int:
        """How many columns are drawn."""
        return int(self.edges.size) - 1

    @property
    def first(self) -> NDArray[np.int64]:
        """The first document of each column."""
        return self.rows[self.edges[:-1]]

    @property
    def binned(self) -> bool:
        """Whether some column stands for several documents."""
        return self.columns < self.documents

    def column_of(self, document: int) -> int | None:
        """Return the column in which a document stands, None where it has another grade."""
        place = int(np.searchsorted(self.rows, document))
        if place == self.rows.size or self.rows[place] != document:
            return None
        return int(np.searchsorted(self.edges, place, side="right")) - 1


def panel_slots(columns: Sequence[int]) -> list[int]:
    """Return how many cells' width each panel has: as many as it has columns, but room for its title at least.

    So a cell is as wide in one panel as in the other; a panel of few documents has empty room at its right.

    >>> panel_slots([40, 6, 2])
    [40, 8, 8]
    """
    least = -(-sum(columns) // (2 * len(columns)))
    return [max(each, least) for each in columns]


def panel_title(title: tuple[str, str], share: float) -> str:
    """Return a panel's title, its grade above its name, in lines that fit into its share of all panels' width.

    The name takes two lines at most; what does not fit is cut. Of a grade, its number is shown at least.
    """
    grade, name = title
    letters = min(30, int(TITLE_LETTERS * share + 1e-9))
    lines = [f"<b>{safe(grade if len(grade) <= letters else grade.split()[-1])}</b>"]
    if letters >= LEAST_LETTERS:
        first, *rest = textwrap.wrap(name, letters, break_long_words=False) or [""]
        lines += [safe(line, letters) for line in (first, " ".join(rest)) if line]
    return "<br>".join(lines)


def title_lines(title: str) -> int:
    """Return how many lines a title has."""
    return title.count("<br>") + 1


def panel_sizes(documents: Sequence[int], shares: Sequence[float]) -> list[str]:
    """Return how many query-document pairs each panel stands for: in words where all have room for them.

    >>> panel_sizes([40, 1], [0.6, 0.4]), panel_sizes([40, 1], [0.8, 0.2])
    (['40 pairs', '1 pair'], ['n = 40', 'n = 1'])
    """
    return [counted(each, "pair") if min(shares) >= 0.3 else f"n = {each:,d}" for each in documents]


def axis(letter: str, number: int) -> str:
    """Return plotly's name of an axis: x, x2, x3."""
    return letter if number == 1 else f"{letter}{number}"


def add_axes(figure: go.Figure, panels: Sequence[Panel], functions: int, top: float, theme: Theme) -> None:
    """Lay out a pair of axes a panel, and one for the means; rows run from the first function, on top, downwards."""
    bare = {"showticklabels": False, "ticks": "", "showgrid": False, "showline": False}
    rows = {"range": [functions - 0.5, -0.5], "domain": [0, 1]}
    slots = panel_slots([panel.columns for panel in panels])
    shares = [each / sum(slots) for each in slots]
    room, left = 1 - MEANS - GAP * len(panels), 0.0
    layout: dict[str, object] = {}
    titles = [panel_title(panel.title, share) for panel, share in zip(panels, shares, strict=True)]
    lines = max(title_lines(title) for title in titles)
    sizes = panel_sizes([panel.documents for panel in panels], shares)
    for number, (panel, title) in enumerate(zip(panels, titles, strict=True), start=1):
        share = shares[number - 1]
        # Every column has its tick text, unseen, because hover texts take a document's name from there.
        layout[axis("xaxis", number)] = {
            **bare,
            "domain": [left, left + room * share],
            "anchor": axis("y", number),
            "range": [-0.5, slots[number - 1] - 0.5],
            "tickvals": np.arange(panel.columns),
            "ticktext": panel.names,
            "title": {"text": sizes[number - 1], "standoff": 8},
        }
        layout[axis("yaxis", number)] = {**bare, **rows, "anchor": axis("x", number)}
        if number > 1:
            layout[axis("yaxis", number)]["matches"] = "y"  # type: ignore[index]
        figure.add_annotation(
            {"text": title, "x": left, "y": 1, "xref": "paper", "yref": "paper"},
            hovertext=": ".join(safe(part, 80) for part in panel.title if part),
            xanchor="left",
            yanchor="bottom",
            yshift=TITLE_LINE * (lines - title_lines(title)),
            align="left",
            showarrow=False,
            font={"size": 14},
        )
        left += room * share + GAP
    last = len(panels) + 1
    layout[f"xaxis{last}"] = {
        "domain": [1 - MEANS, 1],
        "anchor": f"y{last}",
        "range": [0, top],
        "nticks": 3,
        "tickformat": ".1~f",
        "title": {"text": "Mean Δ", "standoff": 4},
    }
    layout[f"yaxis{last}"] = {**bare, **rows, "anchor": f"x{last}", "matches": "y"}
    margin = figure.layout.margin.to_plotly_json()
    bar = {"thickness": 12, "outlinewidth": 0, "x": 1.015, "xpad": 4, "len": 0.84, "y": 1, "yanchor": "top"}
    ticks = {"tickvals": [0, top / 2, top], "ticktext": ["0 right", f"{top / 2:g}", f"{top:g} off"]}
    figure.update_layout(
        layout,
        dragmode="zoom",
        margin={**margin, "t": margin["t"] + TITLE_LINE * lines, "r": 76, "b": 64},
        coloraxis={
            "colorscale": colour_scale(theme.competence),
            "cmin": 0,
            "cmax": top,
            "colorbar": {**bar, **ticks, "title": {"text": "Δ"}, "tickfont": {"size": 12, "color": theme.muted}},
        },
    )


def add_silent(figure: go.Figure, theme: Theme) -> None:
    """Put grey into the legend of the scale, below its colours."""
    figure.add_annotation(
        {"x": 1.015, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"},
        text="grey:<br>no rule",
        showarrow=False,
        xshift=2,
        font={"size": 12, "color": theme.muted},
    )


def add_heat(figure: go.Figure, number: int, panel: Panel, names: Sequence[str], theme: Theme) -> None:
    """Draw a panel's cells, and under them, where a function is silent (not a number), a grey ground that says so."""
    x, y = axis("x", number), axis("y", number)
    figure.update_layout({axis("yaxis", number): {"tickvals": np.arange(len(names)), "ticktext": list(names)}})
    where = {"xaxis": x, "yaxis": y, "meta": number - 1}
    cell = "Function of query <b>%{y}</b><br>Document %{x}<br>"
    if not np.isfinite(panel.delta).all():
        figure.add_heatmap(
            z=np.zeros(panel.delta.shape, np.uint8),
            **where,
            colorscale=colour_scale((theme.silent, theme.silent)),
            showscale=False,
            hovertemplate=f"{cell}<b>no rule for it</b><extra></extra>",
        )
    figure.add_heatmap(
        z=panel.delta,
        **where,
        coloraxis="coloraxis",
        hoverongaps=False,
        hovertemplate=f"{cell}Δ <b>%{{z:.2f}}</b><extra></extra>",
    )


def add_means(figure: go.Figure, number: int, matrix: NDArray[np.float32], names: Sequence[str], theme: Theme) -> None:
    """Draw each function's mean Delta over the documents it has rules for, as a dot."""
    known = np.isfinite(matrix)
    spoken = known.sum(axis=1)
    mean = np.where(known, matrix, 0).sum(axis=1, dtype=np.float64) / np.maximum(spoken, 1)
    rows = np.arange(len(names))
    figure.add_scatter(
        x=np.where(spoken > 0, mean, np.nan),
        y=rows,
        xaxis=axis("x", number),
        yaxis=axis("y", number),
        mode="markers",
        marker={"size": 7, "color": theme.accent, "line": {"width": 0}},
        meta=number - 1,
        customdata=spoken,
        text=list(names),
        hovertemplate="Function of query <b>%{text}</b><br>mean Δ <b>%{x:.2f}</b>"
        f"<br>has rules for %{{customdata:,d}} of {matrix.shape[1]:,d} pairs<extra></extra>",
    )


def add_row_names(figure: go.Figure, names: Sequence[str], theme: Theme) -> None:
    """Name the functions on the left, as many as fit; the axes' own texts are all needed for hovering."""
    margin = figure.layout.margin
    room = max(1, (figure.layout.height - margin.t - margin.b) // ROW_PIXELS)
    step = -(-len(names) // room)
    shown = range(0, len(names), step)
    widest = max(len(names[row]) for row in shown)
    look = {"xanchor": "right", "yanchor": "middle", "showarrow": False, "font": {"size": 12, "color": theme.muted}}
    named = [
        {"text": names[row], "x": 0, "y": row, "xref": "paper", "yref": "y", "xshift": -4, **look} for row in shown
    ]
    # All at once: plotly checks the whole layout again at every annotation that is added alone.
    figure.update_layout(annotations=[*figure.layout.annotations, *named])
    left = 40 + 7 * widest
    figure.add_annotation(
        {"text": "Query whose function it is", "x": 0, "y": 0.5, "xref": "paper", "yref": "paper"},
        xshift=-(left - 6),
        textangle=-90,
        xanchor="left",
        yanchor="middle",
        showarrow=False,
    )
    figure.update_layout(margin_l=left)
