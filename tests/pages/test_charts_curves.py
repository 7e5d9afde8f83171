"""Curves: what is drawn, what is left out, and what the words say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import charts
from pages.charts.figure import BREAK, alt_text, file_name, height_drawn, plotly_config, safe, value_axis, wrapped
from pages.charts.theme import DARK, LIGHT
from rulerank.errors import InputError

WORDS = {"metric_label": "MAP", "convention": "LETOR convention", "evaluated_on": "the hidden part, 21 queries"}


def texts(figure):
    return [note.text for note in figure.layout.annotations]


def ceilings(figure):
    return [(line.y0, line.line.dash) for line in figure.layout.shapes if line.name != BREAK]


def drawn(trace):
    return np.asarray(trace.x, float), np.asarray(trace.y, float)


def test_learning_curve_shows_campaign_band_and_ceiling():
    band = charts.ShadedBand([0, 50, 100], [0.3, 0.35, 0.38], [0.25, 0.31, 0.36], [0.34, 0.39, 0.40], runs=20)
    figure = charts.learning_curve(
        [charts.Curve("This campaign", [10, 20, 30], [0.31, 0.36, 0.41])], band=band, ceiling=0.456, **WORDS
    )
    low, high, mean, campaign, ceiling = figure.data
    assert (low.line.width, high.line.width, high.fill) == (0, 0, "tonexty")
    assert list(low.y) == [0.25, 0.31, 0.36]
    assert list(high.y) == [0.34, 0.39, 0.40]
    assert (mean.name, list(mean.y)) == ("Random order", [0.3, 0.35, 0.38])
    assert (campaign.name, list(campaign.x), list(campaign.y)) == ("This campaign", [10, 20, 30], [0.31, 0.36, 0.41])
    assert campaign.line.color == LIGHT.accent
    assert ceilings(figure) == [(0.456, "dash")]
    assert (ceiling.name, ceiling.line.dash) == ("All labels: 0.456", "dash")  # a word in the legend, not on the line
    assert {"0.456", "<b>0.410</b>"} == set(texts(figure))
    # At the right edge, outside of what is drawn: they cover no curve.
    assert all((note.xref, note.x, note.xanchor) == ("paper", 1, "left") for note in figure.layout.annotations)
    assert figure.layout.margin.r >= 8 + 7 * len("0.456")
    assert figure.layout.xaxis.title.text == "Labels given"
    assert figure.layout.yaxis.title.text == "MAP"
    caption = figure.layout.meta["caption"]
    assert caption.startswith("Evaluated on the hidden part, 21 queries.")
    assert "mean of 20 runs and 95% interval" in caption
    bottom, top = figure.layout.yaxis.range
    assert 0 <= bottom < 0.25
    assert 0.456 < top <= 1
    assert figure.layout.showlegend


@pytest.mark.parametrize(("values", "broken"), [([0.31, 0.41], True), ([0.05, 0.41], False), ([0.0, 0.2], False)])
def test_the_axis_begins_at_zero_or_is_marked_as_broken(values, broken):
    figure = charts.learning_curve([charts.Curve("a", [1, 2], values)], **WORDS)
    assert (figure.layout.yaxis.range[0] > 0) == broken
    assert any(shape.name == BREAK for shape in figure.layout.shapes) == broken
    value_axis(figure, "MAP", [0.0, 1.0], LIGHT)  # drawn again with more room: no mark is left behind
    assert not figure.layout.shapes
    assert figure.layout.yaxis.range == (0, 1)


def test_the_legend_names_lines_in_the_order_of_their_last_values():
    ends = {"low": 0.2, "high": 0.6, "middle": 0.4}
    figure = charts.learning_curve([charts.Curve(name, [1, 2], [0.1, end]) for name, end in ends.items()], **WORDS)
    ranks = {trace.name: trace.legendrank for trace in figure.data}
    assert sorted(ranks, key=ranks.get) == ["high", "middle", "low"]
    shown = [note.text for note in sorted(figure.layout.annotations, key=lambda note: -note.y)]
    assert shown == ["<b>0.600</b>", "<b>0.400</b>", "<b>0.200</b>"]


def test_minutes_are_named_with_their_unit():
    figure = charts.learning_curve([charts.Curve("a", [0.5, 2], [0.1, 0.2])], x="minutes", **WORDS)
    assert figure.layout.xaxis.title.text == "Labelling time (minutes)"
    assert " min: MAP" in figure.data[0].hovertemplate
    with pytest.raises(InputError, match="labels, minutes"):
        charts.learning_curve([], x="hours", **WORDS)


def test_few_labels_are_counted_in_whole_steps():
    few = charts.Curve("a", [1, 4], [0.1, 0.2])
    assert charts.learning_curve([few], **WORDS).layout.xaxis.dtick == 1
    assert charts.learning_curve([few], x="minutes", **WORDS).layout.xaxis.dtick is None
    band = charts.ShadedBand([1, 50], [0.1, 0.2], [0.1, 0.2], [0.1, 0.2])
    assert charts.learning_curve([few], band=band, **WORDS).layout.xaxis.dtick is None


def test_what_is_not_defined_is_not_drawn():
    ys = [None, np.nan, 0.3, None, 0.35, None, 0.4, 0.41] + [0.41] * 40
    figure = charts.learning_curve([charts.Curve("a", range(48), ys)], **WORDS)
    trace = figure.data[0]
    xs, drawn_ys = drawn(trace)
    assert np.isnan(drawn_ys[[0, 1, 3, 5]]).all()
    assert not trace.connectgaps
    # 0.3 and 0.35 stand alone between gaps, so no line would show them; the last point is marked as the end.
    assert [int(x) for x, size in zip(xs, trace.marker.size, strict=True) if size] == [2, 4, 47]
    assert 0 not in drawn_ys


def test_points_are_drawn_in_the_order_of_x():
    figure = charts.learning_curve([charts.Curve("a", [3, 1, 2], [0.3, 0.1, 0.2])], **WORDS)
    assert list(figure.data[0].x) == [1, 2, 3]
    assert list(figure.data[0].y) == [0.1, 0.2, 0.3]


def test_one_point_is_a_mark():
    figure = charts.learning_curve([charts.Curve("a", [5], [0.33])], **WORDS)
    assert "markers" in figure.data[0].mode
    assert figure.data[0].marker.size[0] > 0
    bottom, top = figure.layout.yaxis.range
    assert bottom < 0.33 < top


@pytest.mark.parametrize("series", [[], [charts.Curve("a", [], [])], [charts.Curve("a", [1, 2], [None, np.nan])]])
def test_nothing_yet_is_said_in_words(series):
    figure = charts.learning_curve(series, ceiling=0.5, **WORDS)
    assert len(figure.data) == 0
    assert "not defined yet" in texts(figure)[0].replace("<br>", " ")
    assert not figure.layout.xaxis.visible


def test_several_rankers_keep_colour_shape_and_ceiling_apart():
    rankers = [charts.Curve(name, [1, 2], [0.3, 0.4 + 0.0001 * i]) for i, name in enumerate(["LRAR", "RE-SR", "RE-QR"])]
    rankers.insert(1, charts.Curve("silent", [1], [None]))
    figure = charts.learning_curve(rankers, ceiling={"LRAR": 0.45, "RE-QR": 0.47, "RE-SR": float("nan")}, **WORDS)
    drawn = [trace for trace in figure.data if trace.x[0] is not None]
    assert [trace.name for trace in drawn] == ["LRAR", "RE-SR", "RE-QR"]
    assert [trace.line.color for trace in drawn] == [LIGHT.lines[0], LIGHT.lines[2], LIGHT.lines[3]]
    assert len({trace.marker.symbol for trace in drawn}) == 3
    lines = [(s.y0, s.line.color) for s in figure.layout.shapes if s.name != BREAK]
    assert lines == [(0.45, LIGHT.lines[0]), (0.47, LIGHT.lines[3])]
    ends = list(figure.layout.annotations)
    assert len(ends) == 5  # three lines and two ceilings
    low, high = figure.layout.yaxis.range
    scale = height_drawn(figure) / (high - low)
    places = sorted(note.y * scale + (note.yshift or 0) for note in ends)
    assert np.diff(places).min() >= 14  # the values do not lie on each other


def test_many_ceilings_are_named_in_the_legend():
    names = ["LRAR", "RE-SR", "RE-QR", "AR(R)"]
    curves = [charts.Curve(name, [1, 2], [0.3, 0.4]) for name in names]
    two, four = (charts.learning_curve(curves, ceiling=dict.fromkeys(names[:n], 0.45), **WORDS) for n in (2, 4))
    assert not any(text.startswith("All labels") for text in texts(two) + texts(four))
    assert [trace.name for trace in two.data[4:]] == [f"All labels, {name}: 0.450" for name in names[:2]]
    assert [trace.name for trace in four.data[4:]] == [f"All labels, {name}: 0.450" for name in names]
    assert [trace.line.color for trace in four.data[4:]] == [trace.line.color for trace in four.data[:4]]
    assert height_drawn(two) == height_drawn(four)  # a longer legend does not press the chart together


def test_arguments_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="same length: x has 2, y has 1"):
        charts.learning_curve([charts.Curve("a", [1, 2], [0.1])], **WORDS)
    with pytest.raises(InputError, match="y of the curve 'a' must be a sequence of numbers"):
        charts.learning_curve([charts.Curve("a", [1], ["x"])], **WORDS)
    with pytest.raises(InputError, match="x of the curve 'a' must be a sequence of numbers"):
        charts.learning_curve([charts.Curve("a", 3, [1])], **WORDS)
    with pytest.raises(InputError, match="shape"):
        charts.learning_curve([charts.Curve("a", [[1]], [[1]])], **WORDS)


@pytest.mark.parametrize(("floor", "expected"), [([9, 8, 7], [9, 8, 7]), (5, [5, 5, 5])])
def test_rules_curve_has_its_stop_line(floor, expected):
    figure = charts.rules_curve([1, 2, 3], [0, 4, 6], floor, stopped=True)
    chosen, stop = figure.data
    assert list(chosen.y) == [0, 4, 6]
    assert list(stop.y) == expected
    assert stop.line.dash == "dash"
    assert figure.layout.shapes[0].x0 == 3
    assert texts(figure) == ["Natural stop, round 3"]
    assert figure.layout.yaxis.title.text == "Rules (count)"
    assert figure.layout.xaxis.dtick == 1  # few rounds: no "0, 0, 1, 1" on the axis


def test_rules_curve_before_and_at_the_first_round():
    assert "first label" in texts(charts.rules_curve([], [], None))[0].replace("<br>", " ")
    figure = charts.rules_curve([1], [0], None)
    assert [trace.mode for trace in figure.data] == ["markers"]
    assert not figure.layout.shapes


def test_found_curve_as_a_share_with_the_random_diagonal():
    figure = charts.found_curve([0, 10, 20], [0, 6, 9], 12, 40)
    diagonal, campaign = figure.data
    assert (list(diagonal.x), list(diagonal.y)) == ([0, 20], [0, 0.5])
    assert list(campaign.y) == [0, 0.5, 0.75]
    assert figure.layout.yaxis.tickformat == ".0%"
    assert 0.75 < figure.layout.yaxis.range[1] < 1
    assert charts.found_curve([0, 40], [0, 12], 12, 40).layout.yaxis.range[1] > 1
    assert "12 relevant documents" in figure.layout.meta["caption"]


def test_found_curve_as_a_count_where_nobody_knows_the_total():
    figure = charts.found_curve([1, 2, 3], [0, 1, 2])
    assert [list(trace.y) for trace in figure.data] == [[0, 1, 2]]
    assert figure.layout.yaxis.title.text == "Relevant documents found (count)"
    assert "not known" in figure.layout.meta["caption"]
    assert len(charts.found_curve([], [])["data"]) == 0
    assert "No document of this pool is relevant" in texts(charts.found_curve([1], [0], 0, 10))[0].replace("<br>", " ")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_figures_take_the_theme_and_the_width_of_the_page(theme):
    figure = charts.rules_curve([1, 2], [1, 2], 3, theme=theme)
    assert figure.layout.template.layout.font.color == theme.text
    assert figure.layout.template.layout.font.family.startswith("Arial,")  # widths that a file keeps
    assert figure.layout.template.layout.paper_bgcolor == theme.background  # a downloaded file has no page below
    assert figure.layout.width is None
    assert figure.layout.autosize
    assert figure.data[0].line.color == theme.accent


def test_download_has_a_sensible_name():
    config = plotly_config("MAP & NDCG@10: demo/campaign")
    assert config["toImageButtonOptions"]["filename"] == "rulerank-map-ndcg-10-demo-campaign"
    assert config["toImageButtonOptions"]["format"] == "svg"
    assert plotly_config("x", image="png")["toImageButtonOptions"]["scale"] > 1
    assert not config["displaylogo"]
    assert file_name("  ¿?  ") == "figure"
    long = file_name(f"{'A long name of a collection ' * 9} simulation 17 SSARP fold 3")
    assert len(long) <= 80
    assert long.startswith("a-long-name-of-a-collection")
    assert long.endswith("simulation-17-ssarp-fold-3")
    with pytest.raises(InputError, match="svg or png"):
        plotly_config("x", image="gif")


def test_alternative_text_says_title_and_caption():
    figure = charts.found_curve([1, 2], [0, 1], 5, 10)
    assert alt_text(figure).startswith("Relevant documents found. Share of the pool's 5 relevant documents")
    assert "<br>" not in alt_text(figure)
    assert "not defined yet" in alt_text(charts.learning_curve([], **WORDS))


def test_foreign_names_are_shown_literally():
    name = "<a href='javascript:x'>A</a> %{y} $x$\x00\u202e"
    shown = safe(name)
    assert "<" not in shown
    assert "{" not in shown
    assert "$" not in shown
    assert "\x00" not in shown
    assert "\u202e" not in shown
    figure = charts.learning_curve([charts.Curve(name, [1, 2], [0.1, 0.2])], **WORDS)
    assert "<a" not in figure.data[0].name + figure.data[0].hovertemplate


@given(st.text(max_size=60), st.integers(4, 30))
def test_shortened_names_keep_their_ends(text, limit):
    import html

    whole, short = html.unescape(safe(text)), html.unescape(safe(text, limit))
    assert len(short) <= limit
    if len(whole) <= limit:
        assert short == whole
    else:
        head, tail = short.split("…", 1) if whole.count("…") == 0 else (short[:1], short[-1:])
        assert whole.startswith(head)
        assert whole.endswith(tail)


def test_wrapped_lines_are_about_equally_long():
    text = (
        "Each round takes the document with the fewest rules; the natural stop is where that one is labelled already."
    )
    lines = wrapped(text, 52).split("<br>")
    assert " ".join(lines) == text
    assert len(lines) == 3  # as few as there must be
    assert min(map(len, lines)) > 25
    assert wrapped("", 40) == ""
    assert wrapped("as printed by Eval-Score-4.0", 20) == "as printed by<br>Eval-Score-4.0"


def test_wrapped_lines_are_short():
    assert max(map(len, wrapped("word " * 60, 40).split("<br>"))) <= 40
