"""The gate before a real server: what is closed to strangers, to other people, and after signing out."""

from __future__ import annotations

import re
import time
import urllib.parse
from http.client import HTTPConnection

import pytest
import sqlalchemy as sa
from playwright.sync_api import expect
from thorough import thorough_only

from db.store.tables import label_events
from db.workspace import Workspace
from tests.e2e.screen import PATIENCE, Screen
from tests.e2e.server import Server

PASSWORD = "correct horse battery"
STREAMLIT = (
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/agent/openapi.json",
    "/_stcore/upload_file/a/b",
    "/media/0123456789abcdef0123456789abcdef.zip",
    "/component/x/index.html",
    "/static/media/x.woff2",
)
HANDSHAKE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
HANDSHAKE["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="


def ask(server: Server, method: str, path: str, body=None, **headers: str):
    """Send a request as a program can; returns the status, the headers and the body of the answer."""
    connection = HTTPConnection("localhost", server.port, timeout=30)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, sent, encode_chunked=not isinstance(body, bytes | str | None))
    answer = connection.getresponse()
    text = b"" if answer.status == 101 else answer.read()
    connection.close()
    return answer.status, answer.headers, text


def cookies(screen: Screen) -> str:
    return "; ".join(f"{each['name']}={each['value']}" for each in screen.context.cookies())


def enter(chromium, server: Server, name: str, **options) -> Screen:
    screen = Screen(chromium, server.url, **options)
    screen.sign_in(name, PASSWORD)
    expect(screen.page.get_by_text(f"Signed in as {name}")).to_be_visible()
    return screen


@pytest.fixture(scope="module")
def server(start, folder):
    """A server with accounts, small uploads, and the demo with some labels."""
    workspace = Workspace(f"sqlite:///{folder / 'labels.db'}")
    workspace.people.add("Ada", "admin", PASSWORD)
    rosa = workspace.people.add("Rosa", "researcher", PASSWORD)
    for name in ("Ben", "Cleo"):
        workspace.people.add(name, "annotator", PASSWORD)
    opened = workspace.open(workspace.demo())
    label = {"campaign_id": opened.id, "kind": "grade", "person_id": rosa.id, "text": "", "created_at": time.time()}
    events = [{**label, "row": row, "grade": row % 3} for row in range(12)]
    with workspace.database.write(campaign=opened.id) as connection:
        connection.execute(sa.insert(label_events), events)
    workspace.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULERANK_UPLOAD_MEGABYTES", "3")
        return start(sign_in="accounts")


def test_a_stranger_reaches_nothing_of_streamlit(server):
    own = {"Origin": server.url}
    for path in STREAMLIT:
        for method in ("GET", "PUT", "DELETE", "OPTIONS"):
            status, headers, _ = ask(server, method, path, b"x" if method == "PUT" else None, **own)
            assert status == 401, (method, path)
            assert headers["X-Content-Type-Options"] == "nosniff"
    for cookie in ({}, {"Cookie": "rulerank=nonsense"}):
        assert ask(server, "GET", "/_stcore/stream", **HANDSHAKE, **own, **cookie)[0] == 403
    assert ask(server, "GET", "/health")[0] == 200
    status, headers, page = ask(server, "GET", "/label")
    assert (status, b"<span>rulerank</span></h1>" in page, b"streamlit" in page.lower()) == (401, True, False)
    assert "script-src 'self';" in headers["Content-Security-Policy"]
    for path in ("/sign-in/style.css", "/sign-in/show.js"):
        assert ask(server, "GET", path)[0] == 200


@thorough_only
def test_a_page_opens_with_the_cookie_and_from_its_own_origin_only(chromium, server):
    ben = enter(chromium, server, "Ben")
    cookie = {"Cookie": cookies(ben)}
    stream = ("GET", "/_stcore/stream")
    assert ask(server, *stream, **HANDSHAKE, **cookie, Origin=server.url)[0] == 101
    for origin in ({}, {"Origin": "http://localhost:1"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert ask(server, *stream, **HANDSHAKE, **cookie, **origin)[0] == 403
    ben.close()


def test_signing_in_leads_to_where_one_wanted_to_go(chromium, server):
    ada = Screen(chromium, server.url)
    ada.go("/people?from=mail")
    ada.page.get_by_label("Name").fill("Ada")
    ada.page.get_by_label("Password", exact=True).fill("a wrong one")
    ada.page.get_by_role("button", name="Sign in").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("do not match")
    ada.page.get_by_label("Password", exact=True).fill(PASSWORD)
    ada.page.get_by_role("button", name="Sign in").click()
    expect(ada.page.get_by_role("heading", name="People")).to_be_visible()
    assert ada.page.url.startswith(server.url + "/people")
    form = urllib.parse.urlencode({"person": "Ada", "password": PASSWORD, "next": "//evil.example/"})
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ask(server, "POST", "/enter", form, **kind)[1]["Location"] == "/"
    ada.close()


@thorough_only
def test_every_page_lives_with_the_content_policy_and_every_answer_has_the_headers(chromium, server):
    ada = enter(chromium, server, "Ada", bypass_csp=False)
    refused, bare = [], []
    ada.page.on("console", lambda told: refused.append(told.text) if "Content Security Policy" in told.text else None)
    named = ("content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy")
    ada.page.on(
        "response",
        lambda answer: (
            bare.append(answer.url) if answer.url.startswith("http") and not set(named) <= set(answer.headers) else None
        ),
    )
    watching = ("label", "progress", "competence", "ranking", "agreement")
    for page in ("", *watching, "simulate", "clicks", "export", "new", "people", "sessions"):
        ada.go(f"/{page}")
        ada.page.wait_for_timeout(500)
        ada.ready()
    ada.go("/label")
    ada.press("1")  # the panel's own code runs
    ada.page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.evil = 1'}))"
    )
    ada.page.wait_for_timeout(200)
    assert ada.page.evaluate("window.evil") is None
    assert len(refused) == 1  # this one
    assert bare == []
    ada.close()


@thorough_only
def test_an_export_is_nobody_elses_and_gone_after_signing_out(chromium, server):
    rosa, ben = enter(chromium, server, "Rosa"), enter(chromium, server, "Ben")
    rosa.go("/export")
    rosa.click("Check and pack")
    button = rosa.page.get_by_role("button", name=re.compile("Download the bundle"))
    with rosa.page.expect_download() as taken:
        button.click()
    path = urllib.parse.urlsplit(taken.value.url).path
    assert path.startswith("/media/")
    own, bens = cookies(rosa), cookies(ben)
    status, headers, data = ask(server, "GET", path, Cookie=own)
    assert (status, data[:2], headers["Cache-Control"]) == (200, b"PK", "no-store")
    assert ask(server, "GET", path, Cookie=bens)[0] == 404
    assert ask(server, "GET", path)[0] == 401
    again = enter(chromium, server, "Rosa")  # the same person in another browser was not sent this address
    assert ask(server, "GET", path, Cookie=cookies(again))[0] == 404
    rosa.page.get_by_role("button", name="Sign out").click()
    expect(rosa.page.get_by_label("Password", exact=True)).to_be_visible()
    assert ask(server, "GET", path, Cookie=own)[0] == 401
    for screen in (rosa, ben, again):
        screen.close()


@thorough_only
def test_uploads_have_a_total_limit_however_they_are_sent(chromium, server, tmp_path):
    ada = enter(chromium, server, "Ada")
    ada.go("/export")
    file = tmp_path / "small.db"
    file.write_bytes(b"x" * 2**20)
    with ada.page.expect_response(
        lambda answer: "/upload_file/" in answer.url and answer.request.method == "PUT"
    ) as put:
        ada.page.locator('input[type="file"]').first.set_input_files(file)
    assert put.value.status == 204
    ada.ready()
    sent = put.value.request.all_headers()
    path = urllib.parse.urlsplit(put.value.url).path.rpartition("/")[0]
    begin = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Origin": server.url, "Cookie": cookies(ada)}
    headers["X-Xsrftoken"] = sent["x-xsrftoken"]

    def upload(name: str, size: int, *, chunked: bool, **other: str) -> int:
        body = begin + b"x" * size + b"\r\n--x--\r\n"
        pieces = (body[at : at + 2**16] for at in range(0, len(body), 2**16))
        try:
            return ask(server, "PUT", f"{path}/{name}", pieces if chunked else body, **{**headers, **other})[0]
        except (BrokenPipeError, ConnectionResetError):
            return 413  # answered and closed before all was sent

    assert upload("a", 2**20, chunked=True) == 204
    assert upload("b", 2**20, chunked=False) == 413  # three would be more than 3 MB with what is around them
    assert upload("b", 2**20, chunked=True) == 413
    assert upload("c", 1000, chunked=False) == 204
    assert upload("d", 1000, chunked=False, Origin="http://localhost:1") == 403
    ben = enter(chromium, server, "Ben")
    theirs = upload("e", 1000, chunked=False, Cookie=f"{cookies(ben)}; {headers['Cookie'].partition('_streamlit')[1]}")
    assert theirs == 403
    ben.close()
    ada.close()


def test_signing_out_in_one_tab_ends_the_others(chromium, server):
    ben = enter(chromium, server, "Ben")
    ben.go("/label")
    ben.document()
    old = cookies(ben)
    with ben.page.expect_request("**/act") as asked:
        ben.page.keyboard.press("0")
    body = asked.value.post_data
    other = ben.context.new_page()
    other.goto(server.url + "/")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_label("Password", exact=True)).to_be_visible()
    kind = {"Content-Type": "application/json"}
    assert ask(server, "POST", "/act", body, **kind, Cookie=old)[0] == 401
    assert ask(server, "POST", "/act", body, **kind)[0] == 401
    assert ask(server, "GET", "/label", Cookie=old)[0] == 401
    assert ask(server, "GET", "/_stcore/stream", **HANDSHAKE, Cookie=old, Origin=server.url)[0] == 403
    # The page that was open finds out by itself.
    expect(ben.page.get_by_label("Password", exact=True)).to_be_visible(timeout=PATIENCE)
    ben.close()


def test_a_ticket_is_worth_nothing_in_another_session(chromium, server):
    ben, cleo = enter(chromium, server, "Ben"), enter(chromium, server, "Cleo")
    ben.go("/label")
    ben.document()
    with ben.page.expect_request("**/act") as asked:
        ben.page.keyboard.press("0")
    body, kind = asked.value.post_data, {"Content-Type": "application/json"}
    assert ask(server, "POST", "/act", body, **kind, Cookie=cookies(cleo))[0] == 401
    assert ask(server, "POST", "/act", body, **kind, Cookie=cookies(ben), Origin="http://localhost:1")[0] == 403
    assert ask(server, "POST", "/act", body, **kind, Cookie=cookies(ben))[0] == 200
    ben.close()
    cleo.close()


@thorough_only
def test_people_see_their_sessions_and_end_them(chromium, server):
    cleo, tablet, phone = (enter(chromium, server, "Cleo") for _ in range(3))
    cleo.page.get_by_role("link", name="Your sessions").click()
    expect(cleo.page.get_by_role("heading", name="Your sessions")).to_be_visible()
    expect(cleo.page.get_by_text("this one")).to_have_count(1)
    one = cleo.page.get_by_role("button", name="End", exact=True)
    expect(one.nth(1)).to_be_visible()
    before = one.count()
    one.first.click()  # the one that was used last
    expect(one).to_have_count(before - 1)
    phone.go("/label")
    expect(phone.page.get_by_label("Password", exact=True)).to_be_visible()
    tablet.go("/label")
    tablet.document()
    cleo.page.get_by_role("button", name="End all others").click()
    expect(one).to_have_count(0)
    tablet.go("/label")
    expect(tablet.page.get_by_label("Password", exact=True)).to_be_visible()
    cleo.go("/label")
    cleo.document()
    for screen in (cleo, tablet, phone):
        screen.close()


@thorough_only  # eighty passwords; tests/db/people/test_throttle.py has no server
def test_an_attack_on_a_name_does_not_lock_its_owner_out(chromium, server):
    ada = enter(chromium, server, "Ada")
    ada.page.get_by_role("button", name="Sign out").click()
    expect(ada.page.get_by_label("Password", exact=True)).to_be_visible()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}

    def guess(address: str, name: str = "Ada", password: str = "wrong") -> str:
        form = urllib.parse.urlencode({"person": name, "password": password})
        answer = ask(server, "POST", "/enter", form, **kind, X_Forwarded_For=address)
        said = urllib.parse.unquote("; ".join(answer[1].get_all("set-cookie") or []))
        return "wait" if "Too many" in said else "in" if re.search(r"\brulerank=", said) else "wrong"

    assert [guess(f"203.0.113.{n // 4}") for n in range(60)][-1] == "wait"
    assert guess("198.51.100.7", password=PASSWORD) == "wait"  # a place that nobody knows
    ada.sign_in("Ada", PASSWORD)
    expect(ada.page.get_by_text("Signed in as Ada")).to_be_visible()
    told = [guess("203.0.113.200", f"name {n}") for n in range(30)]
    assert told.count("wait") >= 5
    assert guess("203.0.113.201", "Ben", PASSWORD) == "in"
    ada.close()
