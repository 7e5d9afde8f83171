"""New campaign: bring data, see what is in it, say what is labelled and how; the last button stores it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.new_campaign.division import ask_rows, in_words
from pages.new_campaign.form import DEFAULTS, ask_grades, ask_guidelines, ask_methods, ask_people
from pages.new_campaign.jobs import ReadFiles, end_reading, reading, store
from pages.new_campaign.preview import show_preview, show_problems
from pages.new_campaign.source import ask_source
from pages.new_campaign.texts import ask_texts, forget_texts
from pages.shared.markdown import heading, plain
from pages.shared.task import JobTask, watch
from rulerank.errors import RulerankError
from rulerank.importing.read import BadFilesError
from rulerank.importing.rows import known_labels, levels_needed

if TYPE_CHECKING:
    from db.people.person import Person

STORING = "import-storing"
WAYS = {"letor": "I have a LETOR file with features", "texts": "I have documents and queries"}


def main(person: Person) -> None:
    """Ask for the data, then for everything else."""
    heading("New campaign", "Bring texts, or pairs with features; decide what is labelled and how, and start.")
    storing: JobTask[int] | None = st.session_state.get(STORING)
    if storing is not None and storing.result is not None:
        show_ready(storing)
        return
    st.subheader("1 · Data")
    try:
        way = st.radio(
            "What you have", list(WAYS), format_func=WAYS.__getitem__, horizontal=True, key="import-way",
            label_visibility="collapsed",
        )  # fmt: skip
        paths = context.wiring().sign_in == "open"
        asked = ask_texts(person.id, paths=paths) if way == "texts" else ask_source(context.workspace(), paths=paths)
        if asked is None:
            return
        found = read(reading(asked, person.id))
        if found is not None:
            show_preview(found.preview)
            ask_the_rest(person, found, asked.called)
    except RulerankError as error:
        st.error(plain(str(error)), icon=":material/error:")


def read(task: JobTask[ReadFiles]) -> ReadFiles | None:
    """Return what a task has read; until then, or where it failed, show why there is nothing."""
    if not watch(task, key="reading"):
        return None
    if task.error is not None:
        task.close()  # nothing of it is of any use now
    if task.cancelled:
        st.info("Cancelled. Nothing was kept.", icon=":material/cancel:")
        if st.button("Read again"):
            end_reading()
            st.rerun()
    elif isinstance(task.error, BadFilesError):
        show_problems(task.error)
    elif task.error is not None:
        st.error(plain(str(task.error)), icon=":material/error:")
    return task.result


def ask_the_rest(person: Person, found: ReadFiles, called: str) -> None:
    """Ask what is labelled, by which scale and how; the last button stores it all."""
    st.subheader("2 · What is labelled, and what is measured on")
    facts = found.rows
    division, rows, use = ask_rows(facts)
    st.subheader("3 · Grades")
    known = bool((facts.grades >= 0).any())
    grades = ask_grades(levels_needed(facts, rows), known=known)
    st.subheader("4 · Guidelines")
    guidelines = ask_guidelines()
    st.subheader("5 · How it chooses and learns")
    methods = ask_methods(tuple(found.preview.feature_names))
    st.subheader("6 · People")
    chosen = {**methods, **ask_people()}
    st.subheader("7 · Start")
    name = st.text_input("Name of the campaign", called.partition(".")[0], max_chars=200, key=f"import-name-{called}")
    labels = len(known_labels(facts, rows)) if use == "labels" else 0
    st.caption(in_words(facts, rows, use, labels))
    storing: JobTask[int] | None = st.session_state.get(STORING)
    busy = storing is not None and storing.running
    if st.button("Create the campaign", type="primary", icon=":material/check:", disabled=busy) and not busy:
        settings = replace(DEFAULTS, grades=grades, **guidelines, grades_known=use == "hide", **chosen)
        forget_storing()
        storing = store(person.id, found, called, name or "", settings, division, use)
        st.session_state[STORING] = storing
    if storing is not None and watch(storing, key="storing"):
        if storing.result is not None:
            # Another campaign on the same collection may be open here, with the terms that its queries had before.
            context.workspace().was_imported(found.preview.content_hash)
            st.rerun()
        show_refusal(storing)


def forget_storing() -> None:
    """Forget an earlier try to store, if there was one."""
    earlier: JobTask[int] | None = st.session_state.pop(STORING, None)
    if earlier is not None:
        earlier.close()


def show_refusal(storing: JobTask[int]) -> None:
    """Say why nothing was stored; the form above stays as it is."""
    if storing.cancelled:
        st.info("Cancelled. Nothing was stored.", icon=":material/cancel:")
    else:
        st.error(f"{plain(str(storing.error))}. Nothing was stored.", icon=":material/error:")


def show_ready(storing: JobTask[int]) -> None:
    """Say that the campaign is there, and what comes next."""
    st.query_params["campaign"] = str(storing.result)
    end_reading()
    forget_texts()
    st.success("The campaign is ready.", icon=":material/check_circle:")
    label, another, _ = st.columns([1, 1, 2])
    if label.button("Start labelling", type="primary", icon=":material/edit_note:", width="stretch"):
        forget_storing()
        context.go("label", storing.result)
    if another.button("Make another campaign", icon=":material/add:", width="stretch"):
        forget_storing()
        st.rerun()


main(context.require("research"))
