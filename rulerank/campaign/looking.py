"""The looks at an open campaign: new, kept for all who look, or worked out at once for the worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from rulerank.campaign.curves import evaluation_for
from rulerank.campaign.looks import Looks
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.to_go import LARGEST
from rulerank.curves import Label
from rulerank.metrics import Audience
from rulerank.registry import samplers
from rulerank.sampling.base import Sampler


class StopWatch:
    """Says of labels whether a sampler is at its natural stop after them; one sampler goes along with growing labels.

    make: returns a sampler that was started on the pool.

    >>> import numpy as np
    >>> from rulerank.sampling import SSAR
    >>> watch = StopWatch(lambda: SSAR().start(np.array([[0, 0], [0, 1], [0, 1]], np.uint8)))
    >>> watch([(0, 1)]), watch([(0, 1), (1, 0)])
    (False, True)
    """

    def __init__(self, make: Callable[[], Sampler], away: Collection[int] = ()) -> None:
        """`away`: documents that left the pool."""
        self._make = make
        self._away = away
        self._sampler: Sampler | None = None
        self._given: dict[int, int] = {}

    def __call__(self, labels: Sequence[Label]) -> bool:
        """Take the labels that are new, or begin again where some were changed or taken back."""
        wanted = dict(labels)
        if self._sampler is None or any(wanted.get(row) != grade for row, grade in self._given.items()):
            self._sampler, self._given = self._make(), {}
            for row in self._away:
                self._sampler.exclude(row)
        self._sampler.record_many({row: grade for row, grade in wanted.items() if row not in self._given})
        self._given = wanted
        selection = self._sampler.propose()
        return selection is not None and selection.stop


def new_looks(opened: OpenCampaign, ranker: str, audience: Audience | None = None) -> Looks:
    """Return looks at this campaign, none taken yet; `audience` has the language of each row of the collection."""
    return Looks(
        partial(opened.ranker, ranker),
        opened.documents,
        evaluation_for(opened, audience),
        convention=opened.settings.convention,
        audience=None if audience is None else audience.of(opened.pool_rows),
        sampler=f"{opened.settings.sampler.key} {opened.settings.seed} {opened.settings.max_antecedent}",
    )


def follow(
    looks: Looks,
    opened: OpenCampaign,
    rows: Sequence[int],
    grades: Sequence[int],
    *,
    seconds: float | None = None,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> bool:
    """Look wherever these labels allow it, with the natural stop; as `Looks.follow`.

    Only meanwhile is there a second sampler; it is not made for pools too large for one.
    """
    if samplers[opened.settings.sampler.name].counts_rules and len(opened.items) <= LARGEST:
        pool, fold = opened.live.pool, opened.live.fold
        away = [row for row in fold.touched_rows() if fold.skipped(row)]

        def start() -> Sampler:
            sampler: Sampler = opened.settings.make_sampler()
            return sampler.start(pool.items, features=pool.features, qids=pool.qids)

        return looks.follow(rows, grades, stopped=StopWatch(start, away), seconds=seconds, done=done)
    return looks.follow(rows, grades, seconds=seconds, done=done)


def whole_looks(
    opened: OpenCampaign,
    ranker: str,
    done: Callable[[int, int], None] = lambda done, total: None,
    audience: Audience | None = None,
) -> dict[str, Any]:
    """Return all looks at this campaign, as plain JSON types (`Looks.load` reads them)."""
    found = new_looks(opened, ranker, audience)
    follow(found, opened, *opened.labelled(), done=done)
    return found.to_dict()


# One for each campaign, ranker and metrics that are asked for, in the whole process; it goes with its campaign.
_kept: WeakKeyDictionary[OpenCampaign, dict[tuple[str, ...], Looks]] = WeakKeyDictionary()
_lock = threading.Lock()


def kept_looks(opened: OpenCampaign, ranker: str, audience: Audience) -> Looks:
    """Return the looks that all sessions share and extend; a changed audience (the campaign's) begins new ones."""
    fresh = new_looks(opened, ranker, audience)
    key = (ranker, *audience.asks)
    with _lock:
        mine = _kept.setdefault(opened, {})
        if key not in mine or mine[key].stamp != fresh.stamp:
            mine[key] = fresh
        return mine[key]
