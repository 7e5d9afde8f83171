"""People: who may do what. In single-user mode it says what that means, and how to switch to accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.people.forms import ROLES, add_person, change_person, people_table, show_outcome
from pages.shared.layout import heading, side_by_side

if TYPE_CHECKING:
    from db.people.person import Person

SWITCH = "RULERANK_SIGN_IN=accounts python3 run.py"


def explain_open() -> None:
    """Say what the single-user mode is, and how to leave it."""
    st.warning(
        "**Single-user mode.** There is no sign-in: anyone who can open this address on this machine is **you**, with "
        "every right. The server listens on this machine only.",
        icon=":material/lock_open:",
    )
    st.markdown(
        "To work with others, first add an account with the role *Admin* below, for yourself. Then start the app with "
        "accounts, and sign in with it. Your labels so far stay, under the name *you*."
    )
    st.code(SWITCH, language=None)


def main(person: Person) -> None:
    """List people, add one, change one."""
    mode = context.wiring().sign_in
    if mode == "open":
        explain_open()
    elif mode == "oidc":
        st.info(
            "People sign in with your provider and are known here by their e-mail address. Add them below; whom "
            "RULERANK_ADMINS and RULERANK_ANNOTATORS name joins by signing in.",
            icon=":material/key:",
        )
    show_outcome()
    people = context.workspace().people
    found = people.list()
    st.dataframe(people_table(found, person, mode), hide_index=True, alt="People, their roles and how they sign in")
    with st.expander("What the roles may do"):
        for role, words in ROLES.items():
            st.markdown(f"**{role.capitalize()}**: {words}")
    left, right = side_by_side("people")
    with left:
        add_person(people, mode, person)
    with right:
        change_person(people, found, person)


signed_in = context.require("administer")
heading("People", "Accounts and roles: who labels, who makes campaigns, who looks after the installation.")
main(signed_in)
