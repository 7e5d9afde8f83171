"""The head of a page: its title, the campaign that it is about, and one quiet line that says what it is for."""

from __future__ import annotations

import streamlit as st

from pages.shared.markdown import plain

LONGEST = 80
"""Letters of a campaign's name that a heading shows."""


def heading(title: str, words: str, campaign: str = "") -> None:
    """Show the title of a page with its campaign, and under it, as a caption, what the page is for.

    The name of a campaign may be anybody's text; title and words may not.
    """
    st.title(f"{title} {named(campaign)}" if campaign else title)
    st.caption(words)


def named(campaign: str) -> str:
    """Return the name of a campaign as it stands in headings: as it was written, quiet, and not too long."""
    shown = campaign if len(campaign) <= LONGEST else f"{campaign[: LONGEST - 1]}…"
    return f":small[:gray[{plain(shown)}]]"
