"""Hours, labels and pay: per person and month, with idle time cut out, from a campaign's log.

The rule: the time between two acts of one person (a grade, "can't tell", "later", an undo, a note, a decision) counts
as work up to a limit: `LONGEST_PAUSE` or ten times the person's median time between two acts in that month, whichever
is smaller. What is beyond it is a break. Of the first act in a log, the seconds that the document was looked at count,
up to the same limit. Time belongs to the month (UTC) of the later act, so the hours of a month that is over stay as
they are, whatever comes.

A label counts in the month in which the person first graded the document, and only while a grade of theirs stands:
changing one costs time, but is no second label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from statistics import median

from rulerank.campaign.events import Kind, LabelEvent
from rulerank.campaign.labels import LONGEST_PAUSE

TIMES_MEDIAN = 10
NO_WORK = (Kind.IMPORT, Kind.CHANGE)
"""What a lead does to a campaign, and not an annotator to a document."""


@dataclass(frozen=True)
class Work:
    """One person's work in one month; `median_seconds` is that of the labels whose time is known.

    >>> Work("2026-05", 1, seconds=5400.0, labels=200).hours
    1.5
    """

    month: str
    person: int
    seconds: float
    labels: int
    median_seconds: float | None = None
    limit: float = LONGEST_PAUSE  # up to which a pause counted

    @property
    def hours(self) -> float:
        """The time in hours."""
        return self.seconds / 3600


def work_of(events: Iterable[LabelEvent]) -> list[Work]:
    """Return everybody's work by month, the earliest month first, from all events of a log in their order.

    >>> acts = [LabelEvent(Kind.GRADE, row, 7, 1, id=row + 1, at=20.0 * row, seconds=15.0) for row in range(4)]
    >>> work_of(acts)
    [Work(month='1970-01', person=7, seconds=75.0, labels=4, median_seconds=15.0, limit=200.0)]
    """
    acts: dict[int, list[LabelEvent]] = defaultdict(list)
    undone = set()
    for event in events:
        if event.kind is Kind.UNDO:
            undone.add(event.undoes)
        if event.person is not None and event.kind not in NO_WORK:
            acts[event.person].append(event)
    found = [each for person, mine in acts.items() for each in _months(person, mine, undone)]
    return sorted(found, key=lambda each: (each.month, each.person))


def month_of(at: float) -> str:
    """Return the month of a moment, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m}"


def limit_of(pauses: Iterable[float]) -> float:
    """Return up to how many seconds a pause counts, by all pauses of one person in one month."""
    known = list(pauses)
    return min(LONGEST_PAUSE, TIMES_MEDIAN * median(known)) if known else LONGEST_PAUSE


def _months(person: int, acts: list[LabelEvent], undone: set[int | None]) -> Iterable[Work]:
    """Yield one person's months."""
    acts = sorted(acts, key=lambda act: (act.at, act.id))  # two servers' clocks may differ by a little
    pauses: dict[str, list[float]] = defaultdict(list)
    for former, act in pairwise(acts):
        pauses[month_of(act.at)].append(act.at - former.at)
    first, standing = acts[0], _labels(acts, undone)
    for month in sorted({month_of(act.at) for act in acts}):
        limit = limit_of(pauses[month])
        begun = [first.seconds or 0.0] if month == month_of(first.at) else []
        seconds = sum(min(pause, limit) for pause in (*begun, *pauses[month]))
        graded = [act for act in acts if act.kind is Kind.GRADE and act.id not in undone]
        taken = [min(act.seconds, limit) for act in graded if act.seconds is not None and month_of(act.at) == month]
        yield Work(month, person, seconds, standing[month], median(taken) if taken else None, limit)


def _labels(acts: list[LabelEvent], undone: set[int | None]) -> dict[str, int]:
    """Return the labels of each month: documents first graded then, on which a grade of the person stands."""
    first: dict[int, str] = {}
    last: dict[int, Kind] = {}
    for act in acts:
        if act.id in undone or act.kind not in (Kind.GRADE, Kind.CANNOT_TELL, Kind.LATER):
            continue
        last[act.row] = act.kind
        if act.kind is Kind.GRADE:
            first.setdefault(act.row, month_of(act.at))
    found: dict[str, int] = defaultdict(int)
    for row, month in first.items():
        found[month] += last[row] is Kind.GRADE
    return found
