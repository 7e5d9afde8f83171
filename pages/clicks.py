"""Clicks: learn from a click log how users are satisfied, compare click models, and measure rankings by them."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.widgets import clicks_source as source
from pages.widgets import clicks_view as view
from pages.widgets import clicks_work as work
from pages.widgets.clicks_measure import show_measure
from pages.widgets.clicks_tables import show_tables
from pages.widgets.clicks_tasks import FITS, LOG, MEASURED, TABLES, begin, forget, tell
from pages.widgets.heading import heading
from pages.widgets.import_task import Task, watch
from rulerank.clicks import PAPER, ClickLog, click_models

ONE_LANGUAGE = ("agnostic", "agnostic_default", "documents")


def main() -> None:
    """Show the page: a log first, then models, the paper's tables, and a campaign's rankings."""
    heading(
        "Clicks",
        "Learn from clicks how likely a result satisfies its reader, in one language or several, and measure rankings "
        "by it.",
    )
    kept = ask_log()
    if kept is None:
        return
    name, log = kept
    view.show_facts(log, name)
    source.show_skipped(log)
    st.subheader("Models")
    chosen, seed = ask_models(log)
    if not chosen:
        st.info("Choose at least one model above.")
        return
    found = fitted(log, chosen, seed)
    st.subheader("The paper's tables for this log")
    compared(log, chosen, seed)
    st.subheader("Measure a campaign")
    st.caption("The metric of each fitted model (eq. 1 of the paper) for rankings of a campaign.")
    if found is None:
        st.info("Fit models first; then rankings can be measured by them.", icon=":material/info:")
    else:
        show_measure(log, found)


def ask_log() -> tuple[str, ClickLog] | None:
    """Return the log and its name; None while there is none, after saying what to do."""
    kept: tuple[str, source.LogTask] | None = st.session_state.get(LOG)
    ready = kept is not None and kept[1].result is not None
    hint = st.empty()
    with st.expander("Another log" if ready else "Upload or simulate a log", icon=":material/add:", expanded=not ready):
        asked = source.ask_log()
    if asked is not None:
        kept = begin(LOG, *asked)
        for old in (FITS, TABLES, MEASURED):
            forget(old)
    if kept is None:
        hint.info(
            "There is no log yet. Upload one, or simulate one to see what the page does: the bilingual users are a "
            "good start.",
            icon=":material/lightbulb:",
        )
        return None
    name, task = kept
    if not watch(task, key="clicks-log"):
        return None
    if asked is not None and task.result is not None:
        st.rerun()  # the form folds up
    if task.result is None:
        if task.error is not None and not task.cancelled:
            source.show_problem(task.error)
        else:
            tell(task)
        return None
    return name, task.result


def ask_models(log: ClickLog) -> tuple[list[str], int]:
    """Ask which models are fitted and compared."""
    labels = {entry.name: entry.label for entry in click_models}
    several = len(log.languages) > 1
    left, right = st.columns([4, 1], gap="medium")
    chosen = left.multiselect(
        "Models", list(labels), default=list(PAPER if several else ONE_LANGUAGE), format_func=labels.__getitem__,
        key=f"clicks-models-{several}", help="The six of the paper are chosen where a log has several languages.",
    )  # fmt: skip
    seed = right.number_input(
        "Seed", 0, 2**31 - 1, 0, key="clicks-fit-seed", help="Places random starts of the search, and deals the splits."
    )
    return list(chosen), int(seed)


def fitted(log: ClickLog, chosen: list[str], seed: int) -> work.Fitted | None:
    """Fit on demand, and show what was learned."""
    if st.button("Fit", type="primary", icon=":material/model_training:", key="clicks-fit"):
        task = Task(lambda progress: work.fit_models(log, chosen, seed, progress), "Fitting the models")
        begin(FITS, (chosen, seed), task)
    kept = st.session_state.get(FITS)
    if kept is None or not watch(kept[1], key="clicks-fits"):
        return None
    if kept[1].result is None:
        tell(kept[1])
        return None
    if kept[0] != (chosen, seed):
        st.info("The choice of models or the seed has changed since; fit again to see them.")
    found: work.Fitted = kept[1].result
    view.show_fits(found)
    return found


def compared(log: ClickLog, chosen: list[str], seed: int) -> None:
    """Compare over random splits on demand, and show the paper's two tables."""
    first, second, third = st.columns([1, 1, 2], gap="medium", vertical_alignment="bottom")
    splits = int(
        first.number_input("Splits", 2, 1000, 20, key="clicks-splits", help="Random splits to repeat (the paper: 100).")
    )
    share = second.number_input(
        "To test on (%)", 1, 90, 10, key="clicks-share", help="Share of the sessions (the paper: a tenth)."
    )
    part = int(share) / 100
    if third.button("Compare", type="primary", icon=":material/compare_arrows:", key="clicks-compare"):
        task = Task(
            lambda progress: work.compare_models(log, chosen, splits, part, seed, progress), "Comparing on splits"
        )
        begin(TABLES, (chosen, seed, splits, part), task)
    kept = st.session_state.get(TABLES)
    if kept is None:
        st.caption("Each model learns on the larger part of each split and is tested on the smaller one.")
        return
    if not watch(kept[1], key="clicks-tables"):
        return
    if kept[1].result is None:
        tell(kept[1])
        return
    if kept[0] != (chosen, seed, splits, part):
        st.info("The choices have changed since; compare again to see them.")
    show_tables(kept[1].result)


context.require("research")
main()
