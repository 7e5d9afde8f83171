"""The log of who did what: lines that nobody can forge, without secrets, for everything that the gate decides."""

from __future__ import annotations

import re
import shlex
import shutil
import threading
from urllib.parse import urlencode

import pytest
from gate_helpers import ask, scope_of, status
from starlette.responses import PlainTextResponse
from starlette.routing import Router

from db.people.openid import Admission, Welcome
from db.workspace import Workspace
from pages.context import COOKIE
from pages.gate.gate import Gate, Rules
from pages.gate.provider import Provider
from pages.gate.routes import SignIn
from rulerank.audit import LONGEST, audit

PASSWORD = "correct horse battery"


def read(line: str) -> dict[str, str]:
    """Read a line as a machine does: pairs with blanks between, texts in JSON's quotes."""
    pairs = re.findall(r'([a-z_]+)=("(?:[^"\\]|\\.)*"|[^\s"]+)(?: |$)', line.removeprefix("rulerank: "))
    assert " ".join(f"{key}={value}" for key, value in pairs) == line.removeprefix("rulerank: ")
    return {key: shlex.split(value)[0] if value.startswith('"') else value for key, value in pairs}


@pytest.fixture
def lines(capsys, monkeypatch):
    """`lines()`: what was logged since, each line read."""
    monkeypatch.delenv("RULERANK_LOG", raising=False)

    def found() -> list[dict[str, str]]:
        return [read(line) for line in capsys.readouterr().err.splitlines() if line.startswith("rulerank: time=")]

    return found


@pytest.fixture
def people(tmp_path, sqlite_template, quick_passwords, capsys):
    shutil.copy(sqlite_template, tmp_path / "test.db")
    workspace = Workspace(f"sqlite:///{tmp_path / 'test.db'}")
    workspace.people.add("Ada", "admin", PASSWORD)
    capsys.readouterr()
    yield workspace.people
    workspace.close()


def post(people, path: str, cookie: str = "", client: str = "127.0.0.1", **form: str) -> list[dict]:
    body = urlencode(form).encode()
    scope = scope_of(
        "POST", path, cookie=cookie, content_type="application/x-www-form-urlencoded", content_length=str(len(body))
    )
    scope["client"] = (client, 50000)
    message = {"type": "http.request", "body": body, "more_body": False}
    return ask(Router(SignIn(people, "accounts").routes()), scope, [message])


# Lines ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "eve\nrulerank: time=2026-01-01T00:00:00.000Z event=sign-in person=root",
        'eve" event=sign-in person="root',
        "eve event=sign-in",
        "eve\r\x1b[2J\x00\x7f\x85\u2028\u202e",
        "back\\slash\\",
        "",
        "=",
        "ada ü \U0001f600 \ud800",
        "x" * 5000,
    ],
)
def test_no_value_forges_a_line_a_key_or_a_terminals_commands(capsys, name):
    audit("sign-in-refused", person=name, address="127.0.0.1")
    said = capsys.readouterr().err
    assert said.endswith("\n")
    assert said.isascii()
    assert said[:-1].isprintable()
    assert len(said) < 6 * LONGEST + 200
    found = read(said[:-1])
    assert set(found) <= {"time", "event", "person", "address"}
    assert (found["event"], found["address"]) == ("sign-in-refused", "127.0.0.1")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["time"])


def test_lines_of_many_writers_come_together_in_the_file(tmp_path, monkeypatch, capsys):
    path = tmp_path / "rulerank.log"
    monkeypatch.setenv("RULERANK_LOG", str(path))
    threads = [
        threading.Thread(target=lambda n=n: [audit("test", number=n, text="a b" * 50) for _ in range(50)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = path.read_text().splitlines()
    assert len(kept) == 200
    assert all(read(line)["text"] == "a b" * 50 for line in kept)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_keeps_nobody_from_working(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RULERANK_LOG", str(tmp_path / "nowhere" / "rulerank.log"))
    audit("test")
    assert "cannot write RULERANK_LOG" in capsys.readouterr().err


# Signing in ----------------------------------------------------------------------------------------------------------


def test_signing_in_and_out_are_logged_without_secrets(people, lines, capsys):
    came = post(people, "/enter", person="ada", password=PASSWORD)
    cookie = next(value.decode() for name, value in came[0]["headers"] if value.startswith(f"{COOKIE}=".encode()))
    token = cookie.partition(";")[0]
    said = capsys.readouterr().err
    assert PASSWORD not in said
    assert token.removeprefix(f"{COOKIE}=") not in said
    (line,) = (read(each) for each in said.splitlines())
    expected = {"event": "sign-in", "person": "Ada", "role": "admin", "how": "password", "address": "127.0.0.1"}
    assert expected.items() <= line.items()
    post(people, "/leave", cookie=token)
    post(people, "/leave", cookie=token)  # that session has ended already
    (line,) = lines()
    assert {"event": "sign-out", "person": "Ada"}.items() <= line.items()


def test_refusals_name_whom_they_concern_but_no_unknown_word(people, lines):
    for _ in range(6):
        post(people, "/enter", client="192.0.2.7", person="ADA", password="wrong password")
    post(people, "/enter", person="my secret password", password="x")
    found = lines()
    assert [each["why"] for each in found] == [*["wrong-password"] * 5, "too-many-tries", "wrong-password"]
    assert all(each["event"] == "sign-in-refused" for each in found)
    assert found[0]["person"] == "Ada"
    assert found[0]["address"] == "192.0.2.7"
    assert found[-1].get("person") is None
    assert found[-1]["unknown_name"] == "yes"
    assert "secret" not in str(found)


def test_the_first_account_and_a_wrong_code_are_logged(tmp_path, sqlite_template, quick_passwords, lines):
    shutil.copy(sqlite_template, tmp_path / "new.db")
    workspace = Workspace(f"sqlite:///{tmp_path / 'new.db'}")
    try:
        post(workspace.people, "/begin", client="192.0.2.7", person="Eve", password=PASSWORD, code="nonsense")
        post(workspace.people, "/begin", person="Ada", password=PASSWORD)
    finally:
        workspace.close()
    found = lines()
    assert [each["event"] for each in found] == ["sign-in-refused", "person-added", "sign-in"]
    assert (found[0]["why"], found[1]["person"], found[1]["role"]) == ("wrong-code", "Ada", "admin")


def test_a_provider_s_people_are_logged(people, lines, monkeypatch):
    claims = {"email": "eve@example.org", "email_verified": True, "iat": 2**40, "name": "Eve"}
    monkeypatch.setattr("pages.gate.provider.read_claims", lambda cookies: claims)
    for annotators in ("", "@example.org"):
        admission = Admission(people, Welcome.read("", annotators, ""))
        app = Provider(PlainTextResponse("inside"), admission)
        ask(app, {**scope_of(path="/oauth2callback"), "query_string": b"state=x"})
    refused, added, entered = lines()
    assert (refused["event"], refused["why"], refused["email"]) == (
        "sign-in-refused", "not-admitted", "eve@example.org",
    )  # fmt: skip
    assert (added["event"], added["person"], added["by"]) == ("person-added", "Eve", "the sign-in provider")
    assert (entered["event"], entered["how"]) == ("sign-in", "provider")


def test_foreign_origins_and_other_machines_are_logged(people, lines):
    inside = PlainTextResponse("inside")
    sign_in = SignIn(people, "accounts")
    gate = Gate(inside, Rules(people, sign_in.free), sign_in.page)
    assert status(ask(gate, scope_of("POST", "/act", origin="https://evil.example"))) == 403
    (line,) = lines()
    expected = {"event": "refused", "why": "foreign-origin", "path": "/act", "origin": "https://evil.example"}
    assert expected.items() <= line.items()
    alone = Gate(inside, Rules(None), None)
    assert status(ask(alone, scope_of(host='evil" event=x\n'))) == 403
    (line,) = lines()
    assert line["why"] == "other-machine"
    assert (
        status(ask(gate, scope_of(path="/_stcore/health"))) == 401
    )  # nobody is signed in: that is no refusal of a person
    assert lines() == []
