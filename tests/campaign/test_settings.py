"""Settings: checked on the way in, the same after a trip through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.campaign import GradeLevel, Settings, make_sampler
from rulerank.errors import InputError, RulerankError
from rulerank.registry import discretizers, rankers, samplers

names = st.text(min_size=1, max_size=8).filter(str.strip)


@given(
    made=st.builds(
        Settings,
        grades=st.lists(st.builds(GradeLevel, names, st.text(max_size=5)), min_size=2, max_size=10).map(tuple),
        guidelines=st.text(max_size=20),
        discretiser=st.sampled_from(sorted(discretizers.names())),
        bins=st.integers(2, 256),
        sampler=st.sampled_from(sorted(samplers.names())),
        ranker=st.sampled_from(sorted(rankers.names())),
        overlap=st.integers(1, 20),
        seed=st.integers(0, 2**63 - 1),
        claim_minutes=st.floats(0.1, 1440),
        dwell_milliseconds=st.integers(0, 10_000),
        extra=st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
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
        ({"discretiser": "nobody"}, "nobody"),
        ({"ranker": "nobody"}, "nobody"),
        ({"convention": "nobody"}, "nobody"),
        ({"aggregation": "mean"}, "there are: majority, median"),
        ({"overlap": 0}, "overlap must be a whole number in 1 to 20, not 0"),
        ({"overlap": 1.5}, "overlap must be a whole number"),
        ({"bins": "ten"}, "bins must be a whole number in 2 to 256, not 'ten'"),
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


def test_samplers_get_the_settings_that_they_have():
    made = make_sampler(Settings(sampler="ssarp", partitions=3, max_antecedent=1))
    assert made.get_params() == {"partitions": 3, "max_antecedent": 1, "scoring": "paper"}
    made = make_sampler(Settings(sampler="ssarp", extra={"scoring": "program"}))
    assert made.get_params() == {"partitions": 5, "max_antecedent": 2, "scoring": "program"}
    assert make_sampler(Settings(sampler="random", seed=9)).get_params() == {"seed": 9}
    assert make_sampler(Settings(sampler="ssar")).get_params() == {"max_antecedent": 2}
