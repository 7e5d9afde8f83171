"""Competence: where each query-level function is right, and whose functions rank a document."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.competence import view
from pages.shared.layout import heading, side_by_side
from rulerank.campaign import OpenCampaign
from rulerank.campaign.competence import CompetenceMap, competence_map


def main() -> None:
    """Show the page."""
    context.require("research")
    opened = context.choose_campaign()
    heading(
        "Competence",
        "Each query with labels has a ranking function of its own. The map shows where each is right.",
        opened.name,
    )
    if context.workspace().campaigns.last_event(opened.id) > opened.live.fold.seen:
        opened.live.refresh()
    found = current_map(opened)
    if found is None:
        st.info(
            "The map needs labels in at least two queries: then two functions can be compared. "
            "Label a few more documents, and come back."
        )
        context.link("label", "Go to Label", "edit_note")
        return
    view.show_map(opened, found)
    details(opened, found)


@st.fragment
def details(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Show what is chosen on the map; a click draws this part alone."""
    view.follow_clicks(opened, found)
    left, right = side_by_side("competence")
    with left:
        view.show_query(opened, found)
    with right:
        view.show_document(opened, found)
    view.show_documents(opened, found)
    view.name_in_address(opened, found)


def current_map(opened: OpenCampaign) -> CompetenceMap | None:
    """Return the map that this session looks at: it stays as it is while labels come in, until it is asked anew.

    Otherwise a click would be about a map that is gone already.
    """
    key = f"competence-kept-{opened.id}"
    kept: CompetenceMap | None = st.session_state.get(key)
    newer = opened.live.fold.seen > kept.seen if kept is not None else True
    place = st.empty()  # always: what stands below must not move up, or the browser draws it anew
    if kept is not None and newer:
        st.caption(f"The map shows {kept.rows.size:,d} labels; more was labelled or changed since.")
    if kept is None or (newer and st.button("Draw it anew", icon=":material/refresh:", key="competence-anew")):
        words = "Comparing every query's function with every labelled document"
        bar = place.progress(0.0, words)

        def report(done: int, total: int | None = None, what: str = "", /) -> None:
            bar.progress(done / (total or 1), words)

        kept = competence_map(opened, report)
        place.empty()
        st.session_state[key] = kept
    return kept


main()
