"""Your sessions: where you are signed in, and how to end it there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.sessions.service import ago, browser_name, place_name
from pages.shared.layout import heading, plain
from rulerank.audit import audit

if TYPE_CHECKING:
    from db.people.person import Person
    from db.people.sessions import Session


def show(session: Session, person: Person) -> None:
    """Show one session, with the way to end it."""
    own = session.id == person.session
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        now = " · **this one**" if own else ""
        since = f"Signed in {ago(session.created_at)} from {plain(place_name(session))}"
        ends = max(0.0, session.expires_at - time.time()) / 3600
        st.markdown(
            f"**{plain(browser_name(session.browser))}**{now}  \n{since} · last used {ago(session.seen_at)} · "
            f"ends in {ends:.1f} hours at the latest"
        )
        if own:
            st.caption("Sign out ends it.", width=140)
        elif st.button("End", key=f"session-end-{session.id}", icon=":material/logout:", width=140):
            context.workspace().people.sessions.end_one(person.id, session.id)
            audit("sessions-ended", by=person.name, person=person.name, number=1)
            st.rerun()


def main(person: Person) -> None:
    """List the sessions of whoever is signed in."""
    if context.wiring().sign_in == "open":
        st.info("In single-user mode there is no sign-in, and so there are no sessions.", icon=":material/lock_open:")
        return
    sessions = context.workspace().people.sessions
    found = sessions.of(person.id)
    for session in sorted(found, key=lambda each: each.id != person.session):
        show(session, person)
    if any(each.id != person.session for each in found) and st.button(
        "End all others", key="session-end-others", icon=":material/logout:"
    ):
        sessions.end_all(person.id, but=person.session)
        audit("sessions-ended", by=person.name, person=person.name, number=len(found) - 1)
        st.rerun()
    limits = sessions.limits
    st.caption(
        f"A session ends after {limits.hours:g} hours, after {limits.idle_minutes:g} minutes without use, when you "
        "sign out, and when your password changes."
    )


signed_in = context.require("label")
heading("Your sessions", "Where you are signed in. End whatever you do not recognise.")
main(signed_in)
