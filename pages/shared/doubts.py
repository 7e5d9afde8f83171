"""Grades that look random, shown to researchers where they look at labels."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.doubts import doubts


def show_doubts(opened: OpenCampaign, names: Mapping[int, str]) -> None:
    """Show what looks random in the grades, with what to do; nothing where nothing does."""
    found = doubts(opened)
    if found:
        lines = "\n".join(f"- {plain(each.words(names))}" for each in found)
        st.warning(f"**Look at the grades again**\n\n{lines}", icon=":material/rule:")
