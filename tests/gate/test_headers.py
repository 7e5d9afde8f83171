"""Security headers: on every answer, also on one that failed, and a policy that names each script of a page."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from gate_helpers import ask, scope_of
from starlette.responses import PlainTextResponse

from pages.gate.headers import COMMON, SIGN_IN_POLICY, Headers, app_policy, streamlit_scripts
from pages.shared.browser import SCRIPT

POLICY = app_policy([SCRIPT, *streamlit_scripts()])


def headers(came: list[dict]) -> dict[str, str]:
    return {name.decode().lower(): value.decode() for name, value in came[0]["headers"]}


def answering(**given: str):
    return Headers(
        PlainTextResponse("inside", headers={name.replace("_", "-"): text for name, text in given.items()}), POLICY
    )


def test_every_answer_has_them():
    found = headers(ask(answering(), scope_of()))
    assert {name.lower(): value for name, value in COMMON.items()}.items() <= found.items()
    assert found["content-security-policy"] == POLICY


def test_an_answer_may_be_stricter_and_lets_no_other_origin_read_it():
    found = headers(ask(answering(Content_Security_Policy=SIGN_IN_POLICY, Access_Control_Allow_Origin="*"), scope_of()))
    assert found["content-security-policy"] == SIGN_IN_POLICY
    assert not any(name.startswith("access-control-") for name in found)


@pytest.mark.parametrize("path", ["/media/x.zip", "/_stcore/upload_file/a/b"])
def test_what_is_somebodys_own_is_kept_by_no_cache(path):
    assert headers(ask(answering(Cache_Control="public"), scope_of(path=path)))["cache-control"] == "no-store"


def test_a_failure_has_them_too_and_is_still_raised():
    async def broken(scope, receive, send) -> None:
        raise RuntimeError("secret words")

    async def caught(scope, receive, send) -> None:
        with pytest.raises(RuntimeError, match="secret words"):
            await Headers(broken, POLICY)(scope, receive, send)

    came = ask(caught, scope_of())
    assert came[0]["status"] == 500
    assert headers(came)["x-frame-options"] == "DENY"
    assert b"secret" not in came[1]["body"]


def test_the_policy_names_scripts_one_by_one():
    directives = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert "unsafe" not in directives["script-src"]
    assert len(streamlit_scripts()) >= 1
    for script in (SCRIPT, *streamlit_scripts()):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in directives["script-src"]
    assert directives["frame-ancestors"] == directives["object-src"] == "'none'"
    assert not re.search(r"(script|connect|default)-src[^;]*(\*|https?:)", POLICY)
