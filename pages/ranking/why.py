"""Why this score? The rules behind a ranked document, as the Ranking page shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages import charts
from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.explain import (
    WEIGHT,
    effects_table,
    over_antecedents,
    rules_behind,
    score_rules_table,
    score_words,
    shares_table,
)
from rulerank.campaign.ranking import Fitted, QueryDocuments
from rulerank.ranking import Effect, QueryLevelRules, QueryTermRules, SmoothItems, ThresholdRules

MOST_RULES = 200


def show_rules(opened: OpenCampaign, fitted: Fitted, documents: QueryDocuments, place: int, title: str) -> None:
    """Show the rules behind a document's score, the strongest first."""
    st.header("Why this score?")
    document = documents.items[place]
    names = [level.name for level in opened.settings.grades][: fitted.model.grades_.size]
    st.markdown(f"**{plain(title[:200])}**, ranked by {fitted.label}")
    query = None
    if isinstance(fitted.model, QueryLevelRules):
        query = _show_functions(opened, fitted, document)
    if isinstance(fitted.model, ThresholdRules):
        _show_effects(opened, fitted.model.effects(document))
        return
    rules = rules_behind(fitted, document, query)
    whole = over_antecedents(fitted.model)
    if rules is None:
        st.info("This ranker does not say which rules it used.")
        return
    if not rules:
        st.info("No rule speaks about this document yet, so its score is the mean grade of the labelled set.")
        return
    if isinstance(fitted.model, QueryTermRules):
        st.caption("Rules on features alone are listed; those that also name a query term are counted in the score.")
    else:
        what = "Score" if query is None else "What this function says"
        st.markdown(score_words(rules, names, what, whole=whole))
    st.dataframe(shares_table(rules, names, whole=whole), hide_index=True, width="content")
    over = (
        "over all antecedents, 0 where one has no rule for the grade"
        if whole
        else "of the rules that predict the grade"
    )
    table = score_rules_table(rules, opened.item_text, names)
    weighted = WEIGHT in table
    by = ", weighted by how well the feature tells grades apart" if weighted else ""
    st.caption(f"Mean confidence: {over}{by}. p(grade): its share among the means of all grades.")
    st.dataframe(
        table.head(MOST_RULES),
        hide_index=True,
        height=min(380, 38 + 35 * len(table)),
        column_config={"If the document has": st.column_config.TextColumn(width="large")},
    )
    more = f" The strongest {MOST_RULES} of {len(table):,d} are listed." if len(table) > MOST_RULES else ""
    near = " together with those of the bins around, which weigh less the more labels this bin has itself"
    st.caption(
        "Support: labelled documents with these values and this grade. Confidence: their share of all with these "
        f"values{near if isinstance(fitted.model, SmoothItems) else ''}."
        f"{' Weight: the most telling feature counts 1.' if weighted else ''}{more}"
    )


def _show_effects(opened: OpenCampaign, effects: Sequence[Effect]) -> None:
    """Show what each item of a document adds to its score."""
    total = sum(effect.adds for effect in effects)
    st.markdown(f"Its items add **{total:+.3f}** to the score that labelled documents have on average.")
    table = effects_table(effects, opened.item_text)
    st.dataframe(
        table,
        hide_index=True,
        height=min(380, 38 + 35 * len(table)),
        column_config={"If the document has": st.column_config.TextColumn(width="large")},
    )
    st.caption(
        'Adds: in grades, compared with what the feature adds on average. Rules: how many rules "in this bin or above" '
        "of the feature hold. Labels like it: labelled documents in the same bin."
    )


def _show_functions(opened: OpenCampaign, fitted: Fitted, document: np.ndarray) -> int:
    """Show whose functions rank a document, and ask whose rules to list; returns that query."""
    model = fitted.model
    assert isinstance(model, QueryLevelRules)
    weights = model.query_weights(document[None, :])[0]
    queries = [int(number) for number in model.queries_]  # type: ignore[call-overload]
    qids = [opened.collection.queries[number] for number in queries]
    charts.show(
        charts.query_weights_bar(weights, qids, top=8, theme=charts.current_theme()),
        "query weights",
        key="ranking-weights",
        source=charts.source_of(opened),
    )
    by_weight = [queries[place] for place in np.argsort(-weights, kind="stable")]
    chosen = st.selectbox(
        "Rules of the function of query",
        by_weight,
        format_func=lambda number: opened.collection.queries[number],
        key=f"ranking-function-{by_weight[0]}",
        help="RE-QR has one function for each query with labels; their scores are weighed by p(q|d).",
    )
    st.caption("The document's score is the mean of what all functions say, weighed by p(q|d).")
    return chosen
