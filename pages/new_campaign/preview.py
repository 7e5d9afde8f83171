"""The steps of the page and the box beside them; what was read in figures and one list, or what is wrong by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.charts.bars import grade_histogram
from pages.charts.figure import current_theme, show
from pages.shared.layout import plain, sentence
from rulerank.importing.kept import ImportPreview
from rulerank.importing.read import BadFilesError

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def step(number: int, title: str, *, expanded: bool, done: bool = False) -> DeltaGenerator:
    """Return the place of one step, which folds."""
    tick = " :green[:material/check:]" if done else ""
    # Streamlit folds what is drawn for the first time: a step that is done is another element than before.
    key = f"rr-step-{number}-{'done' if done else 'open'}"
    return st.expander(f"**{number} · {title}**{tick}", expanded=expanded, key=key)


def show_problems(error: BadFilesError, uploads: int) -> None:
    """Show what is wrong in which line, and that nothing was kept; uploads: how many files came through the browser."""
    again = "upload the file again under the same name, or remove the old one with × first"
    if uploads < 2:
        again = "upload the file again" if uploads else "give the path again"
    st.error(f"{plain(str(error))}. Fix what is listed below and {again}.", icon=":material/error:")
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


def show_warnings(preview: ImportPreview) -> None:
    """Show what harms the campaign if nobody acts; everything else is in the quiet list."""
    for note in preview.serious:
        st.warning(sentence(f"{note[0].upper()}{note[1:]}"), icon=":material/warning:")
    if preview.advice:
        first, *more = map(sentence, preview.advice)
        st.warning(f"**{first}**  \n{' '.join(more)}", icon=":material/visibility_off:")


def show_preview(preview: ImportPreview) -> None:
    """Show the figures of a collection, what is to know about it, its first rows and its grades."""
    summary = preview.summary
    graded = summary["rows"] - summary["unlabelled"]
    sizes = summary["documents_per_query"]
    spread = f"The median; from {sizes['min']:,} to {sizes['max']:,}."
    named = f"{summary['documents']:,}" if summary["documents"] else "not named"
    with st.container(horizontal=True, gap="medium"):
        number("Pairs", f"{summary['rows']:,}", "A document for a query: each pair is one decision to make.")
        number("Documents", named, "Different documents. One that belongs to several queries is in several pairs.")
        number("Queries", f"{summary['queries']:,}")
        number("Pairs per query (median)", f"{sizes['median']:g}", spread)
        number("Features", f"{summary['features']:,}")
        number("Grades known", f"{graded / max(1, summary['rows']):.0%}", f"{graded:,} pairs.")
    st.markdown("\n".join(f"- :gray[{sentence(fact)}]" for fact in quiet_facts(preview)))
    left_out = f"Left out ({sum(count for _, count, _, _ in preview.left_out):,})"
    rows, grades, *more = st.tabs(["First rows", "Grades in the file", *([left_out] if preview.left_out else [])])
    with rows:
        sizes = {name: st.column_config.TextColumn(width="medium") for name in ("query", "title", "text")}
        st.dataframe(
            first_rows(preview), hide_index=True, height=250, column_config=sizes,
            alt="The first rows of the collection",
        )  # fmt: skip
    with grades:
        show_grades(summary["grade_counts"], graded)
    for place in more:
        with place:
            show_left_out(preview)


def quiet_facts(preview: ImportPreview) -> list[str]:
    """Return what was read, done and noticed, in sentences."""
    facts = [*preview.facts, *(f"{note[0].upper()}{note[1:]}" for note in preview.notes if note not in preview.serious)]
    facts += odd_features(preview.summary)
    if len(preview.files) > 1:
        names = ", ".join(f"{name.rsplit('/', 1)[-1]} ({rows:,} pairs)" for name, rows, _ in preview.files[:10])
        more = f" and {len(preview.files) - 10} more" if len(preview.files) > 10 else ""
        facts.append(f"Joined from {len(preview.files)} files: {names}{more}")
    if preview.stored:
        facts.append("This collection is here already")
    if preview.texts is not None:
        queries, documents = preview.texts
        facts.append(
            f"Texts: {queries:,} queries and {documents:,} documents of this collection can be read by annotators"
        )
    return facts


def number(label: str, value: str, hint: str | None = None) -> None:
    """Show a figure as wide as it needs, so that a narrow page can put the next one below it."""
    st.metric(label, value, help=hint, width="content")


def show_left_out(preview: ImportPreview) -> None:
    """List what the files name and the collection does not have, and why."""
    rows = [(what, name, why) for what, _, why, names in preview.left_out for name in names]
    frame = pd.DataFrame(rows, columns=["What", "Which", "Why"])
    st.dataframe(frame, hide_index=True, height=250, alt="What was left out, and why")


def show_grades(counts: list[int], graded: int) -> None:
    """Show how often each grade stands in the file."""
    if not graded:
        st.caption("None: every pair is yet to be labelled.")
        return
    figure = grade_histogram(counts, theme=current_theme())
    # Nobody has given these labels here: they came with the file.
    caption = f"{graded:,} pairs have one."
    figure.update_layout(title={"text": "Grades in the file", "subtitle": {"text": caption}}, meta={"caption": caption})
    show(figure, "grades-in-file", key="import-grades-chart")


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


def first_rows(preview: ImportPreview) -> pd.DataFrame:
    """Return the first rows as a table: texts where there are some, grade, ids and the first features."""
    return pd.DataFrame(preview.rows, columns=preview.columns)
