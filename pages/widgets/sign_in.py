"""Signing in and out: the form posts to a route of the app, which sets a signed cookie that scripts cannot read."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st

from pages import context
from pages.widgets.document import plain as plain_text
from pages.widgets.plain import plain
from pages.widgets.readable import readable_css
from pages.widgets.sign_in_style import SHOW_PASSWORD, style
from pages.widgets.theme import theme_named
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people import Person

# Streamlit takes away the names of fields that a form or a document has as a property, such as "name".
_FIELDS = """
<form action="{action}" method="post" class="rr-sign-in">
  <label for="rr-person">Name</label>
  <input id="rr-person" name="person" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="100"
    value="{name}" required>
  <label for="rr-password">Password</label>
  <input id="rr-password" name="password" type="password" autocomplete="{kind}-password" maxlength="1000" {least}
    required>
  {more}
  <label class="rr-show"><input type="checkbox"> Show the password</label>
  <button type="submit">{button}</button>
</form>
"""
_CODE = """<label for="rr-code">Code</label>
  <input id="rr-code" name="code" autocomplete="off" spellcheck="false" maxlength="40" required>
  <p>You are not on the machine that runs the app. It wrote this code into its log when it started.</p>"""


def ask() -> None:
    """Show the sign-in page."""
    theme = theme_named(st.context.theme.type)
    st.html(readable_css(theme) + style(theme))
    with st.container(horizontal_alignment="center"), st.container(key="rr-door", width=420):
        st.title("rulerank", anchor=False)
        st.caption("Learning-to-rank training sets, with a fraction of the labels.")
        if context.wiring().sign_in == "oidc":
            _ask_provider()
        elif context.workspace().people.somebody_administers():
            _show_said()
            st.html(_fields(context.address("/enter"), kind="current", button="Sign in", name=context.tried()))
        else:
            _first_admin()
    st.html(SHOW_PASSWORD, unsafe_allow_javascript=True)


def _fields(action: str, *, kind: str, button: str, least: str = "", more: str = "", name: str = "") -> str:
    """Return the form, with the name that somebody has just tried."""
    name = html.escape(plain_text(name))
    return _FIELDS.format(action=action, kind=kind, least=least, more=more, button=button, name=name)


def _show_said() -> None:
    words = context.said()
    if words:
        st.error(plain(words), icon=":material/error:")


def _ask_provider() -> None:
    """Lead to the sign-in provider, and say why somebody whom it knows is not let in."""
    refusal = ""
    try:
        context.vouched_for()
    except RulerankError as error:
        refusal = str(error)
    if refusal:
        st.warning(plain(refusal), icon=":material/lock:")
    else:
        _show_said()
    if st.button("Sign in again" if refusal else "Sign in", type="primary", width="stretch"):
        st.login()
    if refusal and st.button("Sign out", width="stretch"):
        st.logout()


def _first_admin() -> None:
    """Ask for the first administrator of a new installation; from elsewhere it takes a code from the server's log."""
    st.write("Nobody has an account yet. Make the first one: it will be the administrator.")
    _show_said()
    host = urlsplit("//" + st.context.headers.get("Host", "")).hostname
    # Streamlit gives no address for this machine's own.
    here = context.is_local(st.context.ip_address or "127.0.0.1", host)
    more = "<p>At least 8 characters.</p>" + ("" if here else _CODE)
    st.html(_fields(context.address("/begin"), kind="new", least='minlength="8"', more=more, button="Make the account"))


def show_person(person: Person, sign_in: str) -> None:
    """Say at the foot of the sidebar who is signed in, and how to leave."""
    with st.sidebar:
        if sign_in == "open":
            st.caption("Single-user mode: no sign-in, this machine only.")
            return
        st.caption(f"Signed in as **{plain(person.name)}** ({person.role})")
        if sign_in == "oidc":
            if st.button("Sign out"):
                st.logout()
        else:
            st.html(style(theme_named(st.context.theme.type)))
            action = context.address("/leave")
            st.html(f'<form action="{action}" method="post" class="rr-sign-out"><button>Sign out</button></form>')
