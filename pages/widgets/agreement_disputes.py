"""Disputes: documents that people graded differently, one at a time, and the decision that counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from pages.widgets.agreement_data import Grades
from pages.widgets.document import show_features, show_text
from pages.widgets.plain import plain
from pages.widgets.show import current_theme
from pages.widgets.theme import grade_chip, grade_chip_css, grade_colours
from rulerank.agreement.disputes import Dispute
from rulerank.campaign import Kind, OpenCampaign

if TYPE_CHECKING:
    from db.people import Person
    from db.workspace import Workspace


# Here no key is pressed in a hurry, so a short text may have a short box.
SHORT = "<style>.st-key-dispute-document .rr-document { height: auto; max-height: 46vh; }</style>"


def show_disputes(
    workspace: Workspace, opened: OpenCampaign, person: Person, found: list[Dispute], names: Mapping[int, str]
) -> None:
    """Show the disputes that are open, the widest apart first, and take a decision on the chosen one."""
    if not found:
        st.success("People agree on every document that they share, or it is settled.", icon=":material/done_all:")
        return
    titles = {int(str(each.unit)): title(workspace, opened, each) for each in found}
    row = st.selectbox(
        f"{len(found):,} to settle, the widest apart first", list(titles), format_func=titles.__getitem__,
        key=f"dispute-{opened.id}-{len(found)}",
    )  # fmt: skip
    dispute = next(each for each in found if each.unit == row)
    st.html(chip_css(opened) + given_html(opened, dispute, names))
    notes = [(who, opened.live.fold.notes.get((row, who), "")) for who in names]
    for who, note in notes:
        if note:
            st.text(f"{names[who]} notes: {note}")
    show_document(workspace, opened, row)
    decide(opened, person, row)


def title(workspace: Workspace, opened: OpenCampaign, dispute: Dispute) -> str:
    """Return a line that tells one dispute from another."""
    qid, docid = opened.document(int(str(dispute.unit)))
    grades = " against ".join(str(grade) for grade in sorted(set(dispute.grades.values())))
    return f"{grades} · query {qid} · {docid or f'document {dispute.unit}'}"


def chip_css(opened: OpenCampaign) -> str:
    """Return the style of the campaign's grades."""
    usual = grade_colours(len(opened.settings.grades), current_theme())
    own = [level.colour or usual[grade] for grade, level in enumerate(opened.settings.grades)]
    return grade_chip_css(own)


def given_html(opened: OpenCampaign, dispute: Dispute, names: Mapping[int, str]) -> str:
    """Return who gave which grade, as chips; names are escaped by the chip."""
    levels = opened.settings.grades
    chips = [
        grade_chip(grade, f"{levels[grade].name} · {names[int(str(who))]}") for who, grade in dispute.grades.items()
    ]
    return " ".join(chips)


def show_document(workspace: Workspace, opened: OpenCampaign, row: int) -> None:
    """Show the query and the document as annotators saw them."""
    qid, docid = opened.document(row)
    query = workspace.collections.query_text(opened.collection_id, qid)
    text = workspace.collections.document_text(opened.collection_id, docid) if docid else None
    words = query.text if query else ""
    st.subheader(plain(words or f"Query {qid}"), anchor=False)
    if query and query.need:
        st.caption(plain(query.need))
    with st.container(key="dispute-document"):
        if text is not None:
            st.html(SHORT)
            show_text(text, words, f"dispute-{row}", workspace.collections.analyser(opened.collection_id))
        else:
            show_features(opened, row)


def decide(opened: OpenCampaign, person: Person, row: int) -> None:
    """Take the decision: one grade, with a reason if there is one."""
    with st.form(f"decide-{opened.id}-{row}", border=False, enter_to_submit=False):
        reason = st.text_input("Reason (optional)", key=f"reason-{row}", max_chars=1000)
        columns = st.columns(len(opened.settings.grades))
        for grade, (column, level) in enumerate(zip(columns, opened.settings.grades, strict=True)):
            if column.form_submit_button(
                f"{grade} · {plain(level.name)}",
                key=f"decide-{row}-{grade}",
                help=plain(level.meaning) or None,
                width="stretch",
            ):
                opened.live.write(person.id, row, Kind.ADJUDICATE, grade=grade, text=reason or "")
                st.toast(f"Settled: {grade} {plain(level.name)}.", icon=":material/gavel:")
                st.rerun()


def show_settled(opened: OpenCampaign, person: Person, found: Grades) -> None:
    """List what was settled, and let a decision be withdrawn."""
    if not found.settled:
        return
    with st.expander(f"Settled so far: {len(found.settled):,}"):
        titles = {
            row: f"{grade} {opened.settings.grades[grade].name} · query {' · '.join(opened.document(row))}"
            for row, grade in found.settled.items()
        }
        row = st.selectbox("Decision", list(titles), format_func=titles.__getitem__, key=f"settled-{opened.id}")
        if st.button("Withdraw this decision", icon=":material/undo:", key=f"withdraw-{opened.id}"):
            opened.live.write(person.id, row, Kind.ADJUDICATE, grade=None)
            st.rerun()
