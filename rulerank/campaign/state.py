"""The state of a campaign in one process: a fold over the log, and the sampler and ranker that follow it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rulerank.campaign.changes import STEERS, Course
from rulerank.campaign.events import NO_DOCUMENT, ActRefusedError, Claim, LabelEvent, LabelLog, LogSession
from rulerank.campaign.fold import LogFold
from rulerank.campaign.settings import Settings
from rulerank.ranking import LRAR
from rulerank.rules import Explanation, mine_document
from rulerank.rules.items import Ints, Items
from rulerank.sampling import Sampler

CLOCK_SLACK = 120.0
"""Seconds by which the clocks of two servers may differ without taking each other's claims for ones of the future."""


@dataclass(frozen=True)
class Pool:
    """The documents that may be labelled: items, and what samplers may look at beside them.

    >>> pool = Pool(items=np.array([[0, 1], [1, 1], [0, 0]], np.uint8), qids=np.array([0, 0, 1]))
    >>> pool.items.shape, pool.features is None
    ((3, 2), True)
    """

    items: Items
    qids: Ints
    features: np.ndarray | None = None


class LiveState:
    """What is known of a campaign as of the last look at the log, and what the screens ask of it."""

    def __init__(
        self, log: LabelLog, pool: Pool, settings: Settings, *, name: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        """`settings` and `name` are those that the campaign was made with; the log says what became of them."""
        self.log = log
        self.pool = pool
        self.made_with = settings
        self.made_name = name
        self.clock = clock
        self._lock = threading.RLock()
        self._refused: dict[str | None, ActRefusedError] = {}  # by the token of the act; the log does not hold them
        self._presses: dict[str, str] = {}  # the act that decided under a claim, by the claim's token
        self._begin([])

    def _begin(self, events: Sequence[LabelEvent]) -> None:
        """Build the state anew from all events of the log.

        Screens read the fold without waiting for a step to end, so it takes the place of the old one when it is whole.
        """
        fold = LogFold(course=Course(self.made_with, self.made_name))
        for event in events:
            fold.apply(event)
        self.fold = fold
        self._lost = False  # whether the log must be read from its beginning, because a step failed
        self._claims: dict[str, Claim] = {}
        self._restart()

    def _restart(self) -> None:
        """Begin with the sampler and the ranker anew; the next look at the log makes them follow all that it says."""
        self._started: Sampler | None = None
        self._steered_by: tuple[object, ...] = ()
        self._unsettled = set(self.fold.touched_rows())  # documents that the sampler has yet to follow
        self._counted: dict[int, int] = {}  # what the sampler counts: grades, and assumed ones of open claims
        self._hidden: set[int] = set()
        self._claims = {}
        self._learnt: dict[int, int] = {}
        self._unlearnt: set[int] = set()  # documents whose grade may have changed since the ranker was last asked

    @property
    def settings(self) -> Settings:
        """The settings as they are now, as of the last look at the log."""
        return self.fold.course.settings

    @property
    def _sampler(self) -> Sampler:
        """The sampler, started when it is first asked for: with the settings of then, not with those of before."""
        started = self._started
        if started is not None:
            return started
        with self._lock:
            if self._started is None:
                pool, settings = self.pool, self.settings
                made: Sampler = settings.make_sampler()
                self._ranker = LRAR(max_antecedent=min(2, settings.rule_size))
                self._ranker.fit(pool.items[:0], [])
                self._steered_by = _steering(settings)
                self._started = made.start(pool.items, features=pool.features, qids=pool.qids)
            return self._started

    def why(self, row: int) -> Explanation:
        """Return the rules a document drew from what was labelled before it, and what was new about it."""
        with self._lock:
            before = []
            for _, other in self.fold.labelled_at:
                if other == row:
                    break
                before.append(other)
            rows = [r for r in dict.fromkeys(before) if self.fold.grade(r) is not None]
            items = self.pool.items[rows]
            grades = np.array([self.fold.grade(r) for r in rows], np.int64)
        document = self.pool.items[row]
        rules = mine_document(document, items, grades, max_antecedent=min(2, self.settings.rule_size))
        held = (items == document).any(axis=0) if rows else np.zeros(document.size, bool)
        new = tuple((int(f), int(document[f])) for f in np.flatnonzero(~held))
        return Explanation(row, tuple(rules), new)

    def rule_counts(self) -> tuple[np.ndarray, int | None] | None:
        """Return each document's rule count and the fewest among labelled ones, where the sampler counts rules."""
        if not self._sampler.counts_rules:
            return None
        with self._lock:
            counts = np.array(self._sampler.rule_counts)
            rows = [row for row in self._counted if self.fold.grade(row) is not None]
        return counts, int(counts[rows].min()) if rows else None

    def at_natural_stop(self) -> bool:
        """Say whether the sampler would choose a labelled document now: every further one is redundant."""
        with self._lock:
            selection = self._sampler.propose()
            return selection is not None and selection.stop and self.fold.grade(selection.row) is not None

    def open_claims(self) -> list[Claim]:
        """Return the claims that are open, as of the last look at the log."""
        return list(self._claims.values())

    def _lose(self) -> None:
        """Distrust the state, after a step that failed: the next one reads the log from its beginning."""
        self._lost = True
        self.fold.seen = 0  # whoever compares it with the log finds news

    def _catch_up(self, session: LogSession) -> None:
        """Begin a step: bring the state up to the log, from nothing if the log is not the one that was read before.

        A store that was put back to an earlier moment has another event, or none, where the last one was.
        """
        if not self._lost and self.fold.last is not None:
            found = next(iter(session.events_after(self.fold.seen - 1)), None)
            self._lost = found != self.fold.last
        if self._lost:
            self._begin(session.events_after(0))
        self._sync(session)

    def _holds(self, claim: Claim, now: float) -> bool:
        """Say whether a claim holds its document: not expired, nor from a time that the clock has since left."""
        lasts = 60 * self.settings.claim_minutes
        return claim.created_at <= now + CLOCK_SLACK and now < claim.expires_at <= now + lasts + CLOCK_SLACK

    def _sync(self, session: LogSession) -> None:
        """Bring the state up to the log: new events, claims that came, went or expired."""
        touched = set()
        for event in session.events_after(self.fold.seen):
            self.fold.apply(event)
            touched.add(event.row)
        if self._started is not None and self._steered_by != _steering(self.settings):
            self._restart()
        touched |= self._unsettled
        touched.discard(NO_DOCUMENT)
        self._unsettled = set()
        now = self.clock()
        open_now = {}
        for claim in session.open_claims():
            if self._holds(claim, now):
                open_now[claim.token] = claim
            else:
                session.close_claim(claim.token, "expired")
        for token in self._claims.keys() ^ open_now.keys():
            touched.add((self._claims.get(token) or open_now[token]).row)
        for token in self._claims.keys() & open_now.keys():
            if self._claims[token].assumed_grade != open_now[token].assumed_grade:
                touched.add(open_now[token].row)
        self._claims = open_now
        fresh: dict[int, int] = {}
        for row in sorted(touched):
            self._settle(row, fresh)
        self._sampler.record_many(fresh)
        self._counted.update(fresh)

    def _settle(self, row: int, fresh: dict[int, int]) -> None:
        """Make the sampler count a document as the state says: its grade, an assumed one, none, or not at all.

        Grades that it does not have yet are put into `fresh`: after a restart there are many, taken in at once.
        """
        self._unlearnt.add(row)
        wanted = self.fold.grade(row)
        if wanted is None:
            assumed = [c.assumed_grade for c in self._claims.values() if c.row == row and c.assumed_grade is not None]
            wanted = assumed[0] if assumed else None
        if self._counted.get(row) != wanted:
            if row in self._counted:
                self._sampler.retract(row)
                del self._counted[row]
            if wanted is not None:
                fresh[row] = wanted
        hide = self.fold.skipped(row)
        if hide != (row in self._hidden):
            (self._sampler.exclude if hide else self._sampler.include)(row)
            (self._hidden.add if hide else self._hidden.discard)(row)

    def _held_by(self, person: int) -> Claim | None:
        return next((claim for claim in self._claims.values() if claim.person == person), None)

    def _predict(self, rows: list[int]) -> list[int]:
        """Return the most probable grade of documents, by LRAR on the labels so far."""
        self._learn()
        if not self._learnt:
            return [0] * len(rows)
        return [int(grade) for grade in self._ranker.predict_proba(self.pool.items[rows]).argmax(axis=1)]

    def _learn(self) -> None:
        """Bring the ranker up to the grades: only what changed since it was last asked."""
        for row in sorted(self._unlearnt):
            grade = self.fold.grade(row)
            if row in self._learnt and self._learnt[row] != grade:
                self._ranker.forget(self.pool.items[row], self._learnt.pop(row), row)
            if grade is not None and row not in self._learnt:
                self._ranker.partial_fit(self.pool.items[row], grade, row)
                self._learnt[row] = grade
        self._unlearnt.clear()


def _steering(settings: Settings) -> tuple[object, ...]:
    """Return all settings on which the sampler's next proposal depends."""
    return tuple(getattr(settings, name) for name in STEERS)
