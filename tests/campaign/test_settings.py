"""Settings: checked on the way in, the same after a trip through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.campaign import GradeLevel, Settings
from rulerank.errors import InputError, RulerankError
from rulerank.registry import discretizers, rankers, samplers
from rulerank.strategy import Strategy

names = st.text(min_size=1, max_size=8).filter(str.strip)


@given(
    made=st.builds(
        Settings,
        grades=st.lists(
            st.builds(
                GradeLevel, names, st.text(max_size=5), colour=st.from_regex("(#[0-9a-fA-F]{6})?", fullmatch=True)
            ),
            min_size=2,
            max_size=10,
        ).map(tuple),
        guidelines=st.text(max_size=20),
        discretizer=st.sampled_from(sorted(discretizers.names())),
        sampler=st.sampled_from([*samplers.names(), "ssarp:partitions=3:scoring=program", "elo_dcg:penalty=0.5"]),
        ranker=st.sampled_from(sorted(rankers.names())),
        overlap=st.integers(1, 20),
        seed=st.integers(0, 2**63 - 1),
        claim_minutes=st.floats(0.1, 1440),
        dwell_milliseconds=st.integers(0, 10_000),
    )
)
def test_settings_come_back_from_json_as_they_were(made):
    assert Settings.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"grades": (GradeLevel("only"),)}, "2 to 10 grades, not 1"),
        ({"grades": (GradeLevel("a"), GradeLevel(" "))}, "every grade needs a name"),
        ({"sampler": "nobody"}, "nobody"),
        ({"discretizer": "nobody"}, "nobody"),
        ({"ranker": "nobody"}, "nobody"),
        ({"convention": "nobody"}, "nobody"),
        ({"aggregation": "mean"}, "there are: majority, median"),
        ({"overlap": 0}, "overlap must be a whole number in 1 to 20, not 0"),
        ({"overlap": 1.5}, "overlap must be a whole number"),
        ({"discretizer": "tube:bins=ten"}, "bins must be a whole number from 1 to 256, or 'cv', not 'ten'"),
        ({"discretizer": "equal_width:bin=3"}, "equal_width has no parameter 'bin'; did you mean 'bins'"),
        ({"sampler": "ssar:power=3.0"}, "ssar has no parameter 'power'; it has: max_antecedent"),
        ({"sampler": Strategy("random", seeds=3)}, "only simulations repeat"),
        ({"ranker": "lrar:average=some"}, "average must be 'rules' or 'antecedents', not 'some'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": None}, "seed must be a whole number"),
        ({"max_antecedent": 4}, "max_antecedent must be"),
        ({"dwell_milliseconds": -1}, "dwell_milliseconds must be"),
        ({"later_after": 0}, "later_after must be"),
        ({"claim_minutes": 0.0}, "claim_minutes must lie in 0.1 to 1440"),
        ({"claim_minutes": float("nan")}, "claim_minutes must lie"),
        ({"claim_minutes": "long"}, "claim_minutes must lie"),
    ],
)
def test_what_cannot_work_is_refused_in_words(wrong, hint):
    with pytest.raises(RulerankError, match=hint):
        Settings(**wrong)


def test_settings_of_a_newer_version_are_refused_by_name():
    with pytest.raises(InputError, match="unknown campaign settings: mood, weather; was this made by a newer version"):
        Settings.from_dict({"weather": 1, "mood": 2})


def test_settings_that_an_older_version_did_not_have_take_their_defaults():
    assert Settings.from_dict({"overlap": 2}) == Settings(overlap=2)


def test_samplers_get_their_parameters_and_the_shared_ones_that_they_have():
    made = Settings(sampler="ssarp:partitions=3", max_antecedent=1).make_sampler()
    assert made.get_params() == {"partitions": 3, "max_antecedent": 1, "scoring": "paper"}
    chosen = Settings(sampler="ssarp:scoring=program:max_antecedent=3")
    assert chosen.make_sampler().get_params() == {"partitions": 5, "max_antecedent": 3, "scoring": "program"}
    assert chosen.rule_size == 3
    assert Settings(sampler="random", seed=9).make_sampler().get_params() == {"seed": 9}
    assert Settings(sampler="random:seed=2", seed=9).make_sampler().get_params() == {"seed": 2}
    assert Settings().make_sampler().get_params() == {"max_antecedent": 2}


OLD = {
    "grades": [], "guidelines": "", "remote_pictures": False, "discretiser": "tube", "bins": 10, "sampler": "ssar",
    "max_antecedent": 2, "partitions": 5, "ranker": "weighted_items", "overlap": 1, "aggregation": "majority",
    "convention": "letor", "claim_minutes": 10.0, "later_after": 5, "dwell_milliseconds": 250, "grades_known": False,
    "extra": {}, "seed": 0,
}  # fmt: skip
"""What 0.1.0 saved of its defaults."""


@pytest.mark.parametrize(
    ("changed", "now"),
    [
        ({}, {}),
        ({"bins": 4, "discretiser": "equal_width"}, {"discretizer": "equal_width:bins=4"}),
        ({"sampler": "ssarp", "partitions": 3}, {"sampler": "ssarp:partitions=3"}),
        ({"sampler": "ssarp", "extra": {"scoring": "program"}}, {"sampler": "ssarp:scoring=program"}),
        ({"sampler": "top_feature", "extra": {"feature": 2}}, {"sampler": "top_feature:feature=2"}),
        ({"sampler": "committee", "seed": 4, "extra": {"members": 3}}, {"sampler": "committee", "seed": 4}),
        ({"sampler": "ssar", "partitions": 3, "extra": {"power": 3.0}}, {}),
    ],
)
def test_settings_of_0_1_0_mean_what_they_meant(changed, now):
    assert Settings.from_dict({**OLD, **changed}) == Settings(**now)


def test_the_old_spelling_of_discretizer_is_read_and_both_at_once_are_refused():
    saved = json.loads(json.dumps(Settings(discretizer="equal_width:bins=3", overlap=2).to_dict()))
    old = {("discretiser" if name == "discretizer" else name): value for name, value in saved.items()}
    assert "discretiser" not in saved
    assert Settings.from_dict(old) == Settings.from_dict(saved)
    with pytest.raises(InputError, match="discretiser is the old spelling of discretizer: give one of them, not both"):
        Settings.from_dict({**old, **saved})


@pytest.mark.parametrize("name", ["bins", "partitions", "extra"])
def test_what_became_a_parameter_is_refused_as_a_setting_with_a_hint(name):
    with pytest.raises(
        InputError, match=f"{name} is no setting of its own: give it with the .* as name:parameter=value"
    ):
        Settings.from_dict({name: 3})
    with pytest.raises(TypeError):
        Settings(**{name: 3})


def test_a_colour_of_a_grade_is_checked_and_may_be_absent():
    saved = Settings(grades=(GradeLevel("no", colour="#0a6"), GradeLevel("yes"))).to_dict()
    assert [level["colour"] for level in saved["grades"]] == ["#00aa66", ""]
    for level in saved["grades"]:
        del level["colour"]
    assert [level.colour for level in Settings.from_dict(saved).grades] == ["", ""]
    assert GradeLevel("yes", colour=None).colour == ""


def test_what_0_1_0_kept_in_the_place_of_a_colour_does_not_close_a_campaign():
    grades = [{"name": "no", "colour": "red"}, {"name": "some", "colour": "#0a6"}, {"name": "yes"}]
    saved = {"discretiser": "tube", "bins": 10, "partitions": 5, "extra": {}, "grades": grades}
    assert [level.colour for level in Settings.from_dict(saved).grades] == ["", "#00aa66", ""]


@pytest.mark.parametrize("colour", ["red", "#12345", "#1234567", "#12345g", "#fff;x", "#ffffff\n", 7, ["#ffffff"]])
def test_what_is_no_colour_is_refused(colour):
    with pytest.raises(InputError, match="is not a colour: write #rrggbb"):
        GradeLevel("yes", colour=colour)
