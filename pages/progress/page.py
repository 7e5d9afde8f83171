"""Progress: how good the ranker in training is, how near the natural stop is, and who labelled how much."""

from __future__ import annotations

import time

import streamlit as st

from pages import charts, context
from pages.progress import view
from pages.progress.advice import show_advice
from pages.progress.curve import show_curve
from pages.progress.jobs import (
    Replay,
    Wanted,
    curve_of,
    do_here,
    job_for,
    looks_of,
    must_do_without,
    random_of,
    show_job,
)
from pages.progress.pay import show_pay
from pages.progress.people import show_given_up, show_people, show_put_aside
from pages.progress.saving import show_saving
from pages.shared.audience import audience_of
from pages.shared.doubts import show_doubts
from pages.shared.layout import heading
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import measured_rows
from rulerank.campaign.explain import rule_history
from rulerank.campaign.labels import Labels, covered, read_labels, rules_now
from rulerank.campaign.looks import Look
from rulerank.campaign.stop_light import Facts, StopLight, stop_light
from rulerank.campaign.stopping import RuleState, beside_random
from rulerank.campaign.to_go import ToGo, labels_to_go
from rulerank.curves import Point
from rulerank.metrics import Measure


def main() -> None:
    """Show the page."""
    person = context.require("research")
    opened = context.choose_campaign()
    words = "How good the ranker has become with the labels so far, and whether more labels are worth it."
    heading("Progress", words, opened.name)
    drawn_at = time.time()
    if context.workspace().campaigns.last_event(opened.id) > opened.live.fold.seen:
        opened.live.refresh()
    names = {each.id: each.name for each in context.workspace().people.list()}
    labels = read_labels(opened, names)
    audience = audience_of(opened)
    measure, rankers, x = view.ask_measure(opened, audience.of(measured_rows(opened)))
    audience = audience.asking(measure.metric)
    curves, replays, wanted = {}, {}, []
    for ranker in rankers:
        curves[ranker], more = curve_of(opened, ranker, labels, audience)
        replay, longer = random_of(opened, ranker, len(labels), audience) if labels.rows else (None, None)
        if replay is not None:
            replays[ranker] = replay
        wanted += [each for each in (more, longer) if each is not None]
    points = curves[rankers[0]]
    looks, lacking = looks_of(opened, rankers[0], labels, audience)
    wanted += [lacking] if lacking is not None else []
    rules = rules_now(opened, labels)
    view.show_numbers(opened, labels, measure, points, rules)
    to_go = labels_to_go(opened)
    watch(opened, labels, wanted, person.id, drawn_at, to_go is None)
    show_put_aside(opened, person.id)
    if not labels.rows:
        st.info("Nothing is labelled yet. Give the first labels, and the curves start by themselves.")
        context.link("label", "Go to Label", "edit_note")
        return
    replay = replays.get(rankers[0])
    light = _light(opened, labels, measure, looks, points, rules, replay, to_go)
    saved = show_saving(opened, labels, measure, points, replay, light)
    show_curve(opened, labels, measure, x, curves, replays, saved)
    st.header("May we stop?")
    view.show_light(light)
    show_doubts(opened, names)
    show_advice(opened, labels)
    history = rule_history(opened, labels) if rules is not None else None
    ledger = context.workspace().campaigns.ledger(opened.id) if history is None else []
    view.show_rules(ledger, history, rules, len(labels), charts.source_of(opened))
    view.show_found(opened, labels)
    show_people(opened, labels)
    show_pay(opened, person, names)
    show_given_up(opened, names)


def _light(
    opened: OpenCampaign,
    labels: Labels,
    measure: Measure,
    looks: list[Look],
    points: list[Point],
    rules: RuleState | None,
    replay: Replay | None,
    to_go: ToGo | None,
) -> StopLight:
    """Return the stop light by the looks at the first ranker, and its random replay where there is one."""
    random = None
    if replay is not None and points and opened.known_grades is not None:
        known = opened.known_grades[labels.rows].tolist()
        random = beside_random(replay.bands, measure.key, points[-1], labels.grades, known)
    return stop_light(
        Facts(
            labels=len(labels),
            pool=len(opened.items),
            rules=rules,
            measure=measure,
            looks=looks,
            crossed=opened.evaluation is None,
            queries=covered(opened, labels),
            random=random,
            to_go=to_go,
            ceiling=None if replay is None else replay.ceiling.get(measure.key),
        )
    )


@st.fragment(run_every=3)
def watch(
    opened: OpenCampaign, labels: Labels, wanted: list[Wanted], person: int, drawn_at: float, estimating: bool
) -> None:
    """Look whether labels or results came in, and draw the page anew only then; show long work as it goes on.

    estimating: the page was drawn before it was known how many labels are to go.
    """
    new = context.workspace().campaigns.last_event(opened.id) > labels.seen
    if new or (estimating and labels_to_go(opened) is not None):
        st.rerun()
    here = [each.words for each in wanted if each.arguments["what"] == "here"]
    if here:
        st.caption(f":material/pending: {' and '.join(here)} follow in a moment.")
        if st.session_state.get("progress-drawn") == (labels.seen, here):
            st.rerun()
        st.session_state["progress-drawn"] = (labels.seen, here)
    for each in wanted:
        if each.arguments["what"] == "here":
            continue
        job = job_for(each, person, drawn_at)
        if job.state == "done" or (must_do_without(job) and do_here(opened, each, job)):
            st.rerun()
        show_job(each, job)


main()
