"""A campaign as a whole: paused, resumed, archived, restored, duplicated and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.export.backup import offer_backup
from pages.shared.layout import plain, sentence, side_by_side
from rulerank.campaign import OpenCampaign
from rulerank.errors import RulerankError
from rulerank.importing.names import free_name

if TYPE_CHECKING:
    from db.people.person import Person


def show_state(person: Person, opened: OpenCampaign) -> None:
    """Say above everything that a campaign is paused, and let it go on."""
    if not opened.live.fold.course.paused:
        return
    st.warning("**This campaign is paused.** Nobody gets a document, and no label is taken.", icon=":material/pause:")
    if st.button("Resume labelling", type="primary", icon=":material/play_arrow:", key="settings-resume"):
        context.workspace().campaigns.pause(opened.id, False, person=person.id)
        st.rerun()


def show_life(person: Person, opened: OpenCampaign) -> None:
    """Offer what is done to a campaign as a whole."""
    campaigns = context.workspace().campaigns
    left, right = side_by_side("life")
    with left, st.container(border=True, height="stretch"):
        st.header("Pause")
        st.caption("Annotators are told, and get no documents until you resume. Settings and decisions stay open.")
        paused = opened.live.fold.course.paused
        if st.button("Pause labelling", icon=":material/pause:", disabled=paused, key="settings-pause"):
            campaigns.pause(opened.id, person=person.id)
            st.rerun()
    with right, st.container(border=True, height="stretch"):
        st.header("Archive")
        st.caption("Takes nothing more and leaves every list. Home shows it under Archived, where it can be restored.")
        if st.button("Archive the campaign", icon=":material/archive:", key="settings-archive"):
            campaigns.archive(opened.id, person=person.id)
            context.go("home")
    left, right = side_by_side("life-more")
    with left, st.container(border=True, height="stretch"):
        _offer_duplicate(person, opened)
    with right, st.container(border=True, height="stretch"):
        _offer_delete(person, opened)


def _offer_duplicate(person: Person, opened: OpenCampaign) -> None:
    st.header("Duplicate")
    st.caption("Another campaign on the same pool, with the settings as they are now.")
    campaigns = context.workspace().campaigns
    taken = campaigns.names().values()
    name = st.text_input("Name of the copy", free_name(opened.name, taken), max_chars=200, key=f"copy-name-{opened.id}")
    labels = st.checkbox("With the labels", key=f"copy-labels-{opened.id}", help="Who gave them and when is kept.")
    if st.button("Duplicate", icon=":material/content_copy:", key="settings-duplicate"):
        try:
            made = campaigns.duplicate(opened.id, name or "", labels=labels, person=person.id)
        except RulerankError as error:
            st.error(sentence(str(error)), icon=":material/error:")
        else:
            context.go("settings", made)


def _offer_delete(person: Person, opened: OpenCampaign) -> None:
    st.header("Delete")
    workspace = context.workspace()
    if not workspace.may(person, "administer"):
        st.caption("An administrator can delete a campaign. Archive it to put it out of sight.")
        return
    st.caption("Removes the campaign with all its labels, for good. Make a backup first: it is the only way back.")
    offer_backup(workspace, person)
    typed = st.text_input(f"Type the name, {plain(opened.name)}, to delete it", key=f"delete-name-{opened.id}")
    wrong = typed.strip() != opened.name
    if st.button("Delete for good", icon=":material/delete_forever:", disabled=wrong, key="settings-delete"):
        try:
            workspace.campaigns.delete(opened.id, typed, person=person.id)
        except RulerankError as error:
            st.error(sentence(str(error)), icon=":material/error:")
        else:
            st.session_state.pop("campaign", None)
            st.query_params.clear()
            st.switch_page(context.script("home"))
