"""Long work for the Progress page: asked of the worker once, kept in the database, and shown while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages import context
from pages.shared.audience import audience_of
from pages.shared.layout import plain, sentence
from pages.shared.task import show_progress, worker_is_away
from rulerank.campaign import OpenCampaign
from rulerank.campaign.curves import (
    RUNS,
    is_complete,
    learns_quickly,
    random_replay,
    read_replay,
    replay_length,
    snapshot_kind,
)
from rulerank.campaign.labels import Labels, kept_curve
from rulerank.campaign.looking import follow, kept_looks
from rulerank.campaign.looks import Look
from rulerank.campaign.ranking import offered
from rulerank.curves import Band, Point, Values, measured_by
from rulerank.errors import RulerankError
from rulerank.metrics import Audience

if TYPE_CHECKING:
    from db.campaigns import Snapshot
    from db.jobs.queue import Job

SMALL = 4000
"""Documents of a pool for which the page does the work itself, where no worker does."""

BUDGET = 1.5
"""Seconds that a page may spend on a curve at a time; the rest is done at the next look."""


@dataclass(frozen=True)
class Wanted:
    """A piece of long work that is not there yet: what to ask the worker for, and what it is called on the page."""

    arguments: dict[str, Any]
    words: str


@dataclass(frozen=True)
class Replay:
    """A random replay: bands, the full-label ceiling, and how many labels it covers."""

    bands: list[Band]
    ceiling: Values
    seed: int


def random_of(
    opened: OpenCampaign, ranker: str, labels: int, audience: Audience | None = None
) -> tuple[Replay | None, Wanted | None]:
    """Return the random replay that is kept, and what is to be asked for if it is too short or missing.

    One with other measures or another audience, or from an earlier version, serves until there is a new one: it only
    lacks some values.
    """
    if opened.known_grades is None or opened.evaluation is None:
        return None, None
    length = replay_length(labels, len(opened.items))
    audience = audience or audience_of(opened)
    found = [
        kept
        for kept in context.workspace().campaigns.snapshots(opened.id, snapshot_kind("random", ranker, audience))
        if kept.values["seed"] == opened.settings.seed
        and kept.values.get("convention", opened.live.made_with.convention) == opened.settings.convention
    ]
    stamp = measured_by(audience.of(opened.evaluation_rows))

    def is_fresh(kept: Snapshot) -> bool:
        return kept.values.get("measured_by") == stamp and is_complete(kept.values)

    best = max(found, key=lambda kept: (is_fresh(kept), kept.labels), default=None)
    kept = None if best is None else Replay(*read_replay(best.values), best.values["seed"])
    if best is not None and best.labels >= length and is_fresh(best):
        return kept, None
    arguments = {"campaign": opened.id, "what": "random", "ranker": ranker, "labels": length, **_asks(audience)}
    words = f"{RUNS} random orders of {length:,d} labels each, ranked by {offered(opened).get(ranker, ranker)}"
    return kept, Wanted(arguments, words)


def curve_of(
    opened: OpenCampaign, ranker: str, labels: Labels, audience: Audience | None = None
) -> tuple[list[Point], Wanted | None]:
    """Return the points of this campaign's curve that are there, and what is to be asked for if some are missing."""
    audience = audience or audience_of(opened)
    curve = kept_curve(opened, ranker, audience)
    here = learns_quickly(ranker) or len(opened.items) <= SMALL
    complete = curve.follow(labels.rows, labels.grades, seconds=BUDGET if here else 0.0)
    if not complete and not here:
        kind = snapshot_kind("curve", ranker, audience)
        for kept in context.workspace().campaigns.snapshots(opened.id, kind)[:1]:
            curve.load(kept.values)
    # The very last point moves with every label; it alone is not worth a job.
    lacking = curve.missing if here else [n for n in curve.missing if n < curve.labels]
    if not lacking and (here or curve.points):
        return curve.points, None
    what = "here" if here else "curve"
    labels_lacking = max(lacking or curve.missing)
    arguments = {
        "campaign": opened.id, "what": what, "ranker": ranker, "labels": labels_lacking, **_asks(audience),
    }  # fmt: skip
    words = f"{len(curve.missing):,d} points of the curve of {offered(opened).get(ranker, ranker)}"
    return curve.points, Wanted(arguments, words)


def looks_of(
    opened: OpenCampaign, ranker: str, labels: Labels, audience: Audience | None = None
) -> tuple[list[Look], Wanted | None]:
    """Return the looks of the stop light that are there, and what is to be asked for if some are missing."""
    audience = audience or audience_of(opened)
    looks = kept_looks(opened, ranker, audience)
    here = learns_quickly(ranker) or len(opened.items) <= SMALL
    if not follow(looks, opened, labels.rows, labels.grades, seconds=BUDGET if here else 0.0) and not here:
        kind = snapshot_kind("looks", ranker, audience)
        for kept in context.workspace().campaigns.snapshots(opened.id, kind)[:1]:
            looks.load(kept.values)
    if not looks.missing:
        return looks.found, None
    what = "here" if here else "looks"
    arguments = {
        "campaign": opened.id, "what": what, "ranker": ranker, "labels": looks.missing[-1], **_asks(audience),
    }  # fmt: skip
    return looks.found, Wanted(arguments, f"{len(looks.missing):,d} looks of the stop light")


def _asks(audience: Audience) -> dict[str, Any]:
    return {"asks": list(audience.asks)} if audience.asks else {}


def job_for(wanted: Wanted, person: int, drawn_at: float) -> Job:
    """Return the job for a piece of work, asked for if there is none; one that ended before the page was drawn is old.

    A job in hand serves for later labels too, unless it is a random replay: what it lacks is asked for when it is done.
    """
    jobs = context.workspace().jobs
    for job in jobs.list(kind="replay", limit=50):
        alike = {**job.arguments, "labels": wanted.arguments["labels"]} == wanted.arguments
        if job.arguments == wanted.arguments or (alike and wanted.arguments["what"] != "random" and not job.over):
            if job.state == "done" and (job.finished_at or 0.0) < drawn_at:
                break
            return job
    asked = jobs.get(jobs.ask("replay", wanted.arguments, person))
    assert asked is not None
    return asked


def must_do_without(job: Job) -> bool:
    """Say whether no worker will do a job: it has failed or was stopped, or nobody takes it up."""
    if job.state in ("failed", "stopped"):
        return True
    return job.state == "waiting" and worker_is_away(job)


def do_here(opened: OpenCampaign, wanted: Wanted, job: Job) -> bool:
    """Work out a random replay in the page, for small pools where no worker does it; returns whether it was done."""
    if wanted.arguments["what"] != "random" or len(opened.items) > SMALL:
        return False
    context.workspace().jobs.stop(job.id)
    ranker, length = wanted.arguments["ranker"], wanted.arguments["labels"]
    audience = audience_of(opened).asking(*wanted.arguments.get("asks", ()))
    with st.status(f"Working out {wanted.words}; this is done once.", expanded=True) as status:
        bar = st.progress(0.0)

        def tell(done: int, total: int) -> None:
            bar.progress(done / total)

        try:
            values = random_replay(opened, ranker, length, tell, audience)
        except RulerankError as error:
            status.update(label=plain(str(error)), state="error")
            return False
        kind = snapshot_kind("random", ranker, audience)
        context.workspace().campaigns.put_snapshot(opened.id, kind, length, values)
        status.update(label="Done.", state="complete")
    return True


def show_job(wanted: Wanted, job: Job) -> None:
    """Show how far the worker is with a piece of work, or what keeps it from it."""
    if job.state in ("failed", "stopped"):
        why = f" {sentence(job.message)}" if job.message else " The background worker was stopped."
        st.warning(f"{plain(wanted.words)} could not be worked out.{why}", icon=":material/warning:")
    elif job.state == "waiting":
        show_progress(st.container(), job, 0.0, f"Waiting for the background worker: {wanted.words}.")
    else:
        show_progress(st.container(), job, job.share or 0.0, f"The background worker works out {wanted.words}.")
