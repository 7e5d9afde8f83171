"""The export before it is packed: what will be in it, file by file, and what a trainer may stumble over."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import streamlit as st

from pages.charts.figure import file_name
from pages.new_campaign.preview import number
from rulerank.campaign import GradeLevel
from rulerank.export import ExportPreview, FoldPreview
from rulerank.export.preview import SetPreview

UNITS = ("bytes", "kB", "MB", "GB")


def size_text(size: float) -> str:
    """Return a number of bytes in words."""
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {UNITS[unit]}" if unit == 0 else f"{size:.1f} {UNITS[unit]}"


def show_preview(found: ExportPreview, grades: tuple[GradeLevel, ...]) -> None:
    """Show counts, notes, files with their first lines, and the folds."""
    with st.container(key="rr-numbers", horizontal=True):
        number("Documents", f"{found.documents:,}")
        number("Queries", f"{found.queries:,}")
        number("Features", f"{found.features:,}")
        number("Files", f"{len(found.files) + 2:,}", "With README.txt and SHA256SUMS.")
    words = [
        f"{count:,} × {grade} {grades[grade].name if grade < len(grades) else ''}".strip()
        for grade, count in found.grade_counts.items()
    ]
    st.caption(f"Grades: {' · '.join(words)}. {found.left_out:,} documents without a grade stay behind.")
    if found.notes:
        notes = "\n".join(f"- {note[0].upper()}{note[1:]}." for note in found.notes)
        st.warning(f"Worth knowing before you train:\n{notes}", icon=":material/info:")
    frame = pd.DataFrame(
        [(each.name, each.label, each.lines, size_text(each.size)) for each in found.files],
        columns=["File", "Format", "Lines", "Size"],
    )
    st.dataframe(frame, hide_index=True, height="content" if len(frame) < 10 else 300, alt="The files of the export")
    st.caption(
        "Files whose names end in **-for-spreadsheets.csv** are the ones to open in Excel, LibreOffice or Google "
        "Sheets: a text that such a program would run as a formula has an apostrophe before it. All others are exact, "
        "for machines."
    )
    chosen = st.selectbox(
        "First lines of", range(len(found.files)), format_func=lambda k: found.files[k].name, key="export-first"
    )
    st.code("\n".join(found.files[chosen].first) or "(empty)", language=None)
    if found.folds:
        show_folds(found)


def show_folds(found: ExportPreview) -> None:
    """Show how the queries are dealt to the folds' files."""
    rows = [
        (f"Fold{fold.number}", *(f"{part.queries:,} / {part.documents:,}" for part in _sets(fold)))
        for fold in found.folds
    ]
    frame = pd.DataFrame(rows, columns=["Fold", "Train", "Validation", "Test"])
    st.caption("Queries / documents in each fold's files; no query stands in two files of a fold.")
    st.dataframe(frame, hide_index=True, alt="Queries and documents by fold")


def _sets(fold: FoldPreview) -> tuple[SetPreview, ...]:
    return fold.train, fold.validation, fold.test


def show_download(name: str, data: bytes) -> None:
    """Offer the checked bundle, and each of its files."""
    st.success("Every file was read back and is exactly what was meant.", icon=":material/verified:")
    left, right = st.columns(2, gap="large")
    left.caption("Everything in one zip file, with README and checksums:")
    left.download_button(
        f"Download the bundle ({size_text(len(data))})", data, f"{file_name(name)}.zip", "application/zip",
        type="primary", icon=":material/download:", on_click="ignore", width="stretch", key="export-bundle",
    )  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        chosen = right.selectbox("Or one file of it", archive.namelist(), key="export-one")
        inside = archive.read(chosen)
    right.download_button(
        f"Download {chosen} ({size_text(len(inside))})", inside, chosen.replace("/", "-"), "text/plain",
        icon=":material/download:", on_click="ignore", width="stretch", key="export-one-download",
    )  # fmt: skip
