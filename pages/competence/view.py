"""The parts of the Competence page: the map, the chosen query, the chosen document, and the table of documents."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages import charts, context
from pages.competence.clicks import follow, frames, read_click
from pages.competence.heatmap import competence_heatmaps, make_panels
from pages.competence.layers import LEAST_WIDTH
from pages.shared.keys import scale_key, show_key
from pages.shared.view_address import document_names, read_address, write_addresses
from rulerank.campaign import OpenCampaign
from rulerank.campaign.competence import CompetenceMap, document_table, function_words, query_table

PLOT = "competence-plot"
"""The container of the map, by which the browser finds it."""

SEEN = (
    "A row is one query's function, a column a labelled document: light cells are ranked as people graded them. A row "
    "that is blue or grey all along needs labels of its own query; a column that is blue all along is a document to "
    "look at again."
)

TURN = "competence-turn"

# Where there is less room, the panels' names would lie over each other: the map keeps its width, and is moved sideways.
# It is drawn as wide as the element that holds it, so that one is as wide, within a figure that scrolls.
_STYLE = f"""<style>
  .st-key-{PLOT} [class*="st-key-rr-figure-"] {{ overflow-x: auto; }}
  .st-key-{PLOT} [class*="st-key-competence-map-"] {{ min-width: {LEAST_WIDTH}px; }}
  @media (min-width: {LEAST_WIDTH + 40}px) {{ .st-key-{TURN} {{ display: none; }} }}
</style>"""


def _key(what: str, opened: OpenCampaign, found: CompetenceMap) -> str:
    """Return the name of a widget of this very map: what was chosen on another campaign's, or an older one, is gone."""
    return f"competence-{what}-{opened.id}-{found.seen}"


def _documents(opened: OpenCampaign, found: CompetenceMap) -> pd.DataFrame:
    """Return the table of all documents, made once per session: a click needs it twice."""
    key = _key("documents", opened, found)
    if key not in st.session_state:
        st.session_state[key] = document_table(opened, found)
    return st.session_state[key]


def show_map(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Show Delta(q, d), one panel per grade.

    A map of thousands of documents takes a while to draw: it is made once per session and never changes.
    """
    theme = charts.current_theme()
    key = _key(f"drawn-{theme.name}", opened, found)
    if key not in st.session_state:
        docids = [opened.collection.docids[opened.pool_rows[row]] or f"row {row}" for row in found.rows]
        names = [level.name for level in opened.settings.grades]
        qids = [opened.collection.queries[query] for query in found.queries]
        only = [found.only_grade(place) for place in range(len(found.queries))]
        figure = competence_heatmaps(found.delta, qids, docids, found.grades, grade_names=names, only=only, theme=theme)
        st.session_state[key] = figure
        st.session_state[_key("panels", opened, found)] = make_panels(found.delta, docids, found.grades, names)
    words = "near the grade", "far off", "no rule"
    show_key(scale_key(theme.competence, theme.silent, words, theme), SEEN)
    st.html(_STYLE)
    with st.container(key=TURN):
        st.caption("The map is wider than this screen: move it sideways, or turn the telephone.")
    with st.container(key=PLOT):
        source = charts.source_of(opened)
        charts.show(st.session_state[key], f"{opened.name} competence", key=_key("map", opened, found), source=source)


def follow_clicks(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Take over what was clicked on the map or chosen in the table, and frame it on the map."""
    state = st.session_state
    query, document, chosen, table, kept = (
        _key(what, opened, found) for what in ("query", "document", "chosen", "table", "panels")
    )
    qids, names = _words(opened, found)
    places = {qid: place for place, qid in enumerate(qids)}
    rows = {name: place for place, name in enumerate(names)}
    read_address("query", (query,), lambda asked: {query: places.get(asked[0] if asked else "", 0)})
    read_address("document", (document,), lambda asked: {document: rows.get(asked[0]) if asked else None})
    panels = state[kept]

    def clicked(cell: object) -> None:
        click = read_click(cell, panels, len(found.queries))
        if click is not None:
            state[query] = click.query
            state[document] = state[document] if click.document is None else click.document

    event: Any = state.get(table)
    picked = event["selection"]["rows"] if event else []
    if picked != state.get(chosen, []):
        state[chosen] = picked
        if picked and picked[0] < found.rows.size:
            state[document] = picked[0]
    where = frames(panels, state[query], state[document])
    follow(PLOT, where, charts.current_theme(), _key("clicks", opened, found), clicked)


def name_in_address(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Let the address say which query and which document are chosen."""
    qids, names = _words(opened, found)
    query, document = (_key(what, opened, found) for what in ("query", "document"))
    place, at = st.session_state[query], st.session_state[document]
    write_addresses(
        [
            ("query", (query,), [qids[place]], [qids[0]]),
            ("document", (document,), [] if at is None else [names[at]], []),
        ]
    )


def _words(opened: OpenCampaign, found: CompetenceMap) -> tuple[list[str], list[str]]:
    """Return by which words the address names the functions' queries and the labelled documents."""
    docids = [opened.document(int(row))[1] for row in found.rows]
    return [opened.collection.queries[query] for query in found.queries], document_names(docids, found.rows.tolist())


def show_query(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Show the chosen query: what it asks, its labelled documents, and the way to its ranking."""
    st.header("Query")
    qids = opened.collection.queries
    names = context.workspace().collections.query_names(opened.collection_id)

    def words(place: int) -> str:
        qid = qids[found.queries[place]]
        return f"{qid}: {names[qid]}" if qid in names else f"Query {qid}"

    place = st.selectbox(
        "Function of the query",
        range(len(found.queries)),
        format_func=words,
        key=_key("query", opened, found),
        help="Or click on the map.",
    )
    text = context.workspace().collections.query_text(opened.collection_id, qids[found.queries[place]])
    if text is not None:
        with st.container(border=True):
            st.text(text.text)
            if text.need:
                st.text(text.need)
    st.write(function_words(found, place))
    st.dataframe(query_table(_documents(opened, found), found, place), hide_index=True, key="competence-own")
    context.link("ranking", "See its ranking", "format_list_numbered", query=qids[found.queries[place]])


def show_document(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Show p(q|d) of the chosen document."""
    st.header("Document")
    document = st.session_state[_key("document", opened, found)]
    if document is None:
        st.info("Choose a document in the table below, or click on the map, to see whose functions rank it.")
        return
    qid, name = opened.document(int(found.rows[document]))
    text = context.workspace().collections.document_text(opened.collection_id, name)
    st.text(f"{text.title if text is not None and text.title else name} (query {qid}, grade {found.grades[document]})")
    qids = [opened.collection.queries[query] for query in found.queries]
    figure = charts.query_weights_bar(
        found.weights(opened, document), qids, top=10, document=name, theme=charts.current_theme()
    )
    charts.show(figure, f"query weights {name}", key="competence-weights", source=charts.source_of(opened))


def show_documents(opened: OpenCampaign, found: CompetenceMap) -> None:
    """Show each labelled document's most competent query."""
    st.header("Most competent query of each document")
    st.dataframe(
        _documents(opened, found),
        hide_index=True,
        key=_key("table", opened, found),
        on_select="rerun",
        selection_mode="single-row",
        height=min(420, 38 + 35 * found.rows.size),
        column_config={
            "Δ there": st.column_config.NumberColumn(help="|rank(q, d) − grade(d)| of the most competent function."),
            "Δ of its own": st.column_config.NumberColumn(help="The same of the document's own query's function."),
        },
    )
