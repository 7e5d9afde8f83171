"""Replay: watch SSAR, the recommended sampler and chance label the same pool, 60 labels in 20 seconds."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from pages import charts, context
from pages.charts.replay import SECONDS, ReplayLine, Step, replay_figure
from pages.charts.series import short_name
from pages.charts.theme import colours_of_grades
from pages.shared import document
from pages.shared.layout import heading, plain
from rulerank.campaign import OpenCampaign
from rulerank.campaign.curves import learns_quickly
from rulerank.campaign.side_by_side import LABELS, Replayed, SideBySide, side_by_side, why_not
from rulerank.metrics import Measure
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers, samplers

KEPT = "side_by_side"
# The browser's own script (see `pages/shared/browser.py`) acts on these attributes, and starts the first replay.
PLAY = (
    '<span class="rr-files rr-play"><button type="button" data-rr-play="Play">▶ Play</button>'
    '<button type="button" data-rr-play="Pause">❚❚ Pause</button></span>'
)


def main() -> None:
    """Show the page."""
    context.require("research")
    opened = context.choose_campaign()
    words = f"Three samplers label the same pool by its known grades: {LABELS} labels in {SECONDS:.0f} seconds."
    heading("Replay", words, opened.name)
    problem = why_not(opened)
    if problem is not None:
        st.info(f"{problem} The demo on **Home** has both.", icon=":material/info:")
        context.link("home", "Go to Home", "home")
        return
    shown = replayed(opened)
    st.markdown(f"**{said(shown)}**")
    row = st.container(key="rr-play", horizontal=True, vertical_alignment="center", gap="small")
    row.html(PLAY, width="content")
    row.caption("Below the curves, a square for each label has the colour of its grade; hover over one to see more.")
    source = charts.Source(
        opened.name,
        opened.collection.content_hash,
        charts.methods([each.sampler for each in shown.samplers], [shown.ranker]),
    )
    charts.show(_figure(opened, shown), f"{opened.name} replay", key="replay", source=source)
    context.link("label", "Label it yourself", "edit_note")
    context.link("progress", "See the campaign's progress", "trending_up")


def replayed(opened: OpenCampaign) -> SideBySide:
    """Return the replay that is kept with the campaign, or work it out and keep it."""
    campaigns = context.workspace().campaigns
    own = opened.settings.ranker.key
    ranker = own if learns_quickly(own) else RECOMMENDED
    kind = f"{KEPT}:{ranker}:{opened.settings.seed}"
    for kept in campaigns.snapshots(opened.id, kind)[:1]:
        found = SideBySide.from_dict(kept.values)
        if found is not None:
            return found
    place = st.empty()

    def report(done: int, total: int) -> None:
        place.progress(done / total, "Replaying the samplers; this is done once.")

    report(0, 1)
    made = side_by_side(opened, ranker=ranker, done=report)
    campaigns.put_snapshot(opened.id, kind, made.labels, made.to_dict())
    place.empty()
    return made


def said(shown: SideBySide) -> str:
    """Return what is to be seen, in one sentence."""
    found = shown.caught_up()
    if not found:
        return f"{shown.labels} labels each."
    parts = []
    for key, after in found.items():
        name = short_name(key, samplers)
        has = (
            "does not have it within as many" if after is None else f"has it after {after:,d} label{'s' * (after > 1)}"
        )
        parts.append(f"{name}{',' * (',' in name)} {has}")
    return plain(f"What {shown.labels:,d} random labels give on average: {'; '.join(parts)}.")


def _figure(opened: OpenCampaign, shown: SideBySide) -> go.Figure:
    theme = charts.current_theme()
    measure = Measure.parse(shown.measure)
    looks = charts.sampler_looks([each.sampler for each in shown.samplers], theme)
    names = context.workspace().collections.query_names(opened.collection_id)
    chance = shown.baseline
    lines = [
        ReplayLine(
            short_name(each.sampler, samplers),
            looks[each.sampler],
            each.mean,
            [Step(_words(opened, row, names), grade) for row, grade in zip(each.rows, each.grades, strict=True)],
        )
        for each in shown.samplers
    ]
    levels = opened.settings.grades
    return replay_figure(
        lines,
        metric_label=str(measure),
        convention=measure.words,
        caption=_caption(opened, shown),
        grade_names=[level.name for level in levels],
        grade_colours=colours_of_grades([level.colour for level in levels], theme),
        band=None if chance is None else (chance.low, chance.high),
        theme=theme,
    )


def _caption(opened: OpenCampaign, shown: SideBySide) -> str:
    evaluation = opened.evaluation
    assert evaluation is not None

    def many(each: Replayed) -> str:
        return f"{short_name(each.sampler, samplers)}: {'one run' if each.runs == 1 else f'mean of {each.runs} runs'}"

    return (
        f"Ranked by {short_name(shown.ranker, rankers)} and evaluated on {len(evaluation.grades):,d} documents of "
        f"{evaluation.queries:,d} other queries. {'; '.join(map(many, shown.samplers))}. Grey band: 95% of the random "
        f"runs. The documents are those of the run with this campaign's seed ({opened.settings.seed})."
    )


def _words(opened: OpenCampaign, row: int, names: dict[str, str]) -> str:
    qid, docid = opened.document(row)
    return document.clean(f"{names.get(qid) or qid} → {docid or f'row {row + 1}'}")


main()
