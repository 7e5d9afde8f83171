"""The learning curves of a campaign: its own, random replays, the ceiling; and their saved forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from rulerank.campaign.opened import OpenCampaign
from rulerank.curves import Band, Evaluation, LearningCurve, Values, ceiling, checkpoints, measured_by, random_band
from rulerank.errors import InputError
from rulerank.metrics import Audience
from rulerank.registry import rankers
from rulerank.strategy import Strategy

RUNS = 20
LEAST = 32
FEW_POINTS = 12
"""Points of a random replay with a ranker that learns anew at each, and has to do so 20 times."""

SLOW_POINTS = 20
"""Points of this campaign's own curve with such a ranker."""

Done = Callable[[int, int], None]


def learns_quickly(ranker: str) -> bool:
    """Say whether a ranker, by its strategy's key, learns label by label at little cost (`RuleRanker.incremental`)."""
    return bool(Strategy.parse(ranker).kind(rankers).incremental)


def snapshot_kind(what: str, ranker: str, audience: Audience) -> str:
    """Return under which name a replay ("random"), a curve ("curve") or "looks" are kept with their campaign."""
    return " ".join([f"{what}:{ranker}", *audience.asks])


def replay_length(labels: int, pool: int) -> int:
    """Return how many labels a replay covers: a power of two that leaves room to grow, at most the whole pool.

    So the replay of a growing campaign is worked out a few times, not at every label.
    """
    length = LEAST
    while length < labels:
        length *= 2
    return min(length, pool)


def evaluation_for(opened: OpenCampaign, audience: Audience | None) -> Evaluation | None:
    """Return the campaign's evaluation set, read by an audience that has the language of each row of the collection."""
    if opened.evaluation is None or audience is None:
        return opened.evaluation
    return replace(opened.evaluation, audience=audience.of(opened.evaluation_rows))


def random_replay(
    opened: OpenCampaign,
    ranker: str,
    length: int,
    done: Done = lambda done, total: None,
    audience: Audience | None = None,
) -> dict[str, Any]:
    """Return the band of seeded random orders and the full-label ceiling, as plain JSON types."""
    known, evaluation = opened.known_grades, evaluation_for(opened, audience)
    if known is None or evaluation is None:
        raise InputError("a random replay needs an evaluation set and a pool whose grades are known")
    at = checkpoints(length)
    if not learns_quickly(ranker):
        at = [n for n in checkpoints(length, FEW_POINTS) if n in (1, 2, 5) or n >= 10]
    make = partial(opened.ranker, ranker)
    bands = random_band(make, opened.documents, known, evaluation, at, runs=RUNS, seed=opened.settings.seed, done=done)
    top = evaluation.measure(ceiling(make, opened.documents, known, evaluation.documents))
    return {
        "runs": RUNS,
        "seed": opened.settings.seed,
        "convention": opened.settings.convention,
        "measured_by": measured_by(evaluation.audience),
        "ceiling": top,
        "bands": [{"labels": b.labels, "mean": b.mean, "low": b.low, "high": b.high} for b in bands],
    }


def read_replay(saved: dict[str, Any]) -> tuple[list[Band], Values]:
    """Return the bands and the ceiling of what `random_replay` returned."""
    return [Band(**band) for band in saved["bands"]], saved["ceiling"]


def new_curve(opened: OpenCampaign, ranker: str, audience: Audience | None = None) -> LearningCurve:
    """Return an empty curve of this campaign; `audience` has the language of each row of the collection."""
    most = {} if learns_quickly(ranker) else {"most": SLOW_POINTS}
    return LearningCurve(
        partial(opened.ranker, ranker),
        opened.documents,
        evaluation_for(opened, audience),
        convention=opened.settings.convention,
        audience=None if audience is None else audience.of(opened.pool_rows),
        **most,
    )


def whole_curve(
    opened: OpenCampaign, ranker: str, done: Done = lambda done, total: None, audience: Audience | None = None
) -> dict[str, Any]:
    """Return this campaign's curve with all its points, as plain JSON types (`LearningCurve.load` reads them)."""
    found = new_curve(opened, ranker, audience)
    found.follow(*opened.labelled(), done=done)
    return found.to_dict()
