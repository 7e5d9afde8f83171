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
    page = AppTest.from_function(only_the_choice, default_timeout=30)
    page.query_params.update(params)
    return page.run()


def shown(page: AppTest) -> int:
    assert not page.exception
    (box,) = [box for box in page.sidebar.selectbox if box.label == "Campaign"]
    told = page.query_params["campaign"]
    assert (told if isinstance(told, str) else told[-1]) == str(box.value)
    assert page.session_state["campaign"] == box.value
    return box.value


def choose(page: AppTest, number: int) -> int:
    (box,) = [box for box in page.sidebar.selectbox if box.label == "Campaign"]
    return shown(box.set_value(number).run())


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


@pytest.mark.parametrize("asked", ["", "99", "²", "-1", "x"])
def test_an_address_of_nowhere_shows_the_newest(campaigns, asked):
    assert shown(opened(campaign=asked)) == campaigns[-1]
