"""People: accounts are made and changed by administrators only, and single-user mode says what it is."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages import context


def run_page() -> AppTest:
    page = AppTest.from_file("../../pages/people/page.py", default_timeout=600)
    page.run()
    assert not page.exception, page.exception
    return page


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def add(page: AppTest, name: str, role: str = "annotator", password: str = "") -> AppTest:
    page.text_input(key="people-name-0").set_value(name)
    page.selectbox(key="people-role-new-0").set_value(role)
    page.text_input(key="people-password-0").set_value(password)
    return press(page, "Add")


@pytest.fixture
def admin(workspace, monkeypatch):
    """An administrator who is signed in, in an installation with accounts."""
    boss = workspace.people.add("Boss", "admin", "password of boss")
    context.wire(workspace, "accounts")
    monkeypatch.setattr(context, "signed_in", lambda: workspace.people.get(boss.id))
    return boss


def test_single_user_mode_says_clearly_what_it_is(workspace):
    page = run_page()
    assert "anyone who can open this address on this machine is **you**" in page.warning[0].value
    assert "RULERANK_SIGN_IN=accounts" in page.code[0].value


def test_somebody_is_added_and_can_sign_in(workspace, admin, capsys):
    page = add(run_page(), "Ann", "researcher", "a long password")
    assert "Ann was added as researcher" in page.success[0].value
    assert "event=person-added by=Boss person=Ann role=researcher\n" in capsys.readouterr().err
    assert page.dataframe[0].value["Name"].tolist() == ["Ann", "Boss (this is you)"]
    found = workspace.people.check("Ann", "a long password")
    assert found is not None
    assert found.role == "researcher"
    assert page.text_input(key="people-name-1").value == ""
    assert not any("single-user" in warning.value.lower() for warning in page.warning)


def test_a_made_up_password_is_shown_once_and_works(workspace, admin):
    page = add(run_page(), "Ann")
    password = re.search(r"`(.+)`", page.success[0].value).group(1)
    assert workspace.people.check("Ann", password).name == "Ann"
    page.run()
    assert not page.success


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [("", "a long password", "1 to 100"), ("boss", "a long password", "already"), ("Ann", "short", "at least 8")],
)
def test_a_refusal_is_explained_and_adds_nobody(workspace, admin, name, password, words):
    page = add(run_page(), name, password=password)
    assert words in page.error[0].value
    assert len(workspace.people.list()) == 1


def test_role_password_address_and_state_can_be_changed(workspace, admin, capsys):
    ann = workspace.people.add("Ann", "annotator", "the first one")
    cookie = workspace.people.sign(ann)
    page = run_page()
    page.selectbox(key="people-who").set_value(ann.id).run()
    page.selectbox(key=f"people-role-{ann.id}").set_value("researcher").run()
    page.button(key=f"people-set-role-{ann.id}").click().run()
    assert workspace.people.get(ann.id).role == "researcher"
    page.text_input(key=f"people-email-{ann.id}-None").set_value("Ann@example.org").run()
    page.button(key=f"people-set-email-{ann.id}").click().run()
    assert workspace.people.get(ann.id).email == "ann@example.org"
    page.text_input(key=f"people-new-{ann.id}").set_value("the second one")
    press(page, "Reset")
    assert workspace.people.check("Ann", "the second one") is not None
    assert workspace.people.check("Ann", "the first one") is None
    assert workspace.people.read(cookie) is None
    page.button(key=f"people-deactivate-{ann.id}").click().run()
    assert not workspace.people.get(ann.id).active
    assert "deactivated" in page.dataframe[0].value["State"].tolist()
    page.button(key=f"people-activate-{ann.id}").click().run()
    assert workspace.people.get(ann.id).active
    said = capsys.readouterr().err
    logged = [line.partition(" event=")[2] for line in said.splitlines() if line.startswith("rulerank: time=")]
    assert logged == [
        "role-changed by=Boss person=Ann role=researcher was=annotator",
        "email-changed by=Boss person=Ann email=ann@example.org",
        "password-reset by=Boss person=Ann",
        "person-deactivated by=Boss person=Ann",
        "person-activated by=Boss person=Ann",
    ]
    assert "second one" not in said


def test_sessions_of_somebody_can_be_ended_and_ones_own_stays(workspace, admin, monkeypatch):
    ann = workspace.people.add("Ann", "annotator", "the first one")
    anns, own, other = (workspace.people.sign(each, "192.0.2.7", "Firefox/130.0") for each in (ann, admin, admin))
    monkeypatch.setattr(context, "signed_in", lambda: workspace.people.read(own))
    page = run_page()
    page.selectbox(key="people-who").set_value(ann.id).run()
    told = " ".join(caption.value for caption in page.caption).replace("\\", "")
    assert "Firefox from 192.0.2.7, used just now" in told
    page.button(key=f"people-end-sessions-{ann.id}").click().run()
    assert "Ann was signed out" in page.success[0].value
    assert workspace.people.read(anns) is None
    assert not any("end-sessions" in str(button.key) for button in page.button)
    page.selectbox(key="people-who").set_value(admin.id).run()
    page.button(key=f"people-end-sessions-{admin.id}").click().run()
    assert workspace.people.read(other) is None
    assert workspace.people.read(own).id == admin.id
    page.text_input(key=f"people-new-{admin.id}").set_value("the second one")
    press(page, "Reset")
    assert workspace.people.read(own).id == admin.id


def test_the_last_administrator_stays(workspace, admin):
    page = run_page()
    page.selectbox(key=f"people-role-{admin.id}").set_value("annotator").run()
    page.button(key=f"people-set-role-{admin.id}").click().run()
    assert "last admin" in page.error[0].value
    assert workspace.people.get(admin.id).role == "admin"
    assert page.button(key=f"people-deactivate-{admin.id}").disabled


def test_others_may_not_open_it(workspace, monkeypatch):
    researcher = workspace.people.add("Res", "researcher", "password")
    monkeypatch.setattr(context, "signed_in", lambda: researcher)
    page = run_page()
    assert "not for the role researcher" in page.warning[0].value
    assert not page.button
    assert not page.dataframe


def test_with_a_provider_people_are_known_by_their_address(workspace, admin):
    context.wire(workspace, "oidc")
    page = run_page()
    assert "provider" in page.info[0].value
    page.text_input(key="people-name-0").set_value("Ann")
    page.text_input(key="people-email-new-0").set_value("ann@example.org")
    press(page, "Add")
    assert workspace.people.by_email("ann@example.org").name == "Ann"
