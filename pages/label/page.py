"""Label: the query stays on top, the document below, one key grades, saves and moves on."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import Any

import streamlit as st

from pages import context
from pages.charts.figure import current_theme
from pages.label.request import day_began
from pages.label.service import View, encode, panel_data
from pages.shared.layout import heading, plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.settings import shown_guidelines

LABELLING = "rr-labelling"
_ASSETS = Path(__file__).parent / "assets"

_mount = st.components.v2.component(
    "rulerank_panel",
    html="<div class='rr-panel'></div>",
    css=(_ASSETS / "panel.css").read_text("utf-8"),
    js="\n".join((_ASSETS / name).read_text("utf-8") for name in ("drawing.js", "panel.js")),
    isolate_styles=False,
)


def show_panel(data: dict[str, Any], address: str) -> None:
    """Show the panel, which asks at this address from now on.

    The serial distinguishes a new drawing of the page from an old one that is only put up again.
    """
    data = json.loads(encode(data))  # as the panel's own questions are answered, whatever the texts hold
    drawing = {"serial": secrets.token_hex(8), "address": address, "theme": current_theme().name}
    _mount(key="rr-panel", data={**data, **drawing})


def show_help(opened: OpenCampaign) -> None:
    """Show what stays the same from document to document: what the grades mean, and the guidelines."""
    with st.expander("What the grades mean", expanded=True):
        for grade, level in enumerate(opened.settings.grades):
            st.markdown(f"**{grade} · {plain(level.name)}**  \n{plain(level.meaning)}")
            if level.example:
                st.caption(f"For example: {plain(level.example)}")
    if opened.settings.guidelines:
        with st.expander("Guidelines"):
            given = opened.settings
            st.markdown(shown_guidelines(given.guidelines, remote_pictures=given.remote_pictures))


person = context.require("label")
opened = context.choose_campaign()
with st.container(key=LABELLING, gap="xsmall"):
    heading("Label", campaign=opened.name)  # no words below it: the document needs the height
    main, side = st.columns([5, 2], gap="medium")
    with side:
        show_help(opened)
    with main:
        view = View(since=day_began(time.time(), st.context.timezone_offset))
        show_panel(panel_data(context.workspace(), opened, person, view), context.address("/act"))
