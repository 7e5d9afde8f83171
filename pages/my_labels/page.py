"""My labels: everything that you decided in this campaign, to search, to read again and to change."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages import context
from pages.label.request import day_began
from pages.my_labels.change import ask_change, show_saved
from pages.shared.discussion import show_thread
from pages.shared.document import show_pair
from pages.shared.layout import heading, side_by_side
from pages.shared.why_chosen import show_why_chosen
from rulerank.campaign import OpenCampaign
from rulerank.campaign.decisions import NOT_A_GRADE, Decision, DecisionFilter, decisions_of

if TYPE_CHECKING:
    from db.people.person import Person

DAY = 86_400
# How far back to look, in days before today.
WHEN = {"any time": None, "today": 0, "the last 7 days": 6, "the last 30 days": 29}

KEPT = "my-labels-open"


def main(person: Person) -> None:
    """Show the list, and below it the document that is chosen."""
    opened = context.choose_campaign()
    heading("My labels", "What you decided here, the latest first. A change counts at once.", opened.name)
    show_saved()
    mine = decisions_of(opened, person.id)
    if not mine:
        st.info("You have not labelled anything in this campaign yet.")
        context.link("label", "Go to Label", "edit_note")
        return
    texts = context.workspace().collections
    queries = texts.query_names(opened.collection_id)
    titles = texts.titles(opened.collection_id, (each.docid for each in mine))
    found = ask_wanted(opened, mine, queries).among(mine, queries, titles)
    st.caption(f"{len(found):,} of {len(mine):,}" if len(found) < len(mine) else f"{len(mine):,} in all")
    if not found:
        st.info("Nothing that you decided is like that. Ask for less.")
        return
    kept = f"{KEPT}-{opened.id}"
    chosen = show_list(opened, found, queries, titles) or st.session_state.get(kept)
    # What was changed has moved to the top of the list, and stays open; as it stands now.
    chosen = next((each for each in mine if chosen is not None and each.row == chosen.row), None)
    st.session_state[kept] = chosen
    if chosen is None:
        st.info("Choose a row (the box at its left) to read the document and to change what you decided.")
        return
    left, right = side_by_side("my-labels")
    with left:
        show_pair(texts, opened, chosen.row, "mine")
        show_why_chosen(opened, chosen.row)
    with right:
        ask_change(opened, person, chosen)
        st.header("Discussion", anchor=False)
        show_thread(opened, person.id, chosen.row, leads=context.workspace().may(person, "research"))


def ask_wanted(opened: OpenCampaign, mine: list[Decision], queries: dict[str, str]) -> DecisionFilter:
    """Ask which decisions to show, in one row."""
    answers = {str(grade): f"{grade} · {level.name}" for grade, level in enumerate(opened.settings.grades)}
    answers |= {word: word for word in NOT_A_GRADE.values()}
    asked = {each.qid: queries.get(each.qid, f"query {each.qid}") for each in mine}
    columns = st.columns([3, 3, 3, 2])
    words = columns[0].text_input("Search", placeholder="query, document or note", key="my-labels-words")
    qid = columns[1].selectbox(
        "Query", ["", *sorted(asked, key=asked.__getitem__)], format_func=lambda qid: asked.get(qid, "all queries"),
        key=f"my-labels-query-{opened.id}",
    )  # fmt: skip
    picked = columns[2].multiselect(
        "Decision", list(answers), format_func=answers.__getitem__, placeholder="all", key=f"my-labels-{opened.id}"
    )
    when = columns[3].selectbox("When", list(WHEN), key="my-labels-when")
    switches = st.container(horizontal=True)
    noted = switches.toggle("With a note", key="my-labels-noted")
    flagged = switches.toggle("Flagged", key="my-labels-flagged", help="A discussion of it is open.")
    days = WHEN[when or "any time"]
    began = day_began(time.time(), st.context.timezone_offset)
    return DecisionFilter(
        words or "", qid or "", tuple(picked), 0.0 if days is None else began - days * DAY, noted, flagged
    )


def show_list(
    opened: OpenCampaign, found: list[Decision], queries: dict[str, str], titles: dict[str, str]
) -> Decision | None:
    """Show decisions as a table, and return the one whose row is chosen."""
    levels = opened.settings.grades
    table = pd.DataFrame(
        {
            "Decision": [
                each.answer if each.grade is None else f"{each.grade} · {levels[each.grade].name}" for each in found
            ],
            "Document": [titles.get(each.docid) or each.docid or f"document {each.row + 1}" for each in found],
            "Query": [queries.get(each.qid, each.qid) for each in found],
            "When": pd.to_datetime([each.at - 60 * (st.context.timezone_offset or 0) for each in found], unit="s"),
            "Note": [f"{'⚑ ' if each.flagged else ''}{each.note or each.reason}" for each in found],
        }
    )
    # A table of its own for each list: a choice must not pass to the document that has taken its row.
    key = f"my-labels-table-{opened.id}-{hash(tuple(each.row for each in found))}"
    event: Any = st.dataframe(
        table,
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        height=min(360, 38 + 35 * len(table)),
        column_config={
            "Decision": st.column_config.TextColumn(width=130),
            "Document": st.column_config.TextColumn(width=300),
            "Query": st.column_config.TextColumn(width=280),
            "When": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width=140),
        },
    )
    chosen = event["selection"]["rows"]
    return found[chosen[0]] if chosen and chosen[0] < len(found) else None


main(context.require("label"))
