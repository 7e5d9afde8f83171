"""Putting a figure on a page: light or dark as the reader has it, a named download, words for screen readers."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.charts.figure import alt_text, plotly_config
from pages.charts.theme import Theme, theme_named


def current_theme() -> Theme:
    """Return the theme that the reader's browser shows."""
    return theme_named(st.context.theme.type)


def show(figure: go.Figure, name: str, *, key: str | None = None, clicks: bool = False, image: str = "svg") -> Any:
    """Show a figure and return the event of a click, where `clicks` asks for it, else None.

    Streamlit's own chart theme is off, because it would lay its colours over ours.
    """
    settings: dict[str, Any] = {
        "theme": None,
        "key": key,
        "config": plotly_config(name, image=image),
        "alt": alt_text(figure),
    }
    if clicks:
        return st.plotly_chart(figure, on_select="rerun", selection_mode="points", **settings)
    st.plotly_chart(figure, **settings)
    return None
