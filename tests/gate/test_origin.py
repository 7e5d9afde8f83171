"""Whose pages may ask for something: the app's own, by scheme, name and port."""

from __future__ import annotations

import pytest
from gate_helpers import scope_of
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from pages.gate.headers import check_origin, is_ours
from rulerank.errors import InputError

OWN = "http://localhost:8501"
FOREIGN = [
    "http://localhost:8502",
    "http://localhost",
    "https://localhost",
    "http://127.0.0.1:8501",
    "http://localhost.evil.example:8501",
    "http://evil.example",
    "http://localhost:8501.evil.example",
    "http://localhost:8501@evil.example",
    "http://me@localhost:8501",
    "ftp://localhost:8501",
    "null",
    "",
    "http://[",
    "http://local\thost:8501",
    "http://localhost:99999999",
]


def ours(also: str = "", **given: str) -> bool:
    return is_ours(HTTPConnection(scope_of(**given)), also)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_origin_is_refused(kind, origin):
    for method in ("GET", "POST", "PUT", "DELETE"):
        assert not ours(method=method, kind=kind, origin=origin)


def test_the_own_origin_is_taken():
    for kind in ("http", "websocket"):
        assert ours(kind=kind, origin=OWN)
        assert ours(kind=kind, origin=OWN, sec_fetch_site="same-origin")
        assert ours(kind=kind, origin="HTTP://LOCALHOST:8501")
        assert ours(kind=kind, host="rulerank.example.org:80", origin="http://rulerank.example.org")
        assert ours(kind=kind, host="rulerank.example.org:443", origin="https://rulerank.example.org")
        assert ours(kind=kind, host="[::1]:8501", origin="http://[::1]:8501")


def test_a_proxy_that_ends_tls_is_understood_and_plain_http_is_no_origin_of_tls():
    assert ours(host="rulerank.example.org", origin="https://rulerank.example.org")
    assert ours(host="rulerank.example.org", origin="https://rulerank.example.org", scheme="https")
    assert not ours(host="rulerank.example.org", origin="http://rulerank.example.org", scheme="https")
    assert not ours(host="rulerank.example.org", origin="http://rulerank.example.org", scheme="wss", kind="websocket")


def test_a_program_needs_no_origin_and_a_websocket_always_does():
    assert ours(method="POST")
    assert not ours(kind="websocket")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_link_here_and_nothing_else(site):
    assert ours(sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document")
    assert not ours(sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe")
    assert not ours(sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image")
    assert not ours(sec_fetch_site=site, sec_fetch_mode="cors")
    assert not ours(sec_fetch_site=site, sec_fetch_mode="navigate", method="POST")
    assert not ours(sec_fetch_site=site, kind="websocket", origin=OWN)


def test_an_address_that_the_server_does_not_see_can_be_told():
    also = check_origin("https://Rulerank.example.org/")
    assert also == "https://rulerank.example.org"
    for kind in ("http", "websocket"):
        assert ours(also, kind=kind, origin="https://rulerank.example.org", host="10.0.0.5:8501")
        assert not ours(also, kind=kind, origin="https://evil.example", host="10.0.0.5:8501")


@pytest.mark.parametrize(
    "wrong", ["rulerank.example.org", "https://", "ftp://x.example", "https://x.example/path", "x"]
)
def test_an_address_that_is_none_is_refused(wrong):
    with pytest.raises(InputError, match="RULERANK_ORIGIN must look like"):
        check_origin(wrong)


@given(st.text(st.characters(max_codepoint=255)))
def test_no_origin_is_an_error_or_taken_by_accident(text):
    assert not ours(kind="websocket", origin=text)
