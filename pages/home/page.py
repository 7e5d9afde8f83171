"""Home: campaigns and how far they are; a first visitor can try the demo or start their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.home.listing import FEW, ask_which, counts, fill_in, show_deletions
from pages.shared.layout import heading, plain, side_by_side, with_actions

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from db.campaigns import CampaignLine

person = context.require("label")
workspace = context.workspace()
researcher = workspace.may(person, "research")


def open_demo(screen: str = "label") -> None:
    """Make the demo if need be, and go and label it, or to another of its screens."""
    with st.spinner("Building the demo from this Python's own documentation..."):
        campaign = workspace.demo(person.id)
    context.go(screen, campaign)


def offer_demo() -> None:
    """Offer the two ways into the demo: to label it, and to watch samplers label it."""
    if st.button("Try the demo", type="primary", icon=":material/play_arrow:", width="stretch"):
        open_demo()
    if st.button("Watch 60 labels in 20 seconds", icon=":material/slow_motion_video:", width="stretch"):
        open_demo("replay")


def welcome() -> None:
    """Say what this is, and offer the two ways in."""
    heading(
        "Learning-to-rank training sets, with a fraction of the labels",
        "Grade query-document pairs one key at a time. rulerank picks the pair that the labels so far say least about, "
        "retrains a ranker at once, and says when labels may be enough.",
    )
    left, right = side_by_side("welcome")
    with left, st.container(border=True, height="stretch"):
        st.header("Try the demo")
        st.write("Questions about Python, answered by its own standard library. Nothing to download.")
        if not researcher:
            st.caption("A researcher or administrator can make the demo.")
        else:
            offer_demo()
    with right, st.container(border=True, height="stretch"):
        st.header("Start your own")
        st.write("Bring documents and queries as texts, or a LETOR file with features.")
        if not researcher:
            st.caption("A researcher or administrator can make a campaign.")
        elif st.button("New campaign", icon=":material/add:", width="stretch"):
            context.go("new_campaign")


def overview(lines: list[CampaignLine]) -> None:
    """List the campaigns, and how far each is; what takes a while to work out follows when the list is there."""
    heading("Campaigns", "Your campaigns, and how near each is to its end.")
    archived = workspace.campaigns.lines(archived=True) if researcher else []
    page = ask_which(lines, archived) if len(lines) > FEW or archived else lines
    places: dict[int, DeltaGenerator] = {}
    demo = workspace.demo_made()
    shown = {info.id: info for info in workspace.campaigns.all(numbers=[line.id for line in page])}
    infos = [shown[line.id] for line in page if line.id in shown]
    for info in infos:
        words, actions = with_actions(f"campaign-{info.id}", border=True)
        words.markdown(f"**{plain(info.name)}**{' :orange-badge[Paused]' if info.paused else ''}")
        places[info.id] = words.empty()
        places[info.id].caption(counts(info, info.labelled))
        if info.archived:
            if actions.button("Restore", key=f"restore-{info.id}", icon=":material/unarchive:"):
                workspace.campaigns.archive(info.id, False, person=person.id)
                st.rerun()
            continue
        if actions.button("Label", key=f"label-{info.id}", type="primary"):
            context.go("label", info.id)
        if researcher and actions.button("Progress", key=f"progress-{info.id}"):
            context.go("progress", info.id)
        if researcher and info.id == demo and actions.button("Watch 60 labels", key="watch-demo"):
            context.go("replay", info.id)
    if not infos:
        st.info("No campaign fits this.", icon=":material/search_off:")
    if researcher:
        context.link("new_campaign", "Start another campaign", "add")
        if demo is None:
            row = st.container(horizontal=True)
            if row.button("Try the demo", icon=":material/play_arrow:"):
                open_demo()
            if row.button("Watch 60 labels in 20 seconds", icon=":material/slow_motion_video:"):
                open_demo("replay")
    if workspace.may(person, "administer"):
        show_deletions(workspace.campaigns.deletions())
    # Where there are many, only those that are open already: nobody waits for a hundred campaigns to be opened.
    ready = [info for info in infos if len(lines) <= FEW or workspace.campaigns.is_open(info.id)]
    fill_in(person, [info for info in ready if not info.archived], places)


found = workspace.campaigns.lines()
if found or (researcher and workspace.campaigns.lines(archived=True)):
    overview(found)
else:
    welcome()
