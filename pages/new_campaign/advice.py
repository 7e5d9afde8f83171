"""What New campaign recommends before the first label, and about how many labels it will take."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.shared.layout import plain
from rulerank.advice import PoolFacts, Recommendation, labels_for, recommend
from rulerank.importing.kept import RowFacts
from rulerank.importing.rows import Rows

SHARES = {0.9: "90%", 0.95: "95%", 0.99: "99%"}
FOR = {
    False: "Rankers on rules, as here",
    True: "RankSVM, LambdaMART and other trainers that compare documents of a query",
}


def pool_facts(facts: RowFacts, rows: Rows, features: int, one_in: int | None) -> PoolFacts:
    """Return what is known of the pool; grades that the file brings tell how rare relevant pairs are, unless stated."""
    grades = facts.grades[facts.grades >= 0]
    relevant = 1 / one_in if one_in else None
    if relevant is None and grades.size and (grades > 0).any():
        relevant = float(np.mean(grades > 0))
    return PoolFacts(int(rows.pool.size), int(np.unique(facts.query_index[rows.pool]).size), features, relevant)


def ask_advice(facts: RowFacts, rows: Rows, features: int) -> Recommendation:
    """Ask the two things that a file does not tell, and show what follows from them."""
    left, right = st.columns(2, gap="large")
    pairwise = left.radio(
        "What the labels are for", list(FOR), format_func=FOR.__getitem__, key="import-purpose",
    )  # fmt: skip
    one_in = right.number_input(
        "One pair in how many is relevant, about?", 1, 100_000, None, key="import-one-in",
        placeholder="not known", help="A guess helps: the rarer relevant pairs are, the more labels it takes.",
    )  # fmt: skip
    known = pool_facts(facts, rows, features, one_in)
    advised = recommend(known, pairwise=bool(pairwise))
    st.info(f"**Recommended:** {plain(advised.words)}", icon=":material/recommend:")
    share = right.segmented_control(
        "How good should it become?", list(SHARES), default=0.95, format_func=SHARES.__getitem__, key="import-goal",
        help="MAP, as a share of what all labels would give.",
    )  # fmt: skip
    forecast = labels_for(known, share or 0.95, sampler=advised.sampler, ranker=advised.ranker)
    if forecast is not None:
        st.caption(f":material/timer: {plain(forecast.sentence)}")
    return advised
