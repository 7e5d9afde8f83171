"""The list of campaigns on Home: which of them, how far each is, and which were deleted."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages import context
from pages.label.request import day_began
from pages.shared.layout import plain
from rulerank.campaign.annotator import own_labels
from rulerank.campaign.labels import standing
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from db.campaigns import CampaignInfo, CampaignLine
    from db.people.person import Person
    from db.whole_campaigns import Deletion

FEW = 5
"""Up to so many campaigns need no search."""

PER_PAGE = 20
"""Campaigns that are counted and listed at a time."""

PATIENCE = 1.5
"""Seconds that the list of campaigns may take to say how near each is to its end."""

ORDERS: dict[str, Callable[[CampaignLine], Any]] = {
    "Newest first": lambda line: -line.id,
    "Last used first": lambda line: -line.active_at,
    "By name": lambda line: line.name.casefold(),
}


def ago(seconds: float) -> str:
    """Return a stretch of time in words."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


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


def show_deletions(gone: list[Deletion]) -> None:
    """Show which campaigns were deleted, by whom and when."""
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


def counts(info: CampaignInfo, labelled: int, brought: int = 0) -> str:
    """Return how much is labelled, how much of it was brought with the data, by how many people, and when last."""
    parts = [
        f"{labelled:,} of {info.documents:,} query-document pairs labelled",
        f"{brought:,} of them brought with the data" if brought else "",
        f"by {info.people} {'person' if info.people == 1 else 'people'}" if info.people else "",
        f"last label {ago(time.time() - info.last_label_at)}" if info.last_label_at else "",
    ]
    return f"{', '.join(filter(None, parts))}."


def fill_in(person: Person, campaigns: list[CampaignInfo], places: dict[int, DeltaGenerator]) -> None:
    """Add to each campaign how near its end is, until the page's time is up: the next visit finds the first ones open.

    A campaign that nobody has opened since the server started must read its labels first.
    """
    workspace, end = context.workspace(), time.monotonic() + PATIENCE
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
            st.caption(counts(info, found.labelled, len(opened.live.fold.imported)))
