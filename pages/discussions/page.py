"""Discussions: documents that somebody flagged, for those who lead a campaign: read, answer, resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.shared.discussion import show_thread
from pages.shared.document import show_pair
from pages.shared.layout import heading, side_by_side
from rulerank.campaign import OpenCampaign
from rulerank.campaign.discussion import Thread

if TYPE_CHECKING:
    from db.people.person import Person


def main(person: Person) -> None:
    """List the threads, the open ones first, and show the one that is chosen beside its document."""
    opened = context.choose_campaign()
    heading("Discussions", "Documents that somebody flagged: answer, and resolve.", opened.name)
    threads = sorted(opened.live.refresh().threads.values(), key=lambda each: (not each.open, -each.remarks[-1].id))
    waiting = sum(each.open for each in threads)
    if not threads:
        st.info("Nobody has flagged a document here. Annotators do so on Label (F) and on My labels.")
        return
    titles = titles_of(opened, threads)
    row = st.selectbox(
        f"{waiting:,} open, {len(threads) - waiting:,} resolved", list(titles), format_func=titles.__getitem__,
        key=f"discussion-{opened.id}",
    )  # fmt: skip
    left, right = side_by_side("discussions")
    with left:
        show_pair(context.workspace().collections, opened, row, "discussion")
    with right:
        st.header("Discussion", anchor=False)
        show_thread(opened, person.id, row, leads=True)


def titles_of(opened: OpenCampaign, threads: list[Thread]) -> dict[int, str]:
    """Return a line for each thread that says which document it is about, and whether it waits."""
    texts = context.workspace().collections
    queries = texts.query_names(opened.collection_id)
    names = texts.titles(opened.collection_id, (opened.document(each.row)[1] for each in threads))
    lines: dict[int, str] = {}
    for thread in threads:
        qid, docid = opened.document(thread.row)
        state = "open" if thread.open else "resolved"
        document = names.get(docid) or docid or f"document {thread.row + 1}"
        lines[thread.row] = f"{state} · {queries.get(qid, f'query {qid}')} · {document}"
    return lines


main(context.require("research"))
