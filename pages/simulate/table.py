"""The table of labels saved: what each sampler came to, against a baseline, with the words that its figures need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from pages.charts.figure import counted
from pages.shared.markdown import plain
from pages.simulate.data import metric_label, sampler_label, summary_of
from pages.simulate.view import Look
from rulerank.campaign.labels import convention_text
from rulerank.simulate import Results
from rulerank.simulate.needed import Span, baseline_needs

if TYPE_CHECKING:
    from db.simulations import Simulation


def ask_baseline(number: int, results: Results) -> str:
    """Ask which sampler the others are tested against."""
    done = results.samplers_done()
    first = done.index("random") if "random" in done else 0
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


def show_saved(simulation: Simulation, stamp: str, results: Results, look: Look, baseline: str) -> None:
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


def figures_words(results: Results, look: Look, baseline: str, tests: int) -> str:
    """Say what the figures of the table are; tests: how many there were against the baseline."""
    queries = sum(len(names) for names in results.about.queries.values())
    name, other = metric_label(look.metric), plain(sampler_label(baseline))
    tested = (
        f"Difference: from {other}, mean over queries; ▲ better, ▼ worse at 5% by the sign-flip test, p corrected by "
        f"Holm over {counted(tests, 'comparison')}. "
    )
    return (
        f"At {counted(results.labels, 'label')}; {convention_text(results.plan.convention, look.expected)}. {name}: "
        "mean over folds of the mean over seeds, and 95% bootstrap interval over "
        f"{counted(queries, 'test query', 'test queries')}. Of all: its share of what all labels give. 90, 95, 99%: "
        "labels until the mean curve first reaches that share, as fine as it was measured (≤: already at the first "
        f"point; > {results.labels:,d}: not within the budget); in brackets from where on it stays there, or - if it "
        f"is below again at the end. Saved: labels that {other} took until it first reached 95% and that were not "
        "needed. Area: mean height of the curve, as a share of what all labels give. Found: relevant documents of the "
        f"pool among the chosen. {tested if tests else ''}Stop: the sampler's natural stop, in labels. Seeds: how many "
        "were averaged."
    )


def headline(rows: pd.DataFrame, look: Look, span: Span) -> str:
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


def saved_table(rows: pd.DataFrame, look: Look, span: Span, baseline: str, needs: Mapping[str, float]) -> pd.DataFrame:
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
