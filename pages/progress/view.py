"""The parts of the Progress page, from what was worked out to what is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages import charts
from pages.progress.curve import value_of
from rulerank.campaign import OpenCampaign, ranking
from rulerank.campaign.audience import metrics_offered, why_not_offered
from rulerank.campaign.labels import (
    LONGEST_PAUSE,
    METRICS,
    Labels,
    Measure,
    convention_text,
    evaluated_on,
)
from rulerank.campaign.rule_history import RuleHistory
from rulerank.campaign.stopping import RuleState, StopLight
from rulerank.curves import CUT_OFFS, Point, checkpoints
from rulerank.metrics import Audience
from rulerank.ranking.make import RECOMMENDED

WIDTH = 210
"""Pixels of a number's box: four stand beside each other on a small laptop, two on a tablet."""

LIGHTS = {
    "green": (":material/check_circle:", st.success),
    "amber": (":material/hourglass_bottom:", st.warning),
    "red": (":material/arrow_forward:", st.info),
    "grey": (":material/radio_button_unchecked:", st.info),
}


def ask_measure(opened: OpenCampaign, readers: Audience) -> tuple[Measure, list[str], str]:
    """Ask what the curve shows: the metric, the rankers, and the horizontal axis; readers: of what is measured on."""
    # Fixed widths in a row that wraps: nothing is cut off on a tablet.
    row = st.container(horizontal=True, vertical_alignment="top")
    metrics = METRICS | metrics_offered(readers)
    name = row.selectbox(
        "Metric",
        list(metrics),
        format_func=metrics.__getitem__,
        key="progress-metric",
        width=200,
        help=why_not_offered(readers) or None,
    )
    cuts = name in ("ndcg", "precision")
    k = row.selectbox(
        "k", CUT_OFFS, index=9, key="progress-k", disabled=not cuts, help="How many documents count.", width=90
    )
    x = row.segmented_control(
        "Against",
        ["labels", "minutes"],
        default="labels",
        required=True,
        format_func={"labels": "Labels", "minutes": "Minutes"}.__getitem__,
        key="progress-x",
        help=f"Minutes are the time that people spent on documents, added up; of one document at most "
        f"{LONGEST_PAUSE / 60:.0f} minutes count, because then somebody had left.",
    )
    labels = ranking.offered(opened)
    chosen = row.multiselect(
        "Rankers",
        list(labels),
        default=[opened.settings.ranker.key if opened.settings.ranker.key in labels else RECOMMENDED],
        format_func=labels.__getitem__,
        key="progress-rankers",
        width=400,
        help="What learns from the labels. LRAR and the rankers of single items follow every label at once; the others "
        "learn anew at each point.",
    )
    expected = st.toggle(
        "Average over ties",
        key="progress-ties",
        help="Documents with equal scores stay in file order, which flatters a ranker with many ties if the file is "
        "sorted well. Averaged, the value is the exact mean over all orders of such documents.",
    )
    return Measure(name, k, expected), chosen or [RECOMMENDED], x or "labels"


def show_numbers(
    opened: OpenCampaign, labels: Labels, measure: Measure, points: Sequence[Point], rules: RuleState | None
) -> None:
    """Show where the campaign stands in four numbers."""
    row = st.container(horizontal=True)
    row.metric(
        f"Labelled (of {len(opened.items):,d})",
        f"{len(labels):,d}",
        border=True,
        width=WIDTH,
        help="Documents with a grade.",
    )
    now = value_of(points[-1] if points else None, measure)
    row.metric(
        f"{measure.label} now",
        "not yet" if now is None else f"{now:.3f}",
        border=True,
        width=WIDTH,
        help=f"{convention_text(opened.settings.convention, measure.expected, by_users=measure.by_users)}. "
        f"Evaluated on {evaluated_on(opened, labels, measure)}.",
    )
    found = labels.relevant[-1] if labels.rows else 0
    known = opened.known_grades
    total = None if known is None else int((known > 0).sum())
    row.metric(
        f"Relevant found (of {total:,d})" if total else "Relevant found",
        f"{found:,d}",
        border=True,
        width=WIDTH,
        help="Labelled documents with a grade above 0."
        + ("" if total else " How many the whole pool holds is not known."),
    )
    stop = "none" if rules is None else "not yet" if not rules.stopped else "reached"
    row.metric(
        "Natural stop",
        stop,
        border=True,
        width=WIDTH,
        help="The sampler stops by itself when the document with the fewest rules is labelled already: "
        "no other document would tell it anything new.",
    )


def show_light(light: StopLight) -> None:
    """Show the stop light with its reasons."""
    icon, box = LIGHTS[light.colour]
    reasons = "\n".join(f"- {reason}" for reason in light.reasons)
    box(f"**{light.headline}**\n\n{reasons}", icon=icon)


def show_rules(
    ledger: Sequence[Mapping[str, object]], history: RuleHistory | None, rules: RuleState | None, labels: int
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
    charts.show(figure, "fewest rules", key="progress-rules")
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
    known = opened.known_grades
    figure = charts.found_curve(
        at,
        [labels.relevant[n - 1] for n in at],
        None if known is None else int((known > 0).sum()),
        len(opened.items),
        theme=charts.current_theme(),
    )
    charts.show(figure, "relevant found", key="progress-found")
