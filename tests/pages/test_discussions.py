"""Discussions and the flag on Label: what is said is in the log, and who may not read it does not."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.label.service import answer
from rulerank.campaign import Kind


def run_page(screen: str, campaign: int) -> AppTest:
    page = AppTest.from_file(f"../../pages/{screen}/page.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def demo(workspace):
    """The demo, its only person, and another one."""
    person = workspace.people.ensure_single_user()
    opened = workspace.open(workspace.demo(person.id))
    return opened, person, workspace.people.add("Bea", "annotator", "password")


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def test_a_lead_answers_and_resolves(demo):
    opened, person, bea = demo
    opened.live.write(bea.id, 4, Kind.FLAG, text="<b>Which</b> version?")
    page = run_page("discussions", opened.id)
    assert page.selectbox[0].label == "1 open, 0 resolved"
    assert page.text[-1].value == "<b>Which</b> version?"  # shown as text
    page.text_area[0].set_value("Any.")
    press(page, "Say it")
    page.text_area[0].set_value("Grade what it says.")
    press(page, "Resolve")
    said = [(each.kind, each.person, each.text) for each in opened.live.refresh().threads[4].remarks[1:]]
    assert said == [(Kind.REMARK, person.id, "Any."), (Kind.RESOLVE, person.id, "Grade what it says.")]
    assert page.selectbox[0].label == "0 open, 1 resolved"


def test_an_empty_remark_is_refused_in_words(demo):
    opened, _, bea = demo
    opened.live.write(bea.id, 4, Kind.FLAG)
    page = press(run_page("discussions", opened.id), "Say it")
    assert "needs words" in page.error[0].value
    assert len(opened.live.refresh().threads[4].remarks) == 1


def test_where_nothing_is_flagged_the_page_says_how_to(demo):
    page = run_page("discussions", demo[0].id)
    assert "F" in page.info[0].value
    assert not page.button


def test_own_labels_are_flagged_where_they_are_looked_at(demo):
    opened, person, _ = demo
    opened.live.write(person.id, 5, Kind.GRADE, grade=1)
    page = run_page("my_labels", opened.id)
    page.session_state[f"my-labels-open-{opened.id}"] = next(iter(_decisions(opened, person.id)))
    page.run()
    page.text_area(key=f"discussion-{opened.id}-5-0-words").set_value("Is it?")
    press(page, "Flag for discussion")
    assert [each.text for each in opened.live.refresh().threads[5].remarks] == ["Is it?"]
    assert page.dataframe[0].value["Note"].tolist() == ["⚑ "]


def _decisions(opened, person):
    from rulerank.campaign.decisions import decisions_of

    return decisions_of(opened, person)


def test_f_on_label_flags_the_document_in_hand_once_with_the_note_as_question(demo, workspace):
    opened, person, bea = demo
    offer = opened.live.next(person.id)
    ticket = workspace.people.write_ticket(person, opened.id, offer.claim.row, offer.claim.token)
    question = {"kind": "flag", "ticket": ticket, "note": "Odd?", "act": "a" * 32}
    first, second = (answer(workspace, question) for _ in range(2))
    assert first["flagged"]
    assert second["token"] == offer.claim.token  # it is still to be graded
    assert not first["problem"]
    thread = opened.live.fold.threads[offer.claim.row]
    assert [(each.kind, each.text, each.person) for each in thread.remarks] == [(Kind.FLAG, "Odd?", person.id)]
    assert not thread.readable_by(bea.id, decided=False)
