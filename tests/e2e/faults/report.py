"""What a trial is to do, and what came of it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.e2e.faults.history import KILL, History, Violation

MOST_TOLD = 20


@dataclass(frozen=True)
class Plan:
    """How long, on what, with how many."""

    seconds: float = 60.0
    postgres: bool = False
    servers: int = 1
    annotators: int = 12
    seed: int = 0
    cold: bool = False
    kills: int = 0  # with `acts`: end as soon as there were so many, however much time is left
    acts: int = 0
    acts_a_kill: int = 50  # there are no more kills than one for so many acts
    round_seconds: float = 16.0


@dataclass
class Report:
    """What came of a trial."""

    plan: Plan
    history: History = field(default_factory=History)
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    rounds: int = 0
    campaigns: int = 0
    events: int = 0
    proposals: int = 0
    jobs: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    readings: int = 0
    store: str = ""
    disk: str = ""
    say: Callable[[str], object] = print
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, found: Iterable[Violation]) -> None:
        """Keep what was found, once: a violation stays in the log and would be found again at every reading."""
        with self._lock:
            known = {str(violation) for violation in self.violations}
            for violation in found:
                if str(violation) not in known:
                    known.add(str(violation))
                    self.violations.append(violation)
                    self.say(f"  violation: {violation}")

    @property
    def kills(self) -> int:
        """How many processes were killed with SIGKILL."""
        return sum(number for fault, number in self.faults.items() if fault.startswith(KILL))

    @property
    def acts(self) -> int:
        """How many acts came to an end."""
        counts = self.history.counts
        return counts["acknowledged"] + counts["refused"] + counts["unknown"]

    def line(self) -> str:
        """Return how far the trial is."""
        counts = self.history.counts
        return (
            f"{self.seconds:6.0f} s  round {self.rounds}: {self.acts:,d} acts "
            f"({counts['acknowledged']:,d} acknowledged), "
            f"{self.kills} kills, {sum(self.faults.values()):,d} faults, {len(self.violations)} violations"
        )

    def __str__(self) -> str:
        counts = self.history.counts
        kinds = sorted({key.split()[0] for key in counts if " " in key})
        acts = [
            f"  {kind:<12} {counts[f'{kind} acknowledged']:>7,d} acknowledged {counts[f'{kind} refused']:>6,d} refused "
            f"{counts[f'{kind} unknown']:>6,d} unknown"
            for kind in kinds
        ]
        faults = [f"  {number:>7,d}  {fault}" for fault, number in sorted(self.faults.items())]
        told = [f"  {violation}" for violation in self.violations[:MOST_TOLD]]
        if len(self.violations) > MOST_TOLD:
            told.append(f"  and {len(self.violations) - MOST_TOLD} more")
        by_kind = ", ".join(f"{number} {kind}" for kind, number in Counter(v.kind for v in self.violations).items())
        return "\n".join(
            [
                f"seed {self.plan.seed}; {self.store}, {self.plan.servers} server(s), "
                f"{self.plan.annotators} annotators; "
                f"{self.seconds:.0f} s, {self.rounds} rounds, {self.campaigns} campaigns",
                f"acts: {self.acts:,d}; events in the logs: {self.events:,d}",
                *acts,
                f"faults: {sum(self.faults.values()):,d}, of them kills (SIGKILL of a process): {self.kills:,d}",
                *faults,
                f"disk full by: {self.disk}",
                f"readings of a log amid the faults: {self.readings:,d}; "
                f"next documents compared between processes: {self.proposals}",
                "jobs of the worker: " + (", ".join(f"{n} {state}" for state, n in self.jobs.items()) or "none"),
                f"violations: {len(self.violations)}" + (f" ({by_kind})" if by_kind else ""),
                *told,
            ]
        )
