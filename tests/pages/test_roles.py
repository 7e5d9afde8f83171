"""Roles on every page: who is not meant by it sees and changes nothing, by whatever address they came."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from db.people.person import ROLES
from db.store.tables import campaigns, claims, jobs, label_events, people
from pages import context
from pages.label.service import RefusedError, answer

FOLDER = Path(context.__file__).parent
LEAST = {
    "home": "annotator",
    "label": "annotator",
    "my_labels": "annotator",
    "progress": "researcher",
    "replay": "researcher",
    "competence": "researcher",
    "ranking": "researcher",
    "agreement": "researcher",
    "discussions": "researcher",
    "export": "researcher",
    "simulate": "researcher",
    "clicks": "researcher",
    "new_campaign": "researcher",
    "settings": "researcher",
    "people": "admin",
    "sessions": "annotator",
}
REFUSED = [(page, role) for page, least in LEAST.items() for role in ROLES if ROLES.index(role) < ROLES.index(least)]


def run_page(name: str) -> AppTest:
    made = AppTest.from_file(str(FOLDER / context.script(name)), default_timeout=600).run()
    assert not made.exception, made.exception
    return made


def written(workspace) -> list[int]:
    """How many rows there are of what people write."""
    with workspace.database.read() as connection:
        tables = (campaigns, claims, jobs, label_events, people)
        return [connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in tables]


def shows_nothing(page: AppTest) -> bool:
    return not any((page.title, page.button, page.dataframe, page.text_input, page.selectbox, page.header))


@pytest.fixture
def enter(workspace, monkeypatch):
    """`enter(role)`: sign in as somebody of this role, in an installation with accounts."""
    context.wire(workspace, "accounts")

    def sign_in(role: str):
        person = workspace.people.add(f"A {role}", role, "a long password")
        cookie = {context.COOKIE: workspace.people.sign(person)}
        monkeypatch.setattr(context, "signed_in", lambda: workspace.people.read(cookie[context.COOKIE]))
        return person

    return sign_in


def test_every_page_is_in_the_table():
    assert set(LEAST) == {path.parent.name for path in FOLDER.glob("*/page.py")} - {"gate"}


@pytest.mark.parametrize(("name", "role"), REFUSED)
def test_a_page_refuses_a_role_that_it_is_not_for(workspace, enter, name, role, capsys):
    enter(role)
    before = written(workspace)
    shown = run_page(name)
    assert f"not for the role {role}" in shown.warning[0].value
    assert shows_nothing(shown)
    assert written(workspace) == before
    assert re.search(rf'event=refused why=role person="[^"]+" role={role} needs=\w+\n', capsys.readouterr().err)


@pytest.mark.parametrize("name", LEAST)
def test_a_page_lets_in_the_role_that_it_is_for(workspace, enter, monkeypatch, name):
    monkeypatch.setattr("streamlit.page_link", lambda *target, **words: None)  # a page by itself knows no other
    workspace.demo()
    enter(LEAST[name])
    shown = run_page(name)
    assert not any("not for the role" in warning.value for warning in shown.warning)


@pytest.mark.parametrize("name", LEAST)
def test_a_page_shows_a_stranger_nothing(workspace, monkeypatch, name):
    context.wire(workspace, "accounts")
    monkeypatch.setattr(context, "signed_in", lambda: None)
    before = written(workspace)
    shown = run_page(name)
    assert "Please sign in" in shown.info[0].value
    assert shows_nothing(shown)
    assert written(workspace) == before


def test_who_is_deactivated_is_out_at_the_next_click(workspace, enter):
    workspace.people.add("Boss", "admin", "a long password")
    person = enter("admin")
    page = run_page("people")
    assert page.dataframe
    workspace.people.deactivate(person.id)
    page.text_input(key="people-name-0").set_value("Eve")
    next(button for button in page.button if button.label == "Add").click().run()
    assert "Please sign in" in page.info[0].value
    assert not any(other.name == "Eve" for other in workspace.people.list())


def test_only_an_admin_is_offered_the_backup(workspace, enter):
    enter("researcher")
    assert not run_page("export").header
    enter("admin")
    assert "Backup" in run_page("export").header[0].value


@pytest.mark.parametrize("role", ROLES)
def test_every_role_labels_until_it_is_deactivated(workspace, enter, role):
    workspace.people.add("Boss", "admin", "a long password")
    campaign = workspace.demo()
    person = enter(role)
    cookie = workspace.people.sign(person)
    asked = {"kind": "look", "ticket": workspace.people.write_ticket(workspace.people.read(cookie), campaign)}
    assert answer(workspace, asked, cookie)["token"]
    workspace.people.deactivate(person.id)
    before = written(workspace)
    with pytest.raises(RefusedError) as refused:
        answer(workspace, asked, cookie)
    assert refused.value.status == 401
    assert written(workspace) == before
