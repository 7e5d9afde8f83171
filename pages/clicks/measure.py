"""The part of the Clicks page that measures a campaign: which one, which rankers, and what its languages mean."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.clicks import campaign
from pages.clicks.keep import offer_to_keep, show_kept, users_to_keep
from pages.clicks.tasks import DOCUMENTS, MEASURED, begin, tell
from pages.clicks.view import offer
from pages.clicks.work import Fitted
from pages.shared.markdown import plain
from pages.shared.task import Task, watch
from rulerank.campaign import OpenCampaign
from rulerank.campaign.ranking import offered
from rulerank.clicks import ClickLog
from rulerank.export.spreadsheets import spreadsheet_csv


def show_measure(log: ClickLog, name: str, found: Fitted) -> None:
    """Ask for a campaign, and show its rankings measured by the models that were fitted to the log of this name."""
    opened = _ask_campaign()
    if opened is None:
        return
    show_kept(opened)
    if context.workspace().campaigns.last_event(opened.id) > opened.live.fold.seen:
        opened.live.refresh()
    names = offered(opened)
    first = [opened.settings.ranker] if opened.settings.ranker in names else list(names)[:1]
    chosen = st.multiselect(
        "Rankers", list(names), default=first, format_func=names.__getitem__, key=f"clicks-rankers-{opened.id}"
    )
    if st.button("Measure", icon=":material/straighten:", key="clicks-measure", disabled=not chosen):
        task = Task(
            lambda progress: campaign.documents_to_measure(opened, progress), "Looking up the documents' languages"
        )
        begin(DOCUMENTS, opened.id, task)
    kept = st.session_state.get(DOCUMENTS)
    if not chosen or kept is None or kept[0] != opened.id or not watch(kept[1], key="clicks-documents"):
        return
    if kept[1].result is None:
        tell(kept[1])
        return
    documents: campaign.Documents = kept[1].result
    meaning = _ask_meaning(log, documents, opened.id)
    measured = _measure(opened, documents, found, tuple(chosen), meaning)
    if measured is not None:
        _show(opened, log, documents, measured)
        offer_to_keep(opened, users_to_keep(opened, documents, found.fits, meaning, name))


def _ask_campaign() -> OpenCampaign | None:
    found = context.workspace().campaigns.names()
    if not found:
        st.info("There is no campaign yet whose rankings could be measured. Start with **Home**.")
        return None
    current = context.current_campaign()
    number = st.selectbox(
        "Campaign",
        list(found),
        index=list(found).index(current) if current in found else 0,
        format_func=found.__getitem__,
        key=f"clicks-campaign-{current}",
    )
    return context.workspace().open(number)


def _ask_meaning(log: ClickLog, documents: campaign.Documents, number: int) -> dict[str, str]:
    """Ask which language of the log each of the campaign's is, where the names do not tell."""
    strange = [name for name in documents.readers.spoken if name not in log.languages]
    if not strange or len(log.languages) == 1:
        return {}
    st.caption("The log names languages differently. Say which are which, and intent-aware metrics follow.")
    meaning = {}
    for column, name in zip(st.columns(min(4, len(strange))) * len(strange), strange, strict=False):
        same = column.selectbox(
            plain(name), log.languages, index=None, placeholder="Choose", key=f"clicks-meaning-{number}-{name}"
        )
        if same is not None:
            meaning[name] = same
    return meaning


def _measure(
    opened: OpenCampaign, documents: campaign.Documents, found: Fitted, names: tuple[str, ...], meaning: dict[str, str]
) -> campaign.Measured | None:
    """Measure in a thread, anew only where the labels or the wishes have changed."""
    state = context.workspace().campaigns.last_event(opened.id)
    key = (opened.id, state, id(documents), id(found), names, tuple(meaning.items()))
    kept = st.session_state.get(MEASURED)
    if kept is None or kept[0] != key:
        task = Task(
            lambda progress: campaign.measure(opened, documents, found.fits, names, meaning, progress),
            "Measuring rankings",
        )
        kept = begin(MEASURED, key, task)
    if not watch(kept[1], key="clicks-measuring"):
        return None
    if kept[1].result is None:
        tell(kept[1])
        return None
    measured: campaign.Measured = kept[1].result
    return measured


def _show(opened: OpenCampaign, log: ClickLog, documents: campaign.Documents, measured: campaign.Measured) -> None:
    for why in dict.fromkeys(measured.missing.values()):
        labels = "; ".join(label for label, reason in measured.missing.items() if reason == why)
        st.info(f"Not shown: {plain(labels)}, because {plain(why)}.", icon=":material/info:")
    if len(measured.table.columns) < 2:
        return
    st.dataframe(measured.table, hide_index=True, key="clicks-measured-table")
    best = len(opened.settings.grades) - 1
    scale = (
        f" Grades count by their number: the best is {log.max_grade} in the log and {best} in the campaign, so the "
        "same number may not mean the same."
        if best != log.max_grade
        else ""
    )
    own = " It holds the documents that the rankers learnt from, too." if documents.where == "pool" else ""
    st.caption(
        f"Mean over the queries of the {documents.where} ({len(documents.rows):,d} documents), whole lists.{own}{scale}"
    )
    offer(
        st.container(horizontal=True), "Measured (CSV)", spreadsheet_csv(measured.table),
        "clicks-campaign-for-spreadsheets.csv",
        "text/csv",
    )  # fmt: skip
