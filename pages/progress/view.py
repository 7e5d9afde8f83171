"""The parts of the Progress page, from what was worked out to what is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from pages import charts
from pages.progress.curve import value_of
from pages.shared.params_form import ask_one_of_several, field_values
from pages.shared.view_address import read_address, write_address
from rulerank.campaign import OpenCampaign, ranking
from rulerank.campaign.audience import why_not_offered
from rulerank.campaign.explain import RuleHistory
from rulerank.campaign.labels import LONGEST_PAUSE, Labels, evaluated_on, relevant_found
from rulerank.campaign.stop_light import StopLight
from rulerank.campaign.stopping import RuleState
from rulerank.curves import Point, checkpoints
from rulerank.errors import RulerankError
from rulerank.metrics import CUT_OFFS, Audience, Measure
from rulerank.metrics.measure import offered
from rulerank.ranking import RECOMMENDED
from rulerank.registry import metrics

METRIC, K, RANKERS, X, TIES = (f"progress-{name}" for name in ("metric", "k", "rankers", "x", "ties"))

LIGHTS = {
    "green": (":material/check_circle:", st.success),
    "amber": (":material/hourglass_bottom:", st.warning),
    "red": (":material/arrow_forward:", st.info),
    "grey": (":material/radio_button_unchecked:", st.info),
}


def ask_measure(opened: OpenCampaign, readers: Audience) -> tuple[Measure, list[str], str]:
    """Ask what the curve shows: the metric, the rankers, and the horizontal axis; readers: of what is measured on."""
    measures = {each.reader or each.metric: each for each in offered([CUT_OFFS[-1]], readers)}
    labels = ranking.offered(opened)
    usual = [opened.settings.ranker.key if opened.settings.ranker.key in labels else RECOMMENDED]
    first = next(iter(measures.values()))

    def measure_named(words: list[str]) -> dict[str, Any]:
        try:
            found = Measure.parse(words[0]) if words else first
        except RulerankError:
            found = first
        name = found.reader or found.strategy.name
        known = name in measures and (found.cut is None or found.cut in CUT_OFFS)
        cut = found.cut if known and found.cut is not None else CUT_OFFS[-1]
        fields = field_values(metrics, found.strategy, place="progress")
        return {METRIC: name if known else next(iter(measures)), K: cut, TIES: known and found.expected, **fields}

    read_address("measure", (METRIC, K, TIES), measure_named)
    read_address("ranker", (RANKERS,), lambda words: {RANKERS: [each for each in words if each in labels] or usual})
    read_address("against", (X,), lambda words: {X: "minutes" if words == ["minutes"] else "labels"})
    # Fixed widths in a row that wraps: nothing is cut off on a tablet.
    row = st.container(key="rr-controls", horizontal=True, vertical_alignment="bottom", gap="small")
    name = row.selectbox(
        "Metric",
        list(measures),
        format_func=lambda name: str(measures[name]).partition("@")[0] + "@k" * (measures[name].cut is not None),
        key=METRIC,
        width=130,
        help=why_not_offered(readers) or None,
    )
    measure = replace(measures[name], convention=opened.settings.convention)
    k = row.selectbox(
        "k",
        CUT_OFFS,
        key=K,
        disabled=measure.cut is None,
        help="How many documents count.",
        width=76,
    )
    if measure.cut is not None:
        measure = replace(measure, cut=k)
    x = row.segmented_control(
        "Against",
        ["labels", "minutes"],
        required=True,
        format_func={"labels": "Labels", "minutes": "Minutes"}.__getitem__,
        key=X,
        help=f"Minutes are the time that people spent on documents, added up; of one document at most "
        f"{LONGEST_PAUSE / 60:.0f} minutes count, because then somebody had left.",
    )
    chosen = row.multiselect(
        "Rankers",
        list(labels),
        format_func=labels.__getitem__,
        key=RANKERS,
        width=330,
        help="What learns from the labels. LRAR and the rankers of single items follow every label at once; the others "
        "learn anew at each point.",
    )
    expected = row.toggle(
        "Average over ties",
        key=TIES,
        help="Documents with equal scores stay in file order, which flatters a ranker with many ties if the file is "
        "sorted well. Averaged, the value is the exact mean over all orders of such documents.",
    )
    # ERR of a reader rests on the reader alone.
    asked = measure.strategy if measure.reader else ask_one_of_several(metrics, measure.metric, place="progress")
    measure = replace(measure, metric=asked.key, expected=expected)
    write_address("measure", (METRIC, K, TIES), [measure.key], [first.key])
    write_address("ranker", (RANKERS,), chosen or usual, usual)
    write_address("against", (X,), [x or "labels"], ["labels"])
    return measure, chosen or usual, x or "labels"


def last_value(measure: Measure, points: Sequence[Point], labels: int) -> tuple[str, str]:
    """Return the last value of a curve and what it is called: "now" only where it rests on all labels."""
    last = points[-1] if points else None
    if last is None and labels:
        return f"{measure} now", "…"
    value = value_of(last, measure)
    shown = "not yet" if value is None else f"{value:.3f}"
    if last is None or last.labels == labels:
        return f"{measure} now", shown
    return f"{measure} after {last.labels:,d} label{'' if last.labels == 1 else 's'}", shown


def show_numbers(
    opened: OpenCampaign, labels: Labels, measure: Measure, points: Sequence[Point], rules: RuleState | None
) -> None:
    """Show where the campaign stands in four numbers, in one slim row."""
    row = st.container(key="rr-numbers", horizontal=True)
    row.metric(
        f"Labelled (of {len(opened.items):,d})",
        f"{len(labels):,d}",
        width="content",
        help="Documents with a grade.",
    )
    name, value = last_value(measure, points, len(labels))
    row.metric(
        name,
        value,
        width="content",
        help=f"{measure.words}. Evaluated on {evaluated_on(opened, labels, measure)}.",
    )
    found, total = relevant_found(opened, labels)
    row.metric(
        f"Relevant found (of {total:,d})" if total else "Relevant found",
        f"{found[-1] if found else 0:,d}",
        width="content",
        help="Labelled documents with a grade above 0"
        + (". How many the whole pool holds is not known." if total is None else ", by the known grades."),
    )
    stop = "none" if rules is None else "not yet" if not rules.stopped else "reached"
    row.metric(
        "Natural stop",
        stop,
        width="content",
        help="The sampler stops by itself when the document with the fewest rules is labelled already: "
        "no other document would tell it anything new.",
    )


def show_light(light: StopLight) -> None:
    """Show the stop light with its reasons."""
    icon, box = LIGHTS[light.colour]
    reasons = "\n".join(f"- {reason}" for reason in light.reasons)
    box(f"**{light.headline}**\n\n{reasons}", icon=icon)


def show_rules(
    ledger: Sequence[Mapping[str, object]],
    history: RuleHistory | None,
    rules: RuleState | None,
    labels: int,
    source: charts.Source | None = None,
) -> None:
    """Show the rule counts of the labelled documents against the stop line, as it stood at each label or stands now."""
    if rules is None:
        st.info("This sampler does not count rules, so there is no stop line to watch.", icon=":material/info:")
        return
    if history is not None:
        counts, line = list(history.drawn), list(history.line)
        rounds = [*range(1, len(counts) + 1), labels + 1]
    else:
        found = (row["rule_count"] for row in ledger if row["state"] != "expired")
        counts = [int(count) for count in found if count is not None]  # type: ignore[call-overload]
        line = [rules.fewest_labelled] * len(counts)
        rounds = list(range(1, len(counts) + 2))
    # Who labels on beyond the stop takes documents above the line: then the stop lies further back.
    stopped = bool(rules.stopped and counts and counts[-1] <= (rules.fewest_labelled or 0))
    if rules.fewest_unlabelled is not None and counts:
        counts.append(rules.fewest_unlabelled)
        line.append(rules.fewest_labelled)
    figure = charts.rules_curve(
        rounds[: len(counts)],
        counts,
        np.array(line, np.float64),
        stopped,
        theme=charts.current_theme(),
    )
    charts.show(figure, "fewest rules", key="progress-rules", source=source)
    st.caption(
        "The last point is the unlabelled document with the fewest rules now. "
        + (
            "Both lines are worked out again from the labels as they stand, in the order of their first label."
            if history is not None
            else "The stop line is where it stands now: this sampler's own, as it stood at each choice, is not kept."
        )
    )


def show_found(opened: OpenCampaign, labels: Labels) -> None:
    """Show how many relevant documents were found after each label."""
    at = checkpoints(len(labels), 400)
    found, total = relevant_found(opened, labels)
    figure = charts.found_curve(
        at,
        [found[n - 1] for n in at],
        total,
        len(opened.items),
        theme=charts.current_theme(),
    )
    charts.show(figure, "relevant found", key="progress-found", source=charts.source_of(opened))
