"""Why a document was chosen, told after it was labelled: its rules in words, how many, its place, what was new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rulerank.campaign import OpenCampaign

if TYPE_CHECKING:
    from db.people import Person


def why_last(opened: OpenCampaign, person: Person) -> None:
    """Explain the document that this person labelled last."""
    if not st.toggle("Why was the last document chosen?", key="why"):
        return
    last = opened.live.fold.last_act(person.id)
    if last is None:
        st.caption("Label one first: a reason shown before would sway the judge.")
        return
    told = opened.live.why(last.row)
    qid, docid = opened.document(last.row)
    st.markdown(f"**{docid or f'document {last.row + 1}'}** for query {qid}")
    if not told.rule_count:
        st.write("It drew no rule: nothing that was labelled before shared anything with it.")
    else:
        st.write(f"It drew **{told.rule_count:,} rules** from what was labelled before it. The strongest:")
        for rule in told.strongest(4):
            st.markdown(f"- {rule.describe(opened.item_text)}")
    if told.new_items:
        st.write("New, not seen in any labelled document before:")
        for feature, number in told.new_items[:6]:
            st.markdown(f"- {opened.item_text(feature, number)}")
        if len(told.new_items) > 6:
            st.caption(f"and {len(told.new_items) - 6} more")


def stop_line(opened: OpenCampaign) -> None:
    """Say how much is labelled, and how far the natural stop is where the sampler has one."""
    labelled = f"{len(opened.live.fold.current()):,} of {len(opened.items):,} labelled"
    distance = opened.live.stop_distance()
    if distance is None:
        st.caption(labelled)
        return
    fewest, least = distance
    told = (
        f"{labelled}. Towards the natural stop: the next document draws {fewest:,} rules, labelled ones at least "
        f"{least:,}. When none draws fewer than those, more labels would repeat what is known."
    )
    st.progress(min(1.0, fewest / max(1, least)), text=told)
