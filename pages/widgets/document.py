"""A document as an annotator sees it: its text, safely, with the query's terms marked; or its features in words."""

from __future__ import annotations

import html
import re

import pandas as pd
import streamlit as st

from rulerank.campaign import OpenCampaign
from rulerank.text.highlight import highlight_terms
from rulerank.texts import DocumentText

LONGEST = 60_000
"""Characters of a text that are put on the page at first; a megabyte of text would make every key slow."""

MOST_MARKS = 2_000
"""Words of a text that are marked, from its beginning: tens of thousands of marks would freeze the browser."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

STYLE = """<style>
.rr-document { height: 46vh; overflow-y: auto; padding: 1rem 1.25rem; border: 1px solid rgba(128,128,128,.35);
  border-radius: .6rem; line-height: 1.55; font-size: 1.02rem; overflow-wrap: anywhere; }
.rr-document h4 { margin: 0 0 .6rem 0; padding: 0; font-size: 1.15rem; }
.rr-document pre { white-space: pre-wrap; font-family: inherit; margin: 0; }
.rr-document mark { background: rgba(255, 196, 0, .38); color: inherit; padding: 0 .1em; border-radius: .2em; }
.rr-query h3 { margin: 0; padding: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
.rr-query p { margin: .35rem 0 .8rem 0; opacity: .7; font-size: .9rem; overflow-wrap: anywhere; }
</style>"""


def marked(text: str, query: str, *, mark: bool = True) -> str:
    """Return a text as HTML that cannot do anything: escaped, without control characters, terms of the query marked."""
    text = _CONTROL.sub("\ufffd", text)
    spans = highlight_terms(text, query)[:MOST_MARKS] if mark and query else []
    parts, at = [], 0
    for start, end in spans:
        parts += [html.escape(text[at:start]), "<mark>", html.escape(text[start:end]), "</mark>"]
        at = end
    return "".join([*parts, html.escape(text[at:])])


def query_html(text: str, need: str) -> str:
    """Return a query and the need behind it as HTML."""
    why = f"<p dir='auto'>{marked(need, '')}</p>" if need else ""
    return f"{STYLE}<div class='rr-query'><h3 dir='auto'>{marked(text, '')}</h3>{why}</div>"


def document_html(text: DocumentText, query: str, *, mark: bool, longest: int = LONGEST) -> str:
    """Return a document as HTML: title, then the text, cut after `longest` characters."""
    body = text.body[:longest]
    title = f"<h4 dir='auto'>{marked(text.title[:1000], query, mark=mark)}</h4>" if text.title else ""
    shown = f"<pre dir='auto'>{marked(body, query, mark=mark)}</pre>"
    return f"{STYLE}<div class='rr-document' tabindex='0'>{title}{shown}</div>"


def show_text(text: DocumentText, query: str, key: str, *, above: str = "") -> None:
    """Show a document's text, and the HTML that stands `above` it; a very long text in part, with a switch for all."""
    mark = st.session_state.get("rr-mark", True)
    if len(text.body) <= LONGEST:
        st.html(above + document_html(text, query, mark=mark))
        return
    if above:
        st.html(above)
    whole = st.toggle(f"Show all {len(text.body):,} characters", key=f"whole-{key}")
    st.html(document_html(text, query, mark=mark, longest=len(text.body) if whole else LONGEST))


def show_features(opened: OpenCampaign, row: int) -> None:
    """Show a document without text: each feature's value and its place within the pool."""
    values, places = opened.features(row), opened.feature_places(row)
    frame = pd.DataFrame(
        {
            "feature": list(values),
            "value": [f"{value:.6g}" for value in values.values()],
            "place": [places[name] for name in values],
        }
    )
    st.caption("This document has no text here. Its features, and the share of the pool that has less of each:")
    st.dataframe(
        frame,
        hide_index=True,
        height=380,
        column_config={
            "feature": "Feature",
            "value": "Value",
            "place": st.column_config.ProgressColumn("Higher than so much of the pool", format="percent"),
        },
    )
