"""The text of a ranked document, with the words that answer the query marked."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.shared.document import show_text
from rulerank.campaign import OpenCampaign
from rulerank.campaign.ranking import Documents

# Here the rules matter more: a short text has a short box, and a long one leaves room for them.
SHORT = "<style>.st-key-ranking-text .rr-document { height: auto; max-height: 40vh; }</style>"


def show_document(opened: OpenCampaign, documents: Documents, place: int) -> None:
    """Offer the text of a document, if it has one, as annotators see it."""
    texts = context.workspace().collections
    found = texts.document_text(opened.collection_id, documents.docids[place])
    if found is None:
        return
    query = texts.query_text(opened.collection_id, opened.collection.queries[documents.query])
    with st.expander("Read the document", icon=":material/article:"), st.container(key="ranking-text"):
        st.html(SHORT)
        words = query.text if query is not None else ""
        show_text(found, words, f"ranking-{documents.rows[place]}", texts.analyser(opened.collection_id))
