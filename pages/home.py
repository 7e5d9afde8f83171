"""Home: campaigns and how far they are; a first visitor can try the demo or start their own."""

from __future__ import annotations

import time

import streamlit as st

from pages import context

person = context.require("label")
workspace = context.workspace()
campaigns = workspace.campaigns.all()
researcher = workspace.may(person, "research")


def open_demo() -> None:
    """Make the demo if need be, and go and label it."""
    with st.spinner("Building the demo from this Python's own documentation..."):
        st.session_state["campaign"] = workspace.demo(person.id)
    st.switch_page("label.py")


def welcome() -> None:
    """Say what this is, and offer the two ways in."""
    st.title("Learning-to-rank training sets, with a fraction of the labels")
    st.write(
        "Grade query-document pairs one key at a time. rulerank picks the pair that the labels so far say least about, "
        "retrains a ranker at once, and tells you when more labels would only repeat what is known."
    )
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.subheader("Try the demo")
        st.write("Questions about Python, answered by its own standard library. Nothing to download.")
        if st.button("Try the demo", type="primary", icon=":material/play_arrow:", width="stretch"):
            open_demo()
    with right, st.container(border=True):
        st.subheader("Start your own")
        st.write("Bring a LETOR file with features, and texts if you have them.")
        if researcher:
            st.page_link("new_campaign.py", label="New campaign", icon=":material/add:")
        else:
            st.caption("A researcher or administrator can make a campaign.")


def ago(seconds: float) -> str:
    """Return a stretch of time in words."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


def overview() -> None:
    """List the campaigns with their progress."""
    st.title("Campaigns")
    st.caption("Each campaign stops by itself when every further document would be redundant.")
    for info in campaigns:
        with st.container(border=True):
            name, action = st.columns([5, 1], vertical_alignment="center")
            with name:
                st.markdown(f"**{info.name}**")
                last = f", last label {ago(time.time() - info.last_label_at)}" if info.last_label_at else ""
                people = f" by {info.people} {'person' if info.people == 1 else 'people'}" if info.people else ""
                st.caption(f"{info.labelled:,} of {info.documents:,} documents labelled{people}{last}")
                st.progress(min(1.0, info.labelled / max(1, info.documents)))
            if action.button("Label", key=f"label-{info.id}", type="primary", width="stretch"):
                st.session_state["campaign"] = info.id
                st.switch_page("label.py")
            if researcher and action.button("Progress", key=f"progress-{info.id}", width="stretch"):
                st.session_state["campaign"] = info.id
                st.switch_page("progress.py")
    if researcher:
        st.page_link("new_campaign.py", label="Start another campaign", icon=":material/add:")
    if workspace.demo_made() is None and st.button("Try the demo", icon=":material/play_arrow:"):
        open_demo()


if campaigns:
    overview()
else:
    welcome()
