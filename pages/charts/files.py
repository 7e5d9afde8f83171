"""What stands under a figure: its caption, files of it (SVG, PDF, PNG, CSV), and a line to cite it by."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.charts.series import short_name
from pages.shared.layout import plain
from rulerank import __version__
from rulerank.export.plain import spreadsheet_csv
from rulerank.registry import samplers
from rulerank.simulate import all_rankers

if TYPE_CHECKING:
    from rulerank.campaign import OpenCampaign

DIGITS = 12
"""Of a data set's content hash that a citation gives."""

# The browser's own script (see `pages/shared/browser.py`) acts on these attributes.
SAVE = (
    '<span class="rr-files"><button type="button" data-rr-save="svg" title="Save the figure as SVG, on white, for '
    'papers. The camera in its corner saves it as it looks here.">SVG</button><button type="button" data-rr-save="pdf" '
    'title="Print the figure alone, on white: choose “Save as PDF” in the browser\'s dialog">PDF</button>'
    '<button type="button" data-rr-save="png" title="Save the figure as PNG, on white, at twice the size">PNG</button>'
    "</span>"
)
CITE = (
    '<span class="rr-files rr-cite"><span class="rr-cited">{text}</span>'
    '<button type="button" data-rr-copy title="Copy this line">Copy as citation</button></span>'
)


@dataclass(frozen=True)
class Source:
    """What a figure is made from: the name of the data set, the hash of its content, and how it came about.

    methods: which sampler chose the documents and which ranker learnt from them, in words.

    >>> str(Source("MQ2008", "0123456789abcdef", "chosen by SSAR, ranked by LRAR"))
    'MQ2008 (content 0123456789ab), chosen by SSAR, ranked by LRAR'
    """

    name: str
    content: str = ""
    methods: str = ""

    def __str__(self) -> str:
        found = f"{self.name} (content {self.content[:DIGITS]})" if self.content else self.name
        return f"{found}, {self.methods}" if self.methods else found


def methods(samplers_named: Iterable[str], rankers_named: Iterable[str] = ()) -> str:
    """Return in words who chose the documents and who learnt from them, by the keys of their strategies.

    >>> methods(["ssar"], ["lrar", "weighted_items"])
    'chosen by SSAR, ranked by LRAR and Weighted items'
    """
    parts = []
    for verb, keys, registry in (("chosen", samplers_named, samplers), ("ranked", rankers_named, all_rankers)):
        names = [short_name(key, registry) for key in keys]
        if names:
            parts.append(f"{verb} by {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}")
    return ", ".join(parts)


def source_of(opened: OpenCampaign, *rankers: str) -> Source:
    """Return what the figures of a campaign are made from; `rankers`: those behind a figure, by their keys."""
    return Source(opened.name, opened.collection.content_hash, methods([opened.settings.sampler.key], rankers))


def sentences(parts: Sequence[str]) -> str:
    """Return words one after the other, with a full stop between them where no other sign ends one.

    >>> sentences(["Does it matter?", "", "Grades given.", "MQ2008"])
    'Does it matter? Grades given. MQ2008'
    """
    kept = [part.strip().removesuffix(".") for part in parts if part.strip()]
    return " ".join([*(part if part.endswith(("?", "!")) else f"{part}." for part in kept[:-1]), *kept[-1:]])


def citation(figure: go.Figure, source: Source | None) -> str:
    """Return one line that says what a figure shows, of which data, by which version.

    >>> figure = go.Figure(layout={"title": {"text": "Grades given"}, "meta": {"measure": ""}})
    >>> citation(figure, Source("MQ2008", "0123456789abcdef"))[:-len(__version__)]
    'Grades given. MQ2008 (content 0123456789ab). rulerank '
    """
    meta: Mapping[str, Any] = figure.layout.meta or {}
    what = meta.get("measure") or html.unescape(figure.layout.title.text or "")
    parts = [what, "" if source is None else str(source), f"rulerank {__version__}"]
    return sentences(parts)


def show_files(figure: go.Figure, name: str, key: str, source: Source | None) -> None:
    """Show the caption of a figure, and below it how to take it along."""
    meta: Mapping[str, Any] = figure.layout.meta or {}
    how = "" if source is None or not source.methods else f"Documents {source.methods}."
    if meta.get("caption") or how:
        st.caption(plain(" ".join(filter(None, (meta.get("caption"), how)))))
    row = st.container(key=f"rr-files-{key}", horizontal=True, vertical_alignment="center", gap="small")
    row.html(SAVE, width="content")
    row.download_button(
        "CSV",
        lambda: figure_csv(figure),
        f"rulerank-{name}.csv",
        "text/csv",
        key=f"rr-csv-{key}",
        type="tertiary",
        on_click="ignore",
        help="The numbers of the figure",
    )
    row.html(CITE.format(text=html.escape(citation(figure, source))), width="stretch")


def figure_csv(figure: go.Figure) -> str | bytes:
    """Return the numbers of a figure as CSV, which a spreadsheet reads without running anything in it."""
    return spreadsheet_csv(figure_data(figure))


def figure_data(figure: go.Figure) -> pd.DataFrame:
    """Return the numbers of a figure, one row a point: series, x, y, and what a trace names in its `meta`.

    A trace's `meta` may name the columns of its customdata: {"columns": ["low", "high"]}. Of a heatmap, rows and
    columns are named as its axes are. What only shades or explains (no hover text of its own) is left out.
    """
    parts = [_heat(figure, trace) if trace.type == "heatmap" else _points(trace) for trace in _shown(figure)]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"series": [], "x": [], "y": []})
    return table.dropna(axis=1, how="all") if len(table) else table


def _shown(figure: go.Figure) -> Iterator[Any]:
    for trace in figure.data:
        if trace.hoverinfo == "skip" or (trace.x is None and trace.type != "heatmap"):
            continue
        if trace.type == "heatmap" and not trace.coloraxis and np.ptp(np.asarray(trace.z, np.float64)) == 0:
            continue  # a ground under the cells
        if trace.type != "heatmap" and all(each is None for each in trace.x):
            continue  # an entry of the legend
        yield trace


def _points(trace: Any) -> pd.DataFrame:
    table = pd.DataFrame({"series": html.unescape(trace.name or ""), "x": list(trace.x), "y": list(trace.y)})
    columns: Sequence[str] = trace.meta.get("columns", ()) if isinstance(trace.meta, Mapping) else ()
    for place, column in enumerate(columns):
        table[column] = [row[place] for row in trace.customdata]
    return table


def _heat(figure: go.Figure, trace: Any) -> pd.DataFrame:
    values = np.asarray(trace.z, np.float64)

    def names(letter: str, count: int) -> list[str]:
        axis = figure.layout[f"{letter}axis{(trace[f'{letter}axis'] or letter)[1:]}"]
        given = axis.ticktext
        return [html.unescape(str(each)) for each in given] if given is not None else [str(n) for n in range(count)]

    rows, columns = names("y", values.shape[0]), names("x", values.shape[1])
    return pd.DataFrame(
        {
            "row": np.repeat(rows[: values.shape[0]], values.shape[1]),
            "column": np.tile(columns[: values.shape[1]], values.shape[0]),
            "value": values.ravel(),
        }
    )
