"""What every screen needs: the workspace that `app.py` wired, who is signed in, and which campaign is chosen."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

import streamlit as st

from rulerank.campaign import OpenCampaign
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.door import Door
    from db.people import Person
    from db.workspace import Workspace

COOKIE = "rulerank"
SAID = "rulerank-said"
TRIED = "rulerank-tried"
"""The cookie by which a route tells the next page what was wrong; in an address, anybody could put words there."""


@dataclass(frozen=True)
class Wiring:
    """What `app.py` hands over."""

    workspace: Workspace
    sign_in: str  # "open" (one person on this machine), "accounts" or "oidc"
    door: Door | None = None  # who gets in with oidc


_wiring: Wiring | None = None


def wire(workspace: Workspace, sign_in: str = "open", door: Door | None = None) -> None:
    """Hand the screens their workspace; called once a process, before the first page runs."""
    global _wiring  # noqa: PLW0603  (the one place where a process keeps its workspace)
    _wiring = Wiring(workspace, sign_in, door)


def wiring() -> Wiring:
    """Return what was wired."""
    if _wiring is None:
        raise RulerankError("the app was not wired; start it with `python3 run.py`")
    return _wiring


def workspace() -> Workspace:
    """Return the workspace."""
    return wiring().workspace


def signed_in() -> Person | None:
    """Return who is signed in, or None."""
    kept = wiring()
    people = kept.workspace.people
    if kept.sign_in == "open":
        return people.ensure_single_user()
    if kept.sign_in == "oidc":
        try:
            return vouched_for()
        except RulerankError:
            return None  # the sign-in page says why
    cookie = st.context.cookies.get(COOKIE)
    return people.read(cookie) if cookie else None


def vouched_for() -> Person | None:
    """Return whom the sign-in provider vouches for, None before that; an error says why somebody is not let in."""
    door = wiring().door
    if door is None or not st.user.get("is_logged_in", False):
        return None
    return door.admit(st.user.to_dict())


def said() -> str:
    """Return what a route had to say about the last try to sign in, or nothing."""
    return unquote(st.context.cookies.get(SAID, ""))


def tried() -> str:
    """Return the name with which somebody has just failed to sign in, so that they need not type it again."""
    return unquote(st.context.cookies.get(TRIED, ""))


def address(path: str) -> str:
    """Return a path of the app as the browser must ask for it, below `server.baseUrlPath` where that is set."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path


def is_local(client: str | None, host: str | None) -> bool:
    """Say whether a request comes from this machine: from a loopback address, and asking for one by its name.

    A reverse proxy sits on this machine too, but people ask it for another name.
    """
    return _is_loopback(client) and (host == "localhost" or _is_loopback(host))


def _is_loopback(address: str | None) -> bool:
    try:
        found = ipaddress.ip_address((address or "").strip("[]"))
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def require(what: str) -> Person:
    """Return who is signed in if they may do this ("label", "research" or "administer"); otherwise end the page."""
    person = signed_in()
    if person is None:
        st.info("Please sign in first.", icon=":material/lock:")
        st.stop()
    if not workspace().may(person, what):
        st.warning(f"This page is not for the role {person.role}. Ask an administrator.", icon=":material/lock:")
        st.stop()
    return person


def choose_campaign() -> OpenCampaign:
    """Return the campaign that the address names (?campaign=N) or the person chooses; no campaign ends the page."""
    names = workspace().campaigns.names()
    if not names:
        st.info("There is no campaign yet. Start with **Home**: try the demo, or make your own.")
        st.page_link("home.py", label="Go to Home", icon=":material/home:")
        st.stop()
    numbers, state = list(names), st.session_state
    asked, fresh = st.query_params.get("campaign", ""), "choose-campaign" not in state
    # The address counts where it is news; as this page has left it, it must not undo what the person chooses here.
    if asked.isdecimal() and int(asked) in names and (fresh or asked != state.get("campaign-told")):
        state["choose-campaign"] = int(asked)
    elif state.get("choose-campaign") not in names:
        state["choose-campaign"] = state["campaign"] if state.get("campaign") in names else numbers[0]
    chosen = st.sidebar.selectbox("Campaign", numbers, format_func=names.__getitem__, key="choose-campaign")
    if str(chosen) != asked:
        st.query_params["campaign"] = str(chosen)
    state["campaign"], state["campaign-told"] = chosen, str(chosen)
    return workspace().open(chosen)
