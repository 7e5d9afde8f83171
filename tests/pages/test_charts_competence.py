"""The competence heatmaps: panels by grade, silent cells, bins, and what a click means."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.widgets import charts
from pages.widgets.competence import make_panels
from pages.widgets.theme import DARK, LIGHT
from rulerank.errors import InputError

DELTA = np.array([[0.0, 1.0, np.nan, 2.0], [0.5, 0.25, 1.5, np.nan]])
GRADES = [0, 2, 0, 2]


def traces(figure, kind):
    return [trace for trace in figure.data if trace.type == kind]


def words(figure):
    return figure.layout.title.subtitle.text.replace("<br>", " ")


def test_one_panel_a_grade_on_one_scale():
    figure = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, grade_names=["bad", "fair", "good"])
    left, right = traces(figure, "heatmap")
    np.testing.assert_array_equal(left.z, DELTA[:, [0, 2]].astype(np.float32))
    np.testing.assert_array_equal(right.z, DELTA[:, [1, 3]].astype(np.float32))
    assert {left.coloraxis, right.coloraxis} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 2)
    assert figure.layout.coloraxis.colorscale[0][1] == LIGHT.competence[0]  # light is competent
    titles = [note.text for note in figure.layout.annotations]
    assert "<b>Grade 0: bad</b>" in titles
    assert "<b>Grade 2: good</b>" in titles
    assert not any("fair" in title for title in titles)
    assert {"q1", "q2"} <= set(titles)
    assert list(figure.layout.xaxis.ticktext) == ["a", "c"]
    assert list(figure.layout.xaxis2.ticktext) == ["b", "d"]
    assert list(figure.layout.yaxis.range) == [1.5, -0.5]  # the first function on top
    assert left.z.dtype == np.float32


def test_silent_cells_lie_on_grey_and_say_so():
    figure = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, theme=DARK)
    grounds = [shape for shape in figure.layout.shapes if shape.layer == "below"]
    assert [shape.fillcolor for shape in grounds] == [DARK.silent] * 2
    assert "grey: the function has no rule" in words(figure)
    cells = [trace for trace in traces(figure, "scatter") if trace.text is not None and len(trace.x) == 4]
    silent = [text for trace in cells for text in trace.text if "no rule for it" in text]
    assert len(silent) == 2
    means = traces(figure, "scatter")[-1]
    np.testing.assert_allclose(means.x, [1.0, 0.75])
    assert [row[2] for row in means.customdata] == [3, 3]


def test_few_cells_can_be_clicked_one_by_one():
    figure = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES)
    pairs = {tuple(row) for trace in traces(figure, "scatter")[:-1] for row in trace.customdata}
    assert pairs == {(q, d) for q in range(2) for d in range(4)}
    assert all(trace.marker.opacity == 0 for trace in traces(figure, "scatter")[:-1])
    assert "Click a cell" in words(figure)


def test_many_cells_have_a_mark_a_document_only():
    figure = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, max_cells=7)
    marks = traces(figure, "scatter")
    assert [list(map(list, trace.customdata)) for trace in marks[:-1]] == [[[-1, 0], [-1, 2]], [[-1, 1], [-1, 3]]]
    assert [row[:2] for row in marks[-1].customdata] == [[0, -1], [1, -1]]
    assert "bar under the columns" in words(figure)


def test_a_click_is_read_from_streamlits_event():
    def event(data):
        return {"selection": {"points": [{"point_index": 3, "customdata": data}], "point_indices": [3]}}

    assert charts.clicked(event([1, 7])) == charts.Click(1, 7)
    assert charts.clicked(event([-1, 7])) == charts.Click(None, 7)
    assert charts.clicked(event([4, -1, 12])) == charts.Click(4, None)
    for nothing in (None, {}, {"selection": {"points": []}}, {"selection": {"points": [{"x": 1}]}}):
        assert charts.clicked(nothing) == charts.Click()


def test_customdata_reach_the_browser_as_plain_lists():
    """Streamlit gives a row of an encoded array back as a dictionary."""
    figure = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES)
    sent = json.loads(figure.to_json())
    held = [trace["customdata"] for trace in sent["data"] if "customdata" in trace]
    assert len(held) == 3
    assert all(isinstance(rows, list) and isinstance(rows[0], list) for rows in held)


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
    figure = charts.competence_heatmaps(delta, range(40), range(5000), grades)
    widths = [trace.z.shape[1] for trace in traces(figure, "heatmap")]
    assert widths == [1500, 1000]
    assert "more than 1,500 documents show means" in words(figure)
    assert "mean of" in figure.layout.xaxis.ticktext[0]
    assert len(figure.to_json()) < 1_200_000
    few = charts.competence_heatmaps(delta[:, :900], range(40), range(900), grades[:900])
    assert "means" not in words(few)


def test_the_selection_is_framed_in_its_own_panel():
    figure = charts.competence_heatmaps(
        DELTA, ["q1", "q2"], list("abcd"), GRADES, selected=charts.Click(query=1, document=3)
    )
    frames = [shape for shape in figure.layout.shapes if shape.layer != "below"]
    rows = [(shape.y0, shape.y1) for shape in frames if shape.yref in ("y", "y2")]
    columns = [(shape.xref, shape.x0, shape.x1) for shape in frames if shape.yref.endswith("domain")]
    assert rows == [(0.5, 1.5), (0.5, 1.5)]
    assert columns == [("x2", 0.5, 1.5)]
    nowhere = charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), GRADES, selected=charts.Click(9, 99))
    assert all(shape.layer == "below" for shape in nowhere.layout.shapes)


@pytest.mark.parametrize(
    ("delta", "qids", "docids", "grades"),
    [
        ([], [], [], []),
        (np.full((2, 3), np.nan), ["a", "b"], [1, 2, 3], [0, 1, 2]),
        (np.empty((2, 0)), ["a", "b"], [], []),
    ],
)
def test_nothing_yet_is_said_in_words(delta, qids, docids, grades):
    figure = charts.competence_heatmaps(delta, qids, docids, grades)
    assert len(figure.data) == 0
    assert "No query-level function speaks yet" in figure.layout.annotations[0].text.replace("<br>", " ")


def test_names_that_do_not_fit_are_thinned_but_hover_has_them_all():
    names = [f"query {i}" for i in range(120)]
    figure = charts.competence_heatmaps(np.ones((120, 3)), names, "abc", [0, 0, 0])
    shown = [note.text for note in figure.layout.annotations if note.text.startswith("query ")]
    assert 20 < len(shown) < 60
    assert list(figure.layout.yaxis.ticktext) == names


def test_arguments_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"here 2 by 3, but has the shape \(2, 4\)"):
        charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abc"), [0, 0, 0])
    with pytest.raises(InputError, match="one grade a document"):
        charts.competence_heatmaps(DELTA, ["q1", "q2"], list("abcd"), [0])
    with pytest.raises(InputError, match="must hold numbers"):
        charts.competence_heatmaps([["x"]], ["q"], ["d"], [0])
