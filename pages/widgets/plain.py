"""Texts of people inside Streamlit's messages: shown as they were written, never as Markdown."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@/^=])")


def plain(text: str) -> str:
    """Return a text so that Markdown shows it unchanged, on one line: no emphasis, link, picture, colour or formula."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
