"""Settings: change a running campaign. Every change is an event of its log, with who, when, before and after."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.settings.history import STYLE, row_html, show_history
from pages.settings.life import show_life, show_state
from pages.shared.campaign_form import ask_guidelines, ask_levels, ask_methods, ask_people
from pages.shared.layout import heading, sentence, steps_and_box
from rulerank.campaign import About, Change, OpenCampaign, Settings
from rulerank.campaign.changes import STEERS, TELLS_ANNOTATORS, differing
from rulerank.campaign.difference import change_in_words
from rulerank.errors import RulerankError
from rulerank.metrics.conventions import conventions

if TYPE_CHECKING:
    from db.people.person import Person

DRAWN = "settings-drawn"
SAVED = "settings-saved"


@dataclass(frozen=True)
class Drawn:
    """What the fields began with: what somebody else changes meanwhile must not take away what is typed here."""

    campaign: int
    name: str
    settings: Settings
    place: str  # begins the keys of the fields
    token: str  # of the change that is saved with them


def drawn(opened: OpenCampaign) -> Drawn:
    """Return what the fields of this session began with."""
    kept: Drawn | None = st.session_state.get(DRAWN)
    if kept is None or kept.campaign != opened.id:
        kept = Drawn(opened.id, opened.name, opened.settings, f"settings-{secrets.token_hex(4)}", secrets.token_hex(16))
        st.session_state[DRAWN] = kept
    return kept


def main(person: Person, opened: OpenCampaign) -> None:
    """Ask for the settings; the box beside them says what would change, and saves it."""
    heading(
        "Settings",
        "What is changed here holds from the next document on, for everybody; labels stay as they were given.",
        opened.name,
    )
    opened.live.refresh()
    if words := st.session_state.pop(SAVED, ""):
        st.success(words, icon=":material/check_circle:")
    show_state(person, opened)
    begin = drawn(opened)
    steps, box = steps_and_box()
    with steps:
        asked, history, life = st.tabs(["Change", "History", "Pause, copy, end"])
        with asked:
            name, after = ask(opened, begin)
        with history:
            show_history(person, opened, saved)
        with life:
            show_life(person, opened)
    if (name, after) == (begin.name, begin.settings) and (opened.name, opened.settings) != (name, after):
        st.session_state.pop(DRAWN)  # nothing is typed here, and somebody changed something
        st.rerun()
    with box:
        offer(person, opened, begin, name, after)


def ask(opened: OpenCampaign, begin: Drawn) -> tuple[str, Settings]:
    """Ask for everything that can change, and show what cannot with its reason."""
    now, place, fixed = begin.settings, begin.place, opened.live.fixed()
    name = st.text_input("Name of the campaign", begin.name, max_chars=200, key=f"{place}-name")
    st.header("Guidelines")
    found = ask_guidelines(now.guidelines, now.remote_pictures, place=place)
    st.header("Grades")
    levels = list(now.grades)
    if "levels" in fixed:
        st.caption(f":material/lock: {len(levels)} grades. {fixed['levels']}")
    else:
        count = int(st.number_input("Number of grades", 2, 10, len(levels), key=f"{place}-levels", width=200))
        levels = [*levels, *(replace(levels[-1], name=f"Grade {n}", meaning="") for n in range(len(levels), count))]
        levels = levels[:count]
    found["grades"] = ask_levels(levels, place=place)
    st.header("People")
    found |= ask_people(now, place=place)
    st.header("How it chooses and learns")
    found |= ask_methods(opened.collection.feature_names, now, fixed=fixed, place=place)
    found |= ask_pace(now, place)
    return name or "", replace(now, **found)


def ask_pace(now: Settings, place: str) -> dict[str, object]:
    """Ask how long a document is held, when it comes back, and by which convention is measured."""
    columns = st.columns(4, gap="medium", vertical_alignment="bottom")
    minutes = columns[0].number_input(
        "Minutes held", 0.1, 1440.0, float(now.claim_minutes), format="%g", key=f"{place}-claim",
        help="So long a document is kept for the person who got it; then somebody else may get it.",
    )  # fmt: skip
    later = columns[1].number_input(
        "Later returns after", 1, 1000, now.later_after, key=f"{place}-later", help="Other documents before it."
    )
    dwell = columns[2].number_input(
        "Least milliseconds", 0, 10_000, now.dwell_milliseconds, 50, key=f"{place}-dwell",
        help="A grade that comes sooner after the document is taken for a bounced key.",
    )  # fmt: skip
    names = conventions.names()
    convention = columns[3].selectbox(
        "Convention", names, names.index(now.convention), format_func=lambda name: conventions[name].label,
        key=f"{place}-convention", help="How measures count; every figure says which.",
    )  # fmt: skip
    return {
        "claim_minutes": float(minutes), "later_after": int(later), "dwell_milliseconds": int(dwell),
        "convention": convention,
    }  # fmt: skip


def offer(person: Person, opened: OpenCampaign, begin: Drawn, name: str, after: Settings) -> None:
    """Say what would change and what follows from it, and save it when asked."""
    changed = differing(begin.settings, after)
    before = {field: old for field, (old, _) in changed.items()}
    wanted = {field: new for field, (_, new) in changed.items()}
    if name.strip() != begin.name:
        before["name"], wanted["name"] = begin.name, name.strip()
    if not wanted:
        st.markdown("**Nothing is changed yet**")
        st.caption("Change something; what it comes to is listed here before it is saved.")
        return
    st.markdown("**This will change**")
    rows = change_in_words(Change(About.SETTINGS, before, wanted))
    st.html(f'{STYLE}<div class="rr-diff" dir="auto">{"<br>".join(row_html(*row) for row in rows)}</div>')
    if not wanted.keys().isdisjoint(TELLS_ANNOTATORS):
        st.caption("Everybody who has labelled here sees the difference once, before their next document.")
    if not wanted.keys().isdisjoint(STEERS):
        st.caption(
            "The next documents are those that a campaign with these settings and the same labels would ask for."
        )
    save, drop = st.columns(2)
    if drop.button("Discard", width="stretch", key="settings-discard"):
        st.session_state.pop(DRAWN)
        st.rerun()
    if not save.button("Save", type="primary", icon=":material/check:", width="stretch", key="settings-save"):
        return
    try:
        named = wanted.get("name")
        opened.change(person.id, after, before=begin.settings, name=named, token=begin.token)
    except RulerankError as error:
        st.error(sentence(str(error)), icon=":material/error:")
        st.session_state[DRAWN] = replace(begin, token=secrets.token_hex(16))
        return
    saved("Saved. It holds from the next document on.")


def saved(words: str) -> None:
    """Draw the page anew, with fields that begin with what is now."""
    st.session_state.pop(DRAWN, None)
    st.session_state[SAVED] = words
    st.rerun()


signed_in = context.require("research")
main(signed_in, context.choose_campaign())
