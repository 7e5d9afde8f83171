"""What the Clicks page shows of a log and of fitted models: facts, parameters with intervals, perplexity, files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.charts.figure import WIDE, empty_figure, file_name, new_figure, safe
from pages.charts.legend import legend_below
from pages.charts.render import current_theme, show
from pages.charts.theme import LIGHT, SYMBOLS, Theme
from pages.shared.layout import side_by_side
from pages.shared.markdown import plain
from rulerank.clicks import ClickLog, DocumentFit, Fit, click_models
from rulerank.clicks.study import Fitted
from rulerank.export.spreadsheets import spreadsheet_csv

WIDTH = 165
"""Pixels of a number: millions of sessions fit, and a telephone shows two beside each other."""

KINDS = {"marginal": "Marginal (the paper's)", "conditional": "Given what happened above"}


def show_facts(log: ClickLog, name: str) -> None:
    """Show what a log holds."""
    facts = log.summary()
    st.subheader("The log")
    st.caption(plain(name))
    cells = {
        "Sessions": f"{facts['sessions']:,d}",
        "Configurations": f"{facts['configurations']:,d}",
        "Queries": f"{facts['queries']:,d}",
        "Positions": f"{facts['depth']}",
        "With a click": f"{facts['sessions_with_a_click']:.1%}",
        "With several": f"{facts['sessions_with_several']:.1%}",
    }
    # Fixed widths in a row that wraps: nothing is cut off on a tablet.
    row = st.container(horizontal=True)
    for label, value in cells.items():
        row.metric(label, value, width=WIDTH)
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


def show_fits(found: Fitted) -> None:
    """Show what was learned: the models beside each other, one model's parameters, perplexity by position."""
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
    show(perplexity_curves(series, kind=kind, theme=current_theme()), "clicks perplexity", key="clicks-figure")
    name = st.selectbox(
        "Parameters of", list(found.fits), format_func=lambda each: found.fits[each].label, key="clicks-which"
    )
    show_parameters(found.fits[name])


def fits_table(found: Fitted) -> pd.DataFrame:
    """Return one row a model: size, likelihood and perplexity."""
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
    told = (
        "The log knows every parameter."
        if made.identified
        else "The log does not know every parameter; the status and the notes say which."
    )
    intents = " The intents' shares and their relevance trade off, so intervals of shares are wide."
    return (
        f"Probability to be satisfied by a result, and shares of the intents. {told}"
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


DASHES = ("solid", "dash")
"""After the last colour they begin again, with the next of these."""


def perplexity_curves(
    series: Mapping[str, Sequence[float]], *, kind: str = "marginal", theme: Theme = LIGHT, height: int = 460
) -> go.Figure:
    """Return one line a model over the positions of the list; 1 is a model that is never surprised."""
    title = f"Perplexity by position ({kind})"
    if not series:
        return empty_figure(title, "No model is fitted yet. Choose models above, and fit them.", theme=theme)
    caption = "Of the last click, on the log that the models were fitted to. Lower is better; 1 would be certainty. "
    caption += "A click on a name below leaves that model out."
    figure = new_figure(title, caption, theme=theme, height=height, letters=WIDE, l=72)
    for place, (name, values) in enumerate(series.items()):
        turn, colour = divmod(place, len(theme.lines))
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=list(values),
            name=safe(name),
            mode="lines+markers",
            line={"color": theme.lines[colour], "width": 2.5, "dash": DASHES[turn % len(DASHES)]},
            marker={"size": 8, "symbol": SYMBOLS[colour % len(SYMBOLS)], "color": theme.lines[colour]},
            hovertemplate=f"{safe(name)}<br>position %{{x}}: <b>%{{y:.4f}}</b><extra></extra>",
        )
    figure.update_xaxes(title_text="Position", dtick=1 if max(map(len, series.values())) <= 20 else 5)
    figure.update_yaxes(title_text="Perplexity", tickformat=".2f")
    legend_below(figure)
    return figure
