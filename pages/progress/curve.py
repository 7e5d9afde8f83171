"""The learning curve of the Progress page: a line per ranker, the random replay, the ceilings, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages import charts
from pages.charts.series import short_name
from pages.progress.jobs import Replay
from pages.progress.overlay import lay_over
from pages.shared.audience import show_meaning
from rulerank.campaign import OpenCampaign, ranking
from rulerank.campaign.curves import RUNS
from rulerank.campaign.labels import Labels, evaluated_on
from rulerank.curves import Point, Saving
from rulerank.metrics import Measure
from rulerank.registry import rankers

FAR = 8
"""Times as many labels as the campaign has: a band that reaches further would leave the curve no room."""


def value_of(point: Point | None, measure: Measure) -> float | None:
    """Return a metric at a point, None where it is not defined yet."""
    return None if point is None else point.values.get(measure.key)


def show_curve(
    opened: OpenCampaign,
    labels: Labels,
    measure: Measure,
    x: str,
    curves: Mapping[str, Sequence[Point]],
    replays: Mapping[str, Replay],
    saved: Saving | None = None,
) -> None:
    """Show the learning curve: one line per ranker, the random replay of the first, the ceilings, and what is saved."""
    names = {ranker: short_name(ranker, rankers) for ranker in ranking.offered(opened)}
    theme = charts.current_theme()
    looks = charts.ranker_looks(curves, theme)
    lines = [
        charts.Curve(
            names[ranker],
            _places([point.labels for point in points], labels, x),
            np.array([value_of(point, measure) for point in points], np.float64),
            looks[ranker],
        )
        for ranker, points in curves.items()
    ]
    first = next(iter(curves))
    arrow = _arrow(saved, x)
    band = _band(replays.get(first), measure, labels, x, 0 if arrow is None else arrow.random)
    key = measure.key
    ceilings = {names[ranker]: replay.ceiling[key] for ranker, replay in replays.items() if key in replay.ceiling}
    figure = charts.learning_curve(
        lines,
        metric_label=str(measure),
        convention=measure.words,
        evaluated_on=evaluated_on(opened, labels, measure),
        x=x,
        band=band,
        ceiling=ceilings or None,
        changes=labels.told if x == "labels" else labels.minutes_at([max(1, n) for n in labels.told]),
        theme=theme,
    )
    if arrow is not None:
        charts.add_saving(figure, arrow, theme)
    place = st.container(gap="xsmall")
    overlay = lay_over(figure, opened, measure, x, first, theme)  # what it asks for stands below the figure
    with place:
        charts.show(figure, f"{opened.name} {measure}", key="progress-curve", source=charts.source_of(opened, *curves))
        st.caption(f"{_words(opened, replays, names[first], x, band is not None)} {overlay}")
    if measure.reader:
        show_meaning(opened, [measure.reader])


def _places(numbers: list[int], labels: Labels, x: str) -> list[float]:
    return [float(n) for n in numbers] if x == "labels" else labels.minutes_at(numbers)


def _arrow(saved: Saving | None, x: str) -> charts.SavingArrow | None:
    """Return the arrow from the campaign's last point to where random order gets there, if it is ahead and not far."""
    if saved is None or saved.random is None or saved.verdict != "ahead" or x != "labels":
        return None
    return charts.SavingArrow(saved.labels, saved.random, saved.value) if saved.random <= FAR * saved.labels else None


def _band(replay: Replay | None, measure: Measure, labels: Labels, x: str, least: float) -> charts.ShadedBand | None:
    if replay is None or not labels.rows:
        return None
    # As far as the campaign has come, or as random order needs to get there, and one point beyond.
    reach = max(len(labels), least)
    beyond = next((band.labels for band in replay.bands if band.labels >= reach), reach)
    key = measure.key
    shown = [band for band in replay.bands if band.labels <= beyond and key in band.mean]
    if not shown:
        return None
    return charts.ShadedBand(
        _places([band.labels for band in shown], labels, x),
        [band.mean[key] for band in shown],
        [band.low[key] for band in shown],
        [band.high[key] for band in shown],
        runs=RUNS,
    )


def _words(opened: OpenCampaign, replays: Mapping[str, Replay], first: str, x: str, drawn: bool) -> str:
    if opened.evaluation is None:
        return (
            "There is no evaluation set, so the curve is a cross-validation by query on the labelled set itself. It is "
            "kinder than a test on other documents, and jumps as the labelled set grows; a random replay and the "
            "full-label ceiling need an evaluation set."
        )
    if opened.known_grades is None:
        return (
            "A random replay and the full-label ceiling need grades of the whole pool. Those of this campaign are not "
            "known beforehand, which is why it exists."
        )
    if not drawn:
        return "The random replay appears here as soon as it is worked out."
    seed = next(iter(replays.values())).seed
    pace = " Its minutes are those of this campaign for as many labels." if x == "minutes" else ""
    return (
        f"Random order: {RUNS} replays of this pool with its known grades, labelled in random order (seed {seed}), "
        f"ranked by {first}; 95% of the runs lie in the band.{pace} All labels: the ranker after the whole pool."
    )
