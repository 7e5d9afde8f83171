"""The history of a campaign: who changed what and when, from what to what, and the button that takes it back."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.shared.layout import plain, sentence, with_actions
from rulerank.campaign import About, Change, OpenCampaign
from rulerank.campaign.difference import Line, change_in_words, text_difference
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.person import Person

MOST = 50
"""Changes that are listed; the event log of Export has all."""

LONG = 60
"""Letters from which on a value is shown as a difference."""

STYLE = """<style>
.rr-diff { line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
.rr-diff del { opacity: 0.75; }
.rr-diff ins { text-decoration: underline; text-decoration-thickness: 2px; font-weight: 600; }
</style>"""


def show_history(person: Person, opened: OpenCampaign, saved: Callable[[str], None]) -> None:
    """List the changes, the latest first; `saved` draws the page anew after one was taken back."""
    history = opened.live.fold.course.history
    if not history:
        st.caption("Nothing was changed since the campaign was made.")
        return
    st.html(STYLE)
    names = {each.id: each.name for each in context.workspace().people.list()}
    undone = {change.takes_back for _, change in history}
    for event, change in reversed(history[-MOST:]):
        words, actions = with_actions(f"change-{event.id}", border=True)
        when = datetime.fromtimestamp(event.at, UTC)
        who = names.get(event.person or 0, "somebody")
        back = " · taken back" if event.id in undone else ""
        words.caption(f"{when:%Y-%m-%d %H:%M} UTC · {plain(who)}{back}")
        words.html(f'<div class="rr-diff" dir="auto">{"<br>".join(row_html(*row) for row in _rows(change))}</div>')
        possible = change.about is About.SETTINGS and event.id not in undone
        if possible and actions.button("Take back", key=f"take-back-{event.id}", icon=":material/undo:"):
            try:
                opened.live.take_back(person.id, event.id)
            except RulerankError as error:
                st.error(sentence(str(error)), icon=":material/error:")
            else:
                saved("Taken back. It is again as it was before.")


def _rows(change: Change) -> list[tuple[str, str, str]]:
    if change.about is not About.STATE:
        return change_in_words(change)
    said = {
        ("paused", True): "Paused",
        ("paused", False): "Resumed",
        ("archived", True): "Archived",
        ("archived", False): "Restored",
    }
    return [(said[name, bool(value)], "", "") for name, value in change.after.items()]


def row_html(what: str, before: str, after: str) -> str:
    """Return one value that changed: short ones side by side, long ones with what went and what came."""
    head = f"<b>{html.escape(what)}</b>"
    if not before and not after:
        return head
    if max(len(before), len(after)) > LONG or "\n" in before + after:
        return f"{head}<br>{difference_html(text_difference(before, after))}"
    return f"{head}: <del>{html.escape(before)}</del> → <ins>{html.escape(after)}</ins>"


def difference_html(lines: list[Line]) -> str:
    """Return lines with what went struck out and what came underlined; nobody needs to see colours for it."""
    tags = {"same": ("", ""), "gone": ("<del>", "</del>"), "new": ("<ins>", "</ins>")}
    return "<br>".join(
        "".join(f"{tags[kind][0]}{html.escape(text)}{tags[kind][1]}" for kind, text in line) for line in lines
    )
