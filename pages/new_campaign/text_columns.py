"""Which column of a table of documents or queries is what: guessed by the names, and chosen on the page."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.shared.markdown import plain
from rulerank.errors import InputError
from rulerank.prepare import Columns, TableHead

PARTS = {
    "documents": {
        "title": "Title",
        "body": "Text",
        "language": "Language",
        "numbers": "Numbers that become features (popularity, links)",
    },
    "queries": {"text": "Query", "need": "Need behind it, for annotators"},
}
SHOWN = 3
LONGEST_CELL = 200


def ask_columns(what: str, file: str, head: TableHead) -> Columns:
    """Ask which columns of `what` ("documents" or "queries") hold the id and the texts; several texts are joined."""
    st.markdown(f"**{what.capitalize()}** · {plain(file)}")
    key = f"texts-{what}-{file}"
    head = with_names(head, key)
    twice = next((name for name in head.names if head.names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{file}: two columns are called {twice!r}; give one of them another name")
    cells = [[cell[:LONGEST_CELL] for cell in row] for row in head.rows[:SHOWN]]
    frame = pd.DataFrame(cells, columns=list(head.names))
    st.dataframe(frame, hide_index=True, alt=f"The first rows of the {what}")
    key = f"{key}-{'-'.join(head.names)}"
    names, guess = list(head.names), head.guess
    place = names.index(guess.id) if guess and guess.id in names else 0
    number = st.selectbox("Id", names, place, key=f"{key}-id")
    chosen = {
        part: tuple(
            st.multiselect(label, names, known(guess, part, names), key=f"{key}-{part}", placeholder="No column")
        )
        for part, label in PARTS[what].items()
    }
    return Columns(id=number, **chosen)


def with_names(head: TableHead, key: str) -> TableHead:
    """Let people say that the first row holds names, where a table's columns go by their numbers."""
    numbers = tuple(str(number) for number in range(1, len(head.names) + 1))
    first = head.rows[0] if head.rows else ()
    fit = len(set(first)) == len(first) and all(cell.strip() for cell in first)
    if head.names != numbers or len(head.rows) < 2 or not fit:
        return head
    if not st.toggle("The first row names the columns", key=f"{key}-named"):
        return head
    return TableHead(tuple(cell.strip() for cell in first), head.rows[1:], None)


def known(guess: Columns | None, part: str, names: Sequence[str]) -> list[str]:
    """Return the columns that are chosen at first."""
    return [name for name in getattr(guess, part) if name in names] if guess else []


def missing(what: str, chosen: Columns) -> str | None:
    """Say what a choice of columns lacks."""
    if what == "documents" and not (chosen.title or chosen.body):
        return "Choose the column that holds the documents' text or title."
    if what == "queries" and not chosen.text:
        return "Choose the column that holds the queries."
    return None
