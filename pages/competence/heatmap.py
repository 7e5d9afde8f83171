"""Where each query-level function is competent: Delta(q, d) as one heatmap per grade (query-level paper, figure 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from pages.charts.figure import empty_figure, new_figure, safe
from pages.charts.theme import LIGHT, Theme
from pages.competence import layers
from pages.competence.layers import Panel
from rulerank.errors import InputError

MAX_COLUMNS = 1000
"""Documents of one panel that are drawn one by one; more are averaged in equal bins."""

TITLE = "Competence of the query-level functions"


def competence_heatmaps(
    delta: ArrayLike,
    qids: Sequence[object],
    docids: Sequence[object],
    grades: ArrayLike,
    *,
    grade_names: Sequence[str] | None = None,
    only: Sequence[int | None] = (),
    max_columns: int = MAX_COLUMNS,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Return Delta(q, d), functions (rows) by documents (columns), one panel per grade: light is competent.

    only: for each function the one grade that it knows, because all labels of its query have it, or None.
    Not a number means that the function has no rule for the document; such cells are grey. Dots on the right give
    each function's mean. Clicks and the frames of what is chosen are `competence_clicks`' business: the figure itself
    stays as it is, because thousands of documents take the browser a second to draw anew.
    """
    matrix, levels = _checked(delta, qids, docids, grades)
    if not np.isfinite(matrix).any():
        return empty_figure(
            TITLE,
            "No query-level function speaks yet. Each learns from the labelled documents of its own query: "
            "label a few more, and the map fills by itself.",
            theme=theme,
        )
    panels = make_panels(matrix, docids, levels, grade_names, max_columns)
    height = int(np.clip(190 + 15 * len(qids), 360, 760))
    figure = new_figure(TITLE, _caption(matrix, panels, only), theme=theme, height=height)
    top = float(max(1, levels.max()))
    layers.add_axes(figure, panels, len(qids), top, theme)
    if not np.isfinite(matrix).all():
        layers.add_silent(figure, theme)
    known = [*only, *[None] * (len(qids) - len(only))]
    ends = ["" if grade is None else f" · only {grade}" for grade in known]
    names = [f"{safe(qid, 60)}{end}" for qid, end in zip(qids, ends, strict=True)]
    for number, panel in enumerate(panels, start=1):
        layers.add_heat(figure, number, panel, names, theme)
    layers.add_means(figure, len(panels) + 1, matrix, names, theme)
    layers.add_row_names(figure, [f"{safe(qid, 22)}{end}" for qid, end in zip(qids, ends, strict=True)], theme)
    return figure


def make_panels(
    matrix: NDArray[np.float32],
    docids: Sequence[object],
    levels: NDArray[np.int64],
    grade_names: Sequence[str] | None = None,
    most: int = MAX_COLUMNS,
) -> list[Panel]:
    """Return a panel per grade, in which more than `most` documents are averaged with their neighbours.

    A bin's mean leaves silent functions out; it is not a number where a function is silent on the whole bin.
    """
    panels = []
    for level in (int(level) for level in np.unique(levels)):
        rows = np.flatnonzero(levels == level)
        named = grade_names is not None and 0 <= level < len(grade_names)
        title = f"Grade {level}", grade_names[level] if grade_names and named else ""
        edges = np.linspace(0, rows.size, min(most, rows.size) + 1).astype(np.int64)
        part = matrix[:, rows]
        if rows.size > most:
            known = np.isfinite(part)
            total = np.add.reduceat(np.where(known, part, 0), edges[:-1], axis=1, dtype=np.float64)
            number = np.add.reduceat(known, edges[:-1], axis=1, dtype=np.int64)
            part = np.where(number > 0, total / np.maximum(number, 1), np.nan).astype(np.float32)
        names = [
            safe(docids[a], 60) if size == 1 else f"{safe(docids[a], 26)} to {safe(docids[b], 26)} (mean of {size})"
            for a, b, size in zip(rows[edges[:-1]], rows[edges[1:] - 1], np.diff(edges), strict=True)
        ]
        panels.append(Panel(title, part, rows, edges, names))
    return panels


def _checked(
    delta: ArrayLike, qids: Sequence[object], docids: Sequence[object], grades: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    try:
        matrix = np.asarray(delta, dtype=np.float32)
        levels = np.asarray(grades, dtype=np.int64)
    except (TypeError, ValueError) as error:
        raise InputError(f"Delta must hold numbers and grades whole numbers: {error}") from None
    if matrix.size == 0 and 0 in (len(qids), len(docids)):
        matrix = matrix.reshape(len(qids), len(docids))
    if matrix.shape != (len(qids), len(docids)):
        raise InputError(
            f"Delta must be functions by documents, here {len(qids)} by {len(docids)}, but has the shape {matrix.shape}"
        )
    if levels.shape != (len(docids),):
        raise InputError(f"give one grade per document: {len(docids)} documents, but grades of shape {levels.shape}")
    return matrix, levels


def _caption(matrix: NDArray[np.float32], panels: Sequence[Panel], only: Sequence[int | None]) -> str:
    functions, documents = matrix.shape
    words = [
        f"Δ(q, d) = |rank(q, d) − grade(d)| of {functions:,d} functions on {documents:,d} labelled pairs.",
        "Light is near the true grade, deep blue is far off; grey: the function has no rule for the document.",
    ]
    one = [grade for grade in only if grade is not None]
    if one:
        words.append(
            f"“only {one[0]}”: all labels of that query have grade {one[0]}, so its function knows no other grade; it "
            "is right wherever that grade is."
        )
    if any(panel.binned for panel in panels):
        most = max(panel.columns for panel in panels if panel.binned)
        words.append(f"Panels of more than {most:,d} pairs show means of neighbours.")
    words.append("Click a cell or a dot to choose it; drag to zoom, double-click to zoom out.")
    return " ".join(words)
