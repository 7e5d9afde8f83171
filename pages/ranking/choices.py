"""What is ranked, and by what: the query and the rankers that the reader or the address chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.charts.series import short_name
from pages.shared.view_address import read_address, write_address
from rulerank.campaign import OpenCampaign, ranking
from rulerank.registry import rankers

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NONE = ""
FIRST, SECOND = "ranking-first", "ranking-second"


def ask_query(opened: OpenCampaign, names: dict[str, str]) -> int:
    """Ask for a query, by number or text; the address may name one (?query=qid)."""
    queries = ranking.queries_of(opened)
    held = {int(number) for number in opened.collection.query_index[opened.evaluation_rows]}
    numbers = {opened.collection.queries[number]: number for number in queries}
    key = f"ranking-query-{opened.id}"
    read_address("query", (key,), lambda asked: {key: numbers.get(asked[0] if asked else "", queries[0])})

    def words(number: int) -> str:
        qid = opened.collection.queries[number]
        text = f"{qid}: {names[qid]}" if qid in names else f"Query {qid}"
        return f"{text} (evaluation)" if number in held else text

    chosen = st.selectbox(
        "Query",
        queries,
        format_func=words,
        key=key,
        help="Type to search. (evaluation): its documents are not labelled here; rankers are measured on them.",
    )
    qids = opened.collection.queries
    write_address("query", (key,), [qids[chosen]], [qids[queries[0]]])
    return int(chosen)


def ask_rankers(opened: OpenCampaign, left: DeltaGenerator, right: DeltaGenerator) -> tuple[str, str]:
    """Ask for one ranker, or for two to compare."""
    offered = ranking.offered(opened)
    keys = list(offered)
    usual = opened.settings.ranker.key if opened.settings.ranker.key in keys else keys[0]

    def chosen(asked: list[str]) -> dict[str, str]:
        found = [key for key in dict.fromkeys(asked) if key in offered] or [usual]
        return {FIRST: found[0], SECOND: found[1] if len(found) > 1 else NONE}

    read_address("ranker", (FIRST, SECOND), chosen)
    first = left.selectbox("Ranker", keys, format_func=_short, key=FIRST)
    if st.session_state[SECOND] == first:
        st.session_state[SECOND] = NONE
    second = right.selectbox(
        "Compare with",
        [NONE, *(key for key in keys if key != first)],
        format_func=lambda key: _short(key) if key else "nothing",
        key=SECOND,
    )
    write_address("ranker", (FIRST, SECOND), [key for key in (first, second) if key], [usual])
    return str(first), str(second)


def _short(key: str) -> str:
    """Return a ranker's name for a box; in full it stands above its table."""
    return short_name(key, rankers)
