"""The address that the labelling panel asks: the same body twice, ten times, at once and in another order."""

from __future__ import annotations

import importlib
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from live_helpers import with_settings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient

from db.workspace import Health
from pages.label import service as labelling
from pages.label.service import encode
from rulerank.campaign import Kind


@pytest.fixture(scope="module")
def app_module(tmp_path_factory):
    """`app.py` itself, without its server."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RULERANK_DATABASE", f"sqlite:///{tmp_path_factory.mktemp('app') / 'app.db'}")
    patch.setenv("RULERANK_SIGN_IN", "open")
    patch.setattr("streamlit.get_option", lambda name: "localhost" if name == "server.address" else None)
    yield importlib.import_module("app")
    patch.undo()


@pytest.fixture
def demo(workspace):
    person = workspace.people.ensure_single_user()
    opened = workspace.open(workspace.demo(person.id))
    with_settings(opened, dwell_milliseconds=0)
    return opened


@pytest.fixture
def client(app_module, workspace, monkeypatch):
    """The routes of the app on this test's workspace."""
    monkeypatch.setattr(app_module, "workspace", workspace)
    monkeypatch.setattr(app_module, "checks", Health({"store": workspace.database.trouble}))
    routes = [Route("/act", app_module.act, methods=["POST"]), Route("/health", app_module.health)]
    return TestClient(Starlette(routes=routes))


class Tab:
    """One tab of the single user: what it shows, and what it sends."""

    def __init__(self, client, workspace, opened) -> None:
        self.client, self.opened = client, opened
        person = workspace.people.ensure_single_user()
        self.data = labelling.panel_data(workspace, opened, person, labelling.View())

    def body(self, kind: str, **more) -> dict:
        seen = {"undo": {"of": (self.data["saved"] or {}).get("act")}, "draft": {"after": self.data.get("drafted")}}
        act = {"act": secrets.token_hex(16), "ticket": self.data["ticket"]}
        return {"kind": kind, **act, **seen.get(kind, {}), **more}

    def post(self, body: dict) -> dict:
        answer = self.client.post("/act", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def press(self, kind: str, **more) -> dict:
        self.data = self.post(self.body(kind, **more))
        return self.data

    def events(self) -> list[tuple[str, int | None]]:
        with self.opened.live.log.transaction() as session:
            return [(event.kind.value, event.grade) for event in session.events_after(0)]


@pytest.fixture
def tab(client, workspace, demo):
    return Tab(client, workspace, demo)


ACTS = {
    "grade": {"grade": 1},
    "grade with a note": {"grade": 1, "note": "because"},
    "cannot_tell": {"reason": 1},
    "later": {},
    "undo": {},
    "draft": {"note": "half a thought"},
}


@pytest.mark.parametrize("name", ACTS)
def test_the_same_body_is_written_once_and_answered_alike(tab, name):
    for grade in (0, 1, 2):
        tab.press("grade", grade=grade)
    before = len(tab.events())
    body = tab.body(name.split(" ")[0], **ACTS[name])
    first = tab.post(body)
    written = tab.events()
    assert len(written) == before + (2 if "note" in name else 1)
    assert not first["problem"]
    for _ in range(9):
        again = tab.post(body)
        assert {**again, "ticket": ""} == {**first, "ticket": ""}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(tab.post, [body] * 8))
    assert tab.events() == written


@pytest.mark.parametrize("name", ACTS)
def test_the_same_body_at_once_is_written_once(tab, name):
    for grade in (0, 1, 2):
        tab.press("grade", grade=grade)
    before = len(tab.events())
    body = tab.body(name.split(" ")[0], **ACTS[name])
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(tab.post, [body] * 8))
    assert len(tab.events()) == before + (2 if "note" in name else 1)
    assert len({answer["token"] for answer in answers}) == 1
    assert {answer["problem"] for answer in answers} == {""}


def test_an_undo_without_a_token_is_written_once_too(tab):
    """As a panel sent it that was loaded before its acts had tokens."""
    tab.press("grade", grade=0)
    tab.press("grade", grade=1)
    body = {"kind": "undo", "ticket": tab.data["ticket"]}
    first, second = tab.post(body), tab.post(body)
    assert first["undone"] == second["undone"] == "1 · related"
    assert [kind for kind, _ in tab.events()] == ["grade", "grade", "undo"]


def test_a_resent_undo_says_again_what_it_took_back(tab):
    tab.press("grade", grade=2)
    body = tab.body("undo")
    for _ in range(3):
        told = tab.post(body)
        assert (told["undone"], told["back"], told["problem"]) == ("2 · answers it", True, "")


def test_a_resend_that_later_acts_have_overtaken_changes_nothing(tab):
    bodies = []
    for kind, more in (("grade", {"grade": 1}), ("draft", {"note": "a"}), ("grade", {"grade": 0}), ("undo", {})):
        bodies.append(tab.body(kind, **more))
        tab.data = tab.post(bodies[-1])
    written, shown = tab.events(), tab.data
    for body in (*reversed(bodies), *bodies):
        assert tab.post(body)["token"] == shown["token"]
    assert tab.events() == written


def test_a_second_tab_that_disagrees_is_told(client, workspace, demo, tab):
    other = Tab(client, workspace, demo)
    assert other.data["token"] == tab.data["token"]
    tab.press("grade", grade=1)
    told = other.press("grade", grade=2)
    assert "“1 · related” in another tab" in told["problem"]
    assert "your “2 · answers it” was not saved" in told["problem"]
    assert told["token"] == tab.data["token"]
    assert tab.events() == [("grade", 1)]
    assert other.press("undo")["undone"] == "1 · related"  # now it has seen what is last


def test_a_second_tab_that_agrees_is_told_and_the_first_one_is_not(client, workspace, demo, tab):
    other = Tab(client, workspace, demo)
    body = tab.body("grade", grade=1)
    first = tab.post(body)
    assert first["already"] == ""
    assert tab.post(body)["already"] == ""  # sent again, because the answer was lost
    told = other.press("grade", grade=1)
    assert told["already"].startswith("This document got “1 · related” in another tab already, a moment ago")
    assert told["problem"] == ""
    assert told["token"] == first["token"]
    assert tab.events() == [("grade", 1)]
    assert other.press("grade", grade=0)["already"] == ""


def test_a_second_tab_that_agrees_is_told_also_where_another_process_wrote_the_first(client, workspace, demo, tab):
    other = Tab(client, workspace, demo)
    mine, theirs = (each.body("grade", grade=1) for each in (tab, other))
    first = tab.post(mine)
    workspace.campaigns.forget(demo)  # as after a restart: nobody remembers which press it was
    assert tab.post({**mine, "again": True})["already"] == ""  # perhaps its own
    told = other.post(theirs)
    assert told["already"].startswith("This document got “1 · related” in another tab already")
    assert told["token"] == first["token"]
    assert tab.events() == [("grade", 1)]


def test_a_second_tab_does_not_take_back_what_it_has_not_seen(client, workspace, demo, tab):
    tab.press("grade", grade=1)
    other = Tab(client, workspace, demo)
    tab.press("grade", grade=2)
    told = other.press("undo")
    assert "you gave “2 · answers it” since" in told["problem"]
    assert [kind for kind, _ in tab.events()] == ["grade", "grade"]


# What no panel sends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"kind": ' * 20_000,
        b'{"kind": "look", "x": ' + b"[" * 90_000 + b"]" * 90_000 + b"}",
        b"\xff\xfe",
        b"null",
        b'"look"',
        b"",
        b'{"kind": 1' + b"0" * 5000 + b"}",
    ],
)
def test_what_cannot_be_read_is_refused_in_words(client, body):
    answer = client.post("/act", content=body)
    assert answer.status_code == 400
    assert "cannot be read" in answer.json()["problem"]


@pytest.mark.parametrize(
    "more",
    [
        {"kind": []},
        {"kind": {"a": 1}},
        {"kind": 7},
        {"note": ["x"]},
        {"note": {"x": 1}},
        {"whole": []},
        {"act": "short"},
        {"act": 17},
        {"act": "G" * 32},
        {"of": "1"},
        {"of": True},
        {"of": -1},
        {"after": [1]},
        {"reason": "1"},
        {"reason": 2**70},
    ],
)
def test_a_field_of_the_wrong_form_is_refused_in_words(tab, more):
    answer = tab.client.post("/act", json={**tab.body("grade", grade=1), **more})
    assert answer.status_code == 400
    assert "cannot be read" in answer.json()["problem"]
    assert tab.events() == []


@pytest.mark.parametrize("grade", [[], {}, "1", 1e400, 10**30, True, None, -1])
def test_a_grade_of_any_form_is_answered(tab, grade):
    answer = tab.client.post("/act", content=json.dumps(tab.body("grade", grade=grade)))
    assert answer.status_code == 200
    assert "grade" in answer.json()["problem"]
    assert tab.events() == []


@pytest.mark.parametrize("length", ["x", "-1", "9" * 5000, "²"])
def test_a_length_that_is_none_is_refused(client, length):
    answer = client.post("/act", content=b"{}", headers={"content-length": length.encode()})
    assert answer.status_code == 413


# Documents that cannot be shown ---------------------------------------------------------------------------------


def test_a_document_that_cannot_be_shown_is_put_aside_and_the_next_one_comes(tab, demo, monkeypatch):
    following = tab.body("grade", grade=1)
    tab.press("grade", grade=1)
    bad = demo.live.next(1).claim.row
    qid, _ = demo.document(bad)
    real = labelling._document

    def broken(workspace, opened, person, row, whole):
        if row == bad:
            raise ValueError("a bad chunk")
        return real(workspace, opened, person, row, whole)

    monkeypatch.setattr(labelling, "_document", broken)
    told = tab.post(following)
    assert told["aside"].startswith("One document could not be shown and was put aside: ")
    assert qid in told["aside"]
    assert "a bad chunk" in told["aside"]
    assert told["token"]
    assert tab.post(following)["aside"] == ""
    assert tab.events() == [("grade", 1), ("cannot_tell", None)]
    (event,) = demo.live.fold.all_put_aside()
    assert (event.row, event.text) == (bad, "could not be shown: ValueError: a bad chunk")
    assert demo.live.fold.last_act(1).kind is Kind.GRADE


@pytest.mark.parametrize("bad", ["qid", "docid", "NaN"])
def test_what_the_database_or_json_cannot_carry_blocks_nobody(client, workspace, demo, monkeypatch, bad):
    row = demo.live.next(1).claim.row
    real = demo.document

    def document(which):
        qid, docid = real(which)
        if which != row:
            return qid, docid
        return (f"{qid}\udce9", docid) if bad == "qid" else (qid, f"{docid}\udce9")

    if bad == "NaN":
        real_shown = labelling._document
        monkeypatch.setattr(
            labelling,
            "_document",
            lambda *asked: real_shown(*asked) | ({"place": float("nan")} if asked[3] == row else {}),
        )
    else:
        monkeypatch.setattr(demo, "document", document)
    ticket = workspace.people.write_ticket(workspace.people.get(1), demo.id)
    answer = client.post("/act", json={"kind": "look", "ticket": ticket})
    assert answer.status_code == 200
    told = answer.json()
    assert "put aside" in told["aside"]
    assert told["token"]
    assert demo.live.fold.skipped(row)
    graded = client.post("/act", json={"kind": "grade", "grade": 1, "ticket": told["ticket"], "why": True})
    assert graded.json()["saved"]["what"] == "1 · related"


def test_documents_that_all_cannot_be_shown_end_in_words(client, workspace, demo, monkeypatch):
    def broken(*asked):
        raise RuntimeError("a bug")

    monkeypatch.setattr(labelling, "_document", broken)
    ticket = workspace.people.write_ticket(workspace.people.get(1), demo.id)
    told = client.post("/act", json={"kind": "look", "ticket": ticket}).json()
    assert told["aside"].startswith(f"{labelling.MOST_ASIDE} documents could not be shown")
    assert "in a row" in told["pause"]["title"]
    assert demo.live.open_claims() == []


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_trouble_that_is_not_the_documents_puts_nothing_aside(client, workspace, demo, monkeypatch, error):
    def broken(*asked):
        raise error

    monkeypatch.setattr(labelling, "_document", broken)
    ticket = workspace.people.write_ticket(workspace.people.get(1), demo.id)
    answer = client.post("/act", json={"kind": "look", "ticket": ticket})
    assert answer.status_code == (503 if isinstance(error, OSError) else 500)
    assert demo.live.fold.all_put_aside() == []
    assert len(demo.live.open_claims()) == 1


def test_halves_of_characters_do_not_leave_the_server():
    sent = json.loads(encode({"a": "x\udce9y", "b": ["\ud83d\ude00", "é"]}))
    assert sent == {"a": "x\ufffdy", "b": ["\U0001f600", "é"]}


# The store ------------------------------------------------------------------------------------------------------


def test_a_store_in_trouble_is_told_and_the_key_is_saved_once_when_it_is_back(tab, workspace, tmp_path):
    path, away = workspace.database.path, tmp_path / "away.db"
    body = tab.body("grade", grade=1)
    time.sleep(0.3)  # the campaign is opened anew, with the dwell that it was made with
    path.rename(away)
    for _ in range(3):
        answer = tab.client.post("/act", json=body)
        assert answer.status_code == 503
        told = answer.json()
        assert (told["store"], told["retry"]) == ("gone", True)
        assert "moved, removed or replaced" in told["problem"]
    health = tab.client.get("/health")
    assert health.status_code == 503
    assert health.json()["parts"]["store"]["kind"] == "gone"
    assert str(path) not in health.text
    away.rename(path)
    first = tab.post(body)
    assert first["saved"]["number"] == 1
    assert tab.post(body)["saved"] == first["saved"]
    assert [event.grade for event in workspace.campaigns.events(tab.opened.id)] == [1]
    health = tab.client.get("/health")
    assert (health.status_code, health.json()["status"]) == (200, "ok")


def test_an_archived_campaign_says_so(tab, workspace):
    workspace.campaigns.archive(tab.opened.id)
    for kind, more in (("grade", {"grade": 1}), ("undo", {}), ("draft", {"note": "x"}), ("later", {})):
        told = tab.post(tab.body(kind, **more))
        assert told["problem"].startswith("This campaign was archived; nothing more is taken")
        assert "archived" in told["pause"]["text"]
    assert tab.events() == [("change", None)]
    assert tab.opened.live.open_claims()  # it stays as it was, should the campaign come back


def test_a_question_that_breaks_off_is_no_error_of_the_server(app_module):
    async def receive():
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/act", "headers": [(b"content-length", b"40")]}
    answering = app_module.act(Request(scope, receive))
    with pytest.raises(StopIteration) as answered:
        answering.send(None)  # nothing in it waits, so it runs to its end
    assert answered.value.value.status_code == 400
