"""Who is signed in: at the foot of the side bar, with the way out; and what is shown after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.charts.render import current_theme
from pages.charts.theme import Theme
from pages.shared.markdown import plain

if TYPE_CHECKING:
    from db.people.person import Person

WHO = "rr-who"

_STYLE = """<style>
.rr-sign-out button {{
  font: inherit; font-size: .875rem; min-height: 2.5rem; padding: .25rem .75rem; border-radius: .4rem; cursor: pointer;
  color: {text}; background: {background}; border: 1px solid {border};
}}
.rr-sign-out button:hover {{ color: {accent}; border-color: {accent}; }}
.rr-sign-out :focus-visible {{ outline: 2px solid {accent}; outline-offset: 2px; }}
</style>"""


def show_person(person: Person, sign_in: str) -> None:
    """Say at the foot of the sidebar who is signed in, and how to leave.

    The form is the browser's own: it posts to a route, which ends the session and takes the cookie away.
    """
    with st.sidebar:
        if sign_in == "open":
            st.caption("Single-user mode: no sign-in, this machine only.")
            return
        st.caption(f"Signed in as **{plain(person.name)}** ({person.role})")
        context.link("sessions", "Your sessions", "devices")
        st.html(_style(current_theme()))
        action = context.address("/leave")
        st.html(f'<form action="{action}" method="post" class="rr-sign-out"><button>Sign out</button></form>')


def keep_apart(person: Person) -> None:
    """Forget what a page has kept of somebody else who was signed in in it before."""
    if st.session_state.setdefault(WHO, person.id) != person.id:
        st.session_state.clear()
        st.session_state[WHO] = person.id


def tell_signed_out() -> None:
    """Say that the session has ended while the page was open; the address of the page leads to the sign-in."""
    st.info("You are signed out. Nothing that was saved is lost.", icon=":material/lock:")
    st.html(f'<a href="{context.address("/")}" target="_self">Sign in</a>')


def _style(theme: Theme) -> str:
    border = st.get_option(f"theme.{theme.name}.borderColor") or theme.grid
    return _STYLE.format(text=theme.text, background=theme.background, border=border, accent=theme.accent)
