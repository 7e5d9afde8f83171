"""Columns and rows whose parts stand below each other where a page is too narrow, such as on a tablet or telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

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
