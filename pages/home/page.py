"""Home: campaigns and how far they are; a first visitor can try the demo or start their own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.label.request import day_began
from pages.shared.layout import heading, plain, side_by_side, with_actions
from rulerank.campaign.annotator import own_labels
from rulerank.campaign.labels import standing
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from db.campaigns import CampaignInfo

# Seconds that the list of campaigns may take to say how near each is to its end.
PATIENCE = 1.5

person = context.require("label")
workspace = context.workspace()
campaigns = workspace.campaigns.all()
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


def ago(seconds: float) -> str:
    """Return a stretch of time in words."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


def overview() -> None:
    """List the campaigns, and how far each is; what takes a while to work out follows when the list is there."""
    heading("Campaigns", "Your campaigns, the newest first, and how near each is to its end.")
    places: dict[int, DeltaGenerator] = {}
    demo = workspace.demo_made()
    for info in campaigns:
        words, actions = with_actions(f"campaign-{info.id}", border=True)
        words.markdown(f"**{plain(info.name)}**")
        places[info.id] = words.empty()
        places[info.id].caption(counts(info, info.labelled))
        if actions.button("Label", key=f"label-{info.id}", type="primary"):
            context.go("label", info.id)
        if researcher and actions.button("Progress", key=f"progress-{info.id}"):
            context.go("progress", info.id)
        if researcher and info.id == demo and actions.button("Watch 60 labels", key="watch-demo"):
            context.go("replay", info.id)
    if researcher:
        context.link("new_campaign", "Start another campaign", "add")
        if demo is None:
            row = st.container(horizontal=True)
            if row.button("Try the demo", icon=":material/play_arrow:"):
                open_demo()
            if row.button("Watch 60 labels in 20 seconds", icon=":material/slow_motion_video:"):
                open_demo("replay")
    fill_in(places)


def counts(info: CampaignInfo, labelled: int) -> str:
    """Return how much is labelled, by how many people, and when the last label came."""
    last = f", last label {ago(time.time() - info.last_label_at)}" if info.last_label_at else ""
    people = f" by {info.people} {'person' if info.people == 1 else 'people'}" if info.people else ""
    return f"{labelled:,} of {info.documents:,} query-document pairs labelled{people}{last}."


def fill_in(places: dict[int, DeltaGenerator]) -> None:
    """Add to each campaign how near its end is, until the page's time is up: the next visit finds the first ones open.

    A campaign that nobody has opened since the server started must read its labels first.
    """
    end = time.monotonic() + PATIENCE
    for info in campaigns:
        if time.monotonic() > end:
            return
        try:
            opened = workspace.open(info.id)
            if workspace.campaigns.last_event(info.id) > opened.live.fold.seen:
                opened.live.refresh()
            found = standing(opened)
        except RulerankError as error:
            places[info.id].error(plain(str(error)), icon=":material/error:")
            continue
        with places[info.id].container(gap="xsmall"):
            own = own_labels(opened, person.id, day_began(time.time(), st.context.timezone_offset))
            st.caption(f"**{own}** by you · {found.words}")
            if found.share is not None:
                st.progress(found.share)
            st.caption(counts(info, found.labelled))


if campaigns:
    overview()
else:
    welcome()
