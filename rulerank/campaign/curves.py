"""The learning curves of a campaign: its own, random replays, the ceiling; and their saved forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
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

FAR, GROWTH, COARSE_GROWTH = 16, 2**0.25, 2.0
"""So many times as far as it covers closely goes a random replay in growing steps, to find what a campaign saves."""

Done = Callable[[int, int], None]


def learns_quickly(ranker: str) -> bool:
    """Say whether a ranker, by its strategy's key, learns label by label at little cost (`RuleRanker.incremental`)."""
    return bool(Strategy.parse(ranker).kind(rankers).incremental)


def snapshot_kind(what: str, ranker: str, audience: Audience) -> str:
    """Return under which name a replay ("random"), a curve ("curve") or "looks" are kept with their campaign."""
    return " ".join([f"{what}:{ranker}", *audience.asks])


def replay_length(labels: int, pool: int) -> int:
    """Return how many labels a replay covers closely: a power of two that leaves room to grow, at most the whole pool.

    So the replay of a growing campaign is worked out a few times, not at every label.
    """
    length = LEAST
    while length < labels:
        length *= 2
    return min(length, pool)


def replay_points(length: int, pool: int, *, quickly: bool = True) -> list[int]:
    """Return where a replay is measured: closely up to `length`, then in growing steps to 16 times that, or all.

    A campaign may be worth many times its labels: without the far points nobody could say how many.

    >>> replay_points(32, 150)[-6:], replay_points(32, 150, quickly=False)
    ([64, 76, 91, 108, 128, 150], [1, 2, 5, 10, 12, 16, 20, 24, 28, 32, 64, 128, 150])
    """
    close = checkpoints(length)
    if not quickly:
        close = [n for n in checkpoints(length, FEW_POINTS) if n in (1, 2, 5) or n >= 10]
    growth, reach = GROWTH if quickly else COARSE_GROWTH, min(FAR * length, pool)
    far, steps = [], 1
    while (place := round(length * growth**steps)) < reach:
        far.append(place)
        steps += 1
    return sorted({*close, *far, reach})


def is_complete(saved: dict[str, Any]) -> bool:
    """Say whether a kept replay has all that is read from it today; earlier ones had no margins, and ended nearer."""
    return all("margin" in band for band in saved["bands"])


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
    at = replay_points(length, len(known), quickly=learns_quickly(ranker))
    make = partial(opened.ranker, ranker)
    bands = random_band(make, opened.documents, known, evaluation, at, runs=RUNS, seed=opened.settings.seed, done=done)
    top = evaluation.measure(ceiling(make, opened.documents, known, evaluation.documents))
    return {
        "runs": RUNS,
        "seed": opened.settings.seed,
        "convention": opened.settings.convention,
        "measured_by": measured_by(evaluation.audience),
        "ceiling": top,
        "bands": [asdict(band) for band in bands],
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
