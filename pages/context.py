"""What every screen needs: the workspace that `app.py` wired, who is signed in, and which campaign is chosen."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import streamlit as st

from pages.shared.layout import sentence
from rulerank.audit import audit
from rulerank.campaign import OpenCampaign
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.person import Person
    from db.workspace import Workspace

COOKIE = "rulerank"
"""The cookie with the token of a session."""


@dataclass(frozen=True)
class Wiring:
    """What `app.py` hands over."""

    workspace: Workspace
    sign_in: str  # "open" (one person on this machine), "accounts" or "oidc"


_wiring: Wiring | None = None


def wire(workspace: Workspace, sign_in: str = "open") -> None:
    """Hand the screens their workspace; called once per process, before the first page runs."""
    global _wiring  # noqa: PLW0603  (the one place where a process keeps its workspace)
    _wiring = Wiring(workspace, sign_in)


def wiring() -> Wiring:
    """Return what was wired."""
    if _wiring is None:
        raise RulerankError("the app was not wired; start it with `python3 run.py`")
    return _wiring


def workspace() -> Workspace:
    """Return the workspace."""
    return wiring().workspace


def signed_in() -> Person | None:
    """Return who is signed in, or None; looked up anew each time, because the session may have ended meanwhile.

    The gate has looked at it already, before every message of the page; see `pages/gate/gate.py`.
    """
    kept = wiring()
    people = kept.workspace.people
    if kept.sign_in == "open":
        return people.ensure_single_user()
    cookie = st.context.cookies.get(COOKIE)
    return people.read(cookie, seen=False) if cookie else None


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
        audit("refused", why="role", person=person.name, role=person.role, needs=what)
        st.warning(f"This page is not for the role {person.role}. Ask an administrator.", icon=":material/lock:")
        st.stop()
    return person


def campaign_of_address() -> int | None:
    """Return the number of the campaign that the address names (?campaign=N), whether or not there is such a one."""
    asked = st.query_params.get("campaign", "")
    return int(asked) if asked.isascii() and asked.isdecimal() else None


def current_campaign() -> int | None:
    """Return the campaign of the address, or else the one that was chosen last, or None."""
    last: int | None = st.session_state.get("campaign")
    return campaign_of_address() or last


def campaign_name() -> str:
    """Return the name of the campaign of the address, or else of the one that was chosen last; "" without any."""
    number = current_campaign()
    return "" if number is None else workspace().campaigns.names().get(number, "")


def link_params(campaign: int | None = None) -> dict[str, str]:
    """Return what every link of the app carries: this campaign, or else the current one.

    So a person who has chosen a campaign stays with it, whichever page they go to and whichever way.
    """
    number = campaign or current_campaign()
    return {} if number is None else {"campaign": str(number)}


def script(screen: str) -> str:
    """Return the page script of a screen, by the name of its folder, as Streamlit asks for it: from `pages/main.py`."""
    return f"{screen}/page.py"


def link(screen: str, label: str, icon: str, **params: str) -> None:
    """Show a link to a screen, for the same campaign; `params` go into its address beside the campaign."""
    icon = f":material/{icon}:"
    st.page_link(script(screen), label=label, icon=icon, query_params=link_params() | params)


def go(screen: str, campaign: int | None = None) -> NoReturn:
    """Go to a screen, for this campaign or else the same one."""
    st.switch_page(script(screen), query_params=link_params(campaign))


def choose_campaign() -> OpenCampaign:
    """Return the campaign that the address names, and let the person choose another; no campaign ends the page.

    The address alone decides: an address without a campaign gets the last one or else the newest, and one that names a
    campaign that is not there ends the page, because labels must never go to another campaign than was meant.
    """
    names = workspace().campaigns.names()
    if not names:
        st.info("There is no campaign yet. Start with **Home**: try the demo, or make your own.")
        link("home", "Go to Home", "home")
        st.stop()
    number = campaign_of_address()
    if "campaign" not in st.query_params:
        last = st.session_state.get("campaign")
        _to_campaign(last if last in names else next(iter(names)))
    chosen = st.sidebar.selectbox(
        "Campaign",
        list(names),
        index=list(names).index(number) if number in names else None,
        format_func=names.__getitem__,
        # A box of its own for each campaign: none keeps a choice that the address has left behind.
        key=f"choose-campaign-{number}",
        placeholder="Choose a campaign",
    )
    if chosen is not None and chosen != number:
        _to_campaign(chosen)
    if number not in names:
        st.warning(
            "This address names a campaign that is not here, or was archived. Choose one in the side bar.",
            icon=":material/search_off:",
        )
        link("home", "See all campaigns", "home")
        st.stop()
    st.session_state["campaign"] = number
    return open_campaign(number)


def open_campaign(number: int) -> OpenCampaign:
    """Return a campaign; one that cannot be opened, for want of a package, say, ends the page with the reason."""
    try:
        return workspace().open(number)
    except RulerankError as error:
        st.error(sentence(str(error)), icon=":material/error:")
        link("home", "See all campaigns", "home")
        st.stop()


def _to_campaign(number: int) -> NoReturn:
    """Draw this page again for a campaign, with its address and every link."""
    st.query_params["campaign"] = str(number)
    st.rerun()
