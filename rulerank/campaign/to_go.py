"""About how many labels are left to the natural stop: the sampler is let go on, out of sight, with grades drawn by lot.

Features are known and the grades to come are not, so each run draws these from the grades given so far, and counts how
many labels the sampler asks for until it stops. What is drawn matters: with one grade for all, the stop came up to ten
times too late. How far off the range was on OHSUMED and MQ2008 is in docs/samplers.md, "How many labels are to go".
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.settings import Settings
from rulerank.campaign.state import Pool
from rulerank.registry import samplers

RUNS = 4
SPREAD = 1.5
"""The range goes this factor beyond the shortest and the longest run."""

ENOUGH = 10
"""Labels before which nothing is said; there must be two different grades among them, too."""

SECONDS = 20.0
"""That an estimate may take; one that takes longer is given up."""

LARGEST = 100_000
"""Documents of a pool: a second index of its rules is held in memory meanwhile."""

AGAIN = 0.1
"""A new estimate is due after this share of the labels that were thought to be left."""

log = logging.getLogger("rulerank")


@dataclass(frozen=True)
class ToGo:
    """A rough range of labels; `most`: how many there are at all.

    >>> str(ToGo(96, 289)), str(ToGo(0, 7)), str(ToGo(3, 1203)), str(ToGo(0, 0))
    ('about 95 to 290', 'up to 7', 'up to 1,250', 'a few')
    >>> str(ToGo(600, 2702, most=2702))
    'about 600 to 2,702'
    """

    low: int
    high: int
    most: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        high = _rounded(self.high, up=True)
        high = high if self.most is None else min(high, self.most)
        # A lower end that is next to nothing beside the upper one says nothing.
        low = _rounded(self.low, up=False) if self.low >= self.high / 20 else 0
        if not high:  # more were asked for than was thought
            return "a few"
        return f"about {low:,d} to {high:,d}" if low else f"up to {high:,d}"


def _rounded(number: int, *, up: bool) -> int:
    """Return a number as roughly as it is known: in steps of 1, 5, 10, 50 and so on."""
    step = next((step for limit, step in ((20, 1), (100, 5), (500, 10), (2_000, 50)) if number < limit), 100)
    return -(-number // step) * step if up else number // step * step


def runs_to_stop(
    settings: Settings, pool: Pool, grades: Mapping[int, int], away: frozenset[int], seconds: float = SECONDS
) -> list[int] | None:
    """Return how many more documents the sampler asks for in each run; None where that takes too long.

    grades: of labelled documents, by row. away: documents that left the pool.
    """
    end = time.monotonic() + seconds
    given = np.array(list(grades.values()))
    rng = np.random.default_rng([settings.seed, len(grades)])
    found = []
    for _ in range(RUNS):
        sampler = settings.make_sampler().start(pool.items, features=pool.features, qids=pool.qids)
        for row in away:
            sampler.exclude(row)
        sampler.record_many(grades)
        asked = 0
        while (selection := sampler.propose()) is not None and not selection.stop:
            if time.monotonic() > end:
                return None
            sampler.record(selection.row, int(rng.choice(given)))
            asked += 1
        found.append(asked)
    return found


@dataclass
class _Estimate:
    """What is known of one campaign: after how many documents it was looked at, and the documents then left."""

    documents: int = 0
    left: tuple[float, float] | None = None
    due: int = ENOUGH


_estimates: WeakKeyDictionary[OpenCampaign, _Estimate] = WeakKeyDictionary()
_lock = threading.Lock()
_working = threading.Lock()
"""One estimate at a time in a process: labelling comes first."""


def labels_to_go(opened: OpenCampaign) -> ToGo | None:
    """Return about how many labels are left to the natural stop; None while that is not known.

    Never waits: a new estimate is worked out in the background, and the last one serves until it is there.
    """
    if not samplers[opened.settings.sampler.name].counts_rules or len(opened.items) > LARGEST:
        return None
    grades = opened.live.fold.current()
    with _lock:
        kept = _estimates.setdefault(opened, _Estimate())
    if len(grades) < kept.documents:  # some were taken back
        kept.due = min(kept.due, len(grades))
    if len(grades) >= max(ENOUGH, kept.due) and len(set(grades.values())) > 1 and _working.acquire(blocking=False):
        fold = opened.live.fold
        away = frozenset(row for row in fold.touched_rows() if fold.skipped(row))  # here: labels come in meanwhile
        arguments = (opened, kept, grades, away)
        threading.Thread(target=_work, args=arguments, daemon=True, name="rulerank-to-go").start()
    return _range(opened, kept, len(grades))


def _work(opened: OpenCampaign, kept: _Estimate, grades: dict[int, int], away: frozenset[int]) -> None:
    try:
        runs = runs_to_stop(opened.settings, opened.live.pool, grades, away)
        kept.left = None if runs is None else (min(runs) / SPREAD, max(runs) * SPREAD)
        kept.documents = len(grades)
        # One that was given up would take as long the next time: not before there are twice as many labels.
        kept.due = len(grades) * 2 if runs is None else len(grades) + max(1, round(AGAIN * max(runs)))
    except Exception:
        log.exception("how many labels are to go in campaign %d cannot be estimated", opened.id)
        kept.due = len(grades) * 2
    finally:
        _working.release()


def _range(opened: OpenCampaign, kept: _Estimate, documents: int) -> ToGo | None:
    """Return the range as of now: what was labelled since is no longer to go, and each document takes `overlap`."""
    if kept.left is None:
        return None
    since = documents - kept.documents
    low, high = (max(0.0, min(each - since, len(opened.items) - documents)) for each in kept.left)
    overlap = opened.settings.overlap
    lacking = overlap * documents - len(opened.live.fold.labelled_at) if overlap > 1 else 0
    more = max(0, lacking)
    most = overlap * (len(opened.items) - documents) + more
    return ToGo(int(overlap * low) + more, int(np.ceil(overlap * high)) + more, most)
