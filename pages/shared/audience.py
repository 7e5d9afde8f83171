"""Who reads a campaign's rankings, for the screens: which metrics of users there are, and what each means in words."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import streamlit as st

from pages import context
from pages.shared.layout import plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import KIND, Learned, audience, best_grade, kept
from rulerank.metrics import Audience, IntentUser
from rulerank.metrics.audience import LEARNED, user_label

COMMON = (
    "Users read from the top and stop where they are satisfied; the value is the mean of 1 / place of that stop over "
    "the whole list (eq. 1 of Drutsa et al. 2016)."
)
FRESH = 60.0
"""Seconds for which languages once read are good: texts are hardly ever imported anew."""

_languages: WeakKeyDictionary[OpenCampaign, tuple[float, tuple[str | None, ...]]] = WeakKeyDictionary()
_lock = threading.Lock()


def languages_of(opened: OpenCampaign) -> tuple[str | None, ...]:
    """Return the language of each row of a campaign's collection, None where it is not known."""
    with _lock:
        found = _languages.get(opened)
    if found is None or time.monotonic() - found[0] > FRESH:
        named = context.workspace().collections.languages(opened.collection_id)
        found = time.monotonic(), tuple(named.get(docid) for docid in opened.collection.docids)
        with _lock:
            _languages[opened] = found
    return found[1]


def learned_of(opened: OpenCampaign) -> dict[str, Learned]:
    """Return the users that were learned on the Clicks page and kept with a campaign, by click model."""
    found = context.workspace().campaigns.snapshots(opened.id, KIND)[:1]
    return kept(found[0].values) if found else {}


def audience_of(opened: OpenCampaign) -> Audience:
    """Return who reads a campaign's rankings: default users, and learned ones that the campaign keeps."""
    return audience(opened, languages_of(opened), learned_of(opened))


def show_meaning(opened: OpenCampaign, names: Sequence[str]) -> None:
    """Show what metrics of users mean: what is averaged, who reads, and what satisfies them."""
    learned, users = learned_of(opened), audience_of(opened).users
    sentences = [COMMON, *(_meaning(name, users[name], learned) for name in names)]
    if any(not name.startswith(LEARNED) for name in names):
        sentences.append(f"A grade g satisfies with probability (2^g - 1) / {2 ** best_grade(opened)} by default.")
    st.caption(" ".join(sentences))


def _meaning(name: str, user: IntentUser, learned: Mapping[str, Learned]) -> str:
    if name == "err":
        return "ERR: the language of a document does not matter."
    if not name.startswith(LEARNED):
        other = {"err_ia": "counts as grade 0", "err_eia": "satisfies half as often as one in their own"}[name]
        return f"{user_label(name)}: {_shares(user, equal=True)} A document in another language {other}."
    found = learned[name.removeprefix(LEARNED)]
    several = len(user.intents) > 1
    return (
        f"{user_label(name)}: {_shares(user) + ' ' if several else ''}how often each grade satisfies, grade 0 "
        f"included, {'and the shares were' if several else 'was'} learned from {plain(found.log)} "
        f"({found.sessions:,d} sessions) on the Clicks page."
    )


def _shares(user: IntentUser, *, equal: bool = False) -> str:
    """Say what the users want, and how many of them want it."""
    if len(user.intents) == 1:
        return f"all documents are in one language, {plain(user.intents[0])}, so it equals ERR."
    shares = zip(user.intents, user.prior.tolist(), strict=True)
    listed = ", ".join(f"{plain(intent)} {share:.0%}" for intent, share in shares)
    return f"each user wants one language, {listed}{' (equal shares).' if equal else ';'}"
