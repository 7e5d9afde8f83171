"""Simulations as they stand: a list of all of them, and how far one is, with what can be done about it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.shared.layout import with_actions
from pages.shared.markdown import plain, sentence
from pages.shared.waiting import show_progress
from pages.simulate.data import plan_words, title_of
from rulerank.simulate.failures import Failure

if TYPE_CHECKING:
    from db.simulations import Simulation

CHOSEN = "simulation"
"""The part of the address that names a simulation, so that it can be sent to others."""

STATES = {
    "waiting": (":material/hourglass_empty:", "waiting", "gray"),
    "running": (":material/sync:", "running", "blue"),
    "done": (":material/check_circle:", "finished", "green"),
    "failed": (":material/error:", "failed", "red"),
    "stopped": (":material/stop_circle:", "stopped", "orange"),
}
AT_ONCE = 20
FEW_FAILURES, MOST_FAILURES = 3, 50


@st.fragment(run_every=5)
def show_all() -> None:
    """List the simulations, the newest first; one can be opened."""
    simulations = context.workspace().simulations.all()
    people = {each.id: each.name for each in context.workspace().people.list()}
    for simulation in simulations[: None if st.session_state.get("simulate-more") else AT_ONCE]:
        words, actions = with_actions(f"simulation-{simulation.id}", border=True)
        icon, state, colour = STATES[simulation.job.state]
        if simulation.job.state == "running" and simulation.job.share is not None:
            state += f" {simulation.job.share:.0%}"
        words.markdown(f"**{plain(title_of(simulation))}** :{colour}-badge[{icon} {state}]")
        words.caption(plain(plan_words(simulation)) + f" {plain(origin(simulation, people))}")
        if actions.button("Open", key=f"simulate-open-{simulation.id}"):
            st.query_params[CHOSEN] = str(simulation.id)
            st.rerun()
    if len(simulations) > AT_ONCE and not st.session_state.get("simulate-more"):
        st.button(f"Show all {len(simulations):,d}", key="simulate-more")


def origin(simulation: Simulation, people: dict[int, str]) -> str:
    """Say who asked for a simulation, on what, and when."""
    who = people.get(simulation.job.person or 0)
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(simulation.job.created_at))
    return f"On {simulation.collection_name}, {f'by {who}, ' if who else ''}{when} UTC."


def show_head(simulation: Simulation) -> None:
    """Show what a simulation is, and the way back to the others."""
    people = {each.id: each.name for each in context.workspace().people.list()}
    if st.button("All simulations", icon=":material/arrow_back:", key="simulate-back"):
        st.query_params.pop(CHOSEN, None)
        st.rerun()
    st.subheader(plain(title_of(simulation)))
    st.caption(f"{plain(plan_words(simulation))} {plain(origin(simulation, people))}")


@st.fragment(run_every=2)
def watch(number: int, *, some: bool) -> None:
    """Show how far the worker is, with a button to stop it.

    The page is drawn anew when it is over, and once before: some says whether it knew of finished runs, to offer them.
    """
    simulations = context.workspace().simulations
    simulation = simulations.get(number)
    if simulation is None or simulation.job.over or (not some and simulations.stamp(number)):
        st.rerun()
    job = simulation.job
    bar, button = with_actions("simulation")
    if job.state == "waiting":
        words = "Waiting for the background worker, which does one simulation after the other."
    elif job.stop_asked:
        words = "Stopping; what is finished is kept."
    elif job.total is None:
        words = "Reading the collection and cutting it into folds."
    else:
        words = f"{job.done:,d} of {job.total:,d} runs.{remaining(number, job.done, job.total)}"
    show_progress(bar, job, job.share or 0.0, words)
    stop = button.button("Stop", icon=":material/stop:", key="simulate-stop", disabled=job.stop_asked)
    if stop and simulations.stop(number):
        st.rerun()


def remaining(number: int, done: int, total: int) -> str:
    """Say how long it may still take, from the pace since this session began to look."""
    begun = st.session_state.setdefault(f"simulate-pace-{number}", (time.monotonic(), done))
    if done < begun[1]:
        begun = st.session_state[f"simulate-pace-{number}"] = (time.monotonic(), done)
    spent, made = time.monotonic() - begun[0], done - begun[1]
    if made < 3:
        return ""
    seconds = spent / made * (total - done)
    return f" About {seconds / 60:.0f} minutes left." if seconds > 90 else " About a minute left, or less."


def show_end(simulation: Simulation, failures: Sequence[Failure] = ()) -> None:
    """Say how a simulation ended, with the runs that failed, and offer what can be done: go on, delete."""
    job, simulations = simulation.job, context.workspace().simulations
    kept = f" after {job.done:,d} of {job.total:,d} runs" if job.total else ""
    why = f" {sentence(job.message)}" if job.message and job.message != "runs" else ""
    if job.state == "stopped":
        st.info(f"Stopped{kept}; what was finished is kept.{why}", icon=":material/stop_circle:")
    elif job.state == "failed" and failures:
        _show_failures(failures, job.total)
    elif job.state == "failed":
        st.error(f"This simulation failed{kept}:{why or ' no reason was given.'}", icon=":material/error:")
        st.caption("Go on tries it again from where it was. If it fails again, delete it and ask for another one.")
    row = st.container(horizontal=True)
    words = "Try the failed runs again" if failures else "Go on"
    if job.state != "done" and row.button(
        words, type="primary", icon=":material/play_arrow:", key="simulate-go-on", help="From where it was."
    ):
        simulations.go_on(simulation.id)
        st.rerun()
    with row.popover("Delete", icon=":material/delete:"):
        st.write("The simulation and all that it found will be gone, for everybody.")
        if st.button("Delete it", type="primary", key="simulate-delete"):
            simulations.delete(simulation.id)
            st.query_params.pop(CHOSEN, None)
            st.rerun()


def _show_failures(failures: Sequence[Failure], total: int | None) -> None:
    """List the runs that failed, each with what it said; the traceback is at hand."""
    of = f" of {total:,d}" if total else ""
    st.warning(
        f"{len(failures):,d}{of} runs failed. What follows rests on the others: a sampler is shown with the seeds that "
        "are finished on every fold.",
        icon=":material/warning:",
    )
    with st.expander("What failed", icon=":material/bug_report:", expanded=len(failures) <= FEW_FAILURES):
        for failure in failures[:MOST_FAILURES]:
            st.markdown(f"- {plain(failure.message)}")
        if len(failures) > MOST_FAILURES:
            st.caption(f"And {len(failures) - MOST_FAILURES:,d} more.")
        if failures[0].trace:
            st.caption("The first one in full:")
            st.code(failures[0].trace, language=None)
