"""The history of a trial: what annotators asked for and were told, and the rows of the log that it is held against."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum

DECISIONS = ("grade", "cannot_tell", "later")
KILL = "kill -9"  # how the names of those faults begin that end a process with SIGKILL


class Outcome(StrEnum):
    """What an annotator knows about an act of theirs."""

    OPEN = "open"  # not answered yet
    ACKNOWLEDGED = "acknowledged"  # the answer said that it is saved
    REFUSED = "refused"  # every copy that was sent was answered, and each answer said no
    UNKNOWN = "unknown"  # some copy was never answered: it may be in the log, at most once


@dataclass
class Act:
    """One act of an annotator: asked for once, sent as often as it takes."""

    id: str
    kind: str  # a decision, "undo" or "draft"
    campaign: int
    person: int
    row: int | None = None
    grade: int | None = None
    text: str = ""  # the note, or the draft; no two acts have the same one
    mark: str = ""  # what stands in the log's column `token`: a decision has its claim's, another act its own
    takes_back: int | None = None  # the event that an undo names
    invoked: float = 0.0
    completed: float | None = None
    outcome: Outcome = Outcome.OPEN
    tries: int = 0
    unanswered: int = 0
    told: str = ""  # the last answer in a few words, for whoever reads a violation

    def __str__(self) -> str:
        grade = "" if self.grade is None else f" {self.grade}"
        return (
            f"{self.kind}{grade} of person {self.person} on document {self.row} "
            f"(act {self.id}, {self.outcome.value}, {self.tries} tries, {self.unanswered} unanswered; {self.told!r})"
        )


@dataclass(frozen=True)
class LogRow:
    """One event of the label log."""

    id: int
    kind: str
    row: int
    person: int | None
    grade: int | None = None
    text: str = ""
    token: str | None = None
    undoes: int | None = None

    def __str__(self) -> str:
        grade = "" if self.grade is None else f" {self.grade}"
        undoes = "" if self.undoes is None else f" of event {self.undoes}"
        return f"event {self.id}: {self.kind}{grade}{undoes} of person {self.person} on document {self.row}"


@dataclass(frozen=True)
class Snapshot:
    """The log and the open claims (document, person) of a campaign, read in one transaction begun at `at`."""

    at: float
    rows: tuple[LogRow, ...]
    held: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Violation:
    """Something that must never happen."""

    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


@dataclass
class History:
    """All acts of a trial. Any thread may add to it."""

    acts: dict[int, list[Act]] = field(default_factory=lambda: defaultdict(list))  # by campaign
    copied: set[str] = field(default_factory=set)  # acts of which the proxy sent a copy that nobody asked for
    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, act: Act) -> None:
        """Note that an act is about to be sent."""
        act.invoked = time.monotonic()
        with self._lock:
            self.acts[act.campaign].append(act)

    def end(self, act: Act, outcome: Outcome) -> None:
        """Note what became of an act; a refusal counts only where no copy went without an answer."""
        if outcome is Outcome.REFUSED and (act.unanswered or act.id in self.copied):
            outcome = Outcome.UNKNOWN
        act.completed, act.outcome = time.monotonic(), outcome
        with self._lock:
            self.counts[f"{act.kind} {outcome.value}"] += 1
            self.counts[outcome.value] += 1

    def copy(self, act_id: str) -> None:
        """Note that an act is sent once more than its annotator sends it."""
        with self._lock:
            self.copied.add(act_id)

    def of(self, campaign: int) -> list[Act]:
        """Return the acts of a campaign, in the order in which they were begun."""
        with self._lock:
            return list(self.acts[campaign])
