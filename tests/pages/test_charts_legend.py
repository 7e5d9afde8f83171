"""The legend under a figure, and a simulation's lines among a campaign's own."""

from __future__ import annotations

import pytest

from pages import charts
from pages.charts.legend import height_drawn, legend_again, legend_lines
from pages.charts.theme import DARK, LIGHT
from pages.progress.overlay import DASHES, look_of

WORDS = {"metric_label": "MAP", "convention": "LETOR convention", "evaluated_on": "21 queries"}


def curves(names: list[str]):
    return charts.learning_curve([charts.Curve(name, [1, 2], [0.3, 0.4]) for name in names], **WORDS)


def test_the_legend_stands_at_the_lower_edge_where_no_axis_is():
    legend = curves(["a"]).layout.legend
    assert (legend.yref, legend.y, legend.yanchor) == ("container", 0, "bottom")


def test_long_names_take_lines_of_their_own_and_the_figure_grows():
    short, long = curves(list("abcdef")), curves([f"{letter} " * 19 for letter in "abcdef"])
    assert legend_lines(short) == 1
    assert legend_lines(long) == 6
    assert height_drawn(short) == height_drawn(long)
    assert long.layout.height > short.layout.height


def test_what_is_drawn_later_gets_its_lines_too():
    figure = curves(["a"])
    before, lines = height_drawn(figure), legend_lines(figure)
    for letter in "bcdef":
        figure.add_scatter(x=[1], y=[0.3], name=f"{letter} " * 19)
    figure.add_scatter(x=[1], y=[0.3], name="a band " * 9, showlegend=False)
    legend_again(figure, lines)
    assert legend_lines(figure) == 6
    assert height_drawn(figure) == before
    assert figure.layout.height == curves(["a"]).layout.height + 100


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("lines", [1, 3, 7, 9])
def test_simulated_lines_differ_from_each_other_and_from_the_campaigns_own(theme, lines):
    looks = [look_of(place, lines, theme) for place in range(3 * max(1, len(theme.lines) - lines))]
    assert len(set(looks)) == len(looks)
    assert all(dash in DASHES and dash != "solid" for _, dash in looks)
    if lines < len(theme.lines):
        assert not {colour for colour, _ in looks} & set(theme.lines[:lines])
