"""After signing in one lands where one wanted to go, in this app and nowhere else."""

from __future__ import annotations

import pytest
from gate_helpers import scope_of
from starlette.requests import Request

from pages.charts.theme import FONT
from pages.gate.page import SignInRequest, sign_in_page, style
from pages.gate.routes import asked, safe_target


@pytest.mark.parametrize("target", ["/", "/label", "/label?campaign=3&x=%2F", "/a/b?next=//evil.example", "/r%C3%A9"])
def test_an_address_of_the_app_is_kept(target):
    assert safe_target(target) == target


@pytest.mark.parametrize(
    "target",
    [
        "",
        "label",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/\r\nSet-Cookie: a=b",
        "/\t/evil.example",
        " //evil.example",
        "/ü",
        "http:/label",
        "//[",
        "/" + "x" * 3000,
    ],
)
def test_any_other_address_leads_to_the_first_page(target):
    assert safe_target(target) == "/"


def test_below_a_path_only_that_path_is_the_app(monkeypatch):
    monkeypatch.setattr("pages.gate.routes.address", lambda path: f"/tools/rulerank{path}")
    assert safe_target("/tools/rulerank/label") == "/tools/rulerank/label"
    for other in ("/tools", "/tools/rulerankevil", "/", "/other"):
        assert safe_target(other) == "/tools/rulerank/"


def test_the_page_keeps_what_was_asked_for_and_shows_words_as_words():
    scope = scope_of(path='/label/"><b>', cookie="rulerank-said=%3Cb%3Ehi; rulerank-tried=%22%3E%3Cimg%3E")
    about = asked(Request({**scope, "query_string": b"campaign=3&x=%22%3E"}))
    assert about == SignInRequest("/label/%22%3E%3Cb%3E?campaign=3&x=%22%3E", "<b>hi", '"><img>')
    page = bytes(sign_in_page(about).body).decode()
    assert "<b>" not in page
    assert "<img" not in page
    assert 'name="next" value="/label/%22%3E%3Cb%3E?campaign=3&amp;x=%22%3E"' in page


def test_the_sign_in_page_bears_the_mark_and_the_type_of_the_pages():
    page = bytes(sign_in_page(SignInRequest("/")).body).decode()
    assert '<h1><svg class="mark" aria-hidden="true"' in page
    assert f"--font: {FONT};" in style()
    assert "font: var(--body)/1.5 var(--font);" in style()
