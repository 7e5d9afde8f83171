"""The live loop: what a person asks for and decides, each act written once however often it is sent."""

from __future__ import annotations

import secrets
from dataclasses import replace

from rulerank.campaign.changing import Changing
from rulerank.campaign.checking import same_act
from rulerank.campaign.choosing import Offer, Pause
from rulerank.campaign.discussion import TALK
from rulerank.campaign.events import (
    ActRefusedError,
    DecidedOtherwiseError,
    Kind,
    LabelEvent,
    LogSession,
    NotYoursError,
    TooSoonError,
    UsedTokenError,
)
from rulerank.campaign.fold import ACTS, LogFold
from rulerank.campaign.stepping import MOST_REFUSED
from rulerank.errors import InputError, StoreError

NOT_SHOWN = "could not be shown"
"""How the reason begins for which a document was put aside."""

LEADING = (Kind.ADJUDICATE, *TALK)
"""What goes on while labelling is paused."""


class Campaign(Changing):
    """One campaign in one process. Any number of threads may call it; other processes see the same log.

    Whoever acts may choose the `token` of an act, and send the act again under it: it is written once, and answered as
    it was the first time.

    >>> import numpy as np
    >>> from rulerank.campaign import MemoryLog, Pool, Settings
    >>> pool = Pool(np.array([[0, 0], [0, 0], [0, 1]], np.uint8), np.array([0, 0, 0]))
    >>> campaign = Campaign(MemoryLog(), pool, Settings(dwell_milliseconds=0))
    >>> offer = campaign.next(person=1)
    >>> event = campaign.submit(1, offer.claim.token, offer.claim.row, Kind.GRADE, grade=2)
    >>> offer.claim.row, campaign.next(person=1).claim.row
    (1, 2)
    """

    # What a person asks for ----------------------------------------------------------------------------------------

    def next(self, person: int, *, beyond: bool = False) -> Offer | Pause:
        """Return the document a person holds, or the next one for them; `beyond` goes on past the natural stop."""
        with self._step(reading=True) as session:
            closed = self._closed()
            return Pause(False, closed.words) if closed is not None else self._next(session, person, beyond)

    def submit(
        self, person: int, token: str, row: int, kind: Kind, *, grade: int | None = None, text: str = ""
    ) -> LabelEvent | None:
        """Write what a person decided about the document they hold; None if that token was used already.

        A claim that expired meanwhile does not cost the label, unless the document went to somebody else.
        """
        decision = self._decision(person, row, kind, grade, text)
        with self._step() as session:
            if self.fold.with_token(token) is not None:
                return None
            return self._submit(session, decision, token)

    def advance(
        self,
        person: int,
        token: str,
        row: int,
        kind: Kind,
        *,
        grade: int | None = None,
        note: str = "",
        reason: str = "",
        beyond: bool = False,
        act: str | None = None,
    ) -> Offer | Pause:
        """Write what a person decided, with a note if there is one, and return what comes next: one transaction.

        The decision itself keeps the reason (of who cannot tell) and the note, which may be changed later on its own.
        The same decision sent again changes nothing; another one under the same token raises an error. `act` names one
        press of a key: one that was refused is refused again.
        A label must not depend on what follows it: where nothing can be chosen, it is written by itself.
        """
        decision = self._decision(person, row, kind, grade, ": ".join(filter(None, (reason, note))))
        remark = self._event(Kind.NOTE, row, person, None, note, decision.at) if note else None
        try:
            with self._step(act=act) as session:
                written = self._submit(session, decision, token, remark)
                if written is not None and act is not None:
                    self._remember_press(token, act)
                return self._next(session, person, beyond)
        except (ActRefusedError, StoreError):
            raise
        except Exception:
            with self._step() as session:
                self._submit(session, decision, token, remark)
            raise

    def said_already(self, person: int, row: int, act: str | None, *, again: bool = False) -> str:
        """Say that another press than this one decided the same about a document before, in another tab; else "".

        Only the process that wrote the decision knows which press it was. Where another one did, or this one before it
        was started anew, a press that is sent for the first time cannot have done it; of one that is sent `again`
        nobody can tell, and nothing is said.
        """
        with self._lock:
            known = self.fold.act(row, person)
            first = self._presses.get(known.token or "") if known is not None else None
            own = first == act or (first is None and (again or act is None))
            return "" if known is None or own else self._telling.already(known)

    def write(
        self,
        person: int | None,
        row: int,
        kind: Kind,
        *,
        grade: int | None = None,
        text: str = "",
        token: str | None = None,
        claim: str | None = None,
        after: int | None = None,
    ) -> LabelEvent:
        """Write an act that needs no claim: a note, a draft, another grade for an own label, an adjudication, a remark.

        With `claim` only while that claim holds the document. With `after` only if the latest draft or adjudication
        there is the one of this number (0: none): what somebody else wrote meanwhile is not overwritten unseen.
        """
        if kind is Kind.UNDO:
            raise InputError("an act is taken back with undo()")
        event = replace(self._event(kind, row, person, grade, text, self.clock()), token=token or secrets.token_hex(16))
        with self._step(act=token, leading=kind in LEADING) as session:
            known = self.fold.with_token(event.token)
            if known is not None:
                if not same_act(known, event):
                    raise UsedTokenError
                return known
            self._check_current(event, claim, after)
            written = session.append(event)
            if written is None:
                raise UsedTokenError  # in another campaign
            if kind in ACTS and person is not None:
                self._close_claims(session, person, event.row)
            self._sync(session)
            return written

    def undo(self, person: int, *, token: str | None = None, of: int | None = None) -> Offer | None:
        """Take back a person's last act and hand them that document again.

        With `of` only if the last act is the one of this number: what the person saw when they asked.
        None if there is nothing to undo, or if others took over a document that this person had put off.
        """
        token = token or secrets.token_hex(16)
        with self._step(act=token) as session:
            known = self.fold.with_token(token)
            held = self._held_by(person)
            if known is not None:
                if known.kind is not Kind.UNDO or known.person != person:
                    raise UsedTokenError
                return Offer(held, None) if held is not None and held.row == known.row else None
            last = self.fold.last_act(person)
            if of is not None and (last is None or last.id != of):
                raise DecidedOtherwiseError(self._telling.not_last(self.fold.undone(of), last))
            if last is None:
                return None
            before = self.fold.act_before(last)
            # A grade that this one had replaced counts again: not beside those of enough others.
            revived = last.kind is not Kind.GRADE and before is not None and before.kind is Kind.GRADE
            if revived and not self._wanted_from(last.row, person):
                raise NotYoursError(self._telling.cannot_revive())
            if (
                session.append(LabelEvent(Kind.UNDO, last.row, person, None, "", token, last.id, at=self.clock()))
                is None
            ):
                raise UsedTokenError
            if held is not None:
                session.close_claim(held.token, "released")
            self._sync(session)
            if not self._wanted_from(last.row, person) or self.fold.put_aside(last.row) is not None:
                return None
            return self._hold(session, person, self._note(last.row, "undo", "you took your last act on it back"))

    def release(self, person: int, *, claim: str | None = None) -> None:
        """Give back the document a person holds; with `claim` only if that is the claim they hold it by."""
        with self._step(reading=True) as session:
            held = self._held_by(person)
            if held is not None and claim in (None, held.token):
                session.close_claim(held.token, "released")
                self._sync(session)

    def put_aside(self, person: int, claim: str, row: int, reason: str) -> LabelEvent | None:
        """Take a document that cannot be shown out of a person's hands and out of the pool; None if that was done.

        The log says so, with the reason, as an act of nobody: it is no judgement.
        """
        event = self._event(Kind.CANNOT_TELL, row, None, None, f"{NOT_SHOWN}: {reason}", self.clock())
        with self._step() as session:
            held = self._claims.get(claim)
            if held is None or (held.person, held.row) != (person, event.row):
                return None
            session.close_claim(claim, "released")
            written = None
            if self.fold.put_aside(event.row) is None:
                written = session.append(replace(event, token=claim))
            self._sync(session)
            return written

    def bring_back(self, person: int, row: int, *, token: str | None = None) -> bool:
        """Give a document that was put aside back to the pool; False if it is there already."""
        with self._step(leading=True) as session:
            aside = self.fold.put_aside(row)
            if aside is None:
                return False
            session.append(
                LabelEvent(Kind.UNDO, row, person, None, "", token or secrets.token_hex(16), aside.id, at=self.clock())
            )
            self._sync(session)
            return True

    def refresh(self) -> LogFold:
        """Take in what others wrote, and return the state."""
        with self._step(reading=True):
            return self.fold

    # How it works --------------------------------------------------------------------------------------------------

    def _submit(
        self, session: LogSession, decision: LabelEvent, token: str, remark: LabelEvent | None = None
    ) -> LabelEvent | None:
        """Write a decision under the token of its claim, and a remark on it; None if it stands in the log already."""
        claim, now, person = self._claims.get(token), decision.at, decision.person
        if claim is not None and (claim.person != person or claim.row != decision.row):
            raise NotYoursError("this document is held by somebody else; reload the page")
        if claim is None and self._decided(decision, token):
            return None
        # A clock that was set back says nothing about how long a document was looked at.
        seconds = now - claim.created_at if claim and claim.created_at <= now else None
        if seconds is not None and seconds * 1000 < self.settings.dwell_milliseconds:
            raise TooSoonError("that was too quick to be meant; press the key again")
        written = session.append(replace(decision, token=token, seconds=seconds))
        if written is None:
            raise UsedTokenError  # in another campaign
        if person is not None:
            if remark is not None:
                session.append(remark)
            self._close_claims(session, person, decision.row)
            self._sync(session)
        return written

    def _remember_press(self, token: str, act: str) -> None:
        """Keep which press of a key decided under a claim's token."""
        self._presses[token] = act
        while len(self._presses) > MOST_REFUSED:
            del self._presses[next(iter(self._presses))]

    def _close_claims(self, session: LogSession, person: int, row: int) -> None:
        """Close what a person holds of a document: after an expiry it may be under another token than the label's."""
        for claim in self._claims.values():
            if claim.person == person and claim.row == row:
                session.close_claim(claim.token, "used")
