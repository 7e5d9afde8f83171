"""What was read, before anything is stored: figures, warnings, the first rows; or what is wrong, line by line."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.charts.bars import grade_histogram
from pages.charts.render import current_theme, show
from pages.shared.layout import side_by_side
from pages.shared.markdown import plain
from rulerank.importing.preview import Preview
from rulerank.importing.read import BadFilesError


def show_problems(error: BadFilesError) -> None:
    """Show what is wrong in which line, and that nothing was kept."""
    st.error(f"{plain(str(error))}. Mend what is listed below and upload again.", icon=":material/error:")
    frame = pd.DataFrame(
        [(p.file, p.line, p.column, p.message, p.found or None) for p in error.problems],
        columns=["File", "Line", "Column", "What is wrong", "Found"],
    ).astype({"Line": "Int64", "Column": "Int64"})
    frame = frame.dropna(axis="columns", how="all")  # a file that is wrong as a whole has no lines to point at
    # One width for all columns would cut off the sentence that matters.
    sizes = {"Line": "small", "Column": "small", "File": "small", "What is wrong": "medium"}
    config = {name: st.column_config.Column(width=size) for name, size in sizes.items()}  # type: ignore[arg-type]
    st.dataframe(frame, hide_index=True, row_height=76, column_config=config, alt="Problems by file, line and column")
    if error.truncated:
        st.caption(f"Only the first {len(error.problems)} problems are listed.")


def show_preview(preview: Preview) -> None:
    """Show the figures of a collection, its warnings, its grades and its first rows."""
    summary = preview.summary
    graded = summary["rows"] - summary["unlabelled"]
    sizes = summary["documents_per_query"]
    spread = f"The median; from {sizes['min']:,} to {sizes['max']:,}."
    with st.container(horizontal=True, gap="medium"):
        number("Documents", f"{summary['rows']:,}", "Query-document rows: one is one decision to make.")
        number("Queries", f"{summary['queries']:,}")
        number("Documents a query", f"{sizes['median']:g}", spread)
        number("Features", f"{summary['features']:,}")
        number("Grades known", f"{graded / max(1, summary['rows']):.0%}", f"{graded:,} documents.")
    for fact in preview.facts:
        st.caption(plain(fact))
    for note in preview.notes:
        st.warning(plain(f"{note[0].upper()}{note[1:]}.".replace("?.", "?")), icon=":material/warning:")
    for note in odd_features(summary):
        st.caption(plain(note))
    if len(preview.files) > 1:
        names = ", ".join(f"{name.rsplit('/', 1)[-1]} ({rows:,})" for name, rows, _ in preview.files[:10])
        more = f" and {len(preview.files) - 10} more" if len(preview.files) > 10 else ""
        st.caption(f"Joined from {len(preview.files)} files: {plain(names)}{more}.")
    left, right = side_by_side("preview")
    with left:
        show_grades(summary["grade_counts"], graded)
    with right:
        st.markdown("**First rows**")
        st.dataframe(first_rows(preview), hide_index=True, height=250, alt="The first rows of the collection")
    show_texts(preview)


def number(label: str, value: str, hint: str | None = None) -> None:
    """Show a figure as wide as it needs, so that a narrow page can put the next one below it."""
    st.metric(label, value, help=hint, width="content")


def show_grades(counts: list[int], graded: int) -> None:
    """Show how often each grade stands in the file."""
    if not graded:
        st.markdown("**Grades in the file**")
        st.caption("None: every document is yet to be labelled.")
        return
    figure = grade_histogram(counts, theme=current_theme())
    # Nobody has given these labels here: they came with the file.
    caption = f"{graded:,} documents have one."
    figure.update_layout(title={"text": "Grades in the file", "subtitle": {"text": caption}}, meta={"caption": caption})
    show(figure, "grades-in-file", key="import-grades-chart")


def show_texts(preview: Preview) -> None:
    """Say whether annotators will read texts or features."""
    if preview.stored:
        st.caption("This collection is here already. Texts that were stored with it go with it.")
        return
    if preview.texts is None:
        st.caption("No texts: annotators see each document's features and their place within the pool.")
        return
    queries, documents = preview.texts
    st.caption(f"Texts: {queries:,} queries and {documents:,} documents of this collection can be read by annotators.")


def odd_features(summary: dict[str, object]) -> list[str]:
    """Return what is worth knowing about the features."""
    notes = []
    constant = summary["constant_features"]
    assert isinstance(constant, list)
    if constant:
        names = ", ".join(constant[:12]) + (", ..." if len(constant) > 12 else "")
        have = "feature has" if len(constant) == 1 else "features have"
        notes.append(f"{len(constant)} {have} one value throughout, so no information: {names}.")
    if summary["missing"]:
        notes.append(f"{summary['missing']:,} values are missing (left out or NULL); they count as 0.")
    return notes


def first_rows(preview: Preview) -> pd.DataFrame:
    """Return the first rows as a table: qid, docid, grade and the first features."""
    return pd.DataFrame(preview.rows, columns=preview.columns)
