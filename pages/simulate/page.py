"""Simulate: compare samplers and rankers on grades that are known, and see how many labels each would have saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.shared.layout import heading, plain, sentence
from pages.simulate import form, run, table, view
from pages.simulate.run import method_words, results_of
from pages.simulate.table import show_chosen, show_downloads
from rulerank.errors import RulerankError
from rulerank.simulate.store import Failure

if TYPE_CHECKING:
    from db.people.person import Person
    from db.simulations import Simulation


def main(person: Person) -> None:
    """Show the page: one simulation if the address names it, else all of them and a form for another."""
    heading(
        "Simulate",
        "Replay samplers on grades that are known, and see how many labels each saves. Nobody labels anything here.",
    )
    asked = st.query_params.get(run.CHOSEN, "")
    # A longer one is no number of ours, and more than a database can look for.
    is_number = asked.isdecimal() and len(asked) <= 18
    chosen = context.workspace().simulations.get(int(asked)) if is_number else None
    if chosen is not None:
        show_one(chosen)
        return
    if asked:
        st.warning("There is no such simulation; it may have been deleted.", icon=":material/info:")
    earlier = context.workspace().simulations.all()
    ask(person, first=not earlier)
    if earlier:
        st.header("Simulations so far")
        run.show_all()


def ask(person: Person, *, first: bool) -> None:
    """Ask for a new simulation and begin it."""
    simulations = context.workspace().simulations
    candidates = simulations.candidates()
    with st.expander("New simulation", icon=":material/add:", expanded=first):
        candidate = form.choose_collection(candidates)
        if candidate is None:
            st.info(
                "There is no collection with known grades yet. Import a LETOR file that has grades as a new campaign "
                "(hidden from annotators, if you like), or try the demo on **Home**; then come back.",
                icon=":material/lightbulb:",
            )
            context.link("new_campaign", "New campaign", "add")
            context.link("home", "Home", "home")
            return
        last = next((each.job.result for each in simulations.all() if each.job.state == "done"), None)
        wanted = form.ask_plan(candidate, (last or {}).get("rates"))
        name = st.text_input("Name (optional)", max_chars=200, key="simulate-name")
        if wanted is None:
            return
        form.show_work(candidate, *wanted)
        if st.button("Run", type="primary", icon=":material/play_arrow:", key="simulate-run"):
            try:
                number = simulations.ask(candidate.info.id, wanted[0], name or "", person.id)
            except RulerankError as error:
                st.error(sentence(str(error)), icon=":material/error:")
                return
            st.query_params[run.CHOSEN] = str(number)
            st.rerun()


def show_one(simulation: Simulation) -> None:
    """Show a simulation: how far it is, and what it has found so far."""
    run.show_head(simulation)
    now = context.workspace().simulations.stamp(simulation.id)
    if simulation.job.over:
        if simulation.job.state != "done":
            run.show_end(simulation, failures_of(simulation, now))
    else:
        run.watch(simulation.id, some=bool(now))
    stamp = stamp_to_show(simulation, now)
    if stamp:
        try:
            show_results(simulation, stamp)
        except RulerankError as error:
            st.error(sentence(str(error)), icon=":material/error:")
    if simulation.job.state == "done":
        st.divider()
        run.show_end(simulation)


def failures_of(simulation: Simulation, stamp: str) -> tuple[Failure, ...]:
    """Return the runs of a failed simulation that failed; none where it failed as a whole."""
    if simulation.job.state != "failed" or not stamp:
        return ()
    try:
        found = results_of(simulation.id, stamp)
    except RulerankError:  # reported where the results would be
        return ()
    return found.failures if found is not None else ()


def stamp_to_show(simulation: Simulation, now: str) -> str:
    """Return which state of the results is shown: that of now, but of one under way only when it is asked for.

    It grows all the time, and to average it anew at every look would take longer than to read it.
    """
    if simulation.job.over:
        return now
    key = f"simulate-shown-{simulation.id}"
    words = "Draw it anew" if key in st.session_state else "Show what is finished so far"
    if now:
        # Noted before the page is drawn, so that the button says already what its next click does.
        given = (key, simulation.id)
        st.button(words, icon=":material/refresh:", key="simulate-anew", on_click=_note_newest, args=given)
    return str(st.session_state.get(key, ""))


def _note_newest(key: str, number: int) -> None:
    st.session_state[key] = context.workspace().simulations.stamp(number)


@st.fragment
def show_results(simulation: Simulation, stamp: str) -> None:
    """Show curves, table, chosen documents and files; a click draws this part alone."""
    results = results_of(simulation.id, stamp)
    if results is None or not results.samplers_done():
        st.caption("Curves appear here as soon as a sampler has finished on every fold.")
        return
    if not results.complete:
        st.caption(f"{len(results.finished):,d} of {len(results.about.tasks):,d} runs are in what follows.")
    look = view.ask_look(simulation.id, results)
    clicked = view.show_figure(simulation, stamp, results, look)
    st.header("Labels saved")
    baseline = table.ask_baseline(simulation.id, results)
    table.show_saved(simulation, stamp, results, look, baseline)
    st.header("Which documents had been chosen")
    show_chosen(simulation, results, clicked)
    st.header("Take it with you")
    show_downloads(simulation, stamp, results, look, baseline)
    with st.expander("How this was done"):
        st.write(plain(method_words(results)))


main(context.require("research"))
