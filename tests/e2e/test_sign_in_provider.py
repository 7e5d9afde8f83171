"""Signing in with an OpenID Connect provider: who gets in, as whom, with which pages, and who does not."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Locator, expect
from thorough import THOROUGH, thorough_only

from db.workspace import Workspace
from tests.e2e.provider import Provider
from tests.e2e.screen import Log, Screen
from tests.e2e.server import ROOT, Server, free_port

SLY = "**Eve** [x](http://evil.example) :red[hi] $x$"
PEOPLE = {
    "Ada": {"name": "Ada", "email": "Ada@Example.org", "email_verified": True},
    "Ada in capitals": {"name": "Somebody", "email": "ADA@EXAMPLE.ORG", "email_verified": True},
    "Ben": {"name": SLY, "email": "ben@team.example", "email_verified": True},
    "Cleo": {"name": "Cleo", "email": "cleo@example.org", "email_verified": True},
    "Like Ada": {"name": "Ada", "email": "ada@example.org", "email_verified": False},
    "Like Ada, unsaid": {"name": "Ada", "email": "ada@example.org"},
    "No address": {"name": "Dan"},
}


@pytest.fixture(scope="module")
def provider(chromium):
    with Provider(PEOPLE) as started:
        yield started


class OidcServer(Server):
    """A server whose secrets file names a provider, and whose operator is Ada.

    It is no fork: where Streamlit looks for the file is settled when Streamlit is imported.
    """

    forked = False

    def __init__(self, folder, provider: Provider, **other: str) -> None:
        super().__init__(folder, sign_in="oidc")
        self.home = folder / f"home-{self.port}"
        (self.home / ".streamlit").mkdir(parents=True)
        text = provider.secrets(f"{self.url}/oauth2callback", **other)
        (self.home / ".streamlit" / "secrets.toml").write_text(text)

    def start(self) -> OidcServer:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(self.home))
            patch.setenv("RULERANK_ADMINS", "ada@example.org")
            patch.setenv("RULERANK_ANNOTATORS", "@team.example")
            super().start()
        return self


@pytest.fixture(scope="module")
def server(chromium, folder, provider):
    with OidcServer(folder, provider) as started:
        yield started


@pytest.fixture
def people(server):
    """The accounts of the server's database."""
    workspace = Workspace(server.database)
    yield workspace.people
    workspace.close()


def knock(chromium, server: Server, name: str) -> Screen:
    """Go to the app, from there to the provider, say who one is, and come back."""
    screen = Screen(chromium, server.url)
    screen.go()
    way_in(screen).click()
    screen.page.get_by_role("link", name=name, exact=True).click()
    screen.page.wait_for_url(server.url + "/**")
    screen.ready()
    return screen


def way_in(screen: Screen) -> Locator:
    """The way to the provider."""
    return screen.page.get_by_role("link", name=re.compile("^Sign in"))


def says(screen: Screen, words: str) -> None:
    expect(screen.page.get_by_role("alert").filter(has_text=words)).to_be_visible()


def test_the_operator_labels_as_themselves_and_signs_out(chromium, server, provider, people):
    ada = knock(chromium, server, "Ada")
    assert provider.asked[-1]["code_challenge_method"] == "S256"
    expect(ada.page.get_by_role("heading", name="Learning-to-rank")).to_be_visible()
    expect(ada.page.get_by_text("Signed in as Ada (admin)")).to_be_visible()
    ada.button("^.*Try the demo").click()
    ada.document()
    ada.press("1")
    log = Log(server.database)
    log.wait_for("grade", 1)
    person = people.by_email("ada@example.org")
    assert (person.name, person.role) == ("Ada", "admin")
    assert len(log.events("grade", person.id)) == 1
    ada.go("/people")
    expect(ada.page.get_by_role("heading", name="People")).to_be_visible()
    ada.button("^Sign out").click()
    expect(way_in(ada)).to_have_text("Sign in")
    expect(ada.page.get_by_role("alert")).to_have_count(0)
    ada.go("/people")
    expect(way_in(ada)).to_have_text("Sign in")
    ada.close()


@thorough_only
def test_another_spelling_of_an_address_is_the_same_person(chromium, server, people):
    ada = knock(chromium, server, "Ada in capitals")
    expect(ada.page.get_by_text("Signed in as Ada (admin)")).to_be_visible()
    assert [person.email for person in people.list()].count("ada@example.org") == 1
    ada.close()


def test_a_colleague_joins_as_annotator_and_reaches_no_other_page(chromium, server, people):
    ben = knock(chromium, server, "Ben")
    # The name is somebody else's text: shown as it is.
    expect(ben.page.get_by_text(f"Signed in as {SLY} (annotator)")).to_be_visible()
    expect(ben.page.get_by_role("link", name="x", exact=True)).to_have_count(0)
    # Every page with every role: tests/pages/test_roles.py.
    for path in ("progress", "people", *(("competence", "ranking", "agreement", "export", "new") if THOROUGH else ())):
        ben.go(f"/{path}")
        expect(ben.page.get_by_text("This page is not for the role annotator.")).to_be_visible()
        expect(ben.page.locator(f'a[href$="/{path}"]')).to_have_count(0)
    expect(ben.page.get_by_role("link", name="Label", exact=True)).to_be_visible()
    assert people.by_email("ben@team.example").role == "annotator"

    people.deactivate(people.by_email("ben@team.example").id)
    ben.go("/label")
    expect(way_in(ben)).to_be_visible()
    expect(ben.page.locator(".rr-panel")).to_have_count(0)
    again = knock(chromium, server, "Ben")
    says(again, "was deactivated")
    assert people.by_email("ben@team.example") is None
    ben.close()
    again.close()


@thorough_only
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Cleo", "nobody has added you"),
        ("Like Ada", "has not verified the address ada@example.org"),
        ("Like Ada, unsaid", "does not say whether it has verified"),
        ("No address", "does not pass on your e-mail address"),
        ("Nobody", "did not work"),
    ],
)
def test_others_stay_outside_and_are_told_why(chromium, server, people, name, words):
    before = people.list()
    screen = knock(chromium, server, name)
    says(screen, words)
    screen.go("/people")
    expect(way_in(screen)).to_be_visible()
    expect(screen.page.get_by_text("Signed in as")).to_have_count(0)
    assert people.list() == before
    screen.close()


def test_somebody_who_was_added_gets_in(chromium, server, people):
    people.add("Cleopatra", "researcher", email="CLEO@example.org")
    cleo = knock(chromium, server, "Cleo")
    expect(cleo.page.get_by_text("Signed in as Cleopatra (researcher)")).to_be_visible()
    cleo.go("/export")
    expect(cleo.page.get_by_role("heading", name="Export")).to_be_visible()
    cleo.close()


@thorough_only
def test_a_sign_in_of_yesterday_is_not_good_for_today(chromium, server, provider):
    provider.age = 13 * 3600
    try:
        ada = knock(chromium, server, "Ada")
    finally:
        provider.age = 0
    says(ada, "more than 12 hours ago")
    assert ada.page.get_by_text("Signed in as").count() == 0
    ada.close()


@thorough_only
def test_a_wrong_secret_and_a_provider_that_is_away_are_explained(chromium, tmp_path, provider):
    with OidcServer(tmp_path, provider, client_secret="wrong") as server:
        screen = knock(chromium, server, "Ada")
        says(screen, "did not work")
        assert screen.page.get_by_text("Signed in as").count() == 0
        screen.close()
    nowhere = f"http://localhost:{free_port()}/.well-known/openid-configuration"
    with OidcServer(tmp_path, provider, server_metadata_url=nowhere) as server:
        screen = Screen(chromium, server.url)
        screen.go()
        way_in(screen).click()
        says(screen, "does not answer as it should")
        screen.close()


@pytest.mark.parametrize(
    ("secrets", "words"),
    [(None, "secrets.example.toml"), ("[auth", "Error parsing secrets file")],
)
def test_a_wrong_configuration_ends_the_start_with_a_message(tmp_path, monkeypatch, secrets, words):
    (tmp_path / ".streamlit").mkdir()
    if secrets is not None:
        (tmp_path / ".streamlit" / "secrets.toml").write_text(secrets)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RULERANK_SIGN_IN", "oidc")
    monkeypatch.setenv("RULERANK_DATABASE", f"sqlite:///{tmp_path / 'labels.db'}")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert re.search(rf"rulerank: .*{re.escape(words)}", said), said
    assert "Traceback" not in said
