"""A discussion of one document: what was said, and a form to say more. On My labels, and for leads on Discussions."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

import streamlit as st

from pages import context
from pages.shared.layout import plain
from rulerank.campaign import Kind, LabelEvent, OpenCampaign
from rulerank.errors import RulerankError

LONGEST = 5_000
DID = {Kind.FLAG: "flagged it", Kind.REMARK: "said", Kind.RESOLVE: "resolved it"}


def show_thread(opened: OpenCampaign, person: int, row: int, *, leads: bool) -> None:
    """Show what was said of a document, to whoever may read it, and take another remark; `leads` may resolve it."""
    fold = opened.live.refresh()
    thread = fold.threads.get(row)
    if thread is not None and not thread.readable_by(person, decided=fold.act(row, person) is not None, leads=leads):
        st.caption("Others discuss this document. You can read it once you have decided about it yourself.")
        return
    names = {each.id: each.name for each in context.workspace().people.list()} if thread is not None else {}
    for remark in thread.remarks if thread is not None else ():
        st.caption(f"**{plain(names.get(remark.person or 0, 'somebody'))}** {DID[remark.kind]} · {_when(remark)}")
        if remark.text:
            st.text(remark.text)
    waits = thread is not None and thread.open
    if thread is not None and not waits:
        st.caption(":material/check: Resolved. Who is not content flags it again.")
    _ask(opened, person, row, waits=waits, said=0 if thread is None else len(thread.remarks), leads=leads)


def _when(remark: LabelEvent) -> str:
    local = datetime.fromtimestamp(remark.at, UTC) - timedelta(minutes=st.context.timezone_offset or 0)
    return f"{local:%Y-%m-%d %H:%M}"


def _ask(opened: OpenCampaign, person: int, row: int, *, waits: bool, said: int, leads: bool) -> None:
    """Take a remark. The form is another one after each remark, and so is the token of its press."""
    place = f"discussion-{opened.id}-{row}-{said}"
    token = st.session_state.setdefault(f"{place}-token", secrets.token_hex(16))
    with st.form(place, border=False, enter_to_submit=False):
        label = "Your remark" if waits else "What is unclear? (optional)"
        words = (st.text_area(label, key=f"{place}-words", max_chars=LONGEST) or "").strip()
        row_of_buttons = st.container(horizontal=True)
        pressed: Kind | None = None
        if waits and row_of_buttons.form_submit_button("Say it"):
            pressed = Kind.REMARK
        if waits and leads and row_of_buttons.form_submit_button("Resolve", icon=":material/check:"):
            pressed = Kind.RESOLVE
        if not waits and row_of_buttons.form_submit_button("Flag for discussion", icon=":material/flag:"):
            pressed = Kind.FLAG
    if pressed is None:
        return
    try:
        opened.live.write(person, row, pressed, text=words, token=token)
    except RulerankError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()
