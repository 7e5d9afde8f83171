"""What every figure shares: title and caption, axes, legend, empty state, safe names, download and alternative text."""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from pages.charts.files import Source, sentences, show_files
from pages.charts.theme import LIGHT, Theme, plotly_template, theme_named
from rulerank.errors import InputError

Floats = NDArray[np.float64]

NARROW = 48
"""Letters in a line of words that stand inside a figure, which may be as narrow as a column."""

TOP = 48
"""Pixels above what is drawn: one line of a title."""

LONGEST = 80
"""Letters of a file's name."""

ZERO = 0.4
"""An axis whose lower end would lie below this share of its upper end begins at 0."""

BREAK = "break"
"""The name of the mark of an axis that does not begin at 0."""

JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Unprintable, but emoji and some scripts need them."""


def safe(text: object, limit: int | None = None) -> str:
    """Return foreign text as plotly shows it literally: no markup, no templates, no control characters.

    With `limit`, long text is cut in the middle, because the ends of ids and names tell them apart.
    """
    kept = (c if c.isprintable() or c.isspace() or c in JOINERS else "\N{REPLACEMENT CHARACTER}" for c in str(text))
    plain = " ".join("".join(kept).split())
    if limit is not None and len(plain) > limit:
        head = limit // 2
        plain = f"{plain[:head].rstrip()}…{plain[head + 1 - limit :].lstrip()}"
    return html.escape(plain, quote=False).replace("{", "&#123;").replace("$", "&#36;")


def wrapped(text: str, width: int) -> str:
    """Return text, not yet escaped, in lines of at most `width` letters, for a caption or a hover text.

    The lines are about equally long, so that no word is left alone on the last one.
    """
    # Hyphens hold names together, such as Eval-Score-4.0.
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    for narrower in range(max(1, width // 2), width):
        fewer = textwrap.wrap(text, narrower, break_on_hyphens=False)
        if len(fewer) == len(lines):
            lines = fewer
            break
    return "<br>".join(safe(line) for line in lines)


def counted(number: float, noun: str, several: str = "") -> str:
    """Return "1 label" or "1,204 labels"; `several` is the plural of a noun that takes more than an s."""
    return f"{int(number):,d} {noun if number == 1 else several or f'{noun}s'}"


def as_floats(values: ArrayLike | Iterable[float | None], what: str) -> Floats:
    """Return a line of numbers as float64 (None becomes not a number), or say which argument is no such thing."""
    try:
        array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be a sequence of numbers (None where there is none yet): {error}") from None
    if array.ndim != 1:
        raise InputError(f"{what} must be one sequence of numbers, but has the shape {array.shape}")
    return array


def same_length(**arguments: Sequence[Any] | NDArray[Any]) -> None:
    """Refuse arguments that should go together and do not."""
    lengths = {name: len(values) for name, values in arguments.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"these must have the same length: {words}")


def new_figure(title: str, caption: str = "", *, theme: Theme = LIGHT, height: int = 400, **margin: int) -> go.Figure:
    """Return an empty figure with its title in place and no fixed width.

    The caption is kept in `meta`: `show` sets it below the figure, across its whole width, where lines break by
    themselves; in a paper it is the author's own.
    """
    figure = go.Figure()
    figure.update_layout(
        template=plotly_template(theme),
        title={
            "text": safe(title),
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 10, "l": 4},
        },
        margin={"t": TOP, "l": 64, "r": 24, "b": 56, **margin},
        height=height,
        autosize=True,
        showlegend=False,
        hovermode="closest",
        dragmode=False,
        meta={"caption": caption},
    )
    return figure


def empty_figure(title: str, message: str, *, theme: Theme = LIGHT, height: int = 260) -> go.Figure:
    """Return a figure that says what is missing and what to do, in place of empty axes."""
    figure = new_figure(title, theme=theme, height=height)
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(visible=False, range=[0, 1])
    figure.add_annotation(
        text=wrapped(message, NARROW),
        x=0.5,
        y=0.5,
        xref="paper",
        yref="paper",
        showarrow=False,
        font={"size": 15, "color": theme.muted},
    )
    figure.update_layout(meta={"caption": message}, hovermode=False)
    return figure


def count_axis(most: float) -> dict[str, Any]:
    """Return the settings of an axis that counts from 0 to `most`: whole numbers only, room for a mark on top."""
    return {"range": [-0.02 * max(1.0, most), 1.08 * max(1.0, most)], **whole_steps(most)}


def whole_steps(most: float) -> dict[str, Any]:
    """Return the settings that keep the ticks of a count up to `most` whole: plotly would halve the steps of a few."""
    return {"tickformat": ",d", "dtick": 1 if most <= 10 else None}


def limits(values: Iterable[float], *, low: float | None = None, high: float | None = None) -> list[float] | None:
    """Return an axis range with a little air around the finite values, within the limits; None without any value."""
    finite = [float(v) for v in values if math.isfinite(v)]
    if not finite:
        return None
    least, most = min(finite), max(finite)
    air = 0.08 * (most - least) or 0.05 * max(1.0, abs(most))
    least, most = least - air, most + air
    return [least if low is None else max(low, least), most if high is None else min(high, most)]


def value_axis(figure: go.Figure, title: str, window: Sequence[float], theme: Theme) -> None:
    """Set the vertical axis of values from 0 upwards: it begins at 0, or a mark across its foot says that it does not.

    May be called again when more was drawn.
    """
    low, high = window
    low = 0.0 if low <= ZERO * high else low
    figure.update_yaxes(title_text=safe(title), tickformat=".2f", range=[low, high])
    figure.layout.shapes = [shape for shape in figure.layout.shapes if shape.name != BREAK]
    if low <= 0:
        return
    place = {"xref": "paper", "yref": "paper", "xsizemode": "pixel", "ysizemode": "pixel", "xanchor": 0, "yanchor": 0}
    gap = {"color": theme.background, "width": 5}
    for path, line in (
        ("M-5,8 L5,12", gap),
        ("M-6,5 L6,10 M-6,10 L6,15", {"color": theme.muted, "width": 1.2}),
    ):
        figure.add_shape(type="path", path=path, line=line, name=BREAK, **place)


def file_name(name: str) -> str:
    """Return a name that every file system takes, for a downloaded figure."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if len(slug) > LONGEST:
        # In the middle, because the end says which of several it is: the simulation, the sampler, the fold.
        half = LONGEST // 2
        slug = f"{slug[: half - 1].strip('-')}-{slug[-half:].strip('-')}"
    return slug or "figure"


def plotly_config(name: str, *, image: str = "svg") -> dict[str, Any]:
    """Return the settings for `st.plotly_chart(..., config=...)`: download as SVG or PNG under a sensible name."""
    if image not in ("svg", "png"):
        raise InputError(f"a figure is downloaded as svg or png, not {image!r}")
    return {
        "displaylogo": False,
        "responsive": True,
        "scrollZoom": False,
        "showTips": False,
        "toImageButtonOptions": {
            "format": image,
            "filename": f"rulerank-{file_name(name)}",
            "scale": 2 if image == "png" else 1,
        },
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    }


def alt_text(figure: go.Figure) -> str:
    """Return what the figure shows in words, for `st.plotly_chart(..., alt=...)` and screen readers."""
    meta: Mapping[str, Any] = figure.layout.meta or {}
    title = html.unescape(figure.layout.title.text or "")
    return sentences([title, meta.get("caption", "")]) + "."


LINE = 20
"""Pixels of a line of the legend."""

LETTER, MARK = 7, 45
"""Pixels of a letter, and of the mark before a name with the gap behind it."""

WIDTH = 320
"""Pixels that names are assumed to have: about what a telephone has."""


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
    """Return the height in pixels that is left to what is drawn, if the legend takes as many lines as estimated."""
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


def current_theme() -> Theme:
    """Return the theme that the reader's browser shows."""
    return theme_named(st.context.theme.type)


def show(
    figure: go.Figure,
    name: str,
    *,
    key: str | None = None,
    clicks: bool = False,
    image: str = "svg",
    source: Source | None = None,
) -> Any:
    """Show a figure with its caption and files, and return the event of a click, where `clicks` asks for it, else None.

    source: the data that it is made from, for the line to cite it by. Streamlit's own chart theme is off, because it
    would lay its colours over ours.
    """
    settings: dict[str, Any] = {
        "theme": None,
        "key": key,
        "config": plotly_config(name, image=image),
        "alt": alt_text(figure),
    }
    event = None
    with st.container(key=f"rr-figure-{key or file_name(name)}", gap="xsmall"):
        if clicks:
            event = st.plotly_chart(figure, on_select="rerun", selection_mode="points", **settings)
        else:
            st.plotly_chart(figure, **settings)
        if figure.data:
            show_files(figure, file_name(name), key or file_name(name), source)
    return event
