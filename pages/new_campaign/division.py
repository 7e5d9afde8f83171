"""Asking which rows are labelled and which are measured on, and saying in a sentence what will be stored."""

from __future__ import annotations

import streamlit as st

from pages.shared.layout import side_by_side
from rulerank.importing.preview import RowFacts
from rulerank.importing.rows import EVALUATIONS, KNOWN, Division, Rows, evaluations, uses_of_known

CAPTIONS = {
    "hide": "A replay: people label as if they were unknown; the Progress page shows what all labels would buy.",
    "labels": "They count as labels from the start; people are asked about the others.",
    "ignore": "People label everything anew.",
}


def ask_rows(facts: RowFacts) -> tuple[Division, Rows, str | None]:
    """Ask which rows are measured on, and what becomes of grades that are known already."""
    kinds = evaluations(facts, facts.second)
    left, right = side_by_side("division")
    with left:
        kind = st.radio(
            "Evaluation set", kinds, key=f"import-evaluation-{'-'.join(kinds)}",
            format_func=EVALUATIONS.__getitem__,
            help="Rows with grades that are never labelled. The learning curves are measured on them. Without one, "
            "the curves are cross-validated on the labels.",
        )  # fmt: skip
        share, seed = 0.3, 0
        if kind == "share":
            one, two = st.columns(2)
            share = one.slider("Share of the queries", 5, 90, 30, 5, format="%d%%", key="import-share") / 100
            seed = int(two.number_input("Seed of the choice", 0, 2**31 - 1, 0, key="import-share-seed"))
    division = Division(kind, share, seed)
    rows = division.rows(facts, facts.second)
    uses = uses_of_known(facts, rows)
    if not uses:
        right.caption("No document of the pool has a grade yet: people will give them all.")
        return division, rows, None
    use = right.radio(
        "Grades of the pool that the file knows", uses, format_func=KNOWN.__getitem__,
        key=f"import-known-{'-'.join(uses)}",
        captions=[CAPTIONS[each] for each in uses],
    )  # fmt: skip
    return division, rows, use


def in_words(facts: RowFacts, rows: Rows, use: str | None, labels: int) -> str:
    """Return what will be stored in a sentence."""
    index = facts.query_index
    words = [f"{rows.pool.size:,} documents of {len(set(index[rows.pool].tolist())):,} queries can be labelled"]
    if rows.evaluation.size:
        queries = len(set(index[rows.evaluation].tolist()))
        words.append(f"{rows.evaluation.size:,} documents of {queries:,} queries are kept for measuring")
    if rows.left_out:
        words.append(f"{rows.left_out:,} are in neither")
    if use == "labels":
        words.append(f"{labels:,} grades are taken over as labels")
    if use == "hide":
        words.append("known grades stay hidden from annotators")
    return "; ".join(words) + "."
