"""New campaign: bring data, see what is in it, say what is labelled and how; the last button stores it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.widgets.heading import heading
from pages.widgets.import_division import ask_rows, in_words
from pages.widgets.import_form import DEFAULTS, ask_grades, ask_guidelines, ask_methods, ask_people
from pages.widgets.import_preview import show_preview, show_problems
from pages.widgets.import_read import BadFilesError, Imported
from pages.widgets.import_rows import Rows, known_labels, levels_needed
from pages.widgets.import_source import ask_source, reading
from pages.widgets.import_task import Task, watch
from pages.widgets.plain import plain
from pages.widgets.texts_source import ASKED, ask_texts
from rulerank.campaign import Settings
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people import Person

STORING = "import-storing"
WAYS = {"letor": "I have a LETOR file with features", "texts": "I have documents and queries"}


def main(person: Person) -> None:
    """Ask for the data, then for everything else."""
    heading("New campaign", "Bring texts, or pairs with features; decide what is labelled and how, and start.")
    storing: Task[int] | None = st.session_state.get(STORING)
    if storing is not None and storing.result is not None:
        show_ready(storing.result)
        return
    st.subheader("1 · Data")
    try:
        way = st.radio(
            "What you have", list(WAYS), format_func=WAYS.__getitem__, horizontal=True, key="import-way",
            label_visibility="collapsed",
        )  # fmt: skip
        paths = context.wiring().sign_in == "open"
        asked = ask_texts(paths=paths) if way == "texts" else ask_source(context.workspace(), paths=paths)
        if asked is None:
            return
        key, work, called = asked
        words = "Preparing the collection" if way == "texts" else "Reading the files"
        imported = read(reading(key, work, words))
        if imported is not None:
            show_preview(imported)
            ask_the_rest(person, imported, called)
    except RulerankError as error:
        st.error(plain(str(error)), icon=":material/error:")


def read(task: Task[Imported]) -> Imported | None:
    """Return what a task has read; until then, or where it failed, show why there is nothing."""
    if not watch(task, key="reading"):
        return None
    if task.cancelled:
        st.info("Cancelled. Nothing was kept.", icon=":material/cancel:")
        if st.button("Read again"):
            st.session_state.pop("import-task", None)
            st.rerun()
    elif isinstance(task.error, BadFilesError):
        show_problems(task.error)
    elif task.error is not None:
        st.error(plain(str(task.error)), icon=":material/error:")
    return task.result


def ask_the_rest(person: Person, imported: Imported, called: str) -> None:
    """Ask what is labelled, by which scale and how; the last button stores it all."""
    st.subheader("2 · What is labelled, and what is measured on")
    rows, use = ask_rows(imported)
    st.subheader("3 · Grades")
    known = bool((imported.collection.grades >= 0).any())
    grades = ask_grades(levels_needed(imported.collection, rows), known=known)
    st.subheader("4 · Guidelines")
    guidelines = ask_guidelines()
    st.subheader("5 · How it chooses and learns")
    methods = ask_methods(imported.collection.feature_names)
    st.subheader("6 · People")
    chosen = {**methods, **ask_people()}
    st.subheader("7 · Start")
    name = st.text_input("Name of the campaign", called.partition(".")[0], max_chars=200, key=f"import-name-{called}")
    labels = known_labels(imported.collection, rows) if use == "labels" else {}
    st.caption(in_words(imported, rows, use, len(labels)))
    storing: Task[int] | None = st.session_state.get(STORING)
    busy = storing is not None and storing.running
    if st.button("Create the campaign", type="primary", icon=":material/check:", disabled=busy) and not busy:
        settings = replace(DEFAULTS, grades=grades, guidelines=guidelines, grades_known=use == "hide", **chosen)
        storing = st.session_state[STORING] = store(person, imported, called, name or "", settings, rows, labels)
    if storing is not None and watch(storing, key="storing"):
        if storing.result is not None:
            st.rerun()
        show_refusal(storing)


def store(
    person: Person, imported: Imported, called: str, name: str, settings: Settings, rows: Rows, labels: dict[int, int]
) -> Task[int]:
    """Begin to store the collection and the campaign, all of it or nothing."""
    write = context.workspace().import_campaign
    return Task(
        lambda progress: write(
            name,
            imported.collection,
            settings,
            texts=imported.texts,
            analyser=imported.analyser,
            collection_name=called,
            pool_rows=rows.pool.tolist(),
            evaluation_rows=rows.evaluation.tolist(),
            labels=labels,
            person=person.id,
            progress=progress,
        ),
        "Storing the campaign",
    )


def show_refusal(storing: Task[int]) -> None:
    """Say why nothing was stored; the form above stays as it is."""
    if storing.cancelled:
        st.info("Cancelled. Nothing was stored.", icon=":material/cancel:")
    else:
        st.error(f"{plain(str(storing.error))}. Nothing was stored.", icon=":material/error:")


def show_ready(number: int) -> None:
    """Say that the campaign is there, and what comes next."""
    st.session_state["campaign"] = number
    st.session_state.pop("import-task", None)
    st.session_state.pop(ASKED, None)
    st.success("The campaign is ready.", icon=":material/check_circle:")
    label, another, _ = st.columns([1, 1, 2])
    if label.button("Start labelling", type="primary", icon=":material/edit_note:", width="stretch"):
        st.session_state.pop(STORING)
        st.switch_page("label.py")
    if another.button("Make another campaign", icon=":material/add:", width="stretch"):
        st.session_state.pop(STORING)
        st.rerun()


main(context.require("research"))
