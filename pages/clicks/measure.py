"""The part of the Clicks page that measures a campaign: which one, which rankers, and what its languages mean."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages import context
from pages.clicks.tasks import DOCUMENTS, MEASURED, begin, tell
from pages.clicks.view import offer
from pages.shared.audience import languages_of, learned_of
from pages.shared.layout import plain
from pages.shared.task import BackgroundTask, watch
from rulerank.campaign import OpenCampaign, click_metrics
from rulerank.campaign.audience import KIND, Learned, keep
from rulerank.campaign.ranking import offered
from rulerank.clicks import ClickLog
from rulerank.clicks.study import FittedModels
from rulerank.export.plain import spreadsheet_csv
from rulerank.metrics.audience import LEARNED_LABELS


def show_measure(log: ClickLog, name: str, found: FittedModels) -> None:
    """Ask for a campaign, and show its rankings measured by the models that were fitted to the log of this name."""
    opened = _ask_campaign()
    if opened is None:
        return
    show_kept(opened)
    if context.workspace().campaigns.last_event(opened.id) > opened.live.fold.seen:
        opened.live.refresh()
    names = offered(opened)
    first = [opened.settings.ranker.key] if opened.settings.ranker.key in names else list(names)[:1]
    chosen = st.multiselect(
        "Rankers", list(names), default=first, format_func=names.__getitem__, key=f"clicks-rankers-{opened.id}"
    )
    if st.button("Measure", icon=":material/straighten:", key="clicks-measure", disabled=not chosen):
        languages = context.workspace().collections.languages
        task = BackgroundTask(
            lambda progress: click_metrics.documents_to_measure(opened, languages(opened.collection_id)),
            "Looking up the documents' languages",
        )
        begin(DOCUMENTS, opened.id, task)
    kept = st.session_state.get(DOCUMENTS)
    if not chosen or kept is None or kept[0] != opened.id or not watch(kept[1], key="clicks-documents"):
        return
    if kept[1].result is None:
        tell(kept[1])
        return
    documents: click_metrics.MeasuredDocuments = kept[1].result
    meaning = _ask_meaning(log, documents, opened.id)
    measured = _measure(opened, documents, found, tuple(chosen), meaning)
    if measured is not None:
        _show(opened, log, documents, measured)
        users = click_metrics.users_to_keep(opened, documents, languages_of(opened), found.fits, meaning, name)
        offer_to_keep(opened, users)


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
    return context.open_campaign(number)


def _ask_meaning(log: ClickLog, documents: click_metrics.MeasuredDocuments, number: int) -> dict[str, str]:
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
    opened: OpenCampaign,
    documents: click_metrics.MeasuredDocuments,
    found: FittedModels,
    names: tuple[str, ...],
    meaning: dict[str, str],
) -> click_metrics.Measured | None:
    """Measure in a thread, anew only where the labels or the wishes have changed."""
    state = context.workspace().campaigns.last_event(opened.id)
    key = (opened.id, state, id(documents), id(found), names, tuple(meaning.items()))
    kept = st.session_state.get(MEASURED)
    if kept is None or kept[0] != key:
        task = BackgroundTask(
            lambda progress: click_metrics.measure(opened, documents, found.fits, names, meaning, progress),
            "Measuring rankings",
        )
        kept = begin(MEASURED, key, task)
    if not watch(kept[1], key="clicks-measuring"):
        return None
    if kept[1].result is None:
        tell(kept[1])
        return None
    measured: click_metrics.Measured = kept[1].result
    return measured


def _show(
    opened: OpenCampaign, log: ClickLog, documents: click_metrics.MeasuredDocuments, measured: click_metrics.Measured
) -> None:
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


def offer_to_keep(opened: OpenCampaign, users: Mapping[str, Learned]) -> None:
    """Offer to keep learned users with the campaign."""
    if not users:
        return
    listed = "; ".join(LEARNED_LABELS[name] for name in users)
    if st.button(
        "Use on Progress and Ranking",
        icon=":material/bookmark_add:",
        key="clicks-keep",
        help=f"Keeps what was learned with this campaign, in place of what it kept before: {listed}.",
    ):
        context.workspace().campaigns.put_snapshot(opened.id, KIND, 0, keep(users))
        st.toast("Kept. They can be chosen on Progress and Ranking now.", icon=":material/bookmark_added:")
        st.rerun()


def show_kept(opened: OpenCampaign) -> None:
    """Say which learned users a campaign keeps, and offer to let them go."""
    kept = learned_of(opened)
    if not kept:
        return
    first = next(iter(kept.values()))
    listed = "; ".join(LEARNED_LABELS.get(name, plain(name)) for name in kept)
    st.success(
        f"This campaign keeps **{listed}**, learned from {plain(first.log)} ({first.sessions:,d} sessions). They can "
        "be chosen under Metric on the Progress page and under Metrics on the Ranking page.",
        icon=":material/bookmark:",
    )
    if st.button("Keep them no longer", icon=":material/delete:", key="clicks-let-go"):
        context.workspace().campaigns.put_snapshot(opened.id, KIND, 0, keep({}))
        st.rerun()
