"""Progress, by person: labels and speed, documents that somebody gave up, and those that could not be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pages import charts
from pages.label.service import LONGEST_REASON
from pages.shared import document
from pages.shared.layout import plain
from rulerank.campaign import NOT_SHOWN, ActRefusedError, OpenCampaign
from rulerank.campaign.labels import Labels


def show_people(opened: OpenCampaign, labels: Labels) -> None:
    """Show each person's labels and speed."""
    figure = charts.annotator_speed(labels.people, theme=charts.current_theme())
    charts.show(figure, "labels by person", key="progress-people", source=charts.source_of(opened))
    if labels.people:
        with st.expander("As a table"):
            st.dataframe(_people_table(labels), hide_index=True)


def _people_table(labels: Labels) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Person": [person.name for person in labels.people],
            "Labels": [person.labels for person in labels.people],
            "Median seconds per label": [person.median_seconds for person in labels.people],
            "Labels an hour": [
                round(3600 / person.median_seconds) if person.median_seconds else None for person in labels.people
            ],
        }
    )


def show_given_up(opened: OpenCampaign, names: Mapping[int, str]) -> None:
    """Show which documents somebody could not tell the grade of, and why; nothing where there is none."""
    acts = [act for act in opened.live.fold.given_up() if act.person is not None]
    if not acts:
        return
    # What was added in one's own words would make every reason a different one.
    reasons = Counter(act.text.partition(":")[0][:LONGEST_REASON] or "no reason" for act in acts)
    most = ", ".join(f"{reason} ({count:,d})" for reason, count in reasons.most_common(3))
    with st.expander(f"Could not tell: {len(acts):,d}"):
        st.caption(
            "A document leaves the pool when somebody cannot tell its grade and nobody gave one. Many of one reason "
            "ask for a better guideline, more text, or another annotator."
        )
        st.text(f"Most often: {most}.")
        documents = [opened.document(act.row) for act in acts]
        st.dataframe(
            pd.DataFrame(
                {
                    "Query": [str(qid) for qid, _ in documents],
                    "Document": [
                        docid or f"row {act.row + 1}" for (_, docid), act in zip(documents, acts, strict=True)
                    ],
                    "Person": [names.get(act.person or 0, "somebody") for act in acts],
                    "Reason": [act.text for act in acts],
                    "Left the pool": [opened.live.fold.skipped(act.row) for act in acts],
                }
            ),
            hide_index=True,
        )


def show_put_aside(opened: OpenCampaign, person: int) -> None:
    """Show which documents were put aside because they could not be shown; nothing where there is none."""
    acts = opened.live.fold.all_put_aside()
    if not acts:
        return
    with st.expander(f"Could not be shown: {len(acts):,d}", expanded=True):
        st.caption(
            "These documents were put aside when they came up on Label, and nobody is asked for them. When what was "
            "wrong is fixed, they can be offered again."
        )
        documents = [(*opened.document(act.row), act) for act in acts]
        st.dataframe(
            pd.DataFrame(
                {
                    "Query": [document.clean(str(qid)) for qid, _, _ in documents],
                    "Document": [document.clean(docid) or f"row {act.row + 1}" for _, docid, act in documents],
                    "Reason": [document.clean(act.text.removeprefix(f"{NOT_SHOWN}: ")) for act in acts],
                }
            ),
            hide_index=True,
        )
        if st.button("Offer them again", icon=":material/undo:", key=f"bring-back-{opened.id}-{acts[-1].id}"):
            try:
                for act in acts:
                    opened.live.bring_back(person, act.row)
            except ActRefusedError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                st.rerun()
