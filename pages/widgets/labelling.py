"""Labelling: one document at a time, one key a grade. Every press is written before the next document is shown."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.widgets.document import query_html, show_features, show_text
from pages.widgets.reasons import stop_line, why_last
from rulerank.campaign import Kind, Offer, OpenCampaign, Pause, TooSoonError
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people import Person
    from db.workspace import Workspace


LABELLING = "rr-labelling"


@st.fragment
def labelling(workspace: Workspace, opened: OpenCampaign, person: Person) -> None:
    """What is redrawn after each key, and no more: every element of it costs the annotator some milliseconds."""
    show_next(workspace, opened, person)
    stop_line(opened)
    why_last(opened, person)


def draw_again() -> None:
    """Run the fragment again, or the whole page where the page and not the fragment is running (after a reload)."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        st.rerun()


def show_help(opened: OpenCampaign) -> None:
    """Show what stays the same from document to document: what the grades mean, and the guidelines."""
    st.toggle("Mark the query's words", value=True, key="rr-mark")
    with st.expander("What the grades mean", expanded=True):
        for grade, level in enumerate(opened.settings.grades):
            st.markdown(f"**{grade} · {level.name}**  \n{level.meaning}")
            if level.example:
                st.caption(f"For example: {level.example}")
    if opened.settings.guidelines:
        with st.expander("Guidelines"):
            st.markdown(opened.settings.guidelines)


def show_next(workspace: Workspace, opened: OpenCampaign, person: Person) -> None:
    """Show the document this person holds, and take their decision."""
    beyond = bool(st.session_state.get(f"beyond-{opened.id}", False))
    offer = opened.live.next(person.id, beyond=beyond)
    saved_line(opened, person)
    if isinstance(offer, Pause):
        show_pause(opened, offer)
        return
    row = offer.claim.row
    qid, docid = opened.document(row)
    query = workspace.collections.query_text(opened.collection_id, qid)
    text = workspace.collections.document_text(opened.collection_id, docid) if docid else None
    asked = query_html(query.text if query else f"Query {qid}", query.need if query else "")
    if text is not None:
        show_text(text, query.text if query else "", offer.claim.token, above=asked)
    else:
        st.html(asked)
        show_features(opened, row)
    show_form(opened, person, offer)


def saved_line(opened: OpenCampaign, person: Person) -> None:
    """Say what was saved last, with the way back."""
    last = opened.live.fold.last_act(person.id)
    line = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    if last is None:
        line.caption("Your labels are saved as you give them. Keys: the digits grade, **Z** undoes.")
        return
    names = opened.settings.grades
    what = {
        Kind.GRADE: f"{last.grade} · {names[last.grade].name}" if last.grade is not None else "",
        Kind.CANNOT_TELL: "can't tell",
        Kind.LATER: "later",
    }[last.kind]
    seconds = opened.live.fold.seconds.get(person.id, [])
    speed = f" · {statistics.median(seconds):.0f} s a label" if seconds else ""
    line.caption(f":green[:material/check:] Saved #{opened.live.fold.picks[person.id]}: **{what}**{speed}")
    if line.button("Undo", key=f"undo-{last.id}", shortcut="z"):
        opened.live.undo(person.id)
        draw_again()


def show_form(opened: OpenCampaign, person: Person, offer: Offer) -> None:
    """Show the grades as buttons with their keys, and the ways around a grade."""
    token, row = offer.claim.token, offer.claim.row
    kept = opened.live.fold.drafts.get((row, person.id)) or opened.live.fold.notes.get((row, person.id), "")
    noting = bool(kept) or st.session_state.get("noting") == token
    pressed: tuple[Kind, int | None] | None = None
    with st.form(f"form-{token}", border=False, enter_to_submit=False):
        note = ""
        if noting:
            note = st.text_area("Note", kept, key=f"note-{token}", placeholder="Saved with your next key", height=80)
        levels = st.container(horizontal=True)
        for grade, level in enumerate(opened.settings.grades):
            if levels.form_submit_button(
                level.name,
                key=f"g-{token}-{grade}",
                help=level.meaning or None,
                shortcut=str(grade),
                type="primary",
                width="stretch",
                on_click=_decide,
                args=(opened, person.id, token, row, Kind.GRADE, grade),
            ):
                pressed = (Kind.GRADE, grade)
        around = st.container(horizontal=True)
        if around.form_submit_button(
            "Can't tell",
            key=f"s-{token}",
            shortcut="s",
            help="Leaves the pool. Say why in a note, if you like.",
            on_click=_decide,
            args=(opened, person.id, token, row, Kind.CANNOT_TELL, None),
        ):
            pressed = (Kind.CANNOT_TELL, None)
        if around.form_submit_button(
            "Later",
            key=f"l-{token}",
            shortcut="l",
            help=f"Comes back after {opened.settings.later_after} other documents.",
            on_click=_decide,
            args=(opened, person.id, token, row, Kind.LATER, None),
        ):
            pressed = (Kind.LATER, None)
        if around.form_submit_button(
            "Note", key=f"n-{token}", shortcut="n", help="Opens a note; saves it if it is open."
        ):
            if noting:
                opened.live.write(person.id, row, Kind.DRAFT, text=note)
            st.session_state["noting"] = token
            draw_again()
    if pressed is not None:
        # After a server restart the first press comes without its callback; the token makes a second write harmless.
        # A press that its callback refused as too quick must not be tried again a moment later.
        if st.session_state.pop("refused", None) != token:
            _decide(opened, person.id, token, row, *pressed)
        draw_again()


def _decide(opened: OpenCampaign, person: int, token: str, row: int, kind: Kind, grade: int | None) -> None:
    """Write a decision, and the note beside it. Touches no session state after the commit."""
    note = str(st.session_state.get(f"note-{token}", "")).strip()
    try:
        event = opened.live.submit(person, token, row, kind, grade=grade, text=note)
        if event is not None and note:
            opened.live.write(person, row, Kind.NOTE, text=note)
    except TooSoonError:
        st.session_state["refused"] = token  # a bounced key: the document stays, nothing was written
    except RulerankError as error:
        st.toast(str(error), icon=":material/error:")


def show_pause(opened: OpenCampaign, pause: Pause) -> None:
    """Say why there is no document, and what can be done."""
    if not pause.stopped:
        st.success(f"Nothing to label right now: {pause.reason}.", icon=":material/done_all:")
        return
    st.success(
        f"**The natural stop is reached.** {pause.reason[0].upper()}{pause.reason[1:]}. "
        "More labels would mostly repeat what is known.",
        icon=":material/flag:",
    )
    if st.button("Keep labelling anyway", key="beyond"):
        st.session_state[f"beyond-{opened.id}"] = True
        draw_again()
