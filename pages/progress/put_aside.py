"""Progress: the documents that could not be shown to anybody, why, and how they come back."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.shared import document
from pages.shared.markdown import plain
from rulerank.campaign import NOT_SHOWN, ActRefusedError, OpenCampaign


def show_put_aside(opened: OpenCampaign, person: int) -> None:
    """Show which documents were put aside because they could not be shown; nothing where there is none."""
    acts = opened.live.fold.all_put_aside()
    if not acts:
        return
    with st.expander(f"Could not be shown: {len(acts):,d}", expanded=True):
        st.caption(
            "These documents were put aside when they came up on Label, and nobody is asked for them. When what was "
            "wrong is mended, they can be offered again."
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
