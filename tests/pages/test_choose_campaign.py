"""The campaign in the sidebar: what is chosen stays chosen, and an address that names another one is followed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.campaign import Settings
from rulerank.synthetic import planted_collection


@pytest.fixture
def campaigns(workspace):
    return [
        workspace.import_campaign(name, planted_collection(3, 4, 3), Settings()) for name in ("one", "two", "three")
    ]


def only_the_choice() -> None:
    from pages import context

    context.choose_campaign()


def opened(**params: str) -> AppTest:
    page = AppTest.from_function(only_the_choice, default_timeout=600)
    page.query_params.update(params)
    return page.run()


def box_of(page: AppTest):
    (box,) = [box for box in page.sidebar.selectbox if box.label == "Campaign"]
    return box


def shown(page: AppTest) -> int:
    assert not page.exception
    told = page.query_params["campaign"]
    assert (told if isinstance(told, str) else told[-1]) == str(box_of(page).value)
    assert page.session_state["campaign"] == box_of(page).value
    return box_of(page).value


def choose(page: AppTest, number: int) -> int:
    return shown(box_of(page).set_value(number).run())


def test_every_choice_counts(campaigns):
    first, second, third = campaigns
    page = opened()
    assert shown(page) == third  # the newest
    for number in (first, second, first, third, second, second, first):
        assert choose(page, number) == number
        assert shown(page.run()) == number


def test_an_address_leads_to_its_campaign_and_leaves_the_choice_free(campaigns):
    first, second, third = campaigns
    page = opened(campaign=str(second))
    assert shown(page) == second
    assert choose(page, third) == third
    page.query_params["campaign"] = str(first)  # a link, or the browser's way back
    assert shown(page.run()) == first
    assert choose(page, second) == second


@pytest.mark.parametrize("asked", ["", "99", "²", "-1", "x", "9" * 40])
def test_an_address_of_nowhere_shows_no_campaign_at_all(campaigns, asked):
    page = opened(campaign=asked)
    assert box_of(page).value is None
    assert "not here" in page.warning[0].value
    assert "campaign" not in page.session_state
    assert choose(page, campaigns[0]) == campaigns[0]


def test_an_archived_campaign_is_not_replaced_by_another(workspace, campaigns):
    workspace.campaigns.archive(campaigns[1])
    assert "archived" in opened(campaign=str(campaigns[1])).warning[0].value


def test_the_campaign_that_was_chosen_last_stays_where_the_address_names_none(campaigns):
    page = opened(campaign=str(campaigns[1]))
    del page.query_params["campaign"]
    assert shown(page.run()) == campaigns[1]
