"""Small pictures that say what a page shows before any formula does: drawn here, in the colours of the theme."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

import streamlit as st

from pages.charts.theme import FONT, Theme, mix

CELL = 14
"""Pixels of a square, and the grid that all of these pictures are drawn on."""


def show_key(picture: str, words: str) -> None:
    """Show a small picture, and beside it in plain words what is to be seen and what to do about it."""
    st.html(f'<div class="rr-key">{picture}<p>{html.escape(words, quote=False)}</p></div>')


def scale_key(colours: Sequence[str], silent: str, words: tuple[str, str, str], theme: Theme) -> str:
    """Return the key of a map: its colours from one end to the other with a word at each, and its grey with one."""
    width = 236
    cells = "".join(
        f'<rect x="{4 + place * 2 * CELL}" y="4" width="{2 * CELL}" height="{CELL}" fill="{colour}"/>'
        for place, colour in enumerate(colours)
    )
    end = 4 + 2 * CELL * len(colours)
    box = f'<rect x="4" y="4" width="{end - 4}" height="{CELL}" fill="none" stroke="{theme.muted}" stroke-width="1"/>'
    grey = f'<rect x="{end + 12}" y="4" width="{2 * CELL}" height="{CELL}" fill="{silent}" stroke="{theme.muted}"/>'
    low, high, none = words
    return _svg(
        width,
        38,
        cells + box + grey + _text(4, low, theme) + _text(end, high, theme, "end") + _text(end + 12, none, theme),
        f"From {low} to {high}; grey: {none}",
    )


def reader_key(theme: Theme) -> str:
    """Return a reader who goes down a list of results and stops at the one that satisfies: what click models learn."""
    rows = []
    for place, share in enumerate((0.25, 0.5, 1.0, 0.0)):
        y = 3 + place * CELL
        stop = share == 1.0
        ink = theme.accent if stop else mix(theme.background, theme.accent, share * 0.6)
        rows.append(
            f'<rect x="28" y="{y}" width="{96 - 8 * place}" height="9" rx="2" fill="{ink if share else theme.grid}"/>'
        )
    arrow = (
        f'<path d="M12 4V36M7 31l5 6l5-6" fill="none" stroke="{theme.text}" stroke-width="1.6"/>'
        f'<path d="M130 34l4 4l7-8" fill="none" stroke="{theme.accent}" stroke-width="2"/>'
    )
    words = _text(148, "satisfied: stops here", theme, y=39)
    return _svg(276, 62, "".join(rows) + arrow + words, "A reader goes down the list and stops where satisfied")


def _text(x: int, words: str, theme: Theme, anchor: str = "start", y: int = 33) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="12" fill="{theme.text}" text-anchor="{anchor}">{html.escape(words)}</text>'
    )


def _svg(width: int, height: int, inside: str, words: str) -> str:
    """Return a drawing as a picture: Streamlit takes drawings themselves out of a page."""
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{html.escape(FONT)}">{inside}</svg>'
    )
    content = base64.b64encode(drawn.encode()).decode()
    size = f'width="{width}" height="{height}"'
    return f'<img src="data:image/svg+xml;base64,{content}" alt="{html.escape(words)}" {size}>'
