"""Labelling: one document at a time, one key a grade. Every press is written before the next document is shown.

The Label page draws the panel once. From then on the panel asks the server by itself, at `/act`, and gets back what it
is to show: a run of a Streamlit page at every key would cost the annotator several times as much.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pages.widgets.document import features_shown, plain, text_shown
from pages.widgets.reasons import stop_shown, why_shown
from rulerank.campaign import Kind, LabelEvent, Offer, OpenCampaign, Pause, TooSoonError
from rulerank.errors import InputError, RulerankError

if TYPE_CHECKING:
    from db.people import Person
    from db.tickets import Ticket
    from db.workspace import Workspace

DECISIONS = {"grade": Kind.GRADE, "cannot_tell": Kind.CANNOT_TELL, "later": Kind.LATER}
LONGEST_NOTE = 20_000

REASONS = ("too little text", "the question is unclear", "takes an expert", "unreadable or foreign", "another reason")
"""Why a grade cannot be told, in the order of the keys; S gives the last one."""

LONGEST_REASON = 60
"""Letters of a reason in one's own words that are told in the line of what was saved."""


class RefusedError(RulerankError):
    """A panel that may not (or no longer) do this. `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class View:
    """How a person looks at their documents: past the natural stop, all of a long text, the reason for the last one."""

    beyond: bool = False
    whole: str = ""
    why: bool = False

    @classmethod
    def of(cls, asked: dict[str, Any]) -> View:
        """Read what the panel asks for."""
        return cls(bool(asked.get("beyond")), str(asked.get("whole") or ""), bool(asked.get("why")))


def answer(workspace: Workspace, asked: dict[str, Any]) -> dict[str, Any]:
    """Do what a panel asks for, and return what it is to show then."""
    held = workspace.people.read_ticket(str(asked.get("ticket", "")))
    if held is None:
        raise RefusedError(
            401, "You are signed out, or this page is too old. Reload it; nothing that was saved is lost."
        )
    person, ticket = held
    if not workspace.may(person, "label"):
        raise RefusedError(403, f"Labelling is not for the role {person.role}. Ask an administrator.")
    opened, view, problem, offer = workspace.open(ticket.campaign), View.of(asked), "", None
    before = opened.live.fold.last_act(person.id) if asked.get("kind") == "undo" else None
    try:
        offer = act(opened, person.id, ticket, asked, view)
    except TooSoonError:
        pass  # a bounced key: the document stays, nothing was written
    except RulerankError as error:
        problem = str(error)
    shown = panel_data(workspace, opened, person, view, offer)
    taken_back = before is not None and opened.live.fold.act(before.row, person.id) is not before
    return {**shown, "problem": problem, "undone": _told(opened, before) if before and taken_back else ""}


def act(opened: OpenCampaign, person: int, ticket: Ticket, asked: dict[str, Any], view: View) -> Offer | Pause | None:
    """Write what a person decided with its note, and return what follows; or undo; or keep a draft of a note."""
    kind, note = asked.get("kind"), str(asked.get("note") or "").strip()[:LONGEST_NOTE]
    if kind == "undo":
        opened.live.undo(person)
    elif kind == "draft" and ticket.token:
        opened.live.write(person, ticket.row, Kind.DRAFT, text=note)
    elif kind in DECISIONS and ticket.token:
        return opened.live.advance(
            person,
            ticket.token,
            ticket.row,
            DECISIONS[kind],
            grade=asked.get("grade"),
            note=note,
            reason=_reason(asked.get("reason"), note) if kind == "cannot_tell" else "",
            beyond=view.beyond,
        )
    return None


def _reason(place: object, note: str) -> str:
    """Return why a grade cannot be told: one of the reasons offered, or the note."""
    if isinstance(place, int) and 0 <= place < len(REASONS):
        return REASONS[place]
    if not note:
        raise InputError("say why you cannot tell: choose a reason, or write a note")
    return ""


def panel_data(
    workspace: Workspace, opened: OpenCampaign, person: Person, view: View, offer: Offer | Pause | None = None
) -> dict[str, Any]:
    """Return what the panel shows: the document that this person holds, or why there is none."""
    offer = offer or opened.live.next(person.id, beyond=view.beyond)
    data: dict[str, Any] = {"saved": _saved(opened, person.id), "stop": stop_shown(opened)}
    if view.why:
        data["why"] = why_shown(opened, person.id)
    if isinstance(offer, Pause):
        ticket = workspace.people.write_ticket(person, opened.id)
        return {**data, "token": "", "ticket": ticket, "pause": _pause(offer)}
    row, token = offer.claim.row, offer.claim.token
    ticket = workspace.people.write_ticket(person, opened.id, row, token)
    return {
        **data,
        "token": token,
        "ticket": ticket,
        **_document(workspace, opened, person.id, row, view.whole == token),
    }


def _document(workspace: Workspace, opened: OpenCampaign, person: int, row: int, whole: bool) -> dict[str, Any]:
    """Return a document with its query and what can be said about it."""
    qid, docid = opened.document(row)
    query = workspace.collections.query_text(opened.collection_id, qid)
    text = workspace.collections.document_text(opened.collection_id, docid) if docid else None
    shown = (
        text_shown(
            text,
            query.text if query else "",
            whole=whole,
            analyser=workspace.collections.analyser(opened.collection_id),
        )
        if text is not None
        else {"features": features_shown(opened, row)}
    )
    fold, settings = opened.live.fold, opened.settings
    draft = fold.drafts.get((row, person))
    return {
        **shown,
        "query": plain(query.text if query else f"Query {qid}"),
        "need": plain(query.need) if query else "",
        "grades": [{"name": g.name, "meaning": g.meaning, "colour": g.colour} for g in settings.grades],
        "note": draft or fold.notes.get((row, person), ""),
        "draft": bool(draft),
        "reasons": [f"{reason[0].upper()}{reason[1:]}" for reason in REASONS],
        "later": f"Comes back after {settings.later_after} other documents.",
        "dwell": settings.dwell_milliseconds,
    }


def _saved(opened: OpenCampaign, person: int) -> dict[str, Any] | None:
    """Return what was saved last, with how long a label takes."""
    fold = opened.live.fold
    last = fold.last_act(person)
    if last is None:
        return None
    seconds = fold.seconds.get(person, [])
    pace = statistics.median(seconds) if seconds else 0.0
    speed = f" · {pace:.{0 if pace >= 10 else 1}f} s a label" if seconds else ""
    return {"number": fold.picks[person], "what": _told(opened, last), "speed": speed}


def _told(opened: OpenCampaign, act: LabelEvent) -> str:
    """Name an act of a person."""
    if act.grade is not None:
        return f"{act.grade} · {opened.settings.grades[act.grade].name}"
    if act.kind is Kind.LATER:
        return "later"
    reason = plain(act.text)
    if len(reason) > LONGEST_REASON:
        reason = f"{reason[:LONGEST_REASON]}…"
    return f"can't tell, {reason}" if reason else "can't tell"


def _pause(pause: Pause) -> dict[str, Any]:
    """Return why there is no document, and what can be done."""
    if not pause.stopped:
        return {"title": "Nothing to label right now:", "text": f"{pause.reason}.", "beyond": False}
    reason = f"{pause.reason[0].upper()}{pause.reason[1:]}. More labels would mostly repeat what is known."
    return {"title": "The natural stop is reached.", "text": reason, "beyond": True}
