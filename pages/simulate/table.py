"""The table of labels saved against a baseline; and which documents a sampler had chosen up to a point of its curve."""

from __future__ import annotations

import functools
import io
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from pages import context
from pages.charts.figure import counted, file_name
from pages.shared.layout import plain
from pages.simulate.run import chosen_table, curves_of, metric_label, sampler_label, summary_of
from pages.simulate.view import ChosenView
from rulerank.export.plain import spreadsheet_csv
from rulerank.simulate import Results, merge
from rulerank.simulate.plan import usual_baseline
from rulerank.simulate.tables import Span, baseline_needs, can_write_parquet, with_saved

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
    by_grade = ", ".join(f"{count:,d} of grade {grade}" for grade, count in grades)
    queries = counted(table["Query"].nunique(), "query", "queries")
    st.caption(f"{counted(len(table), 'document')} of {queries}: {by_grade}. In the order of choice.")
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


def show_downloads(simulation: Simulation, stamp: str, results: Results, look: ChosenView, baseline: str) -> None:
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
        "Every value: one row per fold, sampler, seed, ranker, point and metric. All of it: the same, values query by "
        "query, what each run chose, and settings, version and data hash; `rulerank.simulate.Results` reads it. Curves "
        "and labels saved are for spreadsheets, where no text of theirs is taken for a formula; the others are exact."
    )


def saved_file(number: int, stamp: str, look: ChosenView, baseline: str) -> bytes:
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


def ask_baseline(number: int, results: Results) -> str:
    """Ask which sampler the others are tested against."""
    done = results.samplers_done()
    usual = usual_baseline(done)
    first = 0 if usual is None else done.index(usual)
    chosen: str = st.selectbox(
        "Compare with",
        done,
        index=first,
        format_func=sampler_label,
        key=f"simulate-baseline-{number}",
        width=260,
        help="Labels saved are against this sampler, and so are the tests.",
    )
    return chosen


def show_saved(simulation: Simulation, stamp: str, results: Results, look: ChosenView, baseline: str) -> None:
    """Show the table of labels saved, and say what its figures are."""
    summary = summary_of(simulation.id, stamp, look.metric, look.expected, baseline)
    shown = look.pairs(results)
    rows = summary[[(s, r) in shown for s, r in zip(summary["sampler"], summary["ranker"], strict=True)]]
    span = Span(results.grid[0], results.labels)
    if "to_95" in rows:
        st.markdown(headline(rows, look, span))
    table = saved_table(rows, look, span, baseline, baseline_needs(summary, baseline))
    st.dataframe(table, hide_index=True, key=f"simulate-saved-{simulation.id}")
    tests = len(summary) - len(results.plan.rankers)
    st.caption(figures_words(results, look, baseline, tests))


def figures_words(results: Results, look: ChosenView, baseline: str, tests: int) -> str:
    """Say what the figures of the table are; tests: how many there were against the baseline."""
    queries = sum(len(names) for names in results.about.queries.values())
    name, other = metric_label(look.metric), plain(sampler_label(baseline))
    tested = (
        f"Difference: from {other}, mean over queries; ▲ better, ▼ worse at 5% by the sign-flip test, p corrected by "
        f"Holm over {counted(tests, 'comparison')}. "
    )
    return (
        f"At {counted(results.labels, 'label')}; {look.measure(results.plan).words}. {name}: "
        "mean over folds of the mean over seeds, and 95% bootstrap interval over "
        f"{counted(queries, 'test query', 'test queries')}. Of all: its share of what all labels give. 90, 95, 99%: "
        "labels until the mean curve first reaches that share, as fine as it was measured (≤: already at the first "
        f"point; > {results.labels:,d}: not within the budget); in brackets from where on it stays there, or - if it "
        f"is below again at the end. Saved: labels that {other} took until it first reached 95% and that were not "
        "needed. Area: mean height of the curve, as a share of what all labels give. Found: relevant documents of the "
        f"pool among the chosen. {tested if tests else ''}Stop: the sampler's natural stop, in labels. Seeds: how many "
        "were averaged."
    )


def headline(rows: pd.DataFrame, look: ChosenView, span: Span) -> str:
    """Answer how many labels it takes to come to 95% of what all labels give, in a sentence."""
    rows = rows[np.isfinite(rows["ceiling"])]
    if rows.empty:
        return ""
    each = []
    for row in rows.sort_values("to_95", na_position="last").itertuples():
        name = plain(look.name(str(row.sampler), str(row.ranker)))
        each.append(f"**{name}** {span.words(row.to_95, row.stays_95)}")
    top = rows["ceiling"].iloc[0]
    what = (
        f"{metric_label(look.metric)} {0.95 * top:.3f} of {top:.3f}" if look.compare == "samplers" else "each its own"
    )
    return f"To reach 95% of what all labels give ({what}): {', '.join(each)}."


def saved_table(
    rows: pd.DataFrame, look: ChosenView, span: Span, baseline: str, needs: Mapping[str, float]
) -> pd.DataFrame:
    """Return the figures at the budget as text and numbers for the screen.

    needs: the labels that the baseline took to 95%, by ranker (`baseline_needs`).
    """
    name = metric_label(look.metric)
    table = pd.DataFrame(
        {
            look.compare[:-1].capitalize(): [look.name(str(row.sampler), str(row.ranker)) for row in rows.itertuples()],
            f"{name} (95% interval)": [
                f"{row.mean:.3f} ({row.low_queries:.3f} to {row.high_queries:.3f})" for row in rows.itertuples()
            ],
            "Of all": [_percent(value) for value in rows["of_ceiling"]],
        }
    )
    for share in ("90", "95", "99"):
        if f"to_{share}" in rows:
            reached = zip(rows[f"to_{share}"], rows[f"stays_{share}"], strict=True)
            table[f"{share}%"] = [span.cell(labels, stays) for labels, stays in reached]
    if "to_95" in rows:
        table["Saved"] = [
            "" if row.sampler == baseline else span.saved(row.to_95, needs.get(str(row.ranker), np.nan))
            for row in rows.itertuples()
        ]
    table["Area"] = [_percent(value) for value in rows["area_of_ceiling"]]
    table["Found"] = [_percent(value) for value in rows["relevant_found"]]
    table["Difference"] = [
        "" if np.isnan(gap) else f"{gap:+.3f} {_sign(mark)}".rstrip()
        for gap, mark in zip(rows["difference"], rows["mark"], strict=True)
    ]
    table["p (Holm)"] = ["" if np.isnan(p) else f"{p:.3f}" if p >= 0.001 else "< 0.001" for p in rows["p_flip_holm"]]
    table["Stop"] = ["" if np.isnan(stop) else f"{stop:,.0f}" for stop in rows["stop"]]
    table["Seeds"] = rows["runs"].tolist()
    return table


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1%}"


def _sign(mark: object) -> str:
    return {"+": "▲", "-": "▼"}.get(str(mark), "")
