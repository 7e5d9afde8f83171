"""Why was it chosen? What made the sampler ask for a document that is labelled, at any time after."""

from __future__ import annotations

import time

import streamlit as st

from pages import context
from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.annotator import why_chosen
from rulerank.registry import samplers

WORKED_OUT = (
    "Worked out anew from the documents that were labelled before this one, with the grades that they have now; what "
    "the sampler itself said at the time stands in the log, and below."
)


def show_why_chosen(opened: OpenCampaign, row: int) -> None:
    """Offer the reason for which a labelled document of the pool was chosen: in words, and as the log keeps it."""
    with st.expander("Why was it chosen?", icon=":material/help:"):
        kept = context.workspace().campaigns.selection_of(opened.id, row)
        if kept is None:
            st.write("No sampler chose it: its grade was imported, or given without being asked for.")
            return
        why = why_chosen(opened, row)
        st.write(plain(why["head"]))
        for part in why["parts"]:
            st.caption(plain(part["text"]))
            for line in part["list"]:
                st.text(f"· {line}")
        name = kept.sampler
        label = samplers[name].label.partition(" (")[0] if name in samplers else name
        at = kept.created_at - 60 * (st.context.timezone_offset or 0)
        when = time.strftime("%d %b %Y, %H:%M", time.gmtime(at)).lstrip("0")
        st.caption(WORKED_OUT)
        st.text(f"Document number {kept.round:,}, {when}, {label}: {kept.reason}")
