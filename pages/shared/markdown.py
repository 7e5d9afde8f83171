"""Texts of people in Streamlit's Markdown, shown as they were written; and the head of a page, which holds one."""

from __future__ import annotations

import re

import streamlit as st

LONGEST = 80
"""Letters of a campaign's name that a heading shows."""

_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@/^=])")

# Where Streamlit would still find something in a text that Markdown has done with, escaped or not: arrows and dashes
# (-> <- <-> -- >= <= ~=), :emoji:, :streamlit: and :material_icons:, addresses of pages and of people.
_WITHIN = re.compile(r"(?<=[<>=~-])(?=[<>=~-])|(?<=:)(?=[\w+/-])|(?<=@)(?=[\w-])|(?<=www)(?=\.)", re.IGNORECASE)

_NOTHING = ":small[]"
"""An element without text: it takes no room, and what stands before and behind it are two texts and no longer one."""


def plain(text: str) -> str:
    """Return a text so that Markdown shows it unchanged, on one line: no emphasis, link, picture, colour or formula."""
    return _NOTHING.join(_SIGNS.sub(r"\\\1", part) for part in _WITHIN.split(" ".join(text.split())))


def sentence(text: str) -> str:
    """Return a text as `plain` does, with one full stop at its end, unless another sign ends it."""
    said = text.strip().rstrip(".")
    return plain(said if said.endswith(("?", "!", "…")) else f"{said}.")


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
