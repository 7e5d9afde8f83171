"""What one person's uploads hold in memory has a limit, however they are sent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from gate_helpers import ask, scope_of, status, wait_for

from pages.gate.transfers import MEGABYTE, UploadLimits, Visitor
from rulerank.errors import InputError

ANNA, BOB = Visitor(1, 11, 0), Visitor(2, 22, 0)
PIECE = MEGABYTE // 4


@dataclass
class File:
    data: bytes


class Store:
    """Keeps uploads as Streamlit does, by page and file."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, File]] = {}
        self.read = 0

    async def __call__(self, scope, receive, send) -> None:
        _, _, _, page, file = scope["path"].split("/")
        if scope["method"] == "DELETE":
            self.files[page].pop(file)
        else:
            body, more = b"", True
            while more:
                message = await receive()
                body, more = body + message["body"], message["more_body"]
                self.read += len(message["body"])
            self.files.setdefault(page, {})[file] = File(body)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


@pytest.fixture
def store(monkeypatch) -> Store:
    made = Store()
    monkeypatch.setattr("pages.gate.transfers.held_files", lambda: made.files)
    return made


def put(uploads: UploadLimits, store: Store, visitor: Visitor, file: str, size: int, length: str | None = "", page="p"):
    """Upload so many bytes, in pieces; with the true length, another one, or none (None)."""
    headers = {} if length is None else {"content_length": length or str(size)}
    pieces = [min(PIECE, size - start) for start in range(0, size, PIECE)]
    messages = [
        {"type": "http.request", "body": b"x" * piece, "more_body": n + 1 < len(pieces)}
        for n, piece in enumerate(pieces)
    ]

    async def app(scope, receive, send) -> None:
        await uploads.take(visitor, page, store, scope, receive, send)

    return status(ask(app, scope_of("PUT", f"/_stcore/upload_file/{page}/{file}", **headers), messages))


@pytest.mark.parametrize("length", ["", None, "1", "0", "nonsense"])
def test_more_than_the_limit_is_refused_whatever_length_is_promised(store, length):
    uploads = UploadLimits(3)
    assert put(uploads, store, ANNA, "a", 2 * MEGABYTE, length) == 204
    assert put(uploads, store, ANNA, "b", 2 * MEGABYTE, length) == 413
    assert store.read <= 3 * MEGABYTE + PIECE
    assert uploads.held(ANNA.person) == 2 * MEGABYTE
    assert put(uploads, store, ANNA, "c", MEGABYTE, length) == 204


def test_the_limit_is_each_persons_own_over_all_their_pages(store):
    uploads = UploadLimits(3)
    assert put(uploads, store, ANNA, "a", 2 * MEGABYTE, page="one") == 204
    assert put(uploads, store, ANNA, "a", 2 * MEGABYTE, page="two") == 413
    assert put(uploads, store, BOB, "a", 2 * MEGABYTE, page="three") == 204
    assert put(uploads, store, BOB, "b", 1, page="one") == 403  # somebody else's page
    store.files.pop("one")  # as Streamlit does when a page is closed
    assert put(uploads, store, ANNA, "a", 3 * MEGABYTE, page="two") == 204


def test_what_is_removed_makes_room(store):
    uploads = UploadLimits(1)
    assert put(uploads, store, ANNA, "a", MEGABYTE) == 204
    assert put(uploads, store, ANNA, "b", MEGABYTE) == 413

    async def app(scope, receive, send) -> None:
        await uploads.take(ANNA, "p", store, scope, receive, send)

    assert status(ask(app, scope_of("DELETE", "/_stcore/upload_file/p/a"))) == 204
    assert put(uploads, store, ANNA, "b", MEGABYTE) == 204


def test_uploads_at_the_same_time_count_together(store):
    uploads, answers = UploadLimits(2), []

    async def one(number: int) -> None:
        pieces = [{"type": "http.request", "body": b"x" * PIECE, "more_body": n < 3} for n in range(4)]

        async def receive():
            await asyncio.sleep(0)
            return pieces.pop(0)

        async def send(message) -> None:
            answers.append(message.get("status"))

        scope = scope_of("PUT", f"/_stcore/upload_file/p/{number}")  # no length: each is small when it begins
        await uploads.take(ANNA, "p", store, scope, receive, send)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(8)))

    wait_for(all_of_them())
    assert 413 in answers
    assert uploads.held(ANNA.person) <= 2 * MEGABYTE


@pytest.mark.parametrize("wrong", [0, -5])
def test_a_limit_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(InputError, match="RULERANK_UPLOAD_MEGABYTES must be 1 or more"):
        UploadLimits(wrong)
