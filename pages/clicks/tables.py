"""The two tables of the paper for a log: perplexity over splits, and correlation with online metrics."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.clicks.view import as_json, offer
from rulerank.clicks import ONLINE, Comparison, click_models
from rulerank.export.spreadsheets import spreadsheet_csv


def show_tables(found: Comparison) -> None:
    """Show both tables and their tests, and offer the files."""
    first, second, tests = perplexity_table(found), correlation_table(found), tests_table(found)
    st.markdown("**Perplexity** (the paper's table 2)")
    st.dataframe(first, hide_index=True, key="clicks-table-perplexity")
    st.markdown("**Correlation of each model's metric with online metrics** (the paper's table 3)")
    st.dataframe(second, hide_index=True, key="clicks-table-correlation")
    st.caption(
        f"Means over {found.splits:,d} random splits, {found.share:.0%} of {found.sessions:,d} sessions to test on. "
        "Gain: over the model below. Correlations are over configurations, weighted by their test sessions; a session "
        "without a click counts 0. Log-likelihood is that of a test session."
    )
    if len(tests):
        with st.expander("Paired t-tests of every two models"):
            st.dataframe(tests, hide_index=True, key="clicks-table-tests")
            st.caption(
                "Corrected: for splits that overlap (Nadeau and Bengio 2003); the plain test, which is the paper's, is "
                "far too sure of itself."
            )
    row = st.container(horizontal=True)
    for label, table, name in (
        ("Perplexity (CSV)", pd.DataFrame(found.models_table()), "perplexity"),
        ("Correlations (CSV)", pd.DataFrame(found.correlations_table()), "correlations"),
        ("Tests (CSV)", pd.DataFrame(found.tests_table()), "tests"),
    ):
        offer(row, label, spreadsheet_csv(table), f"clicks-{name}-for-spreadsheets.csv", "text/csv")
    offer(row, "All tables (JSON)", as_json(found.to_dict()), "clicks-tables.json", "application/json")


def perplexity_table(found: Comparison) -> pd.DataFrame:
    """Return table 2 for the screen, best model first."""
    return pd.DataFrame(
        [
            {
                "Model": row["label"],
                "Parameters": row["parameters"],
                "Perplexity": f"{row['perplexity']:.4f} ± {row['deviation']:.4f}",
                "Gain": "" if row["gain"] is None else f"{row['gain']:+.2%}",
                "Conditional": f"{row['conditional']:.4f}",
                "Log-likelihood": f"{row['loglik']:.4f}",
            }
            for row in found.models_table()
        ]
    )


def correlation_table(found: Comparison) -> pd.DataFrame:
    """Return table 3 for the screen."""
    return pd.DataFrame(
        [
            {"Metric of": row["label"]}
            | {label: "" if row[name] is None else f"{row[name]:.3f}" for name, label in ONLINE.items()}
            for row in found.correlations_table()
        ]
    )


def tests_table(found: Comparison) -> pd.DataFrame:
    """Return the tests for the screen; nothing where there is one model or one split."""
    return pd.DataFrame(
        [
            {
                "Measure": ONLINE.get(row["measure"], "Perplexity"),
                "First": click_models[row["first"]].label,
                "Second": click_models[row["second"]].label,
                "p": _p(row["p"]),
                "p, corrected": _p(row["p_corrected"]),
            }
            for row in found.tests_table()
            if row["p"] is not None
        ]
    )


def _p(value: float | None) -> str:
    return "" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"
