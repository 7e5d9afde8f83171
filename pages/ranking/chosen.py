"""Which document of a ranking is chosen: by a row of a table, or by the address (?document=docid)."""

from __future__ import annotations

import streamlit as st

from pages.shared.view_address import document_names, read_address, write_address
from rulerank.campaign.ranking import QueryDocuments

DRAWN = "ranking-drawn"
"""How often the tables were drawn anew because the address chose, and what each of them had chosen when it was new."""


class ChosenDocument:
    """The document of a query whose rules are shown, by its place among the query's documents."""

    def __init__(self, campaign: int, documents: QueryDocuments) -> None:
        """Take over what the address names, where it names another document than before."""
        self._key = f"ranking-document-{campaign}-{documents.query}"
        self._names = document_names(documents.docids, documents.rows.tolist())
        places = {name: place for place, name in enumerate(self._names)}
        state = st.session_state
        before = state.get(self._key)
        read_address("document", (self._key,), lambda asked: {self._key: places.get(asked[0]) if asked else None})
        self.place: int | None = state[self._key]
        self._turn, self._first = state.get(DRAWN, (0, {}))
        if self.place != before:
            self._turn += 1  # a table keeps its choice as long as it keeps its key
        self._new: dict[str, int | None] = {}

    def table_key(self, name: str) -> str:
        """Return the key of a table: another one after the address has chosen."""
        return f"{name}-{self._turn}"

    def when_new(self, key: str, order: list[int], *, counts: bool) -> int | None:
        """Return the row that a table has chosen when it is drawn for the first time; then it must not change."""
        if key in st.session_state and key in self._first:
            self._new[key] = self._first[key]
        else:
            self._new[key] = order.index(self.place) if counts and self.place is not None else None
        return self._new[key]

    def keep(self, place: int | None) -> None:
        """Let the address name what is chosen now."""
        st.session_state[DRAWN] = (self._turn, self._new)
        st.session_state[self._key] = self.place = place
        write_address("document", (self._key,), [] if place is None else [self._names[place]], [])


def latest_choice(places: list[int | None]) -> int:
    """Return which table's choice counts: the one that has just changed, else the one that counted before."""
    before, counted = st.session_state.get("ranking-choice", ([], 0))
    changed = [
        number
        for number, place in enumerate(places)
        if place is not None and (number >= len(before) or before[number] != place)
    ]
    counts = changed[-1] if changed else counted
    if counts >= len(places) or places[counts] is None:
        counts = next((number for number, place in enumerate(places) if place is not None), 0)
    st.session_state["ranking-choice"] = (places, counts)
    return counts
