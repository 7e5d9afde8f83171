"""Home: how far a campaign is, measured against where it really ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.campaign import Kind, Pause, Settings
from rulerank.campaign.labels import standing
from rulerank.campaign.to_go import ToGo
from tests.pages.conftest import give_labels


def run_page() -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600).run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def small(workspace):
    """`small(**settings)`: a campaign on 40 documents of the demo, of which it knows the grades."""
    demo = workspace.open(workspace.demo())

    def make(**settings):
        wanted = replace(Settings(grades=demo.settings.grades, grades_known=True), **settings)
        rows = demo.pool_rows[:40].tolist()
        return workspace.open(workspace.import_campaign(f"Small {settings}", demo.collection, wanted, pool_rows=rows))

    return make


def label_to_the_stop(workspace, opened) -> int:
    person = workspace.people.ensure_single_user().id
    given = 0
    while not isinstance(opened.live.next(person), Pause):
        give_labels(workspace, opened.id, person, 1)
        given += 1
    return given


def test_the_bar_is_full_at_the_natural_stop_and_not_before(workspace, small):
    opened = small()
    assert standing(opened).share is None
    person = workspace.people.ensure_single_user().id
    give_labels(workspace, opened.id, person, 3)
    found = standing(opened)
    assert found.labelled == 3
    assert found.share is None  # where it ends is not known beforehand
    assert "not known yet" in found.words
    given = 3 + label_to_the_stop(workspace, opened)
    assert given < 40
    found = standing(opened)
    assert found.share == 1.0
    assert "natural stop: the document it would ask for next is graded already" in found.words


def test_the_list_speaks_as_the_labelling_page_does(workspace, monkeypatch):
    number = workspace.demo()
    give_labels(workspace, number, workspace.people.ensure_single_user().id, 3)
    monkeypatch.setattr("rulerank.campaign.labels.labels_to_go", lambda _: ToGo(118, 301))
    page = run_page()
    words = next(caption.value for caption in page.caption if "today" in caption.value)
    assert words == "**3 labels today, 3 in all** by you · About 110 to 310 labels to go until its natural stop."
    assert not any("rules" in caption.value for caption in page.caption)


def test_a_sampler_without_a_stop_is_measured_against_its_pool(workspace, small):
    opened = small(sampler="random")
    give_labels(workspace, opened.id, workspace.people.ensure_single_user().id, 10)
    found = standing(opened)
    assert found.share == 10 / 40
    assert "no natural stop" in found.words


def test_all_labelled_is_done(workspace, small):
    opened = small(sampler="random")
    for row in range(40):
        opened.live.write(workspace.people.ensure_single_user().id, row, Kind.GRADE, grade=0)
    assert standing(opened).share == 1.0
    assert standing(opened).words.startswith("Done")


def test_the_list_says_it_and_counts_labels_that_came_with_the_file(workspace):
    demo = workspace.open(workspace.demo())
    rows = demo.pool_rows[:40].tolist()
    labels = {row: int(demo.collection.grades[row]) for row in rows[:7]}
    settings = Settings(grades=demo.settings.grades)
    workspace.import_campaign("With labels", demo.collection, settings, pool_rows=rows, labels=labels)
    words = [caption.value for caption in run_page().caption]
    assert any(line.startswith("7 of 40 query-document pairs labelled") for line in words)
    assert any("0 labels today, 0 in all" in line and "natural stop" in line for line in words)


def test_imported_labels_count(workspace, small):
    opened = small()
    labels = {int(row): 1 for row in opened.pool_rows[:7]}
    rows = opened.pool_rows.tolist()
    workspace.import_campaign("With labels", opened.collection, opened.settings, pool_rows=rows, labels=labels)
    assert workspace.campaigns.all()[0].labelled == 7
    words = "7 of 40 query-document pairs labelled, 7 of them brought with the data."
    assert words in [each.value for each in run_page().caption]
