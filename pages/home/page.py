"""Home: campaigns and how far they are; a first visitor can try the demo or start their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages import context
from pages.label.request import day_began
from pages.shared.layout import heading, plain, side_by_side, with_actions
from rulerank.campaign.annotator import own_labels
from rulerank.campaign.labels import standing
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from db.campaigns import CampaignInfo, CampaignLine

# Up to so many campaigns need no search.
FEW = 5

# Campaigns that are counted and listed at a time.
PER_PAGE = 20

ORDERS: dict[str, Callable[[CampaignLine], Any]] = {
    "Newest first": lambda line: -line.id,
    "Last used first": lambda line: -line.active_at,
    "By name": lambda line: line.name.casefold(),
}

# Seconds that the list of campaigns may take to say how near each is to its end.
PATIENCE = 1.5

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


def ago(seconds: float) -> str:
    """Return a stretch of time in words."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


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
    show_deletions()
    # Where there are many, only those that are open already: nobody waits for a hundred campaigns to be opened.
    ready = [info for info in infos if len(lines) <= FEW or workspace.campaigns.is_open(info.id)]
    fill_in([info for info in ready if not info.archived], places)


def ask_which(lines: list[CampaignLine], archived: list[CampaignLine]) -> list[CampaignLine]:
    """Ask for which campaigns to list and in which order, and return those of one page."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    words = row.text_input("Search", key="home-search", icon=":material/search:", placeholder="Part of a name")
    kinds = ["All", "Running", "Paused", *(["Archived"] if archived else [])]
    kind = row.selectbox("Show", kinds, key="home-kind", width=160)
    order = row.selectbox("Order", list(ORDERS), key="home-order", width=200)
    chosen = archived if kind == "Archived" else lines
    if kind in ("Running", "Paused"):
        chosen = [line for line in chosen if line.paused == (kind == "Paused")]
    parts = (words or "").casefold().split()
    chosen = [line for line in chosen if all(part in line.name.casefold() for part in parts)]
    chosen = sorted(chosen, key=ORDERS[order])
    pages = -(-len(chosen) // PER_PAGE)
    if pages < 2:
        return chosen
    label = f"Page, of {pages} ({len(chosen):,} campaigns)"
    number = int(row.number_input(label, 1, pages, key=f"home-page-{pages}", width=200))
    return chosen[(number - 1) * PER_PAGE : number * PER_PAGE]


def show_deletions() -> None:
    """Show administrators which campaigns were deleted, by whom and when."""
    if not workspace.may(person, "administer"):
        return
    gone = workspace.campaigns.deletions()
    if not gone:
        return
    with st.expander(f"Deleted campaigns ({len(gone):,})"):
        for each in gone:
            when = datetime.fromtimestamp(each.at, UTC)
            by = f" by {plain(each.by)}" if each.by else ""
            st.caption(
                f"**{plain(each.name)}** · {each.labelled:,} of {each.documents:,} query-document pairs labelled, "
                f"{each.events:,} events · deleted {when:%Y-%m-%d %H:%M} UTC{by}"
            )


def counts(info: CampaignInfo, labelled: int) -> str:
    """Return how much is labelled, by how many people, and when the last label came."""
    last = f", last label {ago(time.time() - info.last_label_at)}" if info.last_label_at else ""
    people = f" by {info.people} {'person' if info.people == 1 else 'people'}" if info.people else ""
    return f"{labelled:,} of {info.documents:,} query-document pairs labelled{people}{last}."


def fill_in(campaigns: list[CampaignInfo], places: dict[int, DeltaGenerator]) -> None:
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


found = workspace.campaigns.lines()
if found or (researcher and workspace.campaigns.lines(archived=True)):
    overview(found)
else:
    welcome()
