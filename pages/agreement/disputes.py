"""Disputes: documents that people graded differently, one at a time, and the decision that counts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.charts.figure import current_theme
from pages.charts.theme import colours_of_grades, grade_chip, grade_chip_css
from pages.shared.document import show_pair
from pages.shared.layout import plain
from rulerank.agreement.aggregate import Dispute
from rulerank.campaign import ActRefusedError, Kind, OpenCampaign
from rulerank.campaign.agreement import Grades

if TYPE_CHECKING:
    from db.people.person import Person
    from db.workspace import Workspace


@dataclass(frozen=True)
class Drawn:
    """What a form was drawn with: the latest decision on the document then, and the token of the next one."""

    latest: int
    token: str


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
    show_pair(workspace.collections, opened, row, "dispute")
    decide(opened, person, row)


def title(workspace: Workspace, opened: OpenCampaign, dispute: Dispute) -> str:
    """Return a line that distinguishes one dispute from another."""
    qid, docid = opened.document(int(str(dispute.unit)))
    grades = " against ".join(str(grade) for grade in sorted(set(dispute.grades.values())))
    return f"{grades} · query {qid} · {docid or f'document {dispute.unit}'}"


def chip_css(opened: OpenCampaign) -> str:
    """Return the style of the campaign's grades."""
    return grade_chip_css(colours_of_grades([level.colour for level in opened.settings.grades], current_theme()))


def given_html(opened: OpenCampaign, dispute: Dispute, names: Mapping[int, str]) -> str:
    """Return who gave which grade, as chips; names are escaped by the chip."""
    levels = opened.settings.grades
    chips = [
        grade_chip(grade, f"{levels[grade].name} · {names[int(str(who))]}") for who, grade in dispute.grades.items()
    ]
    return " ".join(chips)


def decide(opened: OpenCampaign, person: Person, row: int) -> None:
    """Take the decision: one grade, with a reason if there is one."""
    drawn = draw(opened, row)
    with st.form(f"decide-{opened.id}-{row}", border=False, enter_to_submit=False):
        reason = st.text_input("Reason (optional)", key=f"reason-{row}", max_chars=1000)
        columns = st.columns(len(opened.settings.grades))
        for grade, (column, level) in enumerate(zip(columns, opened.settings.grades, strict=True)):
            pressed = column.form_submit_button(
                f"{grade} · {plain(level.name)}",
                key=f"decide-{row}-{grade}",
                help=plain(level.meaning) or None,
                width="stretch",
            )
            if pressed and settle(opened, person, row, drawn, grade, reason or ""):
                st.toast(f"Settled: {grade} {plain(level.name)}.", icon=":material/gavel:")
                st.rerun()


def settle(opened: OpenCampaign, person: Person, row: int, drawn: Drawn, grade: int | None, reason: str = "") -> bool:
    """Write a decision, or withdraw one; once, however often a press arrives. False: refused, and shown why.

    A decision that somebody else took since the form was drawn is not written over.
    """
    try:
        opened.live.write(
            person.id, row, Kind.ADJUDICATE, grade=grade, text=reason, token=drawn.token, after=drawn.latest
        )
    except ActRefusedError as error:
        st.session_state.pop(_key(opened, row), None)
        st.error(plain(str(error)), icon=":material/error:")
        return False
    return True


def draw(opened: OpenCampaign, row: int) -> Drawn:
    """Return what stands on a document's form; as it was first drawn, until it was sent.

    A press may run the page twice, and both runs must find the same token.
    """
    kept = st.session_state.get(_key(opened, row))
    if isinstance(kept, Drawn) and opened.live.fold.with_token(kept.token) is None:
        return kept
    drawn = Drawn(opened.live.fold.latest(Kind.ADJUDICATE, row), secrets.token_hex(16))
    st.session_state[_key(opened, row)] = drawn
    return drawn


def _key(opened: OpenCampaign, row: int) -> str:
    return f"decision-{opened.id}-{row}"


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
        drawn = draw(opened, row)
        # A button of this decision alone: the second press of a double click must not withdraw the next one.
        pressed = st.button("Withdraw this decision", icon=":material/undo:", key=f"withdraw-{opened.id}-{row}")
        if pressed and settle(opened, person, row, drawn, None):
            st.rerun()
