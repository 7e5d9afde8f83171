"""The table of labels saved: what each sampler came to, against a baseline, with the words that its figures need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from pages.widgets.plain import plain
from pages.widgets.progress_data import convention_text
from pages.widgets.simulate_data import metric_label, sampler_label, summary_of
from pages.widgets.simulate_view import Look
from rulerank.simulate import Results

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
    if "to_95" in rows:
        st.markdown(headline(rows, look, results.labels))
    st.dataframe(
        saved_table(rows, look, results.labels, baseline), hide_index=True, key=f"simulate-saved-{simulation.id}"
    )
    queries = sum(len(names) for names in results.about.queries.values())
    tests = len(summary) - len(results.plan.rankers)
    name = metric_label(look.metric)
    other = plain(sampler_label(baseline))
    st.caption(
        f"At {results.labels:,d} labels; {convention_text(results.plan.convention, look.expected)}. {name}: mean over "
        f"folds of the mean over seeds, and 95% bootstrap interval over {queries:,d} test queries. Of all: its share "
        "of what all labels give. 90, 95, 99%: labels until the mean curve first reaches that share, as fine as it was "
        f"measured (> {results.labels:,d}: not within the budget). Saved: labels of {other} to 95% that were not "
        "needed. Area: mean height of the curve, as a share of what all labels give. Found: relevant documents of the "
        f"pool among the chosen. Difference: from {other}, mean over queries; ▲ better, ▼ worse at 5% by the sign-flip "
        f"test, p corrected by Holm over {tests} comparison{'' if tests == 1 else 's'}. Stop: the sampler's natural "
        "stop, in labels."
    )


def headline(rows: pd.DataFrame, look: Look, budget: int) -> str:
    """Answer how many labels it takes to come to 95% of what all labels give, in a sentence."""
    rows = rows[np.isfinite(rows["ceiling"])]
    if rows.empty:
        return ""
    each = []
    for row in rows.sort_values("to_95", na_position="last").itertuples():
        name = plain(look.name(str(row.sampler), str(row.ranker)))
        needed = f"not within {budget:,d}" if np.isnan(row.to_95) else f"{int(row.to_95):,d} labels"
        each.append(f"**{name}** {needed}")
    top = rows["ceiling"].iloc[0]
    what = (
        f"{metric_label(look.metric)} {0.95 * top:.3f} of {top:.3f}" if look.compare == "samplers" else "each its own"
    )
    return f"To reach 95% of what all labels give ({what}): {', '.join(each)}."


def saved_table(rows: pd.DataFrame, look: Look, budget: int, baseline: str) -> pd.DataFrame:
    """Return the figures at the budget as text and numbers for the screen."""
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
            table[f"{share}%"] = [
                f"> {budget:,d}" if np.isnan(value) else f"{int(value):,d}" for value in rows[f"to_{share}"]
            ]
    if "to_95" in rows:
        table["Saved"] = _saved(rows, baseline)
    table["Area"] = [_percent(value) for value in rows["area_of_ceiling"]]
    table["Found"] = [_percent(value) for value in rows["relevant_found"]]
    table["Difference"] = [
        "" if np.isnan(gap) else f"{gap:+.3f} {_sign(mark)}".rstrip()
        for gap, mark in zip(rows["difference"], rows["mark"], strict=True)
    ]
    table["p (Holm)"] = ["" if np.isnan(p) else f"{p:.3f}" if p >= 0.001 else "< 0.001" for p in rows["p_flip_holm"]]
    table["Stop"] = ["" if np.isnan(stop) else f"{stop:,.0f}" for stop in rows["stop"]]
    table["Runs"] = rows["runs"].tolist()
    return table


def _saved(rows: pd.DataFrame, baseline: str) -> list[str]:
    """Return the share of the baseline's labels to 95% that each sampler saves with the same ranker."""
    base = {row.ranker: row.to_95 for row in rows.itertuples() if row.sampler == baseline}
    shares = [1 - row.to_95 / base.get(row.ranker, np.nan) for row in rows.itertuples()]
    return [
        "" if np.isnan(share) or row.sampler == baseline else f"{share:.0%}"
        for share, row in zip(shares, rows.itertuples(), strict=True)
    ]


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1%}"


def _sign(mark: object) -> str:
    return {"+": "▲", "-": "▼"}.get(str(mark), "")
