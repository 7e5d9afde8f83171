"""Settings of the app that it refuses before anybody can sign in; that the start then ends is tested in `tests/e2e`."""

from __future__ import annotations

import pytest

from pages.context import is_local
from pages.gate.provider import check_section
from rulerank.errors import RulerankError

WHOLE = {
    "redirect_uri": "http://localhost:8501/oauth2callback",
    "cookie_secret": "0123456789abcdef0123456789abcdef",
    "client_id": "me",
    "client_secret": "do not tell",
    "server_metadata_url": "https://provider.example/.well-known/openid-configuration",
}


def test_a_whole_description_of_a_provider_is_taken():
    check_section(WHOLE)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"client_id": "", "cookie_secret": ""}, "lacks cookie_secret, client_id"),
        ({"client_secret": "  "}, "lacks client_secret"),
        ({"redirect_uri": "http://localhost:8501/"}, "must end with /oauth2callback"),
        ({"server_metadata_url": "provider.example"}, "must be a whole address"),
        ({"cookie_secret": "short"}, "at least 32 characters"),
    ],
)
def test_a_provider_that_is_partly_described_is_refused_without_telling_secrets(changed, words):
    with pytest.raises(RulerankError, match=words) as refused:
        check_section({**WHOLE, **changed})
    assert "do not tell" not in str(refused.value)
    assert WHOLE["cookie_secret"] not in str(refused.value)


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "::ffff:127.0.0.1"])
def test_this_machine_is_this_machine(address):
    assert is_local("127.0.0.1", address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", None, "192.0.2.7", "localhost.evil.example", "evil.example"])
def test_any_other_address_is_elsewhere(address):
    assert not is_local("127.0.0.1", address)
    assert not is_local(address, "localhost")
