"""The competence heatmaps: panels by grade, silent cells, bins, and what a click means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.charts.theme import DARK, LIGHT
from pages.competence.clicks import Click, frames, read_click
from pages.competence.heatmap import competence_heatmaps, make_panels
from pages.competence.layers import panel_title
from rulerank.errors import InputError

DELTA = np.array([[0.0, 1.0, np.nan, 2.0], [0.5, 0.25, 1.5, np.nan]])
GRADES = [0, 2, 0, 2]


def traces(figure, kind):
    return [trace for trace in figure.data if trace.type == kind]


def heats(figure):
    return [trace for trace in traces(figure, "heatmap") if trace.coloraxis]


def words(figure):
    return figure.layout.meta["caption"]


def test_one_panel_a_grade_on_one_scale():
    figure = competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, grade_names=["bad", "fair", "good"])
    left, right = heats(figure)
    np.testing.assert_array_equal(left.z, DELTA[:, [0, 2]].astype(np.float32))
    np.testing.assert_array_equal(right.z, DELTA[:, [1, 3]].astype(np.float32))
    assert [trace.meta for trace in (left, right, figure.data[-1])] == [0, 1, 2]  # a click tells its panel by this
    assert {left.coloraxis, right.coloraxis} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 2)
    assert figure.layout.coloraxis.colorscale[0][1] == LIGHT.competence[0]  # light is competent
    titles = [note.text for note in figure.layout.annotations]
    assert "<b>Grade 0</b><br>bad" in titles
    assert "<b>Grade 2</b><br>good" in titles
    assert not any("fair" in title for title in titles)
    assert {"q1", "q2"} <= set(titles)
    assert list(figure.layout.xaxis.ticktext) == ["a", "c"]
    assert list(figure.layout.xaxis2.ticktext) == ["b", "d"]
    assert list(figure.layout.yaxis.range) == [1.5, -0.5]  # the first function on top
    assert left.z.dtype == np.float32


def test_silent_cells_lie_on_grey_and_say_so():
    figure = competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, theme=DARK)
    grounds = [trace for trace in traces(figure, "heatmap") if "no rule" in trace.hovertemplate]
    assert [trace.meta for trace in grounds] == [0, 1]
    assert {colour for trace in grounds for _, colour in trace.colorscale} == {DARK.silent}
    assert all(
        figure.data.index(ground) < figure.data.index(heat) for ground, heat in zip(grounds, heats(figure), strict=True)
    )
    assert not any(trace.hoverongaps for trace in heats(figure))
    assert "grey: the function has no rule" in words(figure)
    whole = competence_heatmaps(DELTA[:, :2], ["q1", "q2"], list("ab"), [0, 0])
    assert len(traces(whole, "heatmap")) == 1
    (means,) = traces(figure, "scatter")
    np.testing.assert_allclose(means.x, [1.0, 0.75])
    assert list(means.customdata) == [3, 3]


@pytest.mark.parametrize("grades", [2, 3, 4, 5, 8, 10])
def test_titles_of_panels_fit_beside_each_other_in_the_narrowest_figure(grades):
    """A letter of the title is about 7 pixels wide; names of rows and the scale leave about 370 to the panels."""
    names = [f"a rather long-winded name of the grade number {grade}" for grade in range(grades)]
    figure = competence_heatmaps(np.ones((2, grades)), "ab", range(grades), range(grades), grade_names=names)
    titles = [note for note in figure.layout.annotations if "<b>" in note.text]
    assert len(titles) == grades
    for number, (note, name) in enumerate(zip(titles, names, strict=True)):
        lines = note.text.replace("<b>", "").replace("</b>", "").split("<br>")
        assert 7 * max(map(len, lines)) <= 370 / grades
        assert lines[0] in (f"Grade {number}", str(number))
        assert len(lines) == (3 if grades <= 8 else 1)
        assert name in note.hovertext


def test_a_name_that_fits_is_told_whole():
    assert panel_title(("Grade 1", "not relevant"), 1 / 3) == "<b>Grade 1</b><br>not relevant"
    assert panel_title(("Grade 1", "somewhat relevant"), 1 / 5) == "<b>Grade 1</b><br>somewhat<br>relevant"
    assert panel_title(("Grade 1", ""), 1 / 3) == "<b>Grade 1</b>"


@given(st.lists(st.integers(1, 300), min_size=1, max_size=6))
def test_a_cell_is_as_wide_in_one_panel_as_in_the_other(columns):
    levels = np.repeat(np.arange(len(columns)), columns)
    figure = competence_heatmaps(np.ones((2, levels.size)), "ab", range(levels.size), levels)
    axes = [figure.layout[f"xaxis{number or ''}"] for number in (0, *range(2, len(columns) + 1))]
    widths = [(axis.domain[1] - axis.domain[0]) / (axis.range[1] - axis.range[0]) for axis in axes]
    np.testing.assert_allclose(widths, widths[0])
    for axis, number in zip(axes, columns, strict=True):
        assert axis.range[1] - axis.range[0] >= number


def test_the_legend_of_the_scale_says_what_light_dark_and_grey_are():
    figure = competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES)
    assert list(figure.layout.coloraxis.colorbar.ticktext) == ["0 right", "1", "2 off"]
    grey = [note.text for note in figure.layout.annotations if "no rule" in note.text]
    assert grey == ["grey:<br>no rule"]
    whole = competence_heatmaps(DELTA[:, :2], ["q1", "q2"], list("ab"), [0, 0])
    assert not any("no rule" in note.text for note in whole.layout.annotations)


def test_a_click_is_read_from_the_browsers_cell():
    panels = make_panels(DELTA.astype(np.float32), list("abcd"), np.array(GRADES), most=2)
    assert read_click([0, 1, 1], panels, 2) == Click(1, 2)
    assert read_click([1, 0, 0], panels, 2) == Click(0, 1)
    assert read_click([2, -1, 1], panels, 2) == Click(1, None)  # a dot of the means
    binned = make_panels(DELTA.astype(np.float32), list("abcd"), np.array(GRADES), most=1)
    assert read_click([1, 0, 0], binned, 2) == Click(0, 1)  # the first of the bin's documents


@pytest.mark.parametrize(
    "cell", [None, [], [0, 1], [0, 2, 0], [0, -1, 0], [3, 0, 0], [-1, 0, 0], [0, 0, 2], [0, 0, -1], ["0", 0, 0], "000"]
)
def test_a_click_beside_the_map_is_none(cell):
    panels = make_panels(DELTA.astype(np.float32), list("abcd"), np.array(GRADES))
    assert read_click(cell, panels, 2) is None


def test_the_frames_lie_where_a_click_would_choose_the_same():
    panels = make_panels(DELTA.astype(np.float32), list("abcd"), np.array(GRADES))
    for document in range(4):
        where = frames(panels, 1, document)
        assert read_click([where["panel"], where["column"], where["row"]], panels, 2) == Click(1, document)
    assert frames(panels, 0, None) == {
        "panels": 2, "columns": [2, 2], "rows": 2, "row": 0, "panel": None, "column": None,
    }  # fmt: skip
    assert frames(panels, None, 99)["column"] is None


@given(
    documents=st.integers(1, 60),
    most=st.integers(1, 20),
    silent=st.floats(0, 1),
    seed=st.integers(0, 2**16),
)
def test_bins_are_means_of_neighbours(documents, most, silent, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((3, documents)).astype(np.float32)
    matrix[rng.random(matrix.shape) < silent] = np.nan
    levels = rng.integers(0, 2, documents)
    seen = []
    for panel in make_panels(matrix, list(range(documents)), levels, most=most):
        assert panel.columns <= most
        assert panel.delta.shape == (3, panel.columns)
        assert len(panel.names) == panel.columns
        for column in range(panel.columns):
            inside = [d for d in range(documents) if panel.column_of(d) == column]
            seen += inside
            assert inside[0] == panel.first[column]
            for function in range(3):
                values = [matrix[function, d] for d in inside if not np.isnan(matrix[function, d])]
                if values:
                    assert panel.delta[function, column] == pytest.approx(np.mean(values), abs=1e-5)
                else:
                    assert np.isnan(panel.delta[function, column])
    assert sorted(seen) == list(range(documents))


def test_thousands_of_documents_are_binned_and_the_caption_says_so():
    rng = np.random.default_rng(0)
    delta = rng.random((40, 5000)).astype(np.float32)
    grades = np.r_[np.zeros(4000, int), np.ones(1000, int)]
    figure = competence_heatmaps(delta, range(40), range(5000), grades)
    widths = [trace.z.shape[1] for trace in heats(figure)]
    assert widths == [1000, 1000]
    assert "more than 1,000 pairs show means" in words(figure)
    assert "mean of" in figure.layout.xaxis.ticktext[0]
    assert len(figure.to_json()) < 1_200_000
    few = competence_heatmaps(delta[:, :900], range(40), range(900), grades[:900])
    assert "means" not in words(few)


@pytest.mark.parametrize(
    ("delta", "qids", "docids", "grades"),
    [
        ([], [], [], []),
        (np.full((2, 3), np.nan), ["a", "b"], [1, 2, 3], [0, 1, 2]),
        (np.empty((2, 0)), ["a", "b"], [], []),
    ],
)
def test_nothing_yet_is_said_in_words(delta, qids, docids, grades):
    figure = competence_heatmaps(delta, qids, docids, grades)
    assert len(figure.data) == 0
    assert "No query-level function speaks yet" in figure.layout.annotations[0].text.replace("<br>", " ")


def test_names_that_do_not_fit_are_thinned_but_hover_has_them_all():
    names = [f"query {i}" for i in range(120)]
    figure = competence_heatmaps(np.ones((120, 3)), names, "abc", [0, 0, 0])
    shown = [note.text for note in figure.layout.annotations if note.text.startswith("query ")]
    assert 20 < len(shown) < 60
    assert list(figure.layout.yaxis.ticktext) == names


def test_arguments_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"here 2 by 3, but has the shape \(2, 4\)"):
        competence_heatmaps(DELTA, ["q1", "q2"], list("abc"), [0, 0, 0])
    with pytest.raises(InputError, match="one grade per document"):
        competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), [0])
    with pytest.raises(InputError, match="must hold numbers"):
        competence_heatmaps([["x"]], ["q"], ["d"], [0])
