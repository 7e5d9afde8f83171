"""How far people agree, in figures: alpha with its interval, kappa by pair, confusions, and the rankers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import streamlit as st

from pages.charts.bars import Agreement, agreement_dots
from pages.charts.figure import current_theme, show
from pages.charts.files import source_of
from pages.charts.matrices import confusion_matrix, tau_matrix
from pages.new_campaign.preview import number
from rulerank.agreement import Alpha, PairKappa, RankerAgreement, confusion, krippendorff_alpha, ranker_agreement
from rulerank.campaign import OpenCampaign
from rulerank.campaign.agreement import LEAST_LABELS, Grades, kappas_of
from rulerank.campaign.ranking import offered

MOST_PAIRS = 12
ALPHA = (
    "1 is perfect agreement, 0 is what chance gives; 0.8 is the customary limit for firm conclusions, 0.667 for "
    "tentative ones. The interval is from 1,000 resamples of the documents."
)


def value_text(value: float | None) -> str:
    """Return a value, or "not yet" where it is undefined."""
    return "not yet" if value is None or not np.isfinite(value) else f"{value:.2f}"


def show_counts(opened: OpenCampaign, found: Grades, waiting: int) -> Alpha:
    """Show the overlap so far, alpha, and what is to be decided."""
    alpha = alpha_of(opened.id, (found.seen, *found.part), found)
    interval = "no interval yet" if alpha.low is None else f"95% interval {alpha.low:.2f} to {alpha.high:.2f}"
    with st.container(key="rr-numbers", horizontal=True):
        number("Krippendorff's alpha", value_text(alpha.value), ALPHA)
        number("Shared documents", f"{found.shared:,}", "With grades of two people or more.")
        number("People", f"{len(set(found.people)):,}")
        number("Disputes to settle", f"{waiting:,}", "Documents with different grades and no decision yet.")
    st.caption(
        f"Alpha: ordinal, {interval}, from {alpha.pairs:,} pairs of grades. {found.shared:,} of {len(found.given):,} "
        f"labelled documents are shared; {opened.settings.overlap} people are asked for each. "
        f"Settled so far: {len(found.settled):,}."
    )
    return alpha


def show_agreement(opened: OpenCampaign, found: Grades, names: Mapping[int, str], alpha: Alpha) -> None:
    """Show alpha and kappa by pair as dots, and kappa as a table."""
    kappas = kappas_of(found)
    everybody = Agreement("Everybody (alpha)", alpha.value, alpha.low, alpha.high, alpha.units)
    pairs = [
        Agreement(f"{names[int(str(k.a))]} and {names[int(str(k.b))]}", k.weighted, None, None, k.shared)
        for k in kappas[:MOST_PAIRS]
    ]
    measure = "Krippendorff's alpha (ordinal); pairs: Cohen's kappa with quadratic weights"
    figure = agreement_dots([everybody, *pairs], measure=measure, theme=current_theme())
    show(figure, "agreement", key="agreement-dots", source=source_of(opened))
    with st.expander("Kappa of every pair"):
        st.dataframe(kappa_table(kappas, names), hide_index=True, alt="Cohen's kappa by pair of people")
        st.caption("Cohen's kappa: plain, and with quadratic weights, by which near misses count less.")


def kappa_table(kappas: list[PairKappa], names: Mapping[int, str]) -> pd.DataFrame:
    """Return the kappas as a table of words and numbers."""
    rows = [
        (names[int(str(k.a))], names[int(str(k.b))], k.shared, value_text(k.kappa), value_text(k.weighted))
        for k in kappas
    ]
    return pd.DataFrame(rows, columns=["One", "Other", "Documents shared", "Kappa", "Weighted kappa"])


def show_confusion(opened: OpenCampaign, found: Grades, names: Mapping[int, str]) -> None:
    """Show which grades are taken for which, for everybody or for two people."""
    together = [(k.a, k.b) for k in kappas_of(found)]
    pairs = [None, *(pair for pair in combinations(names, 2) if pair in together)]
    chosen = st.selectbox(
        "Whose grades", pairs, key="agreement-pair",
        format_func=lambda pair: "Every two people" if pair is None else f"{names[pair[0]]} and {names[pair[1]]}",
        help="For every two people each pair of grades is counted from both sides.",
    )  # fmt: skip
    levels = range(len(opened.settings.grades))
    matrix = confusion(found.units, found.people, found.grades, pair=chosen, levels=levels).matrix
    words = [f"{grade} {level.name}" for grade, level in enumerate(opened.settings.grades)]
    rows, columns = ("One person", "Another") if chosen is None else (names[chosen[0]], names[chosen[1]])
    figure = confusion_matrix(matrix, words, rows=rows, columns=columns, theme=current_theme())
    show(figure, "confusion", key="agreement-confusion", source=source_of(opened))


def show_rankers(opened: OpenCampaign, found: Grades, names: Mapping[int, str]) -> None:
    """Show whether disagreement changes the ranking: tau between rankers, one per person."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    kinds = offered(opened)
    first = list(kinds).index(opened.settings.ranker.key) if opened.settings.ranker.key in kinds else 0
    ranker = left.selectbox("Ranker", list(kinds), first, format_func=kinds.__getitem__, key="agreement-ranker")
    shared = right.toggle(
        "Only documents that both have graded", True, key="agreement-shared",
        help="Then nothing but their grades can set two rankers apart. Otherwise each learns from all of its person's "
        "labels.",
    )  # fmt: skip
    result = tau_of(opened.id, (found.seen, *found.part), ranker, shared, opened, found)
    people = [names[int(str(who))] for who in result.annotators]
    figure = tau_matrix(result.tau, people, evaluated_on="the pool", theme=current_theme())
    show(figure, "rankers-by-person", key="agreement-tau", source=source_of(opened, ranker))
    st.caption(f"People with at least {LEAST_LABELS} labels. A tau near 1 means that the disagreement hardly matters.")


@st.cache_data(show_spinner=False, max_entries=64)
def alpha_of(campaign: int, seen: tuple[int, ...], _found: Grades) -> Alpha:
    """Return Krippendorff's alpha; computed once for each state of the log."""
    return krippendorff_alpha(_found.units, _found.people, _found.grades)


@st.cache_data(show_spinner="Training a ranker on each person's labels...", max_entries=32)
def tau_of(
    campaign: int, seen: tuple[int, ...], ranker: str, shared: bool, _opened: OpenCampaign, _found: Grades
) -> RankerAgreement:
    """Return Kendall's tau between the rankers of people with enough labels; once for each state of the log."""
    counts = Counter(_found.people)
    labels = {who: _found.of(who) for who, count in sorted(counts.items()) if count >= LEAST_LABELS}
    queries = _opened.query_index.tolist()
    return ranker_agreement(
        _opened.items,
        _opened.items,
        labels,
        lambda: _opened.ranker(ranker),
        qids=queries,
        pool_qids=queries,
        shared=shared,
    )
