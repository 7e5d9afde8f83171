"""Agreement: the figures are those of the grades in the log, and decisions are events."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from streamlit.testing.v1 import AppTest

from pages import context
from pages.agreement.disputes import given_html
from pages.agreement.rules import in_words
from pages.agreement.view import tau_of, value_text
from rulerank.agreement import krippendorff_alpha
from rulerank.campaign import Kind
from rulerank.campaign.agreement import Grades, names_of, open_disputes, read_grades

GIVEN = {
    "Ann": (0, 1, 2, 0, 1, 2, 0, 2),
    "Bob": (0, 1, 2, 0, 1, 2, 2, 0),
    "<b>Cy</b>": (0, 1, 2, 1, 1, 2, 0, 2),
}


def run_page(campaign: int, tab: str | None = None) -> AppTest:
    page = AppTest.from_file("../../pages/agreement/page.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    if tab is not None:
        page.session_state["agreement-tab"] = tab
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def judged(workspace):
    """Three people and eight documents; documents 3, 6 and 7 are disputed, the last two more widely."""
    person = workspace.people.ensure_single_user()
    demo = workspace.open(workspace.demo(person.id))
    settings = replace(demo.settings, overlap=5, aggregation="adjudication")
    number = workspace.import_campaign("Judged", demo.collection, settings, pool_rows=demo.pool_rows.tolist())
    opened = workspace.open(number)
    for name, grades in GIVEN.items():
        who = workspace.people.add(name, "annotator", "password").id
        for row, grade in enumerate(grades):
            opened.live.write(who, row, Kind.GRADE, grade=grade)
    return opened


def figures(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_the_figures_are_those_of_the_log(judged):
    page = run_page(judged.id)
    columns = [(row, name, grade) for name, grades in GIVEN.items() for row, grade in enumerate(grades)]
    alpha = krippendorff_alpha(*map(list, zip(*columns, strict=True)))
    shown = figures(page)
    assert shown["Krippendorff's alpha"] == f"{alpha.value:.2f}"
    assert shown["Shared documents"] == "8"
    assert shown["People"] == "3"
    assert shown["Disputes to settle"] == "3"
    assert any(f"{alpha.low:.2f} to {alpha.high:.2f}" in caption.value for caption in page.caption)


def test_the_widest_dispute_comes_first_and_a_decision_settles_it(judged, workspace):
    page = run_page(judged.id)
    box = page.selectbox(key=f"dispute-{judged.id}-3")
    assert [option.split(" · ")[0] for option in box.options] == ["0 against 2", "0 against 2", "0 against 1"]
    row = box.value
    assert row in (6, 7)
    page.text_input(key=f"reason-{row}").set_value("both are right")
    page.button(key=f"decide-{row}-1").click().run()
    assert not page.exception
    last = workspace.campaigns.events(judged.id)[-1]
    assert (last.kind, last.row, last.grade, last.text) == (Kind.ADJUDICATE, row, 1, "both are right")
    assert last.person == workspace.people.ensure_single_user().id
    assert judged.live.fold.grade(row) == 1
    assert figures(page)["Disputes to settle"] == "2"


def test_a_decision_can_be_withdrawn(judged):
    judged.live.write(None, 6, Kind.ADJUDICATE, grade=2)
    page = run_page(judged.id)
    assert figures(page)["Disputes to settle"] == "2"
    page.button(key=f"withdraw-{judged.id}-6").click().run()
    assert not page.exception
    assert figures(page)["Disputes to settle"] == "3"
    assert judged.live.fold.adjudicated == {}


def test_undoing_a_label_changes_the_figures(judged, workspace):
    ann = next(each for each in workspace.people.list() if each.name == "Ann")
    judged.live.undo(ann.id)
    found = read_grades(judged)
    assert 7 not in found.of(ann.id)
    assert found.given[7] == 2


@pytest.mark.parametrize("tab", ["Agreement", "Confusions", "Does it matter?"])
def test_every_tab_is_drawn(judged, tab):
    page = run_page(judged.id, tab)
    assert len(page.get("plotly_chart")) == 1


def test_only_the_open_tab_is_computed(judged):
    page = run_page(judged.id)
    assert not page.get("plotly_chart")
    assert page.selectbox(key=f"dispute-{judged.id}-3")


def test_rules_shows_what_each_rule_would_change(judged, workspace):
    judged.live.write(None, 6, Kind.ADJUDICATE, grade=2)
    page = run_page(judged.id, "Rules")
    changes, people = (each.value for each in page.dataframe)
    rules = page.table[0].value
    counts = {rule: (row["Another grade"], row["No grade until decided"]) for rule, row in rules.iterrows()}
    # Documents 3 and 7 wait for a decision; every other rule has a grade for them.
    assert counts["Adjudication (now)"] == (0, 0)
    assert set(counts.values()) == {(0, 0), (2, 0)}
    assert changes["Majority"].tolist() == ["0", "2"]
    assert set(changes["Adjudication"]) == {"none"}
    assert changes["Grades"].tolist()[0] == "Ann 0, Bob 0, <b>Cy</b> 1"
    assert sorted(people["Person"]) == sorted(GIVEN)
    assert people["Labels"].tolist() == [8, 8, 8]
    assert any("8 documents are shared" in info.value for info in page.info)
    page.segmented_control(key="agreement-model").set_value("dawid_skene").run()
    assert not page.exception
    judged.live.change(None, replace(judged.settings, aggregation="dawid_skene"))
    page.run()
    assert "Dawid and Skene's model (now)" in page.table[0].value.index.tolist()


@pytest.mark.parametrize(
    ("right", "bias", "words"),
    [
        (0.84, 0.0, "gives the true grade about 8 times in 10; neither kind nor strict"),
        (0.5, 0.42, "gives the true grade about 5 times in 10; kinder than the truth by 0.4 grades on average"),
        (0.5, -0.31, "gives the true grade about 5 times in 10; stricter than the truth by 0.3 grades on average"),
    ],
)
def test_a_model_speaks_in_words(right, bias, words):
    assert in_words(right, bias) == words


def test_rankers_of_people_who_agree_rank_alike(judged, workspace):
    ids = {each.name: each.id for each in workspace.people.list()}
    same = read_grades(judged).of(ids["Ann"])
    twin = workspace.people.add("Twin", "annotator", "password").id
    few = workspace.people.add("Few", "annotator", "password").id
    for row, grade in same.items():
        judged.live.write(twin, row, Kind.GRADE, grade=grade)
    judged.live.write(few, 0, Kind.GRADE, grade=1)
    found = read_grades(judged)
    result = tau_of(judged.id, found.seen, "lrar", False, judged, found)
    assert few not in result.annotators
    place = {who: number for number, who in enumerate(result.annotators)}
    assert result.tau[place[ids["Ann"]], place[twin]] == pytest.approx(1.0)
    others = [result.tau[place[ids[a]], place[ids[b]]] for a, b in combinations(GIVEN, 2)]
    assert min(others) < 1.0


def test_without_overlap_it_says_what_overlap_is(workspace, labelled_demo):
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(labelled_demo)
    page.run()
    page.switch_page("agreement/page.py").run()
    assert not page.exception, page.exception
    assert "No document has grades of two people" in page.info[0].value
    assert any("*overlap*" in text.value for text in page.markdown)
    assert not page.metric


def test_with_overlap_but_one_person_it_says_who_is_missing(workspace, judged):
    number = workspace.import_campaign("Waiting", judged.collection, replace(judged.settings, overlap=2))
    page = run_page(number)
    assert any("asks **2** people" in text.value for text in page.markdown)
    assert any("RULERANK_SIGN_IN=accounts" in text.value for text in page.caption)


def test_annotators_may_not_see_it(workspace, judged, monkeypatch):
    annotator = next(each for each in workspace.people.list() if each.role == "annotator")
    monkeypatch.setattr(context, "signed_in", lambda: annotator)
    page = run_page(judged.id)
    assert "not for the role annotator" in page.warning[0].value
    assert not page.metric


def test_names_cannot_become_markup(judged, workspace):
    names = names_of({each.id: each.name for each in workspace.people.list()}, read_grades(judged))
    dispute = open_disputes(read_grades(judged))[0]
    shown = given_html(judged, dispute, names)
    assert "<b>" not in shown
    assert "&lt;b&gt;Cy&lt;/b&gt;" in shown


def test_undefined_is_not_yet():
    assert value_text(None) == value_text(float("nan")) == "not yet"
    assert value_text(0.0) == "0.00"
    found = Grades((1,), (5,), (0,), 1, {})
    assert names_of({}, found) == {5: "Person 5"}
    assert found.shared == 0
