"""Agreement: how far people agree, where they do not, whether it matters, and the decisions that settle it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.agreement.disputes import show_disputes, show_settled
from pages.agreement.rules import show_rules
from pages.agreement.view import show_agreement, show_confusion, show_counts, show_rankers
from pages.shared.doubts import show_doubts
from pages.shared.layout import heading, plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.agreement import names_of, open_disputes, parts_of, read_grades
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.person import Person


TABS = ["Disputes", "Agreement", "Confusions", "Does it matter?", "Rules"]


def main(person: Person, opened: OpenCampaign) -> None:
    """Show the agreement of a campaign, or how to come by one."""
    workspace = context.workspace()
    found = read_grades(opened)
    names = names_of({each.id: each.name for each in workspace.people.list()}, found)
    show_doubts(opened, names)
    if not found.shared:
        explain(opened, len(set(found.people)))
        return
    waiting = open_disputes(found)
    parts, whole = parts_of(opened), found
    if len(parts) > 1:
        part = st.selectbox(
            "Labels", list(parts), format_func=parts.__getitem__, key=f"agreement-part-{opened.id}", width=420,
            help="The guidelines or grades changed meanwhile: agreement before and since can be compared.",
        )  # fmt: skip
        found = read_grades(opened, part)
        if not found.shared:
            st.info("No document has grades of two people in this part; all labels are shown.", icon=":material/info:")
            found = whole
    alpha = show_counts(opened, found, len(waiting))
    # Only the open tab is computed: rankers for everybody take a while on a large pool.
    settle, agree, confused, matter, rules = st.tabs(TABS, key="agreement-tab", on_change="rerun")
    if settle.open:
        with settle:
            show_disputes(workspace, opened, person, waiting, names)
            show_settled(opened, person, found)
    if agree.open:
        with agree:
            show_agreement(opened, found, names, alpha)
    if confused.open:
        with confused:
            show_confusion(opened, found, names)
    if matter.open:
        with matter:
            show_rankers(opened, found, names)
    if rules.open:
        with rules:
            show_rules(opened, whole, names)


def explain(opened: OpenCampaign, people: int) -> None:
    """Say what overlap is and how to get it."""
    overlap = opened.settings.overlap
    st.info("No document has grades of two people yet, so there is no agreement to measure.", icon=":material/group:")
    if overlap < 2:
        st.markdown(
            "This campaign asks **one** person for each document. Agreement needs *overlap*: a campaign that asks two "
            "or more people for the same document. Make one with **People per document** set to 2 or more; it can use "
            "the same collection."
        )
        context.link("new_campaign", "New campaign", "add")
        return
    st.markdown(
        f"This campaign asks **{overlap}** people for each document. So far {people} "
        f"{'person has' if people == 1 else 'people have'} labelled. As soon as somebody else signs in and opens "
        "**Label**, they are given the documents that wait for another opinion first."
    )
    if context.wiring().sign_in == "open":
        st.caption(
            "In single-user mode there is only you: start with RULERANK_SIGN_IN=accounts, so that others can join."
        )


signed_in = context.require("research")
try:
    chosen = context.choose_campaign()
    words = "How far people agree where several judged the same document, and what to do where they do not."
    heading("Agreement", words, chosen.name)
    main(signed_in, chosen)
except RulerankError as problem:
    st.error(plain(str(problem)), icon=":material/error:")
