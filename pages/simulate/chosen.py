"""Which documents a sampler had chosen up to a point of its curve, in order; and everything as files."""

from __future__ import annotations

import functools
import io
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages import context
from pages.charts.figure import counted, file_name
from pages.simulate.data import chosen_table, curves_of, sampler_label, summary_of
from pages.simulate.view import Look
from rulerank.export.spreadsheets import spreadsheet_csv
from rulerank.simulate import Results, merge
from rulerank.simulate.needed import with_saved
from rulerank.simulate.tables import can_write_parquet

if TYPE_CHECKING:
    from db.simulations import Simulation


def show_chosen(simulation: Simulation, results: Results, clicked: tuple[str, int] | None) -> None:
    """Ask for a sampler's run and a number of labels (or take the point that was clicked), and list its choices."""
    number, done, grid = simulation.id, results.samplers_done(), results.grid
    sampler_key, labels_key = f"simulate-of-{number}", f"simulate-upto-{number}"
    if clicked is not None and clicked != st.session_state.get(f"simulate-clicked-{number}"):
        st.session_state[sampler_key], st.session_state[labels_key] = clicked
    st.session_state[f"simulate-clicked-{number}"] = clicked
    st.session_state.setdefault(labels_key, grid[-1])
    row = st.container(horizontal=True, vertical_alignment="bottom")
    sampler = row.selectbox("Chosen by", done, format_func=sampler_label, key=sampler_key, width=260)
    fold = row.selectbox("Fold", results.folds, key=f"simulate-fold-{number}", width=90)
    seeds = results.seeds_done(sampler)
    seed: Any = None
    if seeds != [None]:
        seed = row.selectbox("Seed", seeds, key=f"simulate-seed-{number}-{sampler}", width=90)
    labels = row.selectbox("Up to (labels)", grid, key=labels_key, width=130)
    table = chosen_table(simulation, results, sampler, fold, seed, labels)
    grades = sorted(Counter(table["Grade"].tolist()).items())
    told = ", ".join(f"{count:,d} of grade {grade}" for grade, count in grades)
    queries = counted(table["Query"].nunique(), "query", "queries")
    st.caption(f"{counted(len(table), 'document')} of {queries}: {told}. In the order of choice.")
    st.dataframe(table, hide_index=True, height=min(420, 38 + 35 * len(table)), key=f"simulate-list-{number}")
    stem = file_name(f"{results.about.dataset} {sampler} fold {fold} {'' if seed is None else f'seed {seed}'}")
    st.download_button(
        "These documents (CSV for spreadsheets)",
        spreadsheet_csv(table),
        f"{stem}-for-spreadsheets.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"simulate-list-file-{number}",
    )


def show_downloads(simulation: Simulation, stamp: str, results: Results, look: Look, baseline: str) -> None:
    """Offer what was found as files: the curves and figures as they are shown, every value, and all of it in one."""
    number = simulation.id
    stem = file_name(f"{results.about.dataset} simulation {number}")
    row = st.container(horizontal=True)

    def offer(label: str, data: Any, ending: str, kind: str) -> None:
        row.download_button(
            label,
            data,
            f"{stem}-{ending}",
            kind,
            icon=":material/download:",
            on_click="ignore",
            key=f"simulate-file-{number}-{ending}",
        )

    def curves() -> bytes:
        return spreadsheet_csv(curves_of(number, stamp, look.metric, look.expected))

    offer("Curves (CSV)", curves, f"curves-{file_name(look.metric)}-for-spreadsheets.csv", "text/csv")
    saved = functools.partial(saved_file, number, stamp, look, baseline)
    offer("Labels saved (CSV)", saved, f"summary-{file_name(look.metric)}-for-spreadsheets.csv", "text/csv")
    offer("Every value (CSV)", lambda: written(results, "results.csv"), "results-for-machines.csv", "text/csv")
    if can_write_parquet():
        parquet = "application/vnd.apache.parquet"
        offer("Every value (Parquet)", lambda: written(results, "results.parquet"), "results.parquet", parquet)
    if simulation.job.state == "done":
        offer("All of it (zip)", lambda: everything(number), "all.zip", "application/zip")
    st.caption(
        "Every value: one row a fold, sampler, seed, ranker, point and metric. All of it: the same, values query by "
        "query, what each run chose, and settings, version and data hash; `rulerank.simulate.Results` reads it. Curves "
        "and labels saved are for spreadsheets, where no text of theirs is taken for a formula; the others are exact."
    )


def saved_file(number: int, stamp: str, look: Look, baseline: str) -> bytes:
    """Return the figures at the budget, with what each sampler saves against the baseline, as CSV."""
    found = summary_of(number, stamp, look.metric, look.expected, baseline)
    return spreadsheet_csv(with_saved(found, baseline))


def written(results: Results, name: str) -> bytes:
    """Return the table of all values as a file of this name."""
    with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
        results.write(Path(place) / name)
        return (Path(place) / name).read_bytes()


def everything(number: int) -> bytes:
    """Return a complete simulation as its folder would be: every task, and all tables, in one zip file."""
    packed = context.workspace().simulations.packed(number)
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
        with zipfile.ZipFile(io.BytesIO(packed or b"")) as archive:
            archive.extractall(place)
        merge(place)
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(place).rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(place).as_posix())
    return buffer.getvalue()
