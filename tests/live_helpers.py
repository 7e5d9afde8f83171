"""What the tests of the live loop share: a clock to turn, pools, quick campaigns, and looks that leave no trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rulerank.campaign import (
    Campaign,
    Kind,
    LabelLog,
    LogSession,
    MemoryLog,
    Offer,
    OpenCampaign,
    Pause,
    Pool,
    Settings,
)

ACTS = ["grade", "grade", "grade", "hold", "cannot_tell", "later", "undo", "release", "regrade", "wait"]


class Clock:
    """Stands still until it is turned."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class _Enough(Exception):  # noqa: N818 -- never seen outside
    pass


class Peeking:
    """A log in which nothing stays: every transaction is taken back at its end."""

    def __init__(self, log: LabelLog) -> None:
        self.log = log

    @contextmanager
    def transaction(self) -> Iterator[LogSession]:
        with suppress(_Enough), self.log.transaction() as session:
            yield session
            raise _Enough


def random_pool(rows: int, features: int = 5, bins: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return items full of ties, and grades 0 to 2."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, bins, (rows, features)).astype(np.uint8), rng.integers(0, 3, rows)


def make_live(items: np.ndarray, log: LabelLog | None = None, clock: Clock | None = None, **settings: Any) -> Campaign:
    """Return a campaign on a log in memory that takes labels as quickly as they come."""
    chosen = Settings(**{"dwell_milliseconds": 0, **settings})
    pool = Pool(items, np.arange(len(items)) // 4, items.astype(float))
    return Campaign(MemoryLog() if log is None else log, pool, chosen, clock=clock or Clock())


def with_settings(opened: OpenCampaign, **settings: Any) -> None:
    """Let an opened campaign go on as if it had been made with other settings, without an event that says so."""
    live = opened.live
    opened.live = Campaign(live.log, live.pool, replace(live.made_with, **settings), name=live.made_name)
    opened.live.refresh()


def fresh_row(live: Campaign, person: int, beyond: bool = False) -> int | None:
    """Return which document a new process would propose (None: a pause), leaving no trace."""
    other = Campaign(Peeking(live.log), live.pool, live.settings, clock=live.clock)
    return row_of(other.next(person, beyond=beyond))


def row_of(offer: Offer | Pause) -> int | None:
    return offer.claim.row if isinstance(offer, Offer) else None


def grade_next(live: Campaign, person: int, grades: Sequence[int] | np.ndarray, beyond: bool = False) -> int | None:
    """Let a person grade their next document as it is known; return its row, None for a pause."""
    offer = live.next(person, beyond=beyond)
    if isinstance(offer, Pause):
        return None
    row = offer.claim.row
    assert live.submit(person, offer.claim.token, row, Kind.GRADE, grade=int(grades[row])) is not None
    return row


def label_alone(
    live: Campaign, grades: Sequence[int] | np.ndarray, *, slips: Sequence[bool] = (), person: int = 1
) -> tuple[list[int], Pause]:
    """Let one person label to the stop; `slips` says before which labels a wrong act is done and undone."""
    order: list[int] = []
    while True:
        offer = live.next(person)
        if isinstance(offer, Pause):
            return order, offer
        if len(order) < len(slips) and slips[len(order)]:
            kind = (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER)[len(order) % 3]
            wrong = (int(grades[offer.claim.row]) + 1) % 3 if kind is Kind.GRADE else None
            live.submit(person, offer.claim.token, offer.claim.row, kind, grade=wrong)
            live.next(person)
            again = live.undo(person)
            assert again is not None
            assert again.claim.row == offer.claim.row
        order.append(grade_next(live, person, grades))


def do(live: Campaign, clock: Clock, act: str, person: int, grades: np.ndarray) -> list[int | None]:
    """Do something as a person; return the document that was proposed for it, [] where none was asked for."""
    if act in ("undo", "release"):
        getattr(live, act)(person)
        return []
    if act == "wait":
        clock.now += 400
        return []
    offer = live.next(person, beyond=True)
    if act == "regrade" and (mine := [row for row, who, _ in live.fold.table() if who == person]):
        live.write(person, mine[0], Kind.GRADE, grade=1)
    elif isinstance(offer, Offer) and act not in ("hold", "regrade"):
        grade = int(grades[offer.claim.row]) if act == "grade" else None
        live.submit(person, offer.claim.token, offer.claim.row, Kind(act), grade=grade)
    return [row_of(offer)]
