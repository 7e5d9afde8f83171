"""Progress: how good the ranker in training is, how near the natural stop is, and who labelled how much."""

from __future__ import annotations

import time

import streamlit as st

from pages import context
from pages.progress import view
from pages.progress.curve import show_curve, value_of
from pages.progress.jobs import Wanted, curve_of, do_here, job_for, must_do_without, random_of, show_job
from pages.progress.people import show_given_up, show_people, show_put_aside
from pages.shared.audience import audience_of
from pages.shared.markdown import heading
from rulerank.campaign import OpenCampaign
from rulerank.campaign.audience import measured_rows
from rulerank.campaign.labels import Labels, chance_now, covered, read_labels, rules_now
from rulerank.campaign.rule_history import rule_history
from rulerank.campaign.stopping import movement, stop_light


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
    curves, replays, wanted = {}, {}, []
    for ranker in rankers:
        curves[ranker], more = curve_of(opened, ranker, labels, audience)
        replay, longer = random_of(opened, ranker, len(labels), audience) if labels.rows else (None, None)
        if replay is not None:
            replays[ranker] = replay
        wanted += [each for each in (more, longer) if each is not None]
    points = curves[rankers[0]]
    rules = rules_now(opened, labels)
    view.show_numbers(opened, labels, measure, points, rules)
    watch(opened, labels, wanted, person.id, drawn_at)
    show_put_aside(opened, person.id)
    if not labels.rows:
        st.info("Nothing is labelled yet. Give the first labels, and the curves start by themselves.")
        context.link("label", "Go to Label", "edit_note")
        return
    show_curve(opened, labels, measure, x, curves, replays)
    moved = movement([point.labels for point in points], [value_of(point, measure) for point in points])
    st.subheader("May we stop?")
    told = len(labels), len(opened.items), rules, measure.label, moved, covered(opened, labels)
    light = stop_light(*told)
    if light.colour == "green":  # only then does it matter whether the grades tell more than chance
        with st.spinner("Comparing the grades with shuffled ones..."):
            light = stop_light(*told, chance_now(opened, labels))
    view.show_light(light)
    history = rule_history(opened, labels) if rules is not None else None
    ledger = context.workspace().campaigns.ledger(opened.id) if history is None else []
    view.show_rules(ledger, history, rules, len(labels))
    view.show_found(opened, labels)
    show_people(labels)
    show_given_up(opened, names)


@st.fragment(run_every=3)
def watch(opened: OpenCampaign, labels: Labels, wanted: list[Wanted], person: int, drawn_at: float) -> None:
    """Look whether labels or results came in, and draw the page anew only then; show long work as it goes on."""
    if context.workspace().campaigns.last_event(opened.id) > labels.seen:
        st.rerun()
    for each in wanted:
        if each.arguments["what"] == "here":
            st.caption(f":material/pending: {each.words} follow in a moment.")
            if st.session_state.get("progress-drawn") == (labels.seen, each.words):
                st.rerun()
            st.session_state["progress-drawn"] = (labels.seen, each.words)
            continue
        job = job_for(each, person, drawn_at)
        if job.state == "done" or (must_do_without(job) and do_here(opened, each, job)):
            st.rerun()
        show_job(each, job)


main()
