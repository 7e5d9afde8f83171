"""Settings and Home, driven without a browser: what is changed and refused, the history, the end of a campaign."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.campaign import Kind


@pytest.fixture
def opened(workspace):
    person = workspace.people.ensure_single_user()
    return workspace.open(workspace.demo(person.id))


@pytest.fixture
def page(opened) -> AppTest:
    return run_page(opened.id)


def run_page(number: int) -> AppTest:
    made = AppTest.from_file("../../pages/settings/page.py", default_timeout=600)
    made.query_params["campaign"] = str(number)
    made.run()
    assert not made.exception, made.exception
    return made


def field(elements, end: str):
    """The one field whose key ends like this; keys begin with a word of their own for each drawing."""
    (found,) = [each for each in elements if (each.key or "").endswith(end)]
    return found


def words(page: AppTest) -> str:
    return " ".join(
        str(each.value) for kind in (page.markdown, page.caption, page.error, page.success) for each in kind
    )


def test_a_change_is_listed_before_it_is_saved_and_stands_in_the_history(page, opened, workspace):
    assert "Nothing is changed yet" in words(page)
    field(page.text_area, "-guidelines").set_value("Be *kind*.").run()
    field(page.number_input, "-overlap").set_value(2).run()
    assert "sees the difference once" in words(page)
    assert workspace.campaigns.events(opened.id) == []
    page.button(key="settings-save").click().run()
    assert not page.exception
    assert "Saved. It holds from the next document on." in words(page)
    assert (opened.settings.guidelines, opened.settings.overlap) == ("Be *kind*.", 2)
    (event,) = workspace.campaigns.events(opened.id)
    page.button(key=f"take-back-{event.id}").click().run()
    assert "Taken back" in words(page)
    assert opened.settings == opened.live.made_with
    assert field(page.number_input, "-overlap").value == 1


def test_another_sampler_with_parameters_comes_back_to_the_fields(page, opened):
    field(page.selectbox, "-sampler").set_value("ssarp").run()
    field(page.number_input, "-sampler-ssarp-partitions").set_value(3).run()
    page.button(key="settings-save").click().run()
    assert opened.settings.sampler.key == "ssarp:partitions=3"
    again = run_page(opened.id)
    assert field(again.number_input, "-sampler-ssarp-partitions").value == 3
    assert "Nothing is changed yet" in words(again)


def test_what_cannot_change_is_shown_with_its_reason(page, opened):
    assert field(page.text_input, "-discretizer").disabled
    assert "The intervals were fitted to the pool" in words(page)
    field(page.number_input, "-levels").set_value(2).run()
    page.button(key="settings-save").click().run()
    assert "the file has grade 2" in words(page)
    offer = opened.live.next(1)
    opened.live.write(1, offer.claim.row, Kind.GRADE, grade=0)
    again = run_page(opened.id)
    assert "Labels exist" in words(again)
    assert not [each for each in again.number_input if (each.key or "").endswith("-levels")]


def test_who_types_while_somebody_else_changes_the_same_is_told(page, opened):
    field(page.number_input, "-overlap").set_value(3).run()
    opened.change(None, replace(opened.settings, overlap=2))
    page.run()
    assert field(page.number_input, "-overlap").value == 3  # what is typed stays
    page.button(key="settings-save").click().run()
    assert "Somebody changed the overlap meanwhile" in words(page)
    page.button(key="settings-discard").click().run()
    assert field(page.number_input, "-overlap").value == 2


def test_who_types_nothing_sees_what_somebody_else_changed(page, opened):
    opened.change(None, replace(opened.settings, seed=9))
    page.run()
    assert field(page.number_input, "-seed").value == 9
    assert "Nothing is changed yet" in words(page)


def test_a_campaign_is_paused_and_goes_on(page, opened, workspace):
    page.button(key="settings-pause").click().run()
    assert workspace.campaigns.lines()[0].paused
    page.button(key="settings-resume").click().run()
    assert not workspace.campaigns.lines()[0].paused


def test_a_campaign_is_deleted_only_under_its_name(page, opened, workspace):
    assert page.button(key="settings-delete").disabled
    page.text_input(key=f"delete-name-{opened.id}").set_value(opened.name).run()
    assert not page.button(key="settings-delete").disabled
    assert [each.key for each in page.button if each.key == "backup-make"]
    workspace.campaigns.delete(opened.id, opened.name, person=1)
    assert [each.name for each in workspace.campaigns.deletions()] == [opened.name]


def test_home_finds_sorts_and_keeps_archived_ones_apart(opened, workspace):
    for number in range(24):
        made = workspace.campaigns.duplicate(opened.id, f"Copy {number:02d}", labels=False)
    workspace.campaigns.archive(made)
    workspace.campaigns.pause(made - 1)
    home = AppTest.from_file("../../pages/main.py", default_timeout=600).run()
    assert not home.exception
    assert len([each for each in home.button if (each.key or "").startswith("label-")]) == 20
    assert home.number_input(key="home-page-2").label == "Page, of 2 (24 campaigns)"
    assert not workspace.campaigns.is_open(made - 2)  # a visit opens none of them
    home.text_input(key="home-search").set_value("copy 2").run()
    assert shown(home) == ["Copy 22 :orange-badge[Paused]", "Copy 21", "Copy 20", "Copy 12", "Copy 02"]
    home.selectbox(key="home-order").set_value("By name").run()
    assert shown(home)[0] == "Copy 02"
    home.selectbox(key="home-kind").set_value("Paused").run()
    assert shown(home) == ["Copy 22 :orange-badge[Paused]"]
    home.selectbox(key="home-kind").set_value("Archived").run()
    assert shown(home) == ["Copy 23"]
    home.button(key=f"restore-{made}").click().run()
    assert made in workspace.campaigns.names()


def shown(home: AppTest) -> list[str]:
    return [each.value.replace("**", "") for each in home.markdown if each.value.startswith("**Copy")]
