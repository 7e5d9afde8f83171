"""Simulations as they stand: the list, how far one is, its results kept between looks, and names for what it holds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages import context
from pages.charts.figure import counted
from pages.charts.series import short_name
from pages.shared.layout import plain, sentence, with_actions
from pages.shared.task import show_progress
from rulerank.errors import RulerankError
from rulerank.metrics.measure import Measure
from rulerank.registry import discretizers, samplers
from rulerank.simulate import Plan, Results, Strategy, all_rankers
from rulerank.simulate.plan import GEOMETRIC
from rulerank.simulate.store import Failure

if TYPE_CHECKING:
    from db.simulations import Simulation


@st.cache_resource(max_entries=6, show_spinner="Reading the results...")
def results_of(number: int, stamp: str) -> Results | None:
    """Return what a simulation has found; `stamp` changes when there is more."""
    return context.workspace().simulations.results(number)


@st.cache_data(max_entries=40, show_spinner="Averaging over seeds and folds...")
def curves_of(number: int, stamp: str, metric: str, expected: bool) -> pd.DataFrame:
    """Return the mean learning curves with their intervals (`Results.curves`)."""
    found = results_of(number, stamp)
    return pd.DataFrame() if found is None else found.curves(metric, expected)


@st.cache_data(max_entries=40, show_spinner="Testing query by query...")
def summary_of(number: int, stamp: str, metric: str, expected: bool, baseline: str | None) -> pd.DataFrame:
    """Return the figures at the budget, with tests against a baseline (`Results.summary`)."""
    found = results_of(number, stamp)
    return pd.DataFrame() if found is None else found.summary(baseline, metric, expected)


def metric_label(name: str) -> str:
    """Return a metric's name on the screen: `ndcg@10` is NDCG@10."""
    return str(Measure.parse(name))


def sampler_label(key: str) -> str:
    """Return a sampler's short name on the screen, with its parameters where some are given."""
    return short_name(key, samplers)


def ranker_label(key: str) -> str:
    """Return a ranker's short name on the screen, with its parameters where some are given."""
    return short_name(key, all_rankers)


def title_of(simulation: Simulation) -> str:
    """Return what a simulation is called: its own name, or what it compares."""
    if simulation.name:
        return simulation.name
    names = [sampler_label(Strategy.from_dict(each).key) for each in simulation.plan["samplers"]]
    return f"{joined(names)} on {simulation.collection_name}"


def joined(names: list[str]) -> str:
    """Return names in a row: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def plan_words(simulation: Simulation) -> str:
    """Say in one line what a simulation does."""
    try:
        plan = Plan.from_dict(simulation.plan)
    except RulerankError:
        return "Its settings are of another version of rulerank."
    budget = f"up to {counted(plan.budget, 'label')}" if plan.budget > 1 else f"{plan.budget * 100:.4g}% of the pool"
    learn = joined([ranker_label(ranker.key) for ranker in plan.rankers])
    learn += " learn" if len(plan.rankers) > 1 else " learns"
    seeded = any(plan.seeds_of(sampler) != [None] for sampler in plan.samplers)
    seeds = f", {counted(plan.seeds, 'seed')}" if seeded else ""
    return (
        f"{joined([sampler_label(sampler.key) for sampler in plan.samplers])}; {learn}; "
        f"{budget}, {plan.folds} folds by query{seeds}."
    )


def method_words(results: Results) -> str:
    """Say all that a reader of the figures needs to repeat them."""
    plan, about = results.plan, results.about
    measured = (
        "at 10 labels, then at a quarter more each time" if plan.every == GEOMETRIC else f"every {plan.every} labels"
    )
    beyond = "samplers go on after their natural stop" if plan.beyond_stop else "samplers end at their natural stop"
    cut = plan.discretizer.label(discretizers)
    return (
        f"{'. '.join(about.notes)}. Pools of {min(about.pools):,d} to {max(about.pools):,d} documents; budget "
        f"{counted(results.labels, 'label')} (a share counts in the smallest pool), measured {measured}; {beyond}. "
        f"Features cut into items by {cut}, from the pool alone. rulerank {about.version}, data {about.data_hash[:12]}."
    )


def evaluated_words(results: Results) -> str:
    """Say which documents are ranked, and how queries without relevant documents count."""
    queries = sum(len(names) for names in results.about.queries.values())
    return (
        f"the test parts of {len(results.folds)} folds ({counted(queries, 'query', 'queries')}), each ranked by what "
        "was learnt from others; a query without a relevant document counts as 0"
    )


def chosen_table(simulation: Simulation, results: Results, sampler: str, fold: int, seed: Any, labels: int) -> Any:
    """Return the documents that a run had chosen up to a point, in order, with texts where the collection has them."""
    found = results.selected(results.find(sampler, fold, seed), labels)
    table = pd.DataFrame({"Label": found["label"], "Query": found["qid"].map(shown)})
    collections = context.workspace().collections
    queries = collections.query_names(simulation.collection)
    if queries:
        table["Query text"] = [queries.get(str(qid), "") for qid in found["qid"]]
    table["Document"] = found["docid"].map(shown)
    if queries:
        texts = [collections.document_text(simulation.collection, str(docid)) for docid in found["docid"]]
        if any(texts):
            table["Title"] = ["" if text is None else text.title for text in texts]
    table["Grade"] = found["grade"]
    return table


def shown(text: object) -> str:
    """Return an id as a table can show it: bytes that are no text were kept in a way that no file can."""
    return str(text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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
    st.header(plain(title_of(simulation)))
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
