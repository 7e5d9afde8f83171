"""New campaign: bring data, see what is in it, say what is labelled and how; the button beside it all stores it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.new_campaign import form, source
from pages.new_campaign.advice import ask_advice
from pages.new_campaign.given import WAY, forget_taken, mark_bad
from pages.new_campaign.preview import show_preview, show_problems, show_warnings, step
from pages.new_campaign.texts import ask_texts, forget_texts
from pages.shared.campaign_form import ask_guidelines, ask_people
from pages.shared.layout import heading, plain, steps_and_box
from pages.shared.task import JobTask, watch
from rulerank.campaign.advice import stops_at_once, thin_labels, unexplained_grades
from rulerank.errors import RulerankError
from rulerank.importing.names import free_name
from rulerank.importing.read import BadFilesError
from rulerank.importing.rows import known_labels, levels_needed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from db.people.person import Person

WAYS = {"letor": "I have a LETOR file with features", "texts": "I have texts: one table, or documents and queries"}


def main(person: Person) -> None:
    """Ask for the data, then offer to create the campaign; everything else has good defaults, and folds."""
    heading("New campaign", "Bring texts, or pairs with features; everything else has values that work.")
    storing: JobTask[int] | None = st.session_state.get(source.STORING)
    if storing is not None and storing.result is not None:
        show_ready(storing)
        return
    steps, box = steps_and_box()
    task = st.session_state.get(source.READING)
    before: source.ReadFiles | None = None if task is None else task[1].result
    # Whoever should bring texts, too, finds the place for them open.
    fold = before is not None and not before.preview.advice
    with steps:
        try:
            title = f"Data: {plain(st.session_state[source.CALLED])}" if before else "Data"
            with step(1, title, expanded=not fold, done=fold):
                asked = ask_data(person)
            found = None if asked is None else read(source.reading(asked, person.id), asked.stamps)
        except RulerankError as error:
            asked = found = None
            st.error(plain(str(error)), icon=":material/error:")
    if asked is None or found is None:
        box.markdown("**Nothing is stored yet**")
        box.caption("Bring your data in step 1. Once they are read, the campaign can be created here with one button.")
        return
    if found is not before:
        st.rerun()  # folds the first step, and gives it the name of the data
    with steps:
        try:
            ask_the_rest(person, found, asked.called, box)
        except RulerankError as error:
            box.error(plain(str(error)), icon=":material/error:")


def ask_data(person: Person) -> source.SourceChoice | None:
    """Ask for the data."""
    way = st.radio(
        "What you have", list(WAYS), format_func=WAYS.__getitem__, horizontal=True, key=WAY,
        label_visibility="collapsed",
    )  # fmt: skip
    paths = context.wiring().sign_in == "open"
    return ask_texts(person.id, paths=paths) if way == "texts" else source.ask_source(context.workspace(), paths=paths)


def read(task: JobTask[source.ReadFiles], stamps: Sequence[Hashable]) -> source.ReadFiles | None:
    """Return what a task has read of uploads with these stamps; until then, or where it failed, show why not."""
    if not watch(task, key="reading"):
        return None
    if task.error is not None:
        task.close()  # nothing of it is of any use now
    if task.cancelled:
        st.info("Cancelled. Nothing was kept.", icon=":material/cancel:")
        if st.button("Read again"):
            source.end_reading()
            st.rerun()
    elif isinstance(task.error, BadFilesError):
        mark_bad(stamps)
        show_problems(task.error, len(stamps))
    elif task.error is not None:
        st.error(plain(str(task.error)), icon=":material/error:")
    return task.result


def ask_the_rest(person: Person, found: source.ReadFiles, called: str, box: DeltaGenerator) -> None:
    """Show what was understood, and ask what is labelled, by which scale and how; the box says what it comes to."""
    facts = found.rows
    show_warnings(found.preview)
    with step(2, "What was understood", expanded=True):
        show_preview(found.preview)
    with step(3, "Evaluation", expanded=False):
        division, rows, use = form.ask_rows(facts)
    with step(4, "Grades and guidelines", expanded=False):
        grades = form.ask_grades(levels_needed(facts, rows), known=bool((facts.grades >= 0).any()))
        guidelines = ask_guidelines(form.GUIDELINES)
    with step(5, "People, and how it chooses and learns", expanded=False):
        names = tuple(found.preview.feature_names)
        chosen = {**ask_people(form.DEFAULTS), **form.ask_methods(names, ask_advice(facts, rows, len(names)))}
    settings = replace(form.DEFAULTS, grades=grades, **guidelines, grades_known=use == "hide", **chosen)
    with box:
        taken = context.workspace().campaigns.names().values()
        name = st.text_input(
            "Name of the campaign", free_name(called, taken), max_chars=200, key=f"import-name-{called}"
        )
        storing: JobTask[int] | None = st.session_state.get(source.STORING)
        busy = storing is not None and storing.running
        pressed = st.button(
            "Create the campaign", type="primary", icon=":material/check:", disabled=busy, width="stretch"
        )
        if pressed and not busy:
            source.forget_storing()
            storing = source.store(person.id, found, called, name or "", settings, division, use)
            st.session_state[source.STORING] = storing
        if storing is not None and watch(storing, key="storing"):
            if storing.result is not None:
                # Another campaign on the same collection may be open here, with the terms its queries had before.
                context.workspace().was_imported(found.preview.content_hash)
                st.rerun()
            source.show_refusal(storing)
        labels = len(known_labels(facts, rows)) if use == "labels" else 0
        st.caption(form.in_words(facts, rows, use, labels))
        st.caption(plain(form.said_settings(settings)))
        advice = (
            stops_at_once(settings.sampler.name, labels, rows.pool.size),
            unexplained_grades(grades),
            thin_labels(settings.sampler.name, facts.query_index[rows.pool]),
        )
        for words in advice:
            if words:
                st.warning(f":small[{plain(words)}]", icon=":material/warning:")


def show_ready(storing: JobTask[int]) -> None:
    """Say that the campaign is there, and what comes next."""
    st.query_params["campaign"] = str(storing.result)
    source.end_reading()
    forget_texts()
    forget_taken()
    st.success("The campaign is ready.", icon=":material/check_circle:")
    label, another, _ = st.columns([1, 1, 2])
    if label.button("Start labelling", type="primary", icon=":material/edit_note:", width="stretch"):
        source.forget_storing()
        context.go("label", storing.result)
    if another.button("Make another campaign", icon=":material/add:", width="stretch"):
        source.forget_storing()
        st.rerun()


main(context.require("research"))
