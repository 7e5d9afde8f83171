"""Streamlit's page is told where its server is, and nothing else is changed."""

from __future__ import annotations

import gzip

import pytest
from gate_helpers import ask, scope_of
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse

from pages.gate.headers import app_policy
from pages.gate.index import StartScript, start_script
from pages.gate.page import onward_page

PAGE = "<!DOCTYPE html><html><head><title>x</title></head><body>" + "y" * 3000 + "</body></html>"


def answer(app, **headers: str) -> tuple[dict[str, str], bytes]:
    scope = scope_of(path="/label", **{"accept": "text/html,*/*;q=0.8", **headers})
    came = ask(StartScript(app), {**scope, "asgi": {"spec_version": "2.4"}})
    assert came[0]["status"] == 200
    found = {name.decode().lower(): value.decode() for name, value in came[0]["headers"]}
    return found, b"".join(message.get("body", b"") for message in came[1:])


@pytest.mark.parametrize("packed", [False, True])
def test_the_page_gets_the_script_first_of_all(tmp_path, packed):
    file = tmp_path / "index.html"
    file.write_text(PAGE)
    app = FileResponse(file)
    headers, body = answer(GZipMiddleware(app) if packed else app, accept_encoding="gzip", if_none_match="*")
    assert body.decode() == PAGE.replace("<head>", f"<head><script>{start_script()}</script>")
    assert headers["content-length"] == str(len(body))
    assert not headers.keys() & {"etag", "last-modified", "content-encoding"}


def test_the_policy_allows_it():
    assert "sha256-" in app_policy([start_script()])


def test_below_a_path_the_script_says_so(monkeypatch):
    monkeypatch.setattr("pages.gate.index.address", lambda path: f"/tools/rulerank{path}")
    assert 'location.origin + "/tools/rulerank"' in start_script()


def test_everything_else_stays_as_it_is():
    assert answer(PlainTextResponse(PAGE))[1] == PAGE.encode()
    assert answer(HTMLResponse(PAGE), accept="*/*")[1] == PAGE.encode()
    own = onward_page("/auth/logout")
    assert answer(own)[1] == own.body
    headers, body = answer(GZipMiddleware(HTMLResponse(PAGE)), accept="*/*", accept_encoding="gzip")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == PAGE.encode()
