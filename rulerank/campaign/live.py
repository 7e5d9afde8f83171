"""The live loop: what to label next, for whom, and what a label changes. All state is a fold over the log."""

from __future__ import annotations

import inspect
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from rulerank.campaign.events import Claim, Kind, LabelEvent, LabelLog, LogSession
from rulerank.campaign.fold import ACTS, Fold
from rulerank.campaign.settings import Settings
from rulerank.errors import InputError, RulerankError
from rulerank.ranking import LRAR
from rulerank.registry import samplers
from rulerank.rules import Explanation, mine_document
from rulerank.rules.items import Ints, Items, as_whole
from rulerank.sampling import Sampler, Selection


class NotYoursError(RulerankError):
    """A claim belongs to somebody else, or a document cannot be labelled by this person."""


class TooSoonError(RulerankError):
    """A grade came sooner than anybody can read: a bounced or held key. Nothing was written."""


@dataclass(frozen=True)
class Pool:
    """The documents that may be labelled: items, and what samplers may look at beside them."""

    items: Items
    qids: Ints
    features: np.ndarray | None = None


@dataclass(frozen=True)
class Offer:
    """A document for a person, with the claim that holds it and the reason it was chosen."""

    claim: Claim
    selection: Selection | None


@dataclass(frozen=True)
class Pause:
    """There is no document: the natural stop is reached (`stopped`), or all are labelled or held by others."""

    stopped: bool
    reason: str


class Campaign:
    """One campaign in one process. Any number of threads may call it; other processes see the same log."""

    def __init__(
        self, log: LabelLog, pool: Pool, settings: Settings, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.log = log
        self.pool = pool
        self.settings = settings
        self.clock = clock
        self._lock = threading.RLock()
        self._begin()

    def _begin(self) -> None:
        """Forget all: the next look at the log rebuilds the state."""
        pool, settings = self.pool, self.settings
        self.fold = Fold(rule=settings.aggregation)
        self._sampler = make_sampler(settings).start(pool.items, features=pool.features, qids=pool.qids)
        self._counted: dict[int, int] = {}  # what the sampler counts: grades, and assumed ones of open claims
        self._hidden: set[int] = set()
        self._claims: dict[str, Claim] = {}
        self._ranker = LRAR(max_antecedent=min(2, settings.max_antecedent))
        self._ranker.fit(pool.items[:0], [])
        self._learnt: dict[int, int] = {}
        self._unlearnt: set[int] = set()  # documents whose grade may have changed since the ranker was last asked

    @contextmanager
    def _step(self) -> Iterator[LogSession]:
        """One transaction, begun with the state brought up to the log."""
        with self._lock:
            try:
                with self.log.transaction() as session:
                    self._sync(session)
                    yield session
            except (NotYoursError, TooSoonError):
                raise  # refused before anything was written
            except BaseException:
                # What was written is taken back, and its numbers go to other events: the state must not keep it.
                self._begin()
                raise

    # What a person asks for ----------------------------------------------------------------------------------------

    def next(self, person: int, *, beyond: bool = False) -> Offer | Pause:
        """Return the document a person holds, or the next one for them; `beyond` goes on past the natural stop."""
        with self._step() as session:
            held = self._held_by(person)
            if held is not None:
                lasts = 60 * self.settings.claim_minutes
                if held.expires_at - self.clock() < lasts / 2:  # not at every redraw: each is a write
                    held = replace(held, expires_at=self.clock() + lasts)
                    session.extend(held.token, held.expires_at)
                return Offer(held, None)
            found = self._choose(session, person, beyond)
            return found if isinstance(found, Pause) else self._hold(session, person, found)

    def submit(
        self, person: int, token: str, row: int, kind: Kind, *, grade: int | None = None, text: str = ""
    ) -> LabelEvent | None:
        """Write what a person decided about the document they hold; None if that token was used already.

        A claim that expired meanwhile does not cost the label: it is written all the same.
        """
        if kind not in ACTS:
            raise InputError(f"a document is graded, put off, or given up with 'cannot_tell', not {kind.value!r}")
        now = self.clock()
        event = self._event(kind, row, person, grade, text, now)
        with self._step() as session:
            claim = self._claims.get(token)
            if claim is not None and (claim.person != person or claim.row != row):
                raise NotYoursError("this document is held by somebody else; reload the page")
            # A clock that was set back says nothing about how long a document was looked at.
            seconds = now - claim.created_at if claim and claim.created_at <= now else None
            if seconds is not None and seconds * 1000 < self.settings.dwell_milliseconds:
                raise TooSoonError("that was too quick to be meant; press the key again")
            written = session.append(replace(event, token=token, seconds=seconds))
            if written is not None:
                self._close_claims(session, person, row)
                self._sync(session)
            return written

    def write(
        self, person: int | None, row: int, kind: Kind, *, grade: int | None = None, text: str = ""
    ) -> LabelEvent:
        """Write an act that needs no claim: a note, a draft, another grade for an own label, an adjudication."""
        if kind is Kind.UNDO:
            raise InputError("an act is taken back with undo()")
        event = self._event(kind, row, person, grade, text, self.clock())
        with self._step() as session:
            written = session.append(event)
            assert written is not None  # no token, nothing undone: there is nothing it could repeat
            if kind in ACTS and person is not None:
                self._close_claims(session, person, row)
            self._sync(session)
            return written

    def undo(self, person: int) -> Offer | None:
        """Take back a person's last act and hand them that document again.

        None if there is nothing to undo, or if others took over a document that this person had put off.
        """
        with self._step() as session:
            last = self.fold.last_act(person)
            if last is None:
                return None
            event = LabelEvent(Kind.UNDO, last.row, person, undoes=last.id, at=self.clock())
            if session.append(event) is None:
                return None
            held = self._held_by(person)
            if held is not None:
                session.close_claim(held.token, "released")
            self._sync(session)
            if not self._wanted_from(last.row, person):
                return None
            return self._hold(session, person, self._note(last.row, "undo", "you took your last act on it back"))

    def release(self, person: int) -> None:
        """Give back the document a person holds."""
        with self._step() as session:
            held = self._held_by(person)
            if held is not None:
                session.close_claim(held.token, "released")
                self._sync(session)

    def refresh(self) -> Fold:
        """Take in what others wrote, and return the state."""
        with self._step():
            return self.fold

    # What others look at -------------------------------------------------------------------------------------------

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
        rules = mine_document(document, items, grades, max_antecedent=min(2, self.settings.max_antecedent))
        held = (items == document).any(axis=0) if rows else np.zeros(document.size, bool)
        new = tuple((int(f), int(document[f])) for f in np.flatnonzero(~held))
        return Explanation(row, tuple(rules), new)

    def rule_counts(self) -> tuple[np.ndarray, int | None] | None:
        """Return each document's rule count and the fewest among labelled ones, where the sampler counts rules."""
        if not self._sampler.counts_rules:
            return None
        with self._lock:
            counts = np.array(self._sampler.rule_counts)  # type: ignore[attr-defined]
            rows = [row for row in self._counted if self.fold.grade(row) is not None]
        return counts, int(counts[rows].min()) if rows else None

    def stop_distance(self) -> tuple[int, int] | None:
        """Return the fewest rules of an unlabelled and of a labelled document: the stop is where the first is larger.

        None where the sampler does not count rules, or before there is one of each.
        """
        if not self._sampler.counts_rules:
            return None
        with self._lock:
            counts = np.array(self._sampler.rule_counts)  # type: ignore[attr-defined]
            counted = np.zeros(counts.size, bool)
            counted[list(self._counted)] = True
        if counted.all() or not counted.any():
            return None
        return int(counts[~counted].min()), int(counts[counted].min())

    def open_claims(self) -> list[Claim]:
        """Return the claims that are open, as of the last look at the log."""
        return list(self._claims.values())

    # How it works --------------------------------------------------------------------------------------------------

    def _event(self, kind: Kind, row: int, person: int | None, grade: int | None, text: str, now: float) -> LabelEvent:
        """Return a checked event, of plain numbers and of text that every database can keep."""
        place = as_whole(row)
        if place is None or not 0 <= place < len(self.pool.items):
            raise InputError(f"document {row} is not in the pool of this campaign")
        level, top = as_whole(grade), len(self.settings.grades) - 1
        if grade is not None and (level is None or not 0 <= level <= top):
            raise InputError(f"grade {grade} does not exist here; grades are 0 to {top}")
        if kind is Kind.GRADE and grade is None:
            raise InputError("a label needs a grade")
        kept = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        return LabelEvent(kind, place, person, level, kept, at=now)

    def _sync(self, session: LogSession) -> None:
        """Bring the state up to the log: new events, claims that came, went or expired."""
        touched = set()
        for event in session.events_after(self.fold.seen):
            self.fold.apply(event)
            touched.add(event.row)
        now = self.clock()
        open_now = {}
        for claim in session.open_claims():
            if claim.expires_at <= now:
                session.close_claim(claim.token, "expired")
            else:
                open_now[claim.token] = claim
        for token in self._claims.keys() ^ open_now.keys():
            touched.add((self._claims.get(token) or open_now[token]).row)
        for token in self._claims.keys() & open_now.keys():
            if self._claims[token].assumed_grade != open_now[token].assumed_grade:
                touched.add(open_now[token].row)
        self._claims = open_now
        for row in sorted(touched):
            self._settle(row)

    def _settle(self, row: int) -> None:
        """Make the sampler count a document as the state says: its grade, an assumed one, none, or not at all."""
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
                self._sampler.record(row, wanted)
                self._counted[row] = wanted
        hide = self.fold.skipped(row)
        if hide != (row in self._hidden):
            (self._sampler.exclude if hide else self._sampler.include)(row)
            (self._hidden.add if hide else self._hidden.discard)(row)

    def _held_by(self, person: int) -> Claim | None:
        return next((claim for claim in self._claims.values() if claim.person == person), None)

    def _close_claims(self, session: LogSession, person: int, row: int) -> None:
        """Close what a person holds of a document: after an expiry it may be under another token than the label's."""
        for claim in self._claims.values():
            if claim.person == person and claim.row == row:
                session.close_claim(claim.token, "used")

    def _choose(self, session: LogSession, person: int, beyond: bool) -> Selection | Pause:
        self._assume_claimed(session, person)
        again = self._another_opinion(person)
        if again is not None:
            return again
        late = [r for r in self.fold.waiting_later(person, self.settings.later_after) if self._free(r, person)]
        if late:
            return self._note(late[0], "later", "you put it off a while ago")
        found = self._propose_others(person, beyond)
        left = [r for r in self.fold.waiting_later(person, 0) if self._free(r, person)]
        # Nothing but what was put off is left: it must come back now, for it cannot wait for further acts.
        if isinstance(found, Pause) and left and not isinstance(self._propose(beyond), Pause):
            return self._note(left[0], "later", "you put it off, and nothing else is left")
        return found

    def _propose_others(self, person: int, beyond: bool) -> Selection | Pause:
        """Propose as if the documents that this person put off were not there."""
        put_off = self.fold.put_off(person)
        hidden = [row for row in put_off if row not in self._hidden and row not in self._counted]
        for row in hidden:
            self._sampler.exclude(row)
        try:
            return self._propose(beyond)
        finally:
            for row in hidden:
                self._sampler.include(row)

    def _propose(self, beyond: bool) -> Selection | Pause:
        selection = self._sampler.propose()
        assumed = selection is not None and selection.stop and self.fold.grade(selection.row) is None
        if selection is not None and selection.stop and (beyond or assumed):
            selection = self._sampler.propose(beyond=True)  # type: ignore[call-arg]
        if selection is None:
            return Pause(False, "every document is labelled or held")
        return Pause(True, selection.reason) if selection.stop else selection

    def _wanted_from(self, row: int, person: int) -> bool:
        """Say whether too few others hold or graded a document, so that this person may be asked."""
        others = {claim.person for claim in self._claims.values() if claim.row == row}.union(self.fold.grades_of(row))
        return len(others - {person}) < self.settings.overlap

    def _free(self, row: int, person: int) -> bool:
        return self._wanted_from(row, person) and not self.fold.skipped(row)

    def _another_opinion(self, person: int) -> Selection | None:
        """Return the oldest document that wants more grades and that this person has not judged."""
        wanted = self.settings.overlap
        if wanted < 2:
            return None
        for row in dict.fromkeys(row for _, row in self.fold.labelled_at):
            given = self.fold.grades_of(row)
            if given and self.fold.act(row, person) is None and self._free(row, person):
                return self._note(row, "overlap", f"{wanted} people are asked, and {len(given)} have answered")
        return None

    def _assume_claimed(self, session: LogSession, person: int) -> None:
        """Count documents that others hold as if they had the grade the ranker predicts, so that no two get twins."""
        others = [c for c in self._claims.values() if c.person != person and c.assumed_grade is None]
        fresh = [c for c in others if self.fold.grade(c.row) is None]
        if not fresh:
            return
        predicted = self._predict([claim.row for claim in fresh])
        for claim, grade in zip(fresh, predicted, strict=True):
            session.assume(claim.token, grade)
        self._sync(session)

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

    def _note(self, row: int, why: str, reason: str) -> Selection:
        return Selection(row=row, sampler=why, round=len(self._counted) + 1, reason=reason)

    def _hold(self, session: LogSession, person: int, selection: Selection) -> Offer:
        now = self.clock()
        claim = Claim(selection.row, person, secrets.token_hex(16), now, now + 60 * self.settings.claim_minutes)
        assumed = {c.row: c.assumed_grade for c in self._claims.values() if c.assumed_grade is not None}
        held = session.open_claim(claim, selection, assumed)
        self._sync(session)
        return Offer(held, selection)


def make_sampler(settings: Settings) -> Sampler:
    """Make the sampler that the settings name, giving it those settings that it has."""
    kind = samplers[settings.sampler]
    offered = {
        "max_antecedent": settings.max_antecedent,
        "partitions": settings.partitions,
        "seed": settings.seed,
        "feature": settings.extra.get("feature"),
    }
    known = inspect.signature(kind).parameters
    chosen: Sampler = kind(**{name: value for name, value in offered.items() if name in known and value is not None})
    return chosen
