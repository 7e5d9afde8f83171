"""Another grade or another note for a document that one has decided about."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.charts.figure import current_theme
from pages.charts.theme import colours_of_grades, grade_chip, grade_chip_css
from pages.label.request import LONGEST_NOTE
from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.decisions import Decision, change_grade, change_note
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.person import Person

SAVED = "my-labels-saved"


def ask_change(opened: OpenCampaign, person: Person, decision: Decision) -> None:
    """Show what was decided, and take another grade or another note."""
    levels = opened.settings.grades
    st.html(grade_chip_css(colours_of_grades([level.colour for level in levels], current_theme())))
    st.header("What you decided", anchor=False)
    if decision.grade is None:
        st.write(plain(f"{decision.answer}{f': {decision.reason}' if decision.reason else ''}"))
    else:
        st.html(grade_chip(decision.grade, levels[decision.grade].name))
    st.caption("Another grade replaces it; the log keeps both.")
    for grade, level in enumerate(levels):
        pressed = st.button(
            f"{grade} · {plain(level.name)}",
            key=f"my-grade-{opened.id}-{decision.act}-{grade}",
            help=plain(level.meaning) or None,
            disabled=decision.grade == grade,
            width="stretch",
        )
        if pressed:
            save(partial(change_grade, opened, person.id, decision, grade), f"Saved: {grade} {level.name}.")
    with st.form(f"my-note-{opened.id}-{decision.row}", border=False):
        note = st.text_area("Note", decision.note, max_chars=LONGEST_NOTE, key=f"note-{opened.id}-{decision.act}")
        if st.form_submit_button("Save the note"):
            save(partial(change_note, opened, person.id, decision, note or ""), "Saved: your note.")


def save(change: Callable[[], bool], words: str) -> None:
    """Write a change and draw the page anew, or show why it was refused."""
    try:
        changed = change()
    except RulerankError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.session_state[SAVED] = words if changed else "It is so already."
    st.rerun()


def show_saved() -> None:
    """Say once what was saved before the page was drawn anew."""
    words = st.session_state.pop(SAVED, "")
    if words:
        st.toast(plain(words), icon=":material/check:")
