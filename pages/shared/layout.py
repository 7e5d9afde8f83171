"""Columns that stack where a page is narrow, the head of a page, and people's texts shown as they were written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


SPACE = (4, 8, 12, 16, 24, 32)
"""Pixels between things: the steps of the grid that pages and figures are laid out on."""

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


def heading(title: str, words: str = "", campaign: str = "") -> None:
    """Show the title of a page with its campaign, and under it, as a caption, what the page is for, if that is said.

    The name of a campaign may be anybody's text; title and words may not.
    """
    with st.container(key="rr-head", gap=None):
        st.title(f"{title} {named(campaign)}" if campaign else title)
        if words:
            st.caption(words)


def page_title(title: str, campaign: str = "") -> str:
    """Return what the browser's tab and its history say: page, campaign, app.

    >>> page_title("Progress", "MQ2008"), page_title("Home")
    ('Progress · MQ2008 · rulerank', 'Home · rulerank')
    """
    shown = campaign if len(campaign) <= LONGEST else f"{campaign[: LONGEST - 1]}…"
    return " · ".join(part for part in (title, " ".join(shown.split()), "rulerank") if part)


def named(campaign: str) -> str:
    """Return the name of a campaign as it stands in headings: as it was written, quiet, and not too long."""
    shown = campaign if len(campaign) <= LONGEST else f"{campaign[: LONGEST - 1]}…"
    return f":small[:gray[{plain(shown)}]]"


# Streamlit itself stacks columns on telephones only; with the sidebar open, a tablet leaves each some 200 pixels.
_STYLE = """<style>
@media (max-width: 1100px) {
  [class*="st-key-rr-pair-"] > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-wrap: wrap;
    > [data-testid="stColumn"] { min-width: 100%; }
  }
}
</style>"""


def side_by_side(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two columns, which a narrow page shows one below the other; `key` is theirs alone on the page."""
    with st.container(key=f"rr-pair-{key}"):
        st.html(_STYLE)
        return st.columns(2, gap="large")


def with_actions(key: str, *, border: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return a place for words, and beside it one for buttons that are as wide as their names, never narrower.

    A telephone shows the buttons below the words (see `browser`); `key` is theirs alone on the page.
    """
    row = st.container(key=f"rr-row-{key}", border=border, horizontal=True, vertical_alignment="center")
    return row.container(width="stretch"), row.container(horizontal=True, width="content")


# The box stays in sight beside the steps; where a page is narrow it stands above them.
_BESIDE = """<style>
.st-key-rr-steps > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
  > [data-testid="stColumn"]:last-child { position: sticky; top: 4rem; align-self: flex-start; }
}
@media (max-width: 1100px) {
  .st-key-rr-steps > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-wrap: wrap;
    > [data-testid="stColumn"] { min-width: 100%; }
    > [data-testid="stColumn"]:last-child { position: static; order: -1; }
  }
}
</style>"""


def steps_and_box() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return a place for the steps, and beside it one for what they come to."""
    with st.container(key="rr-steps"):
        st.html(_BESIDE)
        left, right = st.columns([13, 7], gap="large")
    return left, right.container(border=True, key="rr-summary")
