"""How an annotator's panel talks to `/act`: the one place that knows the names of the fields."""

from __future__ import annotations

import http.client
import json
import random
from dataclasses import dataclass
from typing import Any

from tests.e2e.faults.history import DECISIONS, Act, Outcome
from tests.e2e.faults.proxy import HEADER

PATIENCE = 1.0
"""Seconds after which a question that was not answered is asked again; the panel waits for four."""

LONGEST_PATIENCE = 8.0

AGAIN = (500, 502, 503, 504)
"""Answers after which an act may or may not have been written: it is sent again."""


class UnansweredError(Exception):
    """Nothing came back, or nothing that can be read."""


@dataclass(frozen=True)
class Shown:
    """What the panel shows: a document under a token, or none."""

    ticket: str
    token: str
    row: int | None
    saved: int | None  # the event that an undo would take back
    drafted: int | None  # the event of the draft that is shown

    @classmethod
    def of(cls, answer: dict[str, Any]) -> Shown:
        """Read an answer."""
        ticket = str(answer["ticket"])
        row = int(ticket.split(".")[3]) if answer["token"] else None
        return cls(ticket, answer["token"], row, (answer.get("saved") or {}).get("act"), answer.get("drafted"))


def post(port: int, body: dict[str, Any], act_id: str, *, tries: int = 1) -> tuple[int, dict[str, Any]]:
    """Ask once, and return the status and the answer; whoever asks again waits longer, as a busy server needs."""
    patience = min(PATIENCE * 1.5 ** (tries - 1), LONGEST_PATIENCE)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    headers = {"Content-Type": "application/json", "Connection": "close", HEADER.decode(): act_id}
    try:
        connection.request("POST", "/act", json.dumps(body), headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnansweredError(type(error).__name__) from error
    finally:
        connection.close()
    if not isinstance(told, dict):
        raise UnansweredError("not an object")
    return answer.status, told


def look(ticket: str) -> dict[str, Any]:
    """Return the question for what there is to do."""
    return {"ticket": ticket, "kind": "look", "beyond": True}


class Panel:
    """What one annotator's panel sends, and how it reads the answers."""

    def __init__(self, campaign: int, person: int, rng: random.Random) -> None:
        self.campaign = campaign
        self.person = person
        self.rng = rng

    def _new(self, kind: str, **more: Any) -> Act:
        return Act(f"{self.rng.getrandbits(128):032x}", kind, self.campaign, self.person, **more)

    def decide(self, shown: Shown, kind: str, grade: int | None, note: str = "") -> tuple[Act, dict[str, Any]]:
        """Return a decision about the document that is shown, and what is sent for it."""
        act = self._new(kind, row=shown.row, grade=grade, mark=shown.token)
        act.text = f"{note} {act.id}" if note else ""
        body = {"act": act.id, "ticket": shown.ticket, "kind": kind, "grade": grade, "note": act.text, "beyond": True}
        if kind == "cannot_tell":
            body["reason"] = self.rng.randrange(5)
        return act, body

    def draft(self, shown: Shown) -> tuple[Act, dict[str, Any]]:
        """Return a draft of a note, and what is sent for it."""
        act = self._new("draft", row=shown.row)
        act.text, act.mark = f"draft {act.id}", act.id
        body = {"act": act.id, "ticket": shown.ticket, "kind": "draft", "note": act.text, "beyond": True}
        return act, {**body, "after": shown.drafted}

    def undo(self, shown: Shown) -> tuple[Act, dict[str, Any]]:
        """Return an undo of what the panel shows as saved last, and what is sent for it."""
        act = self._new("undo", takes_back=shown.saved)
        act.mark = act.id
        return act, {"act": act.id, "ticket": shown.ticket, "kind": "undo", "of": shown.saved, "beyond": True}


def read_outcome(act: Act, shown: Shown, status: int, answer: dict[str, Any]) -> Outcome:
    """Say what an answer says about an act; open: it has to be sent again."""
    act.told = f"{status} {answer.get('problem') or answer.get('undone') or ''}".strip()[:120]
    if status in AGAIN:
        return Outcome.OPEN
    if status != 200 or answer.get("problem"):
        return Outcome.REFUSED
    if act.kind in DECISIONS and answer["token"] == shown.token:
        return Outcome.REFUSED  # too quick to be meant: the document stays
    if act.kind == "undo" and not answer.get("undone"):
        return Outcome.REFUSED  # there was nothing to take back
    return Outcome.ACKNOWLEDGED
