"""The legend under a figure, and a simulation's lines among a campaign's own."""

from __future__ import annotations

import pytest

from pages import charts
from pages.charts.figure import height_drawn, legend_again, legend_lines
from pages.charts.series import ranker_looks, sampler_looks
from pages.charts.theme import DARK, LIGHT
from pages.progress.overlay import DASHES, simulated_looks
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers, samplers
from rulerank.simulate import Plan

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
    looks = list(simulated_looks([*samplers.names()][:lines], theme).values())
    assert len(set(looks)) == len(looks) == min(lines, len(samplers.names()))
    assert all(dash in DASHES and dash not in ("solid", "dot", "dash") for _, dash in looks)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_simulated_line_never_has_the_colour_of_one_of_the_campaigns_while_there_is_another(theme):
    keys = ["ssar", "ssar:max_antecedent=3", "ssarp", "random"]
    usual = simulated_looks(keys, theme)
    own = {look.colour for look in ranker_looks(["weighted_items", "lrar"], theme).values()}
    assert usual["ssar"][0] in own  # on every page LRAR and SSAR have one colour
    found = simulated_looks(keys, theme, own)
    assert not own & {colour for colour, _ in found.values()}
    assert len(set(found.values())) == len(keys)
    assert found["ssar"][0] == found["ssar:max_antecedent=3"][0]
    assert found["ssarp"] == usual["ssarp"]
    assert found["random"] == simulated_looks(keys, theme, {theme.baseline})["random"] == usual["random"]
    crowded = simulated_looks(samplers.names(), theme, theme.lines)
    assert crowded == simulated_looks(samplers.names(), theme)  # no colour is free: the dashes tell them apart


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_sampler_has_one_colour_on_every_page(theme):
    keys = [*samplers.names(), "ssarp:partitions=8", "of an outside package"]
    alone = {key: sampler_looks([key], theme)[key] for key in keys}
    together = sampler_looks(keys, theme)
    assert {key: look.colour for key, look in together.items()} == {key: look.colour for key, look in alone.items()}
    assert len({(look.colour, look.dash) for look in together.values()}) == len(keys)
    over = simulated_looks(keys, theme)
    assert {key: colour for key, (colour, _) in over.items()} == {key: look.colour for key, look in together.items()}
    own = ranker_looks(rankers.names(), theme)
    assert len({(look.colour, look.dash) for look in own.values()}) == len(own)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_what_campaigns_and_simulations_begin_with_can_lie_in_one_figure(theme):
    begun = [each.key for each in Plan().samplers]
    colours = [look.colour for look in sampler_looks(begun, theme).values()]
    colours += [look.colour for look in ranker_looks([RECOMMENDED], theme).values()]
    assert len(set(colours)) == len(begun) + 1
