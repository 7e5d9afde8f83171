"""Bars, dots, matrices and the table of rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import charts
from pages.charts.theme import DARK, LIGHT, grade_colours
from rulerank.campaign.explain import score_rules_table
from rulerank.errors import InputError
from rulerank.rules.rule import Rule


def texts(figure):
    return [note.text.replace("<br>", " ") for note in figure.layout.annotations]


def words(figure):
    return figure.layout.meta["caption"]


def test_people_are_sorted_by_labels_and_namesakes_stay_apart():
    people = [charts.Speed("Ada", 3), charts.Speed("Bo", 9, 4.0, (3.0, 6.5)), charts.Speed("Ada", 5, 7.25)]
    figure = charts.annotator_speed(people)
    bars, dots = figure.data
    assert list(bars.x) == [9, 5, 3]
    assert list(figure.layout.yaxis.ticktext) == ["Bo", "Ada", "Ada"]
    assert list(dots.x) == [4.0, 7.25]
    assert list(dots.y) == [0, 1]
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(3.0, 6.5)]
    assert texts(figure) == ["not yet"]
    assert figure.layout.xaxis.title.text == "Labels given"
    assert "Seconds" in figure.layout.xaxis2.title.text
    assert texts(charts.annotator_speed([])) == ["Nobody has labelled yet."]


def test_speed_without_any_time_is_drawn():
    figure = charts.annotator_speed([charts.Speed("Ada", 0)])
    assert list(figure.data[0].x) == [0]
    assert texts(figure) == ["not yet"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 20))
def test_weights_lose_nothing(weights, top):
    figure = charts.query_weights_bar(weights, [f"q{i}" for i in range(len(weights))], top)
    if not any(weights):
        assert len(figure.data) == 0
        return
    bars = figure.data[0]
    assert sum(bars.x) == pytest.approx(sum(weights))
    named = [(place, value) for (place, _), value in zip(bars.customdata, bars.x, strict=True) if place >= 0]
    assert len(named) == min(top, sum(weight > 0 for weight in weights))
    assert all(weights[place] == value for place, value in named)
    values = [value for _, value in named]
    assert values == sorted(values, reverse=True)


def test_weights_name_the_document_and_the_rest():
    figure = charts.query_weights_bar([0.5, 0.3, 0.1, 0.1], ["a", "b", "c", "d"], 2, document="d-17")
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "2 others"]
    assert figure.layout.title.text == "Which functions rank d-17"
    assert figure.layout.xaxis.title.text == "p(q|d)"
    assert list(figure.data[0].marker.color) == [LIGHT.accent, LIGHT.accent, LIGHT.baseline]
    with pytest.raises(InputError, match="same length"):
        charts.query_weights_bar([0.5], ["a", "b"])
    with pytest.raises(InputError, match="at least 1"):
        charts.query_weights_bar([0.5], ["a"], 0)


def test_histogram_counts_in_the_grades_colours():
    figure = charts.grade_histogram([6, 3, 1], ["not", "related", "answers it"], theme=DARK)
    bars = figure.data[0]
    assert list(bars.y) == [6, 3, 1]
    assert tuple(bars.marker.color) == grade_colours(3, DARK)
    assert list(bars.text) == ["6<br>60%", "3<br>30%", "1<br>10%"]
    assert list(figure.layout.xaxis.ticktext) == ["0<br>not", "1<br>related", "2<br>answers it"]
    assert words(figure).startswith("10 labels")
    assert words(charts.grade_histogram([0, 1])).startswith("1 label;")
    own = charts.grade_histogram([1, 1], colours=["#111111", "#EEEEEE"])
    assert tuple(own.data[0].marker.color) == ("#111111", "#EEEEEE")
    assert "No label yet" in texts(charts.grade_histogram([0, 0]))[0]
    assert "No label yet" in texts(charts.grade_histogram([]))[0]
    with pytest.raises(InputError, match="same length"):
        charts.grade_histogram([1, 2], ["one"])


def test_agreement_shows_intervals_and_what_is_missing():
    rows = [
        charts.Agreement("All", 0.74, 0.66, 0.81, 140),
        charts.Agreement("Ada and Bo", -0.2),
        charts.Agreement("Ada and Cy", None),
    ]
    figure = charts.agreement_dots(rows)
    dots = figure.data[0]
    np.testing.assert_allclose(dots.x, [0.74, -0.2, np.nan])
    np.testing.assert_allclose(dots.error_x.array, [0.07, 0, 0])
    np.testing.assert_allclose(dots.error_x.arrayminus, [0.08, 0, 0])
    assert texts(figure) == ["0.74", "−0.20", "not yet"]
    assert [shape.x0 for shape in figure.layout.shapes] == [pytest.approx(2 / 3), 0.8]
    assert figure.layout.xaxis.range[0] < -0.2
    assert "140 documents" in dots.customdata[0][1]
    assert "95% intervals" in words(figure)
    assert "two people labelled" in texts(charts.agreement_dots([charts.Agreement("All", None)]))[0]


def test_confusion_has_counts_on_shares_of_the_row():
    figure = charts.confusion_matrix([[8, 2], [0, 0]], ["0 not", "1 yes"], rows="Ada", columns="Bo")
    np.testing.assert_allclose(figure.data[0].z, [[0.8, 0.2], [0, 0]])
    assert texts(figure) == ["8", "2", "0", "0"]
    assert "10 pairs of labels, 80% equal" in words(figure)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("Bo", "Ada")
    assert "20% of the row" in figure.data[0].text[0][1]
    assert "nothing to compare" in texts(charts.confusion_matrix([[0]], ["0"]))[0]
    assert "nothing to compare" in texts(charts.confusion_matrix([], []))[0]
    with pytest.raises(InputError, match=r"2 by 2.*\(1, 2\)"):
        charts.confusion_matrix([[1, 2]], ["a", "b"])


def test_tau_is_a_lower_triangle():
    figure = charts.tau_matrix([[1, 0.8, 0.1], [0.8, 1, np.nan], [-0.3, np.nan, 1]], ["a", "b", "c"], evaluated_on="x")
    z = np.array(figure.data[0].z)
    assert np.isnan(z[np.triu_indices(3)]).all()
    assert (z[1, 0], z[2, 0]) == (0.8, -0.3)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    assert texts(figure) == ["0.80", "−0.30", "not yet"]
    assert "Mean over the queries of x" in words(figure)
    for empty in (charts.tau_matrix([[1]], ["a"]), charts.tau_matrix([[1, np.nan], [np.nan, 1]], ["a", "b"])):
        assert "two people" in texts(empty)[0]


def test_rules_as_a_table_of_plain_text():
    rules = [
        Rule(((0, 1),), 1, 3, 0.5),
        Rule(((0, 1), (2, 0)), 2, 4, 0.8),
        Rule(((2, 0),), 0, 9, 0.5),
    ]
    frame = score_rules_table(rules, lambda feature, number: f"f{feature} is <{number}>", ["bad", "fair", "good"])
    assert list(frame.columns) == ["If the document has", "Grade", "Support", "Confidence"]
    assert list(frame["If the document has"]) == ["f0 is <1> and f2 is <0>", "f2 is <0>", "f0 is <1>"]
    assert list(frame["Grade"]) == ["2 good", "0 bad", "1 fair"]
    assert list(frame["Support"]) == [4, 9, 3]
    assert list(frame["Confidence"]) == [0.8, 0.5, 0.5]
    plain = score_rules_table(rules[:1])
    assert plain.iloc[0, 0] == "feature 1 in bin 1"
    assert plain.iloc[0, 1] == "1"
    empty = score_rules_table([])
    assert isinstance(empty, pd.DataFrame)
    assert list(empty.columns) == list(frame.columns)
    assert len(empty) == 0


def test_weights_of_rules_are_told_where_they_differ_and_the_weightiest_come_first():
    rules = [Rule(((0, 1),), 1, 3, 0.9, 0.1), Rule(((1, 1),), 1, 3, 0.5, 1.0)]
    frame = score_rules_table(rules)
    assert list(frame["Weight"]) == [1.0, 0.1]
    assert list(frame["Confidence"]) == [0.5, 0.9]


def test_show_hands_streamlit_our_theme_a_name_and_words(monkeypatch):
    import streamlit as st

    calls = []
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **given: calls.append(given) or "event")
    figure = charts.grade_histogram([1, 2])
    assert charts.show(figure, "Grades", key="grades") is None
    assert charts.show(figure, "Grades", clicks=True) == "event"
    assert all(call["theme"] is None and call["alt"].startswith("Grades given") for call in calls)
    assert calls[0]["config"]["toImageButtonOptions"]["filename"] == "rulerank-grades"
    assert "on_select" not in calls[0]
    assert (calls[1]["on_select"], calls[1]["selection_mode"]) == ("rerun", "points")
