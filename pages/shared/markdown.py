"""Texts of people inside Streamlit's messages: shown as they were written, never as Markdown."""

from __future__ import annotations

import re

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
