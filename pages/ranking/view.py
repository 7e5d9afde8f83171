"""The parts of the Ranking page: tables of ranked documents, metrics of the query, and the text of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages import context
from pages.shared.audience import show_meaning
from pages.shared.document import show_text
from pages.shared.layout import plain, sentence
from pages.shared.view_address import read_address, write_address
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import why_not_offered
from rulerank.campaign.ranking import CUT, QueryDocuments, measures_of_query, metrics_of
from rulerank.errors import RulerankError
from rulerank.metrics import Audience, Measure
from rulerank.metrics.conventions import conventions
from rulerank.metrics.measure import USUAL
from rulerank.text.languages import language_name

METRICS = "ranking-metrics"
NARROW = 136
"""Pixels of a document's name where two tables stand side by side: all columns are in sight on a small laptop."""


def grade_text(opened: OpenCampaign, grade: int | None) -> str:
    """Return a grade with its name, or "not yet"."""
    if grade is None:
        return "not yet"
    levels = opened.settings.grades
    return f"{grade} {levels[grade].name}" if 0 <= grade < len(levels) else str(grade)


def ranking_table(
    opened: OpenCampaign,
    documents: QueryDocuments,
    titles: Sequence[str],
    scores: np.ndarray,
    order: np.ndarray,
    moved: dict[int, int] | None = None,
    languages: Sequence[str | None] = (),
) -> pd.DataFrame:
    """Return the documents, best first; `moved` adds by how many places each stands higher than elsewhere."""
    table = pd.DataFrame(
        {
            "Rank": np.arange(1, len(order) + 1),
            "Document": [titles[place] for place in order],
            "Grade": [grade_text(opened, documents.given[place]) for place in order],
            "Score": scores[order].round(4),
        }
    )
    if len({language for language in languages if language}) > 1:
        table["Language"] = [language_name(languages[place] or "") for place in order]
    if np.unique(documents.pool_rows < 0).size > 1:
        table["Set"] = ["evaluation" if documents.pool_rows[place] < 0 else "pool" for place in order]
    if moved is not None:
        table.insert(1, "Change", [_change(moved[int(place)]) for place in order])
    return table


def _change(places: int) -> str:
    return "=" if not places else f"▲ {places}" if places > 0 else f"▼ {-places}"


def show_table(table: pd.DataFrame, key: str, chosen: int | None = None, *, narrow: bool = False) -> int | None:
    """Show a table of ranked documents, and return the place of the one that is chosen.

    chosen: the place that is chosen when the table is new. narrow: another table stands beside this one.
    """
    event: Any = st.dataframe(
        table,
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        selection_default=None if chosen is None else {"selection": {"rows": [chosen]}},
        height=min(560, 38 + 35 * len(table)),
        column_config={
            "Rank": st.column_config.NumberColumn(width=50),
            "Change": st.column_config.TextColumn(
                width=60, help="Places higher (▲) or lower (▼) than in the ranking on the left."
            ),
            "Document": st.column_config.TextColumn(width=NARROW if narrow else "large"),
            "Language": st.column_config.TextColumn(width=80),
            "Grade": st.column_config.TextColumn(
                width=100 if narrow else None,
                help="Given so far; of the evaluation set, the grade in the file. 'not yet': nobody has graded it.",
            ),
            "Score": st.column_config.NumberColumn(
                format="%.3f",
                width=70,
                help="The expected grade: sum over the grades r of r × p(r|document).",
            ),
            "Set": st.column_config.TextColumn(
                help="pool: may be labelled, and is learnt from once it is; evaluation: only measured on."
            ),
        },
    )
    rows = event["selection"]["rows"]
    return int(rows[0]) if rows and rows[0] < len(table) else None


def ask_measures(readers: Audience) -> list[Measure]:
    """Ask which measures of the query are shown; readers: of all documents that the campaign is measured on."""
    offered = {each.name: each for each in measures_of_query(readers)}
    usual = [name for name, each in offered.items() if each.metric in USUAL]
    read_address("measure", (METRICS,), lambda asked: {METRICS: [*_read(asked, offered)] or usual})
    chosen = st.multiselect(
        "Metrics",
        list(offered),
        format_func=lambda name: offered[name].of_one_query if name in offered else name,
        accept_new_options=True,
        key=METRICS,
        placeholder="None",
        help="Of this one query. Another cut-off, or other parameters than the usual ones, can be typed in, as on the "
        f"command line: `ndcg@5`, `name:parameter=value@10`. {why_not_offered(readers)}",
    )
    found = _read(chosen, offered)
    write_address("measure", (METRICS,), list(found) or usual, usual)
    return list(found.values())


def _read(names: Sequence[str], offered: Mapping[str, Measure]) -> dict[str, Measure]:
    """Return measures by name; of one that cannot be shown it is said why."""
    found = {}
    for name in names:
        try:
            measure = offered[name] if name in offered else Measure.parse(name)
        except RulerankError as error:
            st.error(sentence(str(error)), icon=":material/error:")
            continue
        if (measure.cut or 0) > CUT or (measure.reader and name not in offered):
            st.error(f"{plain(str(measure))} is not shown here; cut-offs go up to {CUT}.", icon=":material/error:")
            continue
        found[measure.name] = measure
    return found


def show_metrics(
    opened: OpenCampaign, documents: QueryDocuments, scores: np.ndarray, readers: Audience, chosen: Sequence[Measure]
) -> None:
    """Show the chosen measures of this one query, or why there are none yet."""
    found = metrics_of(opened, documents, scores, readers) if chosen else {}
    if found is not None:
        values = {each.of_one_query: found.get(each.name) for each in chosen}
        shown = [
            f"{name} not defined" if value is None else f"{name} **{value:.3f}**" for name, value in values.items()
        ]
        st.markdown(" · ".join(shown))
        words = unlabelled_words(opened, documents)
        if words:
            st.caption(words)
        if None in values.values():
            st.caption("Not defined: some documents of this query have no language, or one that the users do not know.")
        return
    if documents.known is None:
        ungraded = len(documents) - documents.graded
        st.markdown(f"Metrics: not yet; {ungraded:,d} of {len(documents):,d} documents have no grade.")
    else:
        st.markdown("Metrics: not defined; this query has no relevant document.")


def unlabelled_words(opened: OpenCampaign, documents: QueryDocuments) -> str:
    """Say how documents without a label count in the metrics of a query; nothing where all have one."""
    bare = len(documents) - documents.graded
    if not bare or opened.known_grades is None:
        return ""
    return (
        f"{bare:,d} of {len(documents):,d} documents have no label yet (grade: not yet). They count with the grade in "
        "the file, which annotators do not see: the values are of the whole query, not of its labelled part."
    )


def show_user_words(opened: OpenCampaign, documents: QueryDocuments, chosen: Sequence[Measure]) -> None:
    """Say what the chosen metrics of users mean."""
    if documents.known is not None and (documents.known > 0).any():
        names = [each.reader for each in chosen if each.reader]
        if names:
            show_meaning(opened, names)


def metric_words(opened: OpenCampaign, documents: QueryDocuments) -> str:
    """Say what the metrics of the query rest on."""
    convention = conventions[opened.settings.convention].label
    if documents.known is None:
        return "Metrics of a query need a grade for each of its documents."
    if (documents.pool_rows < 0).all():
        return f"Metrics: {convention}, with the grades of the evaluation set, which no ranker has learnt from."
    if opened.known_grades is not None:
        which = "the grades in the file, of which annotators see none"
    else:
        which = "the grades that were given"
    words = f"Metrics: {convention}, with {which}."
    if not documents.graded:
        return f"{words} No document of this query is labelled, so no ranker has learnt from it."
    return (
        f"{words} The rankers have learnt from the labelled documents of this query, which flatters them; "
        "the evaluation set tells what a ranker is worth."
    )


def titles_of(opened: OpenCampaign, documents: QueryDocuments) -> list[str]:
    """Return the title of each document, or its docid where there is no text."""
    found = context.workspace().collections.titles(opened.collection_id, documents.docids)
    return [
        found.get(docid) or docid or f"row {row}" for docid, row in zip(documents.docids, documents.rows, strict=True)
    ]


# Here the rules matter more: a short text has a short box, and a long one leaves room for them.
SHORT = "<style>.st-key-ranking-text .rr-document { height: auto; max-height: 40vh; }</style>"


def show_document(opened: OpenCampaign, documents: QueryDocuments, place: int) -> None:
    """Offer the text of a document, if it has one, as annotators see it."""
    texts = context.workspace().collections
    found = texts.document_text(opened.collection_id, documents.docids[place])
    if found is None:
        return
    query = texts.query_text(opened.collection_id, opened.collection.queries[documents.query])
    with st.expander("Read the document", icon=":material/article:"), st.container(key="ranking-text"):
        st.html(SHORT)
        words = query.text if query is not None else ""
        show_text(found, words, f"ranking-{documents.rows[place]}", texts.analyser(opened.collection_id))
