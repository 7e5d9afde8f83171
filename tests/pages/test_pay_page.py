"""Hours and pay on Progress: what stands in the log, at the rate of the campaign, safe in spreadsheets."""

from __future__ import annotations

from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from pages.progress.pay import pay_table
from rulerank.campaign import Kind
from rulerank.campaign.pay import Work, work_of
from rulerank.campaign.rate import Rate
from rulerank.export.plain import spreadsheet_csv


def screen(campaign: int) -> None:
    from pages import context
    from pages.progress.pay import show_pay

    workspace = context.workspace()
    names = {each.id: each.name for each in workspace.people.list()}
    show_pay(workspace.open(campaign), workspace.people.ensure_single_user(), names)


@pytest.fixture
def worked(workspace):
    person = workspace.people.ensure_single_user()
    number = workspace.demo(person.id)
    live = workspace.open(number).live
    for row in range(6):
        live.write(person.id, row, Kind.GRADE, grade=1)
    return number


def run(campaign: int, *, opened: bool = True) -> AppTest:
    page = AppTest.from_function(screen, args=(campaign,), default_timeout=120)
    if opened:
        page.session_state[f"pay-{campaign}"] = True
    page.run()
    assert not page.exception, page.exception
    return page


def test_a_rate_is_kept_and_the_cost_follows(workspace, worked):
    page = run(worked)
    page.selectbox(key="pay-by").set_value("label")
    page.number_input(key="pay-amount").set_value(0.25)
    page.text_input(key="pay-currency").set_value("EUR")
    next(button for button in page.button if button.label == "Save rate").click()
    page.run()
    assert not page.exception, page.exception
    assert workspace.open(worked).live.fold.course.rate == {"by": "label", "amount": "0.25", "currency": "EUR"}
    again = run(worked)
    table = again.dataframe[0].value
    (work,) = work_of(workspace.campaigns.events(worked))
    assert table["Labels"].tolist() == [work.labels] == [6]
    assert table["Hours"].tolist() == [round(work.hours, 2)]
    assert [Decimal(str(cost)) for cost in table["Cost (EUR)"]] == [Decimal("1.50")]
    assert any("6 labels, cost 1.50 EUR**" in text.value for text in again.markdown)
    assert again.number_input(key="pay-amount").value == 0.25
    assert any("the rest is a break" in text.value for text in again.caption)


def test_nothing_is_added_up_before_somebody_asks(worked):
    page = run(worked, opened=False)
    assert not page.dataframe
    assert not page.selectbox


def test_a_name_cannot_become_a_formula():
    table = pay_table([Work("2026-05", 1, 3600.0, 10)], Rate("hour", Decimal(20), "=1+1"), {1: "=HYPERLINK(1)"})
    lines = spreadsheet_csv(table).decode("utf-8-sig").splitlines()
    assert lines[1].startswith("2026-05,'=HYPERLINK(1),1.0,10,")
    assert lines[1].endswith(",per hour,20.00")
    assert lines[0].endswith(",Cost (=1+1)")
