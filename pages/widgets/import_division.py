"""Asking which rows are labelled and which are measured on, and saying in a sentence what will be stored."""

from __future__ import annotations

import streamlit as st

from pages.widgets.import_read import Imported
from pages.widgets.import_rows import EVALUATIONS, KNOWN, Rows, choose_rows, evaluations, uses_of_known
from pages.widgets.layout import side_by_side

CAPTIONS = {
    "hide": "A replay: people label as if they were unknown; the Progress page shows what all labels would buy.",
    "labels": "They count as labels from the start; people are asked about the others.",
    "ignore": "People label everything anew.",
}


def ask_rows(imported: Imported) -> tuple[Rows, str | None]:
    """Ask which rows are measured on, and what becomes of grades that are known already."""
    collection = imported.collection
    kinds = evaluations(collection, imported.second)
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
    rows = choose_rows(collection, kind, second=imported.second, share=share, seed=seed)
    uses = uses_of_known(collection, rows)
    if not uses:
        right.caption("No document of the pool has a grade yet: people will give them all.")
        return rows, None
    use = right.radio(
        "Grades of the pool that the file knows", uses, format_func=KNOWN.__getitem__,
        key=f"import-known-{'-'.join(uses)}",
        captions=[CAPTIONS[each] for each in uses],
    )  # fmt: skip
    return rows, use


def in_words(imported: Imported, rows: Rows, use: str | None, labels: int) -> str:
    """Return what will be stored in a sentence."""
    index = imported.collection.query_index
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
