"""The line of the Progress page that says what the campaign saves, and the way to watch it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages import context
from pages.progress.curve import value_of
from pages.progress.jobs import Replay
from rulerank.campaign import OpenCampaign
from rulerank.campaign.curves import RUNS
from rulerank.campaign.labels import Labels
from rulerank.campaign.side_by_side import why_not
from rulerank.campaign.stop_light import StopLight
from rulerank.curves import Point, Saving, saving, saving_of_all
from rulerank.curves.savings import SHARE
from rulerank.metrics import Measure


def show_saving(
    opened: OpenCampaign,
    labels: Labels,
    measure: Measure,
    points: Sequence[Point],
    replay: Replay | None,
    light: StopLight,
) -> Saving | None:
    """Say how many random labels the campaign is worth, and after it what it saved; returns the saving of now.

    Nothing where the grades of the pool are not known: then nobody can say what random labels would have given.
    """
    if why_not(opened) is not None:
        return None
    row = st.container(key="rr-saving", horizontal=True, vertical_alignment="center", gap="small")
    pool = len(opened.items)
    last = points[-1] if points and points[-1].labels == len(labels) else None
    now = None if replay is None else saving(replay.bands, measure.key, len(labels), value_of(last, measure), pool=pool)
    with row.container(width="stretch"):
        st.markdown(f"**{_words(labels, measure, points, replay, light, now, pool)}**", help=_how(measure, replay))
    with row.container(width="content"):
        context.link("replay", "Watch 60 labels", "slow_motion_video")
    return now


def _words(
    labels: Labels,
    measure: Measure,
    points: Sequence[Point],
    replay: Replay | None,
    light: StopLight,
    now: Saving | None,
    pool: int,
) -> str:
    if replay is not None and len(labels) >= pool:
        end = saving_of_all(replay.bands, measure.key, points, pool=pool)
        if end is not None:
            return f"{end.saved} On the way to {SHARE:.0%} of what all labels give: {_lower(end.words)}"
    if now is None:
        return "What the labels are worth in random ones: not yet."
    return f"{now.saved} {now.words}" if light.colour == "green" else now.words


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _how(measure: Measure, replay: Replay | None) -> str:
    runs = "" if replay is None else f" ({RUNS} replays of this pool)"
    return (
        f"{measure} of the ranker now, held against the mean of random labelling{runs}: the first number of random "
        "labels with which the mean gets there. In brackets: where the ends of the mean's 95% interval get there. If "
        "your number of labels lies within the brackets, you are level with random."
    )
