"""Labelling: one document at a time, one key per grade. Every press is written before the next document is shown.

The Label page draws the panel once. From then on the panel asks the server by itself, at `/act`, and gets back what it
is to show: a run of a Streamlit page at every key would cost the annotator several times as much.
"""

from __future__ import annotations

import json
import logging
import statistics
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pages.charts.theme import DARK, LIGHT, colours_of_grades, text_on
from pages.label.request import ActRequest, RefusedError, View
from pages.shared.document import clean, features_shown, text_shown
from rulerank.campaign import GradeLevel, Kind, LabelEvent, Offer, OpenCampaign, Pause, TooSoonError
from rulerank.campaign.annotator import progress_shown, why_shown
from rulerank.campaign.difference import told_difference
from rulerank.errors import InputError, RulerankError, StoreError

if TYPE_CHECKING:
    from db.people.person import Person
    from db.people.signing import Ticket
    from db.workspace import Workspace

__all__ = ["LONGEST_REASON", "REASONS", "RefusedError", "View", "answer", "encode", "panel_data"]

DECISIONS = {"grade": Kind.GRADE, "cannot_tell": Kind.CANNOT_TELL, "later": Kind.LATER}

REASONS = ("too little text", "the question is unclear", "takes an expert", "unreadable or foreign", "another reason")
"""Why a grade cannot be given, in the order of the keys; S gives the last one."""

LONGEST_REASON = 60
"""Letters of a reason in one's own words that are shown in the line of what was saved."""

LONGEST_TITLE = 80
"""Letters of the last document's title that are shown above the reason why it was chosen."""

MOST_ASIDE = 20
"""Documents that are put aside for one question, because they cannot be shown, before a person is asked to go on."""

log = logging.getLogger("rulerank")


def answer(workspace: Workspace, question: dict[str, Any], cookie: str | None = None) -> dict[str, Any]:
    """Do what a panel asks for, and return what it is to show then.

    The ticket must be of the session of the cookie; without sign-in there is none.
    """
    asked = ActRequest.read(question)
    held = workspace.people.read_ticket(asked.ticket, cookie)
    if held is None:
        raise RefusedError(
            401, "You are signed out, or this page is too old. Reload it; nothing that was saved is lost."
        )
    person, ticket = held
    if not workspace.may(person, "label"):
        raise RefusedError(403, f"Labelling is not for the role {person.role}. Ask an administrator.")
    opened, problem, offer, ignored = workspace.open(ticket.campaign), "", None, False
    try:
        offer = act(opened, person.id, ticket, asked)
    except TooSoonError:
        ignored = True  # a bounced key: the document stays, nothing was written
    except StoreError:
        raise
    except RulerankError as error:
        problem = str(error)
    shown = panel_data(workspace, opened, person, asked.view, offer)
    decided = asked.kind in DECISIONS and ticket.token and not problem and not ignored
    already = opened.live.said_already(person.id, ticket.row, asked.press, again=asked.again) if decided else ""
    news = {"problem": problem, "ignored": ignored, "already": already}
    return {**shown, **news, **_taken_back(opened, person.id, asked)}


def act(opened: OpenCampaign, person: int, ticket: Ticket, asked: ActRequest) -> Offer | Pause | None:
    """Write what a person decided with its note, and return what follows; or undo; or keep a draft of a note."""
    live, kind = opened.live, asked.kind
    if kind == "undo":
        live.undo(person, token=asked.act, of=asked.of)
    elif kind == "read" and asked.of is not None:
        live.acknowledge(person, asked.of)
    elif kind == "draft" and ticket.token:
        live.write(
            person,
            ticket.row,
            Kind.DRAFT,
            text=asked.note,
            token=asked.act,
            claim=ticket.token,
            after=asked.after,
        )
    elif kind == "flag" and ticket.token and not _flagged(opened, person, ticket.row):
        live.write(person, ticket.row, Kind.FLAG, text=asked.note, token=asked.act, claim=ticket.token)
    elif kind in DECISIONS and ticket.token:
        return live.advance(
            person,
            ticket.token,
            ticket.row,
            DECISIONS[kind],
            grade=asked.grade,
            note=asked.note,
            reason=_reason(asked.reason, asked.note) if kind == "cannot_tell" else "",
            beyond=asked.view.beyond,
            act=asked.press,
        )
    return None


def _flagged(opened: OpenCampaign, person: int, row: int) -> bool:
    """Say whether a person takes part in an open discussion of a document; of others' they see nothing yet."""
    thread = opened.live.fold.threads.get(row)
    return thread is not None and thread.open and person in thread.people


def _reason(place: int | None, note: str) -> str:
    """Return why a grade cannot be given: one of the reasons offered, or the note."""
    if place is not None and place < len(REASONS):
        return REASONS[place]
    if not note:
        raise InputError("say why you cannot tell: choose a reason, or write a note")
    return ""


def _taken_back(opened: OpenCampaign, person: int, asked: ActRequest) -> dict[str, Any]:
    """Return what an undo took back, the same however often it is sent, and whether that document is here again."""
    if asked.kind != "undo":
        return {"undone": "", "back": False}
    fold = opened.live.refresh()
    undo = fold.with_token(asked.act)
    undone = fold.undone(undo.undoes) if undo is not None and undo.person == person else None
    if undone is None:
        return {"undone": "", "back": False}
    held = next((claim for claim in opened.live.open_claims() if claim.person == person), None)
    return {"undone": _in_words(opened, undone), "back": held is not None and held.row == undone.row}


def panel_data(
    workspace: Workspace, opened: OpenCampaign, person: Person, view: View, offer: Offer | Pause | None = None
) -> dict[str, Any]:
    """Return what the panel shows: the document that this person holds, or why there is none.

    One that cannot be shown is put aside, and the next one is shown.
    """
    # Read first: by the time that the document is found, a key may have been saved that it does not know of.
    data: dict[str, Any] = {"campaign": opened.id, "person": person.id, "seen": opened.live.fold.seen}
    aside: list[str] = []
    shown: dict[str, Any] = {}
    while not shown and len(aside) < MOST_ASIDE:
        offer = offer or opened.live.next(person.id, beyond=view.beyond)
        if isinstance(offer, Pause):
            shown = {"token": "", "pause": _pause(offer, opened, person.id, watches=workspace.may(person, "research"))}
            break
        row, token = offer.claim.row, offer.claim.token
        whole = token if view.whole == token else ""
        try:
            shown = {"token": token, **_document(workspace, opened, person.id, row, replace(view, whole=whole))}
            encode(shown)
        except (StoreError, OSError, MemoryError):
            raise  # not the document's fault
        except Exception as error:
            log.exception("document %d of campaign %d cannot be shown", row, opened.id)
            aside.append(_put_aside(opened, person.id, token, row, error))
            shown, offer = {}, None
    if not shown:
        shown = {"token": "", "pause": {**_NONE_SHOWN, "beyond": False}}
    ticket = workspace.people.write_ticket(person, opened.id, *((row, token) if shown["token"] else ()))
    since = float(view.since) if view.since is not None else opened.live.clock() // 86_400 * 86_400
    data |= {"saved": _saved(opened, person.id), "aside": _aside(aside)}
    data["progress"] = progress_shown(opened, person.id, since, paused=not shown["token"])
    if view.why:
        data["why"] = _why(workspace, opened, person.id)
    return {**data, **shown, "ticket": ticket}


_NONE_SHOWN = {
    "title": f"{MOST_ASIDE} documents in a row could not be shown.",
    "text": "They were put aside, and researchers see them on Progress. Reload the page to go on.",
}


def _put_aside(opened: OpenCampaign, person: int, token: str, row: int, error: Exception) -> str:
    """Put a document aside, and return which one and why."""
    said = str(getattr(error, "orig", None) or error)[:300]
    if isinstance(error, UnicodeError) or "decode to UTF-8" in said:
        reason = "its text cannot be read as UTF-8"
    else:
        reason = said if isinstance(error, RulerankError) else f"{type(error).__name__}: {said}"
    opened.live.put_aside(person, token, row, reason)
    qid, docid = opened.document(row)
    return clean(f"query {qid}, document {docid or row + 1} ({reason})")


def _aside(reasons: list[str]) -> str:
    """Say which documents were put aside just now."""
    if not reasons:
        return ""
    if len(reasons) == 1:
        return f"One document could not be shown and was put aside: {reasons[0]}."
    return f"{len(reasons)} documents could not be shown and were put aside; the first: {reasons[0]}."


def _why(workspace: Workspace, opened: OpenCampaign, person: int) -> dict[str, Any]:
    """Return why the last document was chosen; labelling goes on where that cannot be found out."""
    try:
        reason = {**why_shown(opened, person), "of": _last_title(workspace, opened, person)}
        encode(reason)
    except Exception:
        log.exception("the reason for a document of campaign %d cannot be shown", opened.id)
        said = "Why the last document was chosen cannot be shown; the server's log says more."
        return {"head": said, "about": "", "parts": [], "of": ""}
    return reason


def _last_title(workspace: Workspace, opened: OpenCampaign, person: int) -> str:
    """Return the title of the document that a person labelled last, or else its id; "" before the first label."""
    last = opened.live.fold.last_act(person)
    if last is None:
        return ""
    docid = opened.document(last.row)[1]
    text = workspace.collections.document_text(opened.collection_id, docid) if docid else None
    title = " ".join(clean(text.title).split()) if text is not None else ""
    title = title or clean(docid or f"document {last.row + 1}")
    return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]}…"


@lru_cache(maxsize=64)
def _grades(levels: tuple[GradeLevel, ...]) -> list[dict[str, Any]]:
    """Return the grades with their colours and the ink on them, for light and dark pages."""
    own = [level.colour for level in levels]
    shades = [[[colour, text_on(colour)] for colour in colours_of_grades(own, theme)] for theme in (LIGHT, DARK)]
    return [
        {"name": level.name, "meaning": level.meaning, "light": light, "dark": dark}
        for level, light, dark in zip(levels, *shades, strict=True)
    ]


def _document(workspace: Workspace, opened: OpenCampaign, person: int, row: int, view: View) -> dict[str, Any]:
    """Return a document with its query and what can be said about it."""
    qid, docid = opened.document(row)
    query = workspace.collections.query_text(opened.collection_id, qid)
    text = workspace.collections.document_text(opened.collection_id, docid) if docid else None
    shown = (
        text_shown(
            text,
            query.text if query else "",
            whole=bool(view.whole),
            raw=view.raw,
            analyser=workspace.collections.analyser(opened.collection_id),
        )
        if text is not None
        else {"features": features_shown(opened, row)}
    )
    fold, settings = opened.live.fold, opened.settings
    draft = fold.drafts.get((row, person))
    return {
        **shown,
        "query": clean(query.text if query else f"Query {qid}"),
        "need": clean(query.need) if query else "",
        "grades": _grades(settings.grades),
        "note": draft or fold.notes.get((row, person), ""),
        "draft": bool(draft),
        "flagged": _flagged(opened, person, row),
        "drafted": fold.latest(Kind.DRAFT, row, person),
        "reasons": [f"{reason[0].upper()}{reason[1:]}" for reason in REASONS],
        "later": f"Comes back after {settings.later_after} other query-document pairs.",
        "dwell": settings.dwell_milliseconds,
    }


def _saved(opened: OpenCampaign, person: int) -> dict[str, Any] | None:
    """Return what was saved last, with how long a label takes; only a grade counts as a label and has a number."""
    fold = opened.live.fold
    last = fold.last_act(person)
    if last is None:
        return None
    seconds = fold.seconds.get(person, [])
    pace = statistics.median(seconds) if seconds else 0.0
    speed = f" · {pace:.{0 if pace >= 10 else 1}f} s per label" if seconds else ""
    number = fold.count_of(person, Kind.GRADE) if last.kind is Kind.GRADE else None
    return {"number": number, "act": last.id, "what": _saved_words(opened, last), "speed": speed}


def _saved_words(opened: OpenCampaign, act: LabelEvent) -> str:
    """Name an act of a person, and say whether their note went with it; a reason shows the note itself."""
    noted = act.text and act.kind is not Kind.CANNOT_TELL
    return f"{_in_words(opened, act)}{', with your note' if noted else ''}"


def _in_words(opened: OpenCampaign, act: LabelEvent) -> str:
    """Name an act of a person."""
    if act.grade is not None:
        return f"{act.grade} · {opened.settings.grades[act.grade].name}"
    if act.kind is Kind.LATER:
        return "later"
    reason = clean(act.text)
    if len(reason) > LONGEST_REASON:
        reason = f"{reason[:LONGEST_REASON]}…"
    return f"can't tell, {reason}" if reason else "can't tell"


def _pause(pause: Pause, opened: OpenCampaign, person: int, *, watches: bool) -> dict[str, Any]:
    """Return why there is no document, and what can be done; `watches`: this person may open Progress and Export."""
    unread = opened.live.fold.unread(person) if pause.unread else None
    if unread is not None:
        parts = [
            {"title": title, "lines": [[[kind, clean(text)] for kind, text in line] for line in lines]}
            for title, lines in told_difference(*unread)
        ]
        text = "What was struck out no longer holds; what is underlined is new."
        news = {"number": unread[1].event, "parts": parts}
        return {"title": "The guidelines have changed.", "text": text, "beyond": False, "news": news}
    if not pause.stopped:
        return {"title": "Nothing to label right now:", "text": f"{pause.reason}.", "beyond": False}
    enough = f"Whether the labels are enough, {'Progress says' if watches else 'ask whoever runs the campaign'}."
    links = [[name, f"{name.lower()}?campaign={opened.id}"] for name in ("Progress", "Export")] if watches else []
    return {
        "title": "The sampler has reached its natural stop:",
        "text": f"the document it would ask for next is one that is graded already. {enough}",
        "links": links,
        "beyond": True,
    }


def encode(data: Any) -> bytes:
    """Return data as JSON. Halves of characters, which UTF-8 has no bytes for, become U+FFFD; no number is NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
