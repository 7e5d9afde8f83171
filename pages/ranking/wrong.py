"""What the ranker gets wrong: labelled documents whose grade and place disagree most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.ranking.view import grade_text
from rulerank.campaign import OpenCampaign
from rulerank.campaign.ranking import QueryDocuments

MOST = 5
"""Documents that are listed."""


def show_wrong(opened: OpenCampaign, documents: QueryDocuments, titles: Sequence[str], order: np.ndarray) -> None:
    """Show the graded documents that stand furthest from where their grades would put them."""
    table = wrong_table(opened, documents, titles, order)
    if table is None:
        return
    if table.empty:
        st.caption(":material/check: Grades and places agree: no graded document stands below one with a lower grade.")
        return
    with st.expander(f"What it gets wrong ({len(table)})", icon=":material/compare_arrows:", expanded=True):
        st.dataframe(table, hide_index=True, height=38 + 35 * len(table))
        st.caption(
            "Graded documents alone: the places that they stand too high (▲) or too low (▼) among each other, against "
            "the nearest place that their grade allows. Read them: either the label is wrong, or the features do not "
            "tell what the reader saw."
        )


def wrong_table(
    opened: OpenCampaign, documents: QueryDocuments, titles: Sequence[str], order: np.ndarray
) -> pd.DataFrame | None:
    """Return the documents that are furthest off, the worst first; None where fewer than two have a grade."""
    graded = [int(place) for place in order if documents.given[int(place)] is not None]
    if len(graded) < 2:
        return None
    grades = np.array([documents.given[place] for place in graded])
    off = places_off(grades)
    worst = np.argsort(-np.abs(off), kind="stable")[:MOST]
    rank = {int(place): number for number, place in enumerate(order, start=1)}
    return pd.DataFrame(
        [
            {
                "Document": titles[graded[at]],
                "Rank": rank[graded[at]],
                "Grade": grade_text(opened, documents.given[graded[at]]),
                "Off by": f"{'▲' if off[at] > 0 else '▼'} {abs(off[at])}",
            }
            for at in worst
            if off[at]
        ],
        columns=["Document", "Rank", "Grade", "Off by"],
    )


def places_off(grades: np.ndarray) -> np.ndarray:
    """Return how many places each document stands too high (above 0) or too low, given grades in the order of ranks.

    Documents of one grade may stand in any order, so each grade has a span of places that are right.

    >>> places_off(np.array([0, 2, 1, 1])).tolist()
    [3, -1, 0, -1]
    >>> places_off(np.array([2, 1, 1, 0])).tolist()
    [0, 0, 0, 0]
    """
    place = np.arange(grades.size)
    first = np.array([(grades > grade).sum() for grade in grades], dtype=np.int64)
    last = np.array([(grades >= grade).sum() - 1 for grade in grades], dtype=np.int64)
    return np.where(place < first, first - place, np.where(place > last, last - place, 0))
