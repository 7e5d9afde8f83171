"""A document as an annotator sees it: its text, safely, with the query's terms marked; or its features in words."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.text import DocumentText, Token, Words, best_passage, find_terms, reflow, spans_of

if TYPE_CHECKING:
    from db.collections import Collections

LONGEST = 60_000
"""Characters of a text that are put on the page at first; a megabyte of text would make every key slow."""

MOST_MARKS = 2_000
"""Words of a text that are marked, from its beginning: tens of thousands of marks would freeze the browser."""

LONG = 1_500
"""Characters of a text that fit into the panel's box; of a longer one the best passage comes first."""

PASSAGE = 800
"""Characters of that passage: enough to judge by, and all of it in sight."""

WIDE = 0.4
"""How many wide characters (Chinese, Japanese, Korean) take the room of one letter, and say as much."""

_WIDE = re.compile("[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U000323af]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

STYLE = """<style>
.rr-document { height: 46vh; overflow-y: auto; padding: 1rem 1.25rem; border: 1px solid rgba(128,128,128,.35);
  border-radius: .6rem; line-height: 1.55; font-size: 1.02rem; overflow-wrap: anywhere; }
.rr-document h3 { margin: 0 0 .6rem 0; padding: 0; font-size: 1.15rem; }
.rr-document pre { white-space: pre-wrap; font-family: inherit; margin: 0; }
.rr-document mark { background: rgba(255, 196, 0, .38); color: inherit; padding: 0 .1em; border-radius: .2em; }
</style>"""


def clean(text: str) -> str:
    """Return a text without control characters, halves of characters, and marks that turn the direction of a text."""
    return _CONTROL.sub("\ufffd", text)


def pieces(text: str, query: str, analyser: Words | None = None) -> list[str]:
    """Return a text without control characters, cut where terms of the query stand: every second piece is one.

    With the analyser that the collection was prepared with, all forms of a word are marked that it takes for one.
    """
    text = clean(text)
    return _cut(text, find_terms(text, query, analyser=analyser))


def _cut(text: str, hits: Sequence[Token], start: int = 0, stop: int | None = None) -> list[str]:
    """Return a stretch of a text, cut at the terms that were found in the text."""
    stop = len(text) if stop is None else stop
    inside = (hit for hit in hits if start <= hit.start and hit.end <= stop)
    cut, at = [], start
    for first, last in spans_of(inside)[:MOST_MARKS]:
        cut += [text[at:first], text[first:last]]
        at = last
    return [*cut, text[at:stop]]


def text_shown(
    text: DocumentText, query: str, *, whole: bool = False, raw: bool = False, analyser: Words | None = None
) -> dict[str, Any]:
    """Return a document's text for the panel: of a long one the best passage too, of a very long one only a part.

    The passage is sought in what goes to the panel at first, however long the text is. Lines that were broken by hand
    are put together, unless it is to be `raw`.
    """
    cut = len(text.body) > LONGEST and not whole
    came = clean(text.body[:LONGEST] if cut else text.body)
    flowing = reflow(came)
    body = came if raw else flowing
    hits = find_terms(body, query, analyser=analyser)
    return {
        **(passage_shown(body, query, hits, cut=cut) if len(body) > LONG * _narrowness(body) else {}),
        "title": pieces(text.title[:1000], query, analyser) if text.title else [],
        "body": _cut(body, hits),
        "broken": flowing != came,
        "more": f"Show all {len(text.body):,} characters" if cut else "",
    }


def passage_shown(body: str, query: str, hits: Sequence[Token], *, cut: bool = False) -> dict[str, Any]:
    """Return the passage of a text that holds most of the query, in pieces, and what to say above it."""
    near = [hit for hit in hits if hit.end <= LONGEST]
    length = int(PASSAGE * _narrowness(body))
    start, end, found = best_passage(body[:LONGEST], query, length=length, hits=near)
    cut_up = _cut(body, near, start, end)
    if body[:start].strip():
        cut_up[0] = f"… {cut_up[0]}"
    if cut or body[end:].strip():
        cut_up[-1] = f"{cut_up[-1]} …"
    missed = "No word of the query was found in the text. It begins:" if query else "The text begins:"
    return {"passage": cut_up, "about": "Best passage for the query:" if found else missed}


def _narrowness(text: str) -> float:
    """Return what part of the usual characters of a text fill the same room: fewer where they are wide."""
    head = text[:PASSAGE]
    return WIDE if len(_WIDE.findall(head)) > len(head) / 2 else 1.0


def features_shown(opened: OpenCampaign, row: int) -> list[tuple[str, str, float]]:
    """Return a document without text for the panel: each feature's name, value, and place within the pool."""
    places = opened.feature_places(row)
    return [(name, f"{value:.6g}", places[name]) for name, value in opened.features(row).items()]


def marked(text: str, query: str, analyser: Words | None = None) -> str:
    """Return a text as HTML that cannot do anything: escaped, without control characters, terms of the query marked."""
    shown = [html.escape(piece) for piece in pieces(text, query, analyser)]
    return "".join(f"<mark>{piece}</mark>" if place % 2 else piece for place, piece in enumerate(shown))


def document_html(
    text: DocumentText, query: str, *, longest: int = LONGEST, raw: bool = False, analyser: Words | None = None
) -> str:
    """Return a document as HTML: title, then the text, cut after `longest` characters; `raw` as it was broken."""
    body = text.body[:longest] if raw else reflow(text.body[:longest])
    title = f"<h3 dir='auto'>{marked(text.title[:1000], query, analyser)}</h3>" if text.title else ""
    shown = f"<pre dir='auto'>{marked(body, query, analyser)}</pre>"
    return f"{STYLE}<div class='rr-document' tabindex='0'>{title}{shown}</div>"


def show_text(text: DocumentText, query: str, key: str, analyser: Words | None = None) -> None:
    """Show a document's text on its own; a very long one in part, with a switch for all of it.

    One that was broken by hand is put together for reading, with a switch to see it as it came.
    """
    whole = len(text.body) > LONGEST and st.toggle(f"Show all {len(text.body):,} characters", key=f"whole-{key}")
    longest = len(text.body) if whole else LONGEST
    broken = reflow(text.body[:longest]) != text.body[:longest]
    raw = broken and st.toggle("Line breaks as they came", key=f"raw-{key}")
    st.html(document_html(text, query, longest=longest, raw=raw, analyser=analyser))


# Where no key is pressed in a hurry, a short text may have a short box.
_SHORT = "<style>.st-key-rr-query-document .rr-document { height: auto; max-height: 46vh; }</style>"


def show_pair(texts: Collections, opened: OpenCampaign, row: int, key: str) -> None:
    """Show the query and the document of a pair as annotators saw them; `key` is this place's alone on the page."""
    qid, docid = opened.document(row)
    query = texts.query_text(opened.collection_id, qid)
    text = texts.document_text(opened.collection_id, docid) if docid else None
    words = query.text if query else ""
    st.header(plain(words or f"Query {qid}"), anchor=False)
    if query and query.need:
        st.caption(plain(query.need))
    with st.container(key="rr-query-document"):
        if text is not None:
            st.html(_SHORT)
            show_text(text, words, f"{key}-{row}", texts.analyser(opened.collection_id))
        else:
            show_features(opened, row)


def show_features(opened: OpenCampaign, row: int) -> None:
    """Show a document without text: each feature's value and its place within the pool."""
    frame = pd.DataFrame(features_shown(opened, row), columns=["feature", "value", "place"])
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
