"""My labels: the list is that of the log, and a change is an event that counts."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.campaign import Kind
from rulerank.campaign.annotator import why_shown
from rulerank.campaign.decisions import decisions_of


def run_page(campaign: int) -> AppTest:
    page = AppTest.from_file("../../pages/my_labels/page.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def labelled(workspace):
    """The demo with three decisions of the only person, the last one a "can't tell"."""
    person = workspace.people.ensure_single_user()
    opened = workspace.open(workspace.demo(person.id))
    opened.live.write(person.id, 0, Kind.GRADE, grade=0)
    opened.live.write(person.id, 5, Kind.GRADE, grade=2)
    opened.live.write(person.id, 5, Kind.NOTE, text="the very thing")
    opened.live.write(person.id, 9, Kind.CANNOT_TELL, text="unreadable or foreign")
    return opened, person.id


def choose(page: AppTest, opened, person: int, row: int) -> AppTest:
    """Open a document as a click on its row does, which the test tool cannot make."""
    (decision,) = (each for each in decisions_of(opened, person) if each.row == row)
    page.session_state[f"my-labels-open-{opened.id}"] = decision
    return page.run()


def test_the_list_is_that_of_the_log_and_is_searched(labelled):
    opened, _ = labelled
    page = run_page(opened.id)
    table = page.dataframe[0].value
    assert table["Decision"].tolist() == ["can't tell", "2 · answers it", "0 · not relevant"]
    assert table["Note"].tolist() == ["unreadable or foreign", "the very thing", ""]
    assert opened.document(5)[1] in table["Document"].tolist()
    page.text_input[0].set_value("VERY").run()
    assert page.dataframe[0].value["Note"].tolist() == ["the very thing"]
    assert "1 of 3" in [each.value for each in page.caption]
    page.text_input[0].set_value("nothing like it").run()
    assert not page.dataframe
    assert "Ask for less" in page.info[0].value


def test_a_grade_and_a_note_are_changed(labelled):
    opened, person = labelled
    page = choose(run_page(opened.id), opened, person, 5)
    assert page.button(key=f"my-grade-{opened.id}-2-2").disabled
    page.button(key=f"my-grade-{opened.id}-2-1").click().run()
    assert not page.exception
    assert opened.live.refresh().current() == {0: 0, 5: 1}
    assert page.dataframe[0].value["Decision"].tolist()[0] == "1 · related"  # it is the latest now, and stays open
    page.text_area[0].set_value("not quite")
    next(button for button in page.button if button.label == "Save the note").click().run()
    assert not page.error, page.error
    assert opened.live.refresh().notes[5, person] == "not quite"


def test_a_change_that_is_refused_says_why(labelled, workspace):
    opened, person = labelled
    page = choose(run_page(opened.id), opened, person, 9)
    other = workspace.people.add("Bea", "annotator", "password").id
    opened.live.write(other, 9, Kind.GRADE, grade=0)
    page.button(key=f"my-grade-{opened.id}-4-1").click().run()
    assert not page.exception
    assert "others have graded" in page.error[0].value
    assert opened.live.refresh().grades_of(9) == {other: 0}


def test_who_has_labelled_nothing_is_shown_the_way(workspace, monkeypatch):
    monkeypatch.setattr("streamlit.page_link", lambda *target, **words: None)  # a page by itself knows no other
    person = workspace.people.ensure_single_user()
    page = run_page(workspace.demo(person.id))
    assert "not labelled anything" in page.info[0].value
    assert not page.dataframe


def test_why_a_document_was_chosen_is_said(labelled):
    opened, person = labelled
    page = choose(run_page(opened.id), opened, person, 5)
    assert any(line.value.startswith("No sampler chose it") for line in page.markdown)
    offer = opened.live.next(person)
    opened.live.clock = lambda: offer.claim.created_at + 2
    opened.live.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=1)
    page = choose(run_page(opened.id), opened, person, offer.claim.row)
    assert why_shown(opened, person)["head"] in [line.value.replace("\\", "") for line in page.markdown]
