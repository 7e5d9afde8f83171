"""Signing in and out: the form posts to a route of the app, which sets a signed cookie that scripts cannot read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context

if TYPE_CHECKING:
    from db.people import Person

# Streamlit takes away the names of fields that a form or a document has as a property, such as "name".
FORM = """
<form action="/enter" method="post" style="display:grid; gap:.8rem; max-width:22rem">
  <label>Name<br><input name="person" autocomplete="username" required autofocus
    style="width:100%; padding:.5rem"></label>
  <label>Password<br><input name="password" type="password" autocomplete="current-password" required
    style="width:100%; padding:.5rem"></label>
  <button style="padding:.6rem; cursor:pointer">Sign in</button>
</form>
"""


def ask() -> None:
    """Show the sign-in page."""
    st.title("rulerank")
    kept = context.wiring()
    if kept.sign_in == "oidc":
        if st.user.is_logged_in:
            st.warning("Your account is known, but nobody has added you here yet. Ask an administrator.")
            st.button("Sign out", on_click=st.logout)
        else:
            st.button("Sign in", type="primary", on_click=st.login)
        return
    if not somebody_can_administer():
        _first_admin()
        return
    if "refused" in st.query_params:
        st.error("Name and password do not match.")
    if "wait" in st.query_params:
        st.error(f"Too many wrong tries for this name. Try again in {st.query_params['wait']} seconds.")
    st.html(FORM)


def somebody_can_administer() -> bool:
    """Say whether an administrator can sign in; the person of the single-user mode cannot."""
    return any(person.role == "admin" and person.can_sign_in for person in context.workspace().people.list())


def _first_admin() -> None:
    """Ask for the first administrator of a new installation."""
    st.write("Nobody has an account yet. Make the first one: it will be the administrator.")
    with st.form("first", width=420):
        name = st.text_input("Name")
        password = st.text_input("Password", type="password", help="At least 8 characters.")
        if st.form_submit_button("Make the account", type="primary"):
            if not somebody_can_administer():  # nobody else was quicker
                context.workspace().people.add(name, "admin", password)
            st.rerun()


def show_person(person: Person, sign_in: str) -> None:
    """Say at the foot of the sidebar who is signed in, and how to leave."""
    with st.sidebar:
        if sign_in == "open":
            st.caption("Single-user mode: no sign-in, this machine only.")
        else:
            st.caption(f"Signed in as **{person.name}** ({person.role})")
            if sign_in == "oidc":
                st.button("Sign out", on_click=st.logout)
            else:
                st.html('<a href="/leave" target="_self">Sign out</a>')
