"""What stands under a figure: its numbers as a table, the line to cite it by, and how to save it."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages import charts
from pages.charts.files import Source, citation, figure_csv, figure_data
from pages.clicks.view import perplexity_curves
from pages.competence.heatmap import competence_heatmaps
from pages.simulate.figure import Line, simulation_curves
from rulerank import __version__
from rulerank.metrics import Measure

WORDS = {"metric_label": "NDCG@10", "convention": Measure.parse("ndcg@10").words, "evaluated_on": "21 queries"}


def curve():
    band = charts.ShadedBand([1, 2], [0.2, 0.3], [0.1, 0.2], [0.3, 0.4])
    return charts.learning_curve([charts.Curve("LRAR", [1, 2], [0.3, None])], band=band, ceiling=0.5, **WORDS)


def test_a_learning_curves_numbers_have_the_band_and_no_decoration():
    table = figure_data(curve())
    assert list(table.columns) == ["series", "x", "y", "low", "high"]
    assert table["series"].tolist() == ["Random order", "Random order", "LRAR", "LRAR"]
    assert table["low"].tolist()[:2] == [0.1, 0.2]
    assert table["y"].tolist()[:3] == [0.2, 0.3, 0.3]
    assert np.isnan(table["y"].iloc[3])  # not defined, and not 0


def test_a_simulations_numbers_have_their_intervals():
    figure = simulation_curves(
        [Line("SSAR", 0, [10, 20], [0.3, 0.4], [0.2, 0.3], [0.4, 0.5], [10, 20], (20.0, 0.4))],
        about="K", band="", **WORDS,
    )  # fmt: skip
    first = figure_data(figure).iloc[0]
    assert (first["series"], first["labels"], first["low"], first["high"]) == ("SSAR", 10, 0.2, 0.4)


def test_a_maps_numbers_have_the_names_of_its_rows_and_columns():
    delta = np.array([[0.0, 1.0, np.nan], [0.5, 2.0, 1.5]])
    table = figure_data(competence_heatmaps(delta, ["q<1>", "q2"], list("abc"), [0, 1, 1]))
    cells = {
        (row, column): value for row, column, value in zip(table["row"], table["column"], table["value"], strict=True)
    }
    assert cells["q<1>", "b"] == 1.0
    assert cells["q2", "c"] == 1.5
    assert np.isnan(cells["q<1>", "c"])


@pytest.mark.parametrize(
    "figure",
    [
        charts.rules_curve([1, 2], [1, 2], 3),
        charts.found_curve([1, 2], [0, 1], 5, 10),
        charts.grade_histogram([3, 1]),
        charts.query_weights_bar([0.5, 0.5], ["a", "b"]),
        charts.agreement_dots([charts.Agreement("all", 0.7, 0.6, 0.8)]),
        charts.annotator_speed([charts.Speed("Ada", 3, 2.0, (1.0, 3.0))]),
        charts.confusion_matrix([[1, 2], [3, 4]], ["0", "1"]),
        charts.tau_matrix([[1, 0.5], [0.5, 1]], ["Ada", "Cleo"]),
        perplexity_curves({"a": [1.2, 1.3]}),
    ],
    ids=lambda figure: figure.layout.title.text,
)
def test_every_kind_of_figure_has_numbers(figure):
    assert len(figure_data(figure)) > 0
    assert figure_csv(figure).count(b"\n") > 1


def test_nothing_in_the_numbers_runs_in_a_spreadsheet():
    figure = charts.learning_curve([charts.Curve("=HYPERLINK(1)", [1, 2], [0.1, 0.2])], **WORDS)
    assert b"\n=HYPERLINK" not in figure_csv(figure)


def test_the_citation_has_measure_convention_ties_data_and_version():
    said = citation(curve(), Source("MQ2008", "0123456789abcdef"))
    assert said == (f"NDCG@10 ({WORDS['convention']}). MQ2008 (content 0123456789ab). rulerank {__version__}")
    assert "equal scores in file order" in said
    made = Source("MQ2008", methods=charts.methods(["ssar", "random"], ["lrar"]))
    assert ". MQ2008, chosen by SSAR and Random, ranked by LRAR. " in citation(curve(), made)
    assert citation(charts.grade_histogram([1, 2]), None) == f"Grades given. rulerank {__version__}"


def shown() -> None:
    from pages import charts

    figure = charts.grade_histogram([1, 2], ["*no*", "yes"])
    figure.update_layout(meta={"caption": "*Not* emphasised <b>"})
    charts.show(figure, "Grades", key="grades", source=charts.Source("<script>x</script>"))
    charts.show(charts.learning_curve([], metric_label="MAP", convention="", evaluated_on=""), "empty", key="empty")


def test_foreign_text_below_a_figure_is_shown_as_it_is():
    page = AppTest.from_function(shown, default_timeout=600).run()
    assert not page.exception
    assert page.caption[0].value == r"\*Not\* emphasised \<b\>"
    cited = [block.proto.body for block in page.get("html") if "rr-cited" in block.proto.body]
    assert len(cited) == 1  # a figure without anything drawn has nothing to take along
    assert "&lt;script&gt;" in cited[0]
    assert [button.label for button in page.download_button] == ["CSV"]
