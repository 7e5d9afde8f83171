"""The gate: what is closed to whom, and that an open page ends with its session."""

from __future__ import annotations

import asyncio
import shutil

import pytest
import sqlalchemy as sa
from gate_helpers import ask, scope_of, status, wait_for
from starlette.responses import PlainTextResponse

from db.store.errors import DatabaseError
from db.workspace import Workspace
from pages.context import COOKIE
from pages.gate.gate import Gate, Rules
from pages.gate.routes import SignIn

CLOSED = [
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/agent/openapi.json",
    "/_stcore/stream",
    "/_stcore/upload_file/a/b",
    "/_stcore/anything",
    "/media/0123456789abcdef0123456789abcdef.zip",
    "/component/x/index.html",
    "/static/js/index.js",
    "/static/../health",
    "/app/static/x",
]
PAGES = ["/", "/label", "/people", "/no-such-page", "//health", "/health/", "/health/x", "/enter/x", "/sign-in/other"]


@pytest.fixture
def people(tmp_path, sqlite_template, quick_passwords):
    shutil.copy(sqlite_template, tmp_path / "test.db")
    workspace = Workspace(f"sqlite:///{tmp_path / 'test.db'}")
    workspace.people.add("Ada", "admin", "correct horse battery")
    yield workspace.people
    workspace.close()


class Inside:
    """Streamlit: answers everything, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.heard: list[dict] = []

    async def __call__(self, scope, receive, send) -> None:
        self.asked.append(scope["path"])
        if scope["type"] == "http":
            await PlainTextResponse("inside")(scope, receive, send)
            return
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                self.heard.append(message)
                await send({"type": "websocket.send", "bytes": b"heard"})


def gate(people, inside, mode: str = "accounts") -> Gate:
    sign_in = SignIn(people, mode)
    return Gate(inside, Rules(people, sign_in.free), sign_in.page)


@pytest.mark.parametrize("mode", ["accounts", "oidc"])
@pytest.mark.parametrize("path", CLOSED)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_a_signed_out_visitor_reaches_nothing_of_streamlit(people, mode, path, method):
    inside = Inside()
    for cookie in ("", f"{COOKIE}=nonsense", "_streamlit_user=abc"):
        came = ask(gate(people, inside, mode), scope_of(method, path, cookie=cookie))
        assert status(came) == 401
    assert inside.asked == []


@pytest.mark.parametrize("mode", ["accounts", "oidc"])
@pytest.mark.parametrize("path", PAGES)
def test_any_page_is_the_sign_in_page(people, mode, path):
    inside = Inside()
    came = ask(gate(people, inside, mode), scope_of("GET", path))
    assert status(came) == 401
    assert b"<span>rulerank</span></h1>" in came[1]["body"]
    assert status(ask(gate(people, inside, mode), scope_of("POST", path))) == 401
    assert inside.asked == []


@pytest.mark.parametrize(
    ("mode", "path"),
    [("accounts", "/begin"), ("oidc", "/auth/login"), ("oidc", "/oauth2callback"), ("oidc", "/auth/logout")]
    + [(mode, path) for mode in ("accounts", "oidc") for path in ("/enter", "/health", "/sign-in/style.css", "/act")],
)
def test_what_signing_in_takes_is_open(people, mode, path):
    inside = Inside()
    assert status(ask(gate(people, inside, mode), scope_of("POST", path))) == 200
    assert inside.asked == [path]


def test_the_providers_routes_are_closed_where_there_is_no_provider(people):
    assert status(ask(gate(people, Inside()), scope_of("GET", "/auth/login"))) == 401


def test_who_is_signed_in_gets_in_until_they_sign_out(people):
    inside, token = Inside(), people.sign(people.list()[0])
    closed = gate(people, inside)
    assert status(ask(closed, scope_of("GET", "/label", cookie=f"{COOKIE}={token}"))) == 200
    people.sessions.end(token)
    assert status(ask(closed, scope_of("GET", "/label", cookie=f"{COOKIE}={token}"))) == 401
    assert inside.asked == ["/label"]


def test_a_file_takes_its_address_to_have_been_sent(people):
    inside, token = Inside(), people.sign(people.list()[0])
    came = ask(gate(people, inside), scope_of("GET", f"/media/{'a' * 32}.zip", cookie=f"{COOKIE}={token}"))
    assert status(came) == 404
    assert inside.asked == []


def test_a_foreign_page_gets_nothing_even_with_the_cookie(people):
    inside, token = Inside(), people.sign(people.list()[0])
    for path in ("/act", "/enter", "/leave", "/_stcore/upload_file/a/b", "/label"):
        scope = scope_of("POST", path, cookie=f"{COOKIE}={token}", origin="http://localhost:8502")
        assert status(ask(gate(people, inside), scope)) == 403
    scope = scope_of(path="/_stcore/stream", kind="websocket", cookie=f"{COOKIE}={token}", origin="http://localhost:1")
    assert ask(gate(people, inside), scope) == [{"type": "websocket.close", "code": 1008}]
    assert inside.asked == []


@pytest.mark.parametrize(
    "trouble", [sa.exc.OperationalError("SELECT", {}, Exception("gone")), DatabaseError("the database is gone")]
)
def test_a_store_that_is_away_lets_nobody_in_and_is_told(people, monkeypatch, trouble):
    inside, token = Inside(), people.sign(people.list()[0])

    def away(*args, **options):
        raise trouble

    monkeypatch.setattr(people.sessions, "read", away)
    came = ask(gate(people, inside), scope_of("GET", "/label", cookie=f"{COOKIE}={token}"))
    assert status(came) == 503
    assert b"database does not answer" in came[1]["body"]
    scope = scope_of(
        path="/_stcore/stream", kind="websocket", cookie=f"{COOKIE}={token}", origin="http://localhost:8501"
    )
    assert ask(gate(people, inside), scope) == [{"type": "websocket.close", "code": 1013}]
    assert inside.asked == []


def test_without_sign_in_this_machine_only():
    inside = Inside()
    alone = Gate(inside, Rules(None), None)
    assert status(ask(alone, scope_of("GET", "/label"))) == 200
    assert status(ask(alone, {**scope_of("GET", "/label"), "client": ("192.0.2.7", 1)})) == 403
    for host in ("evil.example", "[", "", "localhost.evil.example", "localhost@evil.example"):
        assert status(ask(alone, scope_of("GET", "/health", host=host))) == 403
    assert inside.asked == ["/label"]


# Open pages ----------------------------------------------------------------------------------------------------------


def open_page(people, token: str | None, messages: list, origin: str = "http://localhost:8501") -> tuple[list, Inside]:
    """Open a page and send it messages; what is a function is called in between."""
    inside, cookie = Inside(), f"{COOKIE}={token}" if token else ""
    scope = scope_of(path="/_stcore/stream", kind="websocket", cookie=cookie, origin=origin)
    waiting, came = [{"type": "websocket.connect"}, *messages], []

    async def receive():
        while waiting and callable(waiting[0]):
            done = waiting.pop(0)()
            if asyncio.iscoroutine(done):
                await done
        return waiting.pop(0) if waiting else {"type": "websocket.disconnect", "code": 1000}

    async def send(message) -> None:
        came.append(message)

    wait_for(gate(people, inside)(scope, receive, send))
    return came, inside


PRESS = {"type": "websocket.receive", "bytes": b""}


def test_a_page_opens_for_who_is_signed_in(people):
    came, inside = open_page(people, people.sign(people.list()[0]), [PRESS, PRESS])
    assert [each["type"] for each in came] == ["websocket.accept", "websocket.send", "websocket.send"]
    assert len(inside.heard) == 2
    for token in (None, "nonsense"):
        came, inside = open_page(people, token, [PRESS])
        assert came == [{"type": "websocket.close", "code": 1008}]
        assert inside.asked == []


def test_an_open_page_hears_nothing_after_its_session_ended(people):
    token = people.sign(people.list()[0])
    came, inside = open_page(people, token, [PRESS, lambda: people.sessions.end(token), PRESS, PRESS])
    assert len(inside.heard) == 1
    assert came[-1] == {"type": "websocket.close", "code": 1008}
    assert [each["type"] for each in came].count("websocket.send") == 1


def test_an_open_page_that_asks_for_nothing_is_closed_too(people, monkeypatch):
    monkeypatch.setattr("pages.gate.gate.LOOK_EVERY", 0.01)
    token = people.sign(people.list()[0])
    came, inside = open_page(people, token, [PRESS, lambda: people.sessions.end(token), lambda: asyncio.sleep(0.5)])
    assert len(inside.heard) == 1
    assert came[-1] == {"type": "websocket.close", "code": 1008}


def test_a_page_that_draws_itself_anew_does_not_keep_a_session_alive(people, monkeypatch):
    from streamlit.proto.BackMsg_pb2 import BackMsg

    noted = []
    monkeypatch.setattr(people.sessions, "_note", noted.append)
    token = people.sign(people.list()[0])
    now = people.sessions.clock()

    def later() -> None:
        people.sessions.clock = lambda: now + 100

    by_itself, by_hand = BackMsg(), BackMsg()
    by_itself.rerun_script.is_auto_rerun = True
    by_hand.rerun_script.is_auto_rerun = False
    for message, expected in ((by_itself, 0), (by_hand, 1)):
        people.sessions.clock = lambda: now
        sent = {"type": "websocket.receive", "bytes": message.SerializeToString()}
        open_page(people, token, [later, sent])
        assert len(noted) == expected
