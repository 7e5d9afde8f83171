"""Labels to a share of what all labels give, and labels saved: what is told, and what only a bound is known of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pages.simulate.table import headline, saved_table
from pages.simulate.view import ChosenView
from rulerank.simulate.tables import Span, baseline_needs, with_saved

NAN = float("nan")
SPAN = Span(first=10, budget=100)
SUMMARY = pd.DataFrame(
    {
        "sampler": ["ssar", "random"] * 2,
        "ranker": ["lrar"] * 2 + ["ridge"] * 2,
        "mean": [0.5, 0.4] * 2,
        "low_queries": 0.3,
        "high_queries": 0.6,
        "ceiling": 0.5,
        "of_ceiling": [0.99, 0.8] * 2,
        "to_90": [10.0, 40.0] * 2,
        "stays_90": [30.0, 40.0] * 2,
        "to_95": [20.0, 80.0, 33.0, NAN],
        "stays_95": [20.0, 80.0, NAN, NAN],
        "to_99": NAN,
        "stays_99": NAN,
        "area_of_ceiling": 0.9,
        "relevant_found": 0.2,
        "difference": [0.1, NAN] * 2,
        "mark": ["+", ""] * 2,
        "p_flip_holm": [0.0004, NAN] * 2,
        "stop": [33.4, NAN] * 2,
        "runs": [1, 20] * 2,
    }
)


@pytest.mark.parametrize(
    ("labels", "stays", "cell", "words"),
    [
        (15, 15, "15", "15 labels"),
        (15, 50, "15 (50)", "15 labels (stays from 50)"),
        (15, NAN, "15 (-)", "15 labels (falls below again)"),
        (10, 10, "≤ 10", "at most 10 labels"),
        (10, 1250, "≤ 10 (1,250)", "at most 10 labels (stays from 1,250)"),
        (NAN, NAN, "> 100", "not within 100"),
    ],
)
def test_first_touch_and_where_it_stays(labels, stays, cell, words):
    assert SPAN.cell(labels, stays) == cell
    assert SPAN.words(labels, stays) == words


def test_where_every_label_was_measured_the_first_one_is_no_bound():
    assert Span(1, 100).cell(1, 1) == "1"
    assert Span(1, 100).words(1, 1) == "1 label"
    assert Span(1, 100).saved(1, 4) == "75%"


@pytest.mark.parametrize(
    ("labels", "base", "told"),
    [
        (20, 80, "75%"),
        (80, 20, "-300%"),
        (33, NAN, "> 67%"),  # the baseline took more than the budget
        (34.5, NAN, "> 65%"),  # 65.5, and a bound is never rounded up
        (10, 50, "≥ 80%"),  # it may have taken fewer
        (10, NAN, "> 90%"),
        (20, 10, "≤ -100%"),
        (10, 10, ""),  # both at once: nothing is known
        (NAN, 50, ""),
        (NAN, NAN, ""),
    ],
)
def test_savings_and_their_bounds(labels, base, told):
    assert SPAN.saved(labels, base) == told


def table_of(compare: str, sampler: str = "ssar") -> pd.DataFrame:
    look = ChosenView("map", False, "queries", "labels", compare, sampler, "lrar")
    column = SUMMARY["ranker"] == "lrar" if compare == "samplers" else SUMMARY["sampler"] == sampler
    return saved_table(SUMMARY[column], look, SPAN, "random", baseline_needs(SUMMARY, "random"))


def test_marks_savings_and_budgets_that_did_not_suffice():
    table = table_of("samplers").set_index("Sampler")
    wanted = ["90%", "95%", "99%", "Saved", "Difference", "p (Holm)", "Stop", "Seeds"]
    assert table.loc["SSAR", wanted].tolist() == ["≤ 10 (30)", "20", "> 100", "75%", "+0.100 ▲", "< 0.001", "33", 1]
    assert table.loc["Random", ["Saved", "Difference", "p (Holm)", "Stop"]].tolist() == ["", "", "", ""]


def test_rankers_are_compared_with_a_baseline_that_is_not_shown():
    assert table_of("rankers")["Saved"].tolist() == ["75%", "> 67%"]
    assert table_of("rankers", "random")["Saved"].tolist() == ["", ""]


def test_the_headline_says_where_a_curve_falls_below_again():
    look = ChosenView("map", False, "queries", "labels", "rankers", "ssar", "lrar")
    said = headline(SUMMARY[SUMMARY["sampler"] == "ssar"], look, SPAN)
    assert "**LRAR** 20 labels, **Ridge regression** 33 labels (falls below again)." in said


def test_the_file_names_the_baseline_and_holds_what_was_saved():
    table = with_saved(SUMMARY, "random").set_index(["sampler", "ranker"])
    assert set(table["baseline"]) == {"random"}
    assert table["saved"].loc[("ssar", "lrar")] == pytest.approx(0.75)
    assert table["saved"].loc[("random", "lrar")] == 0
    assert np.isnan(table["saved"].loc[("ssar", "ridge")])


def test_before_the_ceilings_are_there_nothing_is_saved():
    begun = SUMMARY.drop(columns=[name for name in SUMMARY if name.startswith(("to_", "stays_"))])
    assert baseline_needs(begun, "random") == {}
    assert with_saved(begun, "random")["saved"].isna().all()
