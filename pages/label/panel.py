"""The labelling panel: an element that the browser draws by itself, so that a key costs one question and no more."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import streamlit as st

from pages.label.service import encode
from pages.shared.markdown import plain
from rulerank.campaign import OpenCampaign, guidelines

LABELLING = "rr-labelling"
_ASSETS = Path(__file__).parent / "assets"

_mount = st.components.v2.component(
    "rulerank_panel",
    html="<div class='rr-panel'></div>",
    css=(_ASSETS / "panel.css").read_text("utf-8"),
    js=(_ASSETS / "panel.js").read_text("utf-8"),
    isolate_styles=False,
)


def show_panel(data: dict[str, Any], address: str) -> None:
    """Show the panel, which asks at this address from now on.

    The serial tells it a new drawing of the page from an old one that is only put up again.
    """
    data = json.loads(encode(data))  # as the panel's own questions are answered, whatever the texts hold
    _mount(key="rr-panel", data={**data, "serial": secrets.token_hex(8), "address": address})


def show_help(opened: OpenCampaign) -> None:
    """Show what stays the same from document to document: what the grades mean, and the guidelines."""
    with st.expander("What the grades mean", expanded=True):
        for grade, level in enumerate(opened.settings.grades):
            st.markdown(f"**{grade} · {plain(level.name)}**  \n{plain(level.meaning)}")
            if level.example:
                st.caption(f"For example: {plain(level.example)}")
    if opened.settings.guidelines:
        with st.expander("Guidelines"):
            settings = opened.settings
            st.markdown(guidelines.shown(settings.guidelines, remote_pictures=settings.remote_pictures))
