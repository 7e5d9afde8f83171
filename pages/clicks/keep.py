"""Learned metrics that a campaign keeps: they travel with it in the database, to Progress, Ranking and the worker."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages import context
from pages.clicks.campaign import Documents, why_not
from pages.shared.audience import languages_of, learned_of
from pages.shared.markdown import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import KIND, LEARNED_LABELS, Learned, best_grade, keep
from rulerank.clicks import DocumentFit, Fit


def users_to_keep(
    opened: OpenCampaign,
    documents: Documents,
    fits: Mapping[str, Fit | DocumentFit],
    meaning: Mapping[str, str],
    log: str,
) -> dict[str, Learned]:
    """Return the learned users who can read a campaign's documents, with its own names of languages.

    `meaning` has the log's name of a language of the campaign where they differ.
    """
    rows = np.concatenate([opened.pool_rows, opened.evaluation_rows])
    languages = languages_of(opened)
    spoken = sorted(
        {language for language in (languages[row] for row in rows) if language} | set(documents.readers.spoken)
    )
    found = {}
    for name, made in fits.items():
        if isinstance(made, DocumentFit) or name not in LEARNED_LABELS or why_not(made, documents):
            continue
        user = made.user
        if user.max_grade < best_grade(opened):
            continue
        if user.minds_language:
            known = {each: meaning.get(each, each) for each in spoken if meaning.get(each, each) in user.languages}
            if not set(documents.readers.spoken) <= set(known):
                continue
            user = user.renamed(known)
        else:
            user = user.for_any_language()
        found[name] = Learned(user, log, made.sessions)
    return found


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
