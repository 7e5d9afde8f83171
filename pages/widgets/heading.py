"""The head of a page: its title, and one quiet line that says what it is for."""

from __future__ import annotations

import streamlit as st


def heading(title: str, words: str) -> None:
    """Show the title of a page, and under it, as a caption, what the page is for. Neither may be foreign text."""
    st.title(title)
    st.caption(words)
