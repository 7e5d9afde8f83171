"""Forms for accounts: add somebody, change a role, set a password, let somebody go and come back."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.sessions.service import ago, browser_name, place_name
from pages.shared.layout import plain
from rulerank.audit import audit
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.accounts import People
    from db.people.person import Person

ROLES = {
    "annotator": "labels documents.",
    "researcher": "also makes campaigns, watches them, settles disputes and exports.",
    "admin": "also looks after people and backups.",
}
ALONE = "you"  # the one person of the single-user mode
OUTCOME, ADDED = "people-outcome", "people-added"


def people_table(people: Sequence[Person], me: Person, mode: str) -> pd.DataFrame:
    """Return everybody as a table; inactive people stay in it, because their labels do."""
    rows = []
    for each in people:
        state = "active" if each.active else "deactivated"
        if each.active and mode != "open" and not each.can_sign_in:
            state = "single-user mode only" if each.name == ALONE else "cannot sign in yet"
        how = [words for words, has in (("password", each.has_password), (each.email, each.email)) if has]
        since = datetime.fromtimestamp(each.created_at, UTC).strftime("%Y-%m-%d")
        name = f"{each.name} (this is you)" if each.id == me.id and each.name != ALONE else each.name
        rows.append((name, each.role, state, ", ".join(str(way) for way in how) or "-", since))
    return pd.DataFrame(rows, columns=["Name", "Role", "State", "Signs in with", "Since"])


def show_outcome() -> None:
    """Say once what the last change did."""
    message = st.session_state.pop(OUTCOME, None)
    if message:
        st.success(message, icon=":material/check:")


def add_person(people: People, mode: str, me: Person) -> None:
    """Ask for a new account."""
    st.header("Add somebody")
    # A number in the keys empties the form after a success, and after a success only.
    turn = st.session_state.setdefault(ADDED, 0)
    with st.form("people-add"):
        name = st.text_input(
            "Name", max_chars=100, key=f"people-name-{turn}", help="As others see it; they sign in with it."
        )
        role = st.selectbox("Role", list(ROLES), key=f"people-role-new-{turn}", format_func=str.capitalize)
        email, password = None, None
        if mode == "oidc":
            email = st.text_input(
                "E-mail address", key=f"people-email-new-{turn}", help="As the sign-in provider knows it."
            )
        else:
            password = st.text_input(
                "Password", type="password", key=f"people-password-{turn}", autocomplete="new-password",
                help="At least 8 characters. Leave it empty, and one is made up and shown once.",
            )  # fmt: skip
        if not st.form_submit_button("Add", type="primary", icon=":material/person_add:"):
            return
    made_up = None
    if mode != "oidc" and not password:
        password = made_up = secrets.token_urlsafe(12)
    try:
        added = people.add(name or "", role, password or None, email or None)
    except RulerankError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    audit("person-added", by=me.name, person=added.name, role=added.role, email=added.email)
    st.session_state[ADDED] = turn + 1
    tell(f"{added.name} was added as {added.role}.", made_up)


def tell(words: str, password: str | None = None) -> None:
    """Show a message after the page has been drawn anew; a password that was made up is shown this once."""
    more = f" Password, shown only now: `{password}`" if password else ""
    st.session_state[OUTCOME] = plain(words) + more
    st.rerun()


def change_person(people: People, found: Sequence[Person], me: Person) -> None:
    """Change one account: role, password, address, or whether it is active."""
    st.header("Change somebody")
    by_id = {each.id: each for each in sorted(found, key=lambda each: each.name == ALONE)}
    number = st.selectbox("Person", list(by_id), format_func=lambda key: by_id[key].name, key="people-who")
    person = by_id[number]
    if person.name == ALONE:
        st.caption("The person of the single-user mode: always an admin, without a password. Add an account instead.")
        return
    for change in (_change_role, _change_password, _change_email, _end_sessions, _change_state):
        try:
            change(people, person, me)
        except RulerankError as error:
            st.error(plain(str(error)), icon=":material/error:")


def _change_role(people: People, person: Person, me: Person) -> None:
    box, button = st.columns([3, 1], vertical_alignment="bottom")
    names = list(ROLES)
    role = box.selectbox(
        "Role", names, names.index(person.role), format_func=str.capitalize, key=f"people-role-{person.id}"
    )
    if button.button("Change", key=f"people-set-role-{person.id}", disabled=role == person.role, width="stretch"):
        people.set_role(person.id, role)
        audit("role-changed", by=me.name, person=person.name, role=role, was=person.role)
        tell(f"{person.name} is now {role}.")


def _change_password(people: People, person: Person, me: Person) -> None:
    with st.form(f"people-password-{person.id}", clear_on_submit=True, border=False):
        box, button = st.columns([3, 1], vertical_alignment="bottom")
        password = box.text_input(
            "New password", type="password", key=f"people-new-{person.id}", autocomplete="new-password",
            help="At least 8 characters; empty: one is made up and shown once. It ends their other sessions.",
        )  # fmt: skip
        if button.form_submit_button("Reset", width="stretch"):
            made_up = None if password else secrets.token_urlsafe(12)
            keep = me.session if person.id == me.id else 0
            people.set_password(person.id, password or made_up or "", keep=keep)
            audit("password-reset", by=me.name, person=person.name)
            tell(f"{person.name} has a new password.", made_up)


def _change_email(people: People, person: Person, me: Person) -> None:
    box, button = st.columns([3, 1], vertical_alignment="bottom")
    email = box.text_input(
        "E-mail address", person.email or "", key=f"people-email-{person.id}-{person.email}",
        help="For sign-in through a provider (OIDC); empty removes it.",
    )  # fmt: skip
    if button.button("Save", key=f"people-set-email-{person.id}", width="stretch"):
        changed = people.set_email(person.id, email or None)
        audit("email-changed", by=me.name, person=person.name, email=changed.email, was=person.email)
        tell(f"The address of {person.name} was changed.")


def _end_sessions(people: People, person: Person, me: Person) -> None:
    """Say where somebody is signed in, and end it; one's own session stays, because Sign out ends that."""
    found = [each for each in people.sessions.of(person.id) if each.id != me.session]
    if not found:
        return
    number = f"{len(found)} session" + ("s" if len(found) > 1 else "")
    where = "; ".join(
        f"{browser_name(each.browser)} from {place_name(each)}, used {ago(each.seen_at)}" for each in found[:5]
    )
    st.caption(f"Signed in{' elsewhere' if person.id == me.id else ''}: {plain(where)}.")
    if st.button(f"End {number}", key=f"people-end-sessions-{person.id}", icon=":material/logout:"):
        people.sessions.end_all(person.id, but=me.session)
        audit("sessions-ended", by=me.name, person=person.name, number=len(found))
        tell(f"{person.name} was signed out.")


def _change_state(people: People, person: Person, me: Person) -> None:
    if not person.active:
        if st.button("Activate again", key=f"people-activate-{person.id}", icon=":material/person_check:"):
            people.activate(person.id)
            audit("person-activated", by=me.name, person=person.name)
            tell(f"{person.name} can sign in again.")
        return
    words = "What they labelled stays. They are signed out, and cannot sign in until activated again."
    if st.button(
        "Deactivate", key=f"people-deactivate-{person.id}", icon=":material/person_off:", help=words,
        disabled=person.id == me.id,
    ):  # fmt: skip
        people.deactivate(person.id)
        audit("person-deactivated", by=me.name, person=person.name)
        tell(f"{person.name} was deactivated.")
