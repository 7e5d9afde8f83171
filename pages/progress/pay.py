"""Progress, pay: hours without breaks, labels, seconds per label and cost, by person and month, and a file for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages import context
from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.labels import LONGEST_PAUSE
from rulerank.campaign.pay import TIMES_MEDIAN, Work, work_of
from rulerank.campaign.rate import BY, LONGEST_CURRENCY, MOST, Rate
from rulerank.errors import RulerankError
from rulerank.export.plain import spreadsheet_csv

if TYPE_CHECKING:
    from db.people.person import Person

ALL = "All months"
RULE = (
    f"The time between two acts of one person counts up to {LONGEST_PAUSE / 60:.0f} minutes or {TIMES_MEDIAN} times "
    "their median in that month, whichever is smaller; the rest is a break. A label counts in the month (UTC) of its "
    "first grade, while a grade of the person stands."
)


def show_pay(opened: OpenCampaign, person: Person, names: Mapping[int, str]) -> None:
    """Show hours and pay once somebody opens it: that takes a look at the whole log."""
    part = st.expander("Hours and pay", icon=":material/payments:", key=f"pay-{opened.id}", on_change="rerun")
    if not part.open:
        return
    with part:
        rate = ask_rate(opened, person)
        done = work_in(opened.id, context.workspace().campaigns.last_event(opened.id))
        if not done:
            st.info("Nobody has done anything yet.")
            return
        months = sorted({work.month for work in done}, reverse=True)
        month = st.selectbox("Month", [*months, ALL], key=f"pay-month-{opened.id}", width=220)
        table = pay_table([work for work in done if month in (ALL, work.month)], rate, names)
        money = st.column_config.NumberColumn(format="%.2f")
        st.dataframe(
            table, hide_index=True, column_config={cost_column(rate): money},
            alt="Hours, labels and cost by person and month",
        )  # fmt: skip
        cost = f"{sum(table[cost_column(rate)], Decimal(0)):,} {plain(rate.currency)}".strip()
        st.markdown(f"**{table['Hours'].sum():,.2f} hours, {table['Labels'].sum():,} labels, cost {cost}**")
        st.caption(RULE)
        name = "all-months" if month == ALL else month
        st.download_button(
            "Download as CSV", spreadsheet_csv(table), f"pay-{opened.id}-{name}.csv", "text/csv",
            icon=":material/download:", key=f"pay-file-{opened.id}", on_click="ignore",
        )  # fmt: skip


def ask_rate(opened: OpenCampaign, person: Person) -> Rate:
    """Ask what is paid; kept with the campaign, as a change in its history. Return the rate as it is kept."""
    kept = Rate.from_dict(opened.live.fold.course.rate)
    with st.form(f"pay-rate-{opened.id}", border=False):
        kind, amount, currency, save = st.columns([2, 2, 1, 1], vertical_alignment="bottom")
        by = kind.selectbox("Paid", list(BY), list(BY).index(kept.by), format_func=BY.__getitem__, key="pay-by")
        typed = amount.number_input("Rate", 0.0, float(MOST), float(kept.amount), format="%.3f", key="pay-amount")
        money = currency.text_input("Currency", kept.currency, max_chars=LONGEST_CURRENCY, key="pay-currency")
        if save.form_submit_button("Save rate", key="pay-save", width="stretch"):
            try:
                wanted = Rate(by, Decimal(f"{typed:.3f}").normalize() + 0, (money or "").strip())
                opened.live.set_rate(person.id, wanted)
            except RulerankError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                return wanted
    return kept


def cost_column(rate: Rate) -> str:
    """Return the heading of the column with the cost."""
    return f"Cost ({rate.currency})" if rate.currency else "Cost"


def pay_table(done: Sequence[Work], rate: Rate, names: Mapping[int, str]) -> pd.DataFrame:
    """Return a row per person and month."""
    return pd.DataFrame(
        {
            "Month": [work.month for work in done],
            "Person": [names.get(work.person, f"Person {work.person}") for work in done],
            "Hours": [round(work.hours, 2) for work in done],
            "Labels": [work.labels for work in done],
            "Median seconds per label": [
                None if work.median_seconds is None else round(work.median_seconds, 1) for work in done
            ],
            "Pauses count up to (seconds)": [round(work.limit, 1) for work in done],
            "Rate": [float(rate.amount)] * len(done),
            "Paid": [BY[rate.by].lower()] * len(done),
            cost_column(rate): [rate.cost(work.seconds, work.labels) for work in done],
        }
    )


@st.cache_data(show_spinner="Adding up the hours...", max_entries=16)
def work_in(campaign: int, seen: int) -> list[Work]:
    """Return everybody's work; once for each state of the log."""
    return work_of(context.workspace().campaigns.events(campaign))
