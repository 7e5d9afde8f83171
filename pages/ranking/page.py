"""Ranking: one query's documents in the order of the ranker in training, and the rules behind each score."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages import context
from pages.ranking import view
from pages.ranking.choices import NONE, ask_query, ask_rankers
from pages.ranking.chosen import ChosenDocument, latest_choice
from pages.ranking.view import show_document
from pages.ranking.why import show_rules
from pages.ranking.wrong import show_wrong
from pages.shared.audience import audience_of
from pages.shared.layout import heading, plain, side_by_side
from pages.shared.why_chosen import show_why_chosen
from rulerank.agreement import kendall_tau
from rulerank.campaign import OpenCampaign, ranking
from rulerank.campaign.audience import measured_rows


def main() -> None:
    """Show the page."""
    context.require("research")
    opened = context.choose_campaign()
    words = "The documents of one query as they are ranked now, and the rules behind each score."
    heading("Ranking", words, opened.name)
    if context.workspace().campaigns.last_event(opened.id) > opened.live.fold.seen:
        opened.live.refresh()
    names = context.workspace().collections.query_names(opened.collection_id)
    row = st.columns([2, 1, 1])
    with row[0]:
        query = ask_query(opened, names)
    first, second = ask_rankers(opened, *row[1:])
    fitted = ranking.fit(opened, first)
    if fitted is None:
        st.info("Nothing is labelled yet, so there is no ranker. Give the first labels, and come back.")
        context.link("label", "Go to Label", "edit_note")
        return
    other = ranking.fit(opened, second) if second != NONE else None
    show_query(opened, query)
    compare(opened, query, fitted, other)


def show_query(opened: OpenCampaign, query: int) -> None:
    """Show what a query asks for."""
    found = context.workspace().collections.query_text(opened.collection_id, opened.collection.queries[query])
    if found is not None:
        with st.container(border=True):
            st.text(found.text)
            if found.need:
                st.caption(plain(found.need))


def compare(opened: OpenCampaign, query: int, fitted: ranking.Fitted, other: ranking.Fitted | None) -> None:
    """Show the ranking of one ranker or of two, and the rules of the document that is chosen."""
    documents = ranking.documents_of(opened, query)
    titles = view.titles_of(opened, documents)
    audience = audience_of(opened)
    measures = view.ask_measures(audience.of(measured_rows(opened)))
    readers = audience.of(documents.rows).asking(*(each.metric for each in measures))
    convention = opened.settings.convention
    chosen = ChosenDocument(opened.id, documents)
    shown: list[tuple[ranking.Fitted, np.ndarray, np.ndarray, int | None]] = []
    for which, column in zip([fitted, other], side_by_side("ranking") if other else [st.container()], strict=False):
        if which is None:
            continue
        scores = ranking.scores_of(which, documents)
        order = ranking.order_of(scores, documents, convention)
        moved = ranking.changes(shown[0][2], order) if shown else None
        with column:
            st.markdown(f"**{which.label}**")
            view.show_metrics(opened, documents, scores, readers, measures)
            table = view.ranking_table(opened, documents, titles, scores, order, moved, readers.languages)
            key = chosen.table_key(f"ranking-table-{len(shown)}-{opened.id}-{query}-{which.name}")
            first = chosen.when_new(key, order.tolist(), counts=not shown)
            place = view.show_table(table, key, first, narrow=other is not None)
            show_wrong(opened, documents, titles, order)
        shown.append((which, scores, order, place))
    st.caption(view.metric_words(opened, documents))
    view.show_user_words(opened, documents, measures)
    if len(shown) == 2:
        tau = kendall_tau(shown[0][1], shown[1][1])
        words = "not defined, because one of them ranks nothing above anything" if tau is None else f"{tau:.3f}"
        st.caption(
            f"Kendall's tau-b between the two rankings of this query: {words} (1: the same order, -1: reversed)."
        )
    model, _, order, place = shown[latest_choice([each[3] for each in shown])]
    at = None if place is None else int(order[place])
    chosen.keep(at)
    if at is None:
        st.info(
            "Choose a document (the box left of its row) to see the rules behind its score.",
            icon=":material/touch_app:",
        )
        return
    show_document(opened, documents, at)
    if documents.given[at] is not None and documents.pool_rows[at] >= 0:
        show_why_chosen(opened, int(documents.pool_rows[at]))
    show_rules(opened, model, documents, at, titles[at])


main()
