"""Asking how a simulation cuts its collection, and how it measures: folds, discretiser, convention, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.simulate.data import metric_label
from rulerank.metrics.conventions import conventions
from rulerank.registry import discretizers, metrics
from rulerank.simulate import Strategy

if TYPE_CHECKING:
    from db.simulations import Candidate

CUT_OFFS = (1, 3, 5, 10, 20)
USUAL_FOLDS = 5


def folds_chosen(candidate: Candidate) -> int:
    """Return the number of folds, which is asked for further down the page: the one chosen, or the usual one."""
    usual = min(USUAL_FOLDS, len(candidate.sizes))
    return int(st.session_state.get(f"simulate-folds-{candidate.info.id}", usual))


def ask_measured(candidate: Candidate) -> dict[str, Any]:
    """Ask for folds, discretiser, convention and metrics, and return them by the names that a plan has for them."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    most = min(20, len(candidate.sizes))
    folds = row.number_input(
        "Folds",
        2,
        most,
        min(USUAL_FOLDS, most),
        key=f"simulate-folds-{candidate.info.id}",
        width=130,
        help="Queries are dealt to so many parts. Each part is measured on once; the others are the pool.",
    )
    deal = row.number_input(
        "Seed of the folds", 0, 2**31 - 1, 0, key="simulate-deal", width=170, help="Deals queries to folds."
    )
    cutters = {entry.name: entry.label for entry in discretizers if not entry.value.needs_grades}
    cutter = row.selectbox(
        "Discretiser",
        list(cutters),
        index=list(cutters).index("tube"),
        format_func=cutters.__getitem__,
        key="simulate-discretiser",
        width=300,
        help="Makes items of features, from the pool alone. MDLP learns from grades, which are not known yet there.",
    )
    kinds = {entry.name: entry.label for entry in conventions}
    convention = row.selectbox(
        "Convention", list(kinds), format_func=kinds.__getitem__, key="simulate-convention", width=300
    )
    offered = [f"{e.name}@{k}" if k else e.name for e in metrics for k in (CUT_OFFS if e.value.cutoffs else (0,))]
    measures = st.multiselect(
        "Metrics", offered, default=["map", "ndcg@10", "precision@10"], format_func=metric_label, key="simulate-metrics"
    )
    beyond = st.toggle(
        "Go on after the natural stop",
        True,
        key="simulate-beyond",
        help="So that all samplers are compared at the same budget; where each would stop is noted in any case.",
    )
    return {
        "folds": int(folds),
        "split_seed": int(deal),
        "discretiser": Strategy(cutter),
        "convention": convention,
        "metrics": tuple(measures),
        "beyond_stop": beyond,
    }
