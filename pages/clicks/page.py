"""Clicks: learn from a click log how users are satisfied, compare click models, and measure rankings by them."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.charts.figure import current_theme
from pages.clicks import source, view
from pages.clicks.measure import show_measure
from pages.clicks.tasks import FITS, LOG, MEASURED, TABLES, begin, forget, tell
from pages.clicks.view import show_tables
from pages.shared.keys import reader_key, show_key
from pages.shared.layout import heading
from pages.shared.task import BackgroundTask, watch
from rulerank.clicks import PAPER, ClickLog, click_models, study

NUMBER = "clicks-number"
SEEN = (
    "A reader goes down the list and stops at the result that satisfies. From where people clicked, the page learns "
    "how often each grade satisfies; where grades satisfy much less than you thought, sharpen what they mean, or "
    "measure rankings by these readers."
)
ONE_LANGUAGE = ("agnostic", "agnostic_default", "documents")


def main() -> None:
    """Show the page: a log first, then models, the paper's tables, and a campaign's rankings."""
    heading(
        "Clicks",
        "Learn from clicks how likely a result satisfies its reader, in one language or several, and measure rankings "
        "by it.",
    )
    show_key(reader_key(current_theme()), SEEN)
    kept = ask_log()
    if kept is None:
        return
    name, log = kept
    view.show_facts(log, name)
    source.show_skipped(log)
    st.header("Models")
    chosen = ask_models(log)
    if not chosen:
        st.info("Choose at least one model above.")
        return
    seed, now = ask_seed()
    found = fitted(log, name, chosen, seed, now)
    st.header("The paper's tables for this log")
    compared(log, chosen, seed)
    st.header("Measure a campaign")
    st.caption("The metric of each fitted model (eq. 1 of the paper) for rankings of a campaign.")
    if found is None:
        st.info("Fit models first; then rankings can be measured by them.", icon=":material/info:")
    else:
        show_measure(log, name, found)


def ask_log() -> tuple[str, ClickLog] | None:
    """Return the log and its name; None while there is none, after saying what to do."""
    kept: tuple[str, source.LogTask] | None = st.session_state.get(LOG)
    ready = kept is not None and kept[1].result is not None
    hint = st.empty()
    number = st.session_state.get(NUMBER, 0)
    words = "Another log" if ready else "Upload or simulate a log"
    # A new log gets a new form, which is folded. While there is none the form stays the same, with what was uploaded.
    with st.expander(words, icon=":material/add:", expanded=not ready, key=f"clicks-form-{number if ready else 'new'}"):
        asked = source.ask_log()
    if asked is not None:
        begin(LOG, *asked)
        st.session_state[NUMBER] = number + 1
        for old in (FITS, TABLES, MEASURED):
            forget(old)
        st.rerun()
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
    task.close()  # what the worker found is here now
    if task.result is not None and not ready:
        st.rerun()  # the form folds up
    if task.result is None:
        if task.error is not None and not task.cancelled:
            source.show_problem(task.error)
        else:
            tell(task)
        return None
    return name, task.result


def ask_models(log: ClickLog) -> list[str]:
    """Ask which models are fitted and compared."""
    labels = {entry.name: entry.label for entry in click_models}
    several = len(log.languages) > 1
    chosen = st.multiselect(
        "Models", list(labels), default=list(PAPER if several else ONE_LANGUAGE), format_func=labels.__getitem__,
        key=f"clicks-models-{several}", wrap=True,
        help="The six of the paper are chosen where a log has several languages.",
    )  # fmt: skip
    return list(chosen)


def ask_seed() -> tuple[int, bool]:
    """Ask for the seed, and whether to fit now."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    seed = row.number_input(
        "Seed", 0, 2**31 - 1, 0, key="clicks-fit-seed", width=160,
        help="Places random starts of the search, and deals the splits.",
    )  # fmt: skip
    return int(seed), row.button("Fit", type="primary", icon=":material/model_training:", key="clicks-fit")


def fitted(log: ClickLog, name: str, chosen: list[str], seed: int, now: bool) -> study.FittedModels | None:
    """Fit on demand, and show what was learned."""
    if now:
        task = BackgroundTask(lambda progress: study.fit_models(log, chosen, seed, progress), "Fitting the models")
        begin(FITS, (chosen, seed), task)
    kept = st.session_state.get(FITS)
    if kept is None or not watch(kept[1], key="clicks-fits"):
        return None
    if kept[1].result is None:
        tell(kept[1])
        return None
    if kept[0] != (chosen, seed):
        st.info("The choice of models or the seed has changed since; fit again to see them.")
    found: study.FittedModels = kept[1].result
    view.show_fits(found, name)
    return found


def compared(log: ClickLog, chosen: list[str], seed: int) -> None:
    """Compare over random splits on demand, and show the paper's two tables."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    splits = int(
        row.number_input(
            "Splits", 2, 1000, 20, key="clicks-splits", width=160, help="Random splits to repeat (the paper: 100)."
        )
    )
    share = row.number_input(
        "To test on (%)", 1, 90, 10, key="clicks-share", width=160, help="Share of the sessions (the paper: a tenth)."
    )
    part = int(share) / 100
    if row.button("Compare", type="primary", icon=":material/compare_arrows:", key="clicks-compare"):
        task = BackgroundTask(
            lambda progress: study.compare_models(log, chosen, splits, part, seed, progress), "Comparing on splits"
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
