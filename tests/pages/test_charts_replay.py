"""The figure of samplers side by side: a frame for each label, the same traces in every one, the last one at rest."""

from __future__ import annotations

from pages import charts
from pages.charts.replay import SECONDS, ReplayLine, Step, replay_figure
from pages.charts.saving import SavingArrow, add_saving
from pages.charts.theme import DARK, LIGHT, grade_colours

NAMES = ("no", "partly", "yes")


def figure(theme=LIGHT, values=(0.1, None, 0.3), **more):
    looks = charts.sampler_looks(["ssar", "random"], theme)
    steps = [Step(f"<b>query</b> → document {n}", n) for n in range(len(values))]
    lines = [ReplayLine(name, looks[name], values, steps) for name in ("ssar", "random")]
    return replay_figure(
        lines,
        metric_label="MAP",
        convention="LETOR",
        caption="How it was measured.",
        grade_names=NAMES,
        grade_colours=grade_colours(3, theme),
        theme=theme,
        **more,
    )


def test_a_frame_for_each_label_changes_the_same_traces():
    found = figure(band=((0.0, 0.1, 0.2), (0.2, 0.3, 0.4)))
    assert [frame.name for frame in found.frames] == ["1", "2", "3"]
    moving = found.frames[0].traces
    assert all(frame.traces == moving and len(frame.data) == len(moving) for frame in found.frames)
    assert [len(frame.data[0].x) for frame in found.frames] == [1, 2, 3]
    at_rest = [found.data[place].to_plotly_json() for place in moving]
    assert str(at_rest) == str([trace.to_plotly_json() for trace in found.frames[-1].data])


def test_it_plays_in_as_many_seconds_as_it_says():
    play, pause = figure().layout.updatemenus[0].buttons
    assert (play.label, pause.label) == ("Play", "Pause")
    assert play.args[1]["frame"]["duration"] * 3 == 1000 * SECONDS
    assert len(figure().layout.sliders[0].steps) == 3


def test_texts_are_shown_literally_and_grades_have_their_colours():
    found = figure(DARK)
    squares = next(trace for trace in found.data if trace.name == "ssar: grades")
    assert list(squares.marker.color) == list(grade_colours(3, DARK))
    assert squares.customdata[0][0] == "&lt;b&gt;query&lt;/b&gt; → document 0"
    assert {"0 no", "1 partly", "2 yes"} <= {trace.name for trace in found.data}


def test_nothing_defined_is_said_and_not_drawn():
    found = figure(values=(None, None))
    assert not found.data
    assert not found.frames
    assert "nothing to replay" in found.layout.meta["caption"]


def test_the_numbers_can_be_taken_along():
    table = charts.figure_data(figure())
    assert {"ssar", "random"} <= set(table["series"])
    assert len(table[table["series"] == "ssar"]) == 3


def test_the_saving_is_an_arrow_to_where_random_order_gets_there():
    drawn = charts.learning_curve(
        [charts.Curve("LRAR", [1, 20], [0.2, 0.4])], metric_label="MAP", convention="LETOR", evaluated_on="a test set"
    )
    add_saving(drawn, SavingArrow(20, 71.4, 0.4))
    arrow, words = [each for each in drawn.layout.annotations if each.name == "saving"]
    assert (arrow.ax, arrow.x, arrow.y) == (20, 71.4, 0.4)
    assert words.text == "<b>51 labels saved</b>"
