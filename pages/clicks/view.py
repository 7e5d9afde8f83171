"""What the Clicks page shows of a log and of fitted models: facts, parameters with intervals, perplexity, files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.charts.figure import current_theme, empty_figure, file_name, legend_below, new_figure, safe, show
from pages.charts.files import Source
from pages.charts.learning import rank_legend
from pages.charts.series import look_at
from pages.charts.theme import LIGHT, Theme
from pages.shared.layout import plain, side_by_side
from rulerank.clicks import ONLINE, ClickLog, Comparison, DocumentFit, Fit, click_models
from rulerank.clicks.study import FittedModels
from rulerank.export.plain import spreadsheet_csv

KINDS = {"marginal": "Marginal (the paper's)", "conditional": "Given what happened above"}


def show_facts(log: ClickLog, name: str) -> None:
    """Show what a log holds."""
    facts = log.summary()
    st.header("The log")
    st.caption(plain(name))
    cells = {
        "Sessions": f"{facts['sessions']:,d}",
        "Configurations": f"{facts['configurations']:,d}",
        "Queries": f"{facts['queries']:,d}",
        "Positions": f"{facts['depth']}",
        "With a click": f"{facts['sessions_with_a_click']:.1%}",
        "With several": f"{facts['sessions_with_several']:.1%}",
    }
    row = st.container(key="rr-numbers", horizontal=True)
    for label, value in cells.items():
        row.metric(label, value, width="content")
    left, right = side_by_side("clicks-facts")
    counts = {"Results shown": st.column_config.NumberColumn(format="localized")}
    for column, what in ((left, "Language"), (right, "Grade")):
        table = shares(what, facts[f"{what.lower()}s"])
        column.dataframe(table, hide_index=True, key=f"clicks-{what.lower()}s", column_config=counts)
    st.caption("A configuration is a query with its ordered documents. Results shown: once for each session.")


def shares(what: str, counts: dict[str, int]) -> pd.DataFrame:
    """Return how often each value was shown, and its share."""
    total = max(1, sum(counts.values()))
    return pd.DataFrame(
        {
            what: pd.Series(list(counts), dtype="str"),
            "Results shown": list(counts.values()),
            "Share": [f"{count / total:.1%}" for count in counts.values()],
        }
    )


def show_fits(found: FittedModels, log: str) -> None:
    """Show what was learned from a log: the models side by side, one model's parameters, perplexity by position."""
    for label, why in found.failed.items():
        st.warning(f"{plain(label)} could not be fitted: {plain(why)}.", icon=":material/warning:")
    if not found.fits:
        return
    st.dataframe(fits_table(found), hide_index=True, key="clicks-fits-table")
    st.caption(
        "On the log that they were fitted to: a model with more parameters has an advantage here, which the splits "
        "below take away. Default parameters are kept 0.001 off 0 and 1 for likelihood and perplexity."
    )
    kind = st.segmented_control(
        "Perplexity", list(KINDS), default="marginal", required=True, format_func=KINDS.__getitem__, key="clicks-kind"
    )
    series = {found.fits[name].label: getattr(each, kind) for name, each in found.evaluations.items()}
    figure = perplexity_curves(series, kind=kind, theme=current_theme())
    show(figure, "clicks perplexity", key="clicks-figure", source=Source(log))
    name = st.selectbox(
        "Parameters of", list(found.fits), format_func=lambda each: found.fits[each].label, key="clicks-which"
    )
    show_parameters(found.fits[name])


def fits_table(found: FittedModels) -> pd.DataFrame:
    """Return one row per model: size, likelihood and perplexity."""
    return pd.DataFrame(
        [
            {
                "Model": made.label,
                "Parameters": made.free_parameters,
                "Log-likelihood": round(made.loglik, 1),
                "A session": f"{made.loglik / made.sessions:.4f}",
                "Perplexity": f"{found.evaluations[name].perplexity:.4f}",
                "Conditional": f"{found.evaluations[name].conditional_perplexity:.4f}",
            }
            for name, made in found.fits.items()
        ]
    )


def show_parameters(made: Fit | DocumentFit) -> None:
    """Show a model's probabilities with their intervals, say what the data cannot tell, and offer the files."""
    st.caption(click_models[made.model].about)
    table = parameters_table(made)
    if isinstance(made, DocumentFit):
        st.caption(f"Each of {len(made.pairs):,d} documents of queries has two probabilities; the file has all counts.")
    else:
        st.dataframe(table, hide_index=True, key=f"clicks-parameters-{made.model}")
        st.caption(identifiability(made))
        for note in made.notes():
            st.info(f"{plain(note[0].upper() + note[1:])}.", icon=":material/info:")
    row = st.container(horizontal=True)
    stem = file_name(f"clicks {made.model}")
    if not isinstance(made, DocumentFit):
        offer(row, "Parameters (CSV)", spreadsheet_csv(table), f"{stem}-for-spreadsheets.csv", "text/csv")
    offer(row, "This model (JSON)", as_json(made.to_dict()), f"{stem}.json", "application/json")


def parameters_table(made: Fit | DocumentFit) -> pd.DataFrame:
    """Return a model's parameters as text and numbers; no interval where there is none."""
    if isinstance(made, DocumentFit):
        return pd.DataFrame()
    return pd.DataFrame(
        [
            {
                "Parameter": each.name,
                "Value": f"{each.value:.4f}",
                f"{made.level:.0%} interval": "" if each.error is None else f"{each.low:.4f} to {each.high:.4f}",
                "Status": each.status,
            }
            for each in made.parameters
        ]
    )


def identifiability(made: Fit) -> str:
    """Say in a sentence what stands behind the intervals."""
    if not made.learned:
        return "Default parameters: nothing was learned, so there are no intervals."
    knowledge = (
        "The log knows every parameter."
        if made.identified
        else "The log does not know every parameter; the status and the notes say which."
    )
    intents = " The intents' shares and their relevance trade off, so intervals of shares are wide."
    return (
        f"Probability to be satisfied by a result, and shares of the intents. {knowledge}"
        f"{intents if len(made.user.intents) > 1 else ''} Intervals come from the observed information on logits."
    )


def offer(row: Any, label: str, data: str | bytes, name: str, kind: str) -> None:
    """Offer a file; taking it does not run the page again."""
    row.download_button(
        label, data, name, kind, icon=":material/download:", on_click="ignore", key=f"clicks-file-{name}"
    )


def as_json(value: Any) -> str:
    """Return plain values as JSON that every program reads."""
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def perplexity_curves(
    series: Mapping[str, Sequence[float]], *, kind: str = "marginal", theme: Theme = LIGHT, height: int = 460
) -> go.Figure:
    """Return one line per model over the positions of the list; 1 is a model that is never surprised."""
    title = f"Perplexity by position ({kind})"
    if not series:
        return empty_figure(title, "No model is fitted yet. Choose models above, and fit them.", theme=theme)
    caption = "Of the last click, on the log that the models were fitted to. Lower is better; 1 would be certainty. "
    caption += "A click on a name in the legend leaves that model out."
    figure = new_figure(title, caption, theme=theme, height=height, l=72)
    places = {entry.label: place for place, entry in enumerate(click_models)}
    last = {}
    for name, values in series.items():
        look = look_at(places.setdefault(name, len(places)), theme)
        last[safe(name)] = float(values[-1]) if len(values) else 0.0
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=list(values),
            name=safe(name),
            mode="lines+markers",
            line=look.line(),
            marker=look.marker(8),
            hovertemplate=f"{safe(name)}<br>position %{{x}}: <b>%{{y:.4f}}</b><extra></extra>",
        )
    figure.update_xaxes(title_text="Position", dtick=1 if max(map(len, series.values())) <= 20 else 5)
    most = max((value for values in series.values() for value in values), default=1.0)
    # 1 is the least that there is, as 0 is elsewhere.
    figure.update_yaxes(title_text="Perplexity", tickformat=".2f", range=[1.0, 1 + 1.08 * max(0.05, most - 1)])
    rank_legend(figure, last)
    legend_below(figure)
    return figure


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
