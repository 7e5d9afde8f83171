"""Advice from the labels on the Progress page: how many it may take in all, and which ranker does most with them."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from pages.shared.layout import plain
from rulerank.advice import PoolFacts, RankersCompared, compare_rankers, forecast_now
from rulerank.advice.later import LEAST_QUERIES
from rulerank.campaign import OpenCampaign
from rulerank.campaign.labels import Labels
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers, samplers

BESIDE = (RECOMMENDED, "threshold_rules", "weighted_items")
"""Rankers that the campaign's own is compared with: those that did most in simulations. LRAR stays the papers' own."""


def show_advice(opened: OpenCampaign, labels: Labels) -> None:
    """Show the forecast; rankers are compared when somebody asks, which teaches each of them all labels."""
    settings = opened.settings
    pool = PoolFacts(len(opened.items), int(np.unique(opened.query_index).size), opened.items.shape[1])
    forecast = forecast_now(pool, labels.grades, sampler=settings.sampler.name, ranker=settings.ranker.name)
    with st.expander("Advice from the labels", icon=":material/recommend:"):
        if forecast is not None:
            relevant = int((np.asarray(labels.grades) > 0).sum())
            known = f"{relevant:,d} of {len(labels):,d} labels are relevant. " if relevant else ""
            st.markdown(f"{known}{plain(forecast.sentence)}")
        else:
            names = f"{samplers[settings.sampler.name].label} with {_label(settings.ranker.name)}"
            st.markdown(f"How many labels it takes was not simulated for {plain(names)}.")
        if st.button("Which ranker does most with these labels?", key="progress-compare"):
            with st.spinner("Teaching each ranker the labels..."):
                st.markdown(plain(said(_compared(opened, labels))))


def _compared(opened: OpenCampaign, labels: Labels) -> RankersCompared | None:
    used = opened.settings.ranker.key
    names = dict.fromkeys((used, *BESIDE))
    makes = {name: partial(opened.ranker, name) for name in names}
    given = list(zip(labels.rows, labels.grades, strict=True))
    return compare_rankers(makes, used, opened.documents, given, opened.evaluation)


def said(found: RankersCompared | None) -> str:
    """Return the comparison in words."""
    if found is None:
        return f"Too early to tell: fewer than {LEAST_QUERIES} queries to measure on have a relevant document."
    where = "the evaluation set" if found.held_out else "the labels, cross-validated"
    values = ", ".join(f"{_label(name)} {value:.3f}" for name, value in found.values.items())
    verdict = (
        f"no other is clearly ahead of {_label(found.used)}"
        if found.ahead is None
        else f"{_label(found.ahead)} is ahead of {_label(found.used)} by more than two standard errors; choose it "
        "under Rankers above to see its curve"
    )
    return f"MAP on {where} ({found.queries:,d} queries): {values}. With these labels {verdict}."


def _label(key: str) -> str:
    return rankers[key.split(":", maxsplit=1)[0]].label
