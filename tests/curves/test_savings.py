"""How many random labels a campaign is worth: the crossing of the mean, the interval, and the words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.curves import Band, Point, saving, saving_of_all
from tests.thorough import examples


def bands(means, margin=0.02, step=10):
    return [Band(step * n, {"map": mean}, {}, {}, {"map": margin}) for n, mean in enumerate(means, 1)]


RISING = bands([0.2, 0.3, 0.4, 0.5, 0.55])


def test_ahead_says_how_many_random_labels_it_takes():
    found = saving(RISING, "map", 12, 0.45, pool=500)
    assert (found.verdict, found.random, found.low, found.high) == ("ahead", *map(pytest.approx, (35, 33, 37)))
    assert found.words == "With 12 labels you have what 35 random ones give (33 to 37)."
    assert found.saved == "Labels saved: 66% (64% to 68%)."


def test_level_and_below_are_said_as_they_are():
    level = saving(RISING, "map", 34, 0.45, pool=500)
    assert (
        level.words == "Level with random labels so far: with 34 labels you have what 35 random ones give (33 to 37)."
    )
    assert level.saved == "Labels saved: none to be seen; this campaign is level with random labels."
    below = saving(RISING, "map", 48, 0.45, pool=500)
    assert below.words == "Below random labels so far: with 48 labels you have what 35 random ones give (33 to 37)."
    assert below.saved == "Labels saved: none to be seen; this campaign is below random labels."


def test_what_the_replay_does_not_reach_is_more_than_it_covers():
    beyond = saving(RISING, "map", 12, 0.9, pool=500)
    assert beyond.words == "With 12 labels you have more than random ones give, up to 50."
    assert beyond.saved == "Labels saved: more than 76%."
    assert saving(RISING, "map", 12, 0.9, pool=50).words.endswith("random ones give, even all 50.")
    nearly = saving(RISING, "map", 12, 0.56, pool=500)
    assert nearly.words == "With 12 labels you have what more than 50 random ones give (at least 48)."
    assert nearly.saved == "Labels saved: more than 76% (at least 75%)."
    open_end = saving(RISING, "map", 12, 0.54, pool=500)
    assert open_end.words == "With 12 labels you have what 48 random ones give (44 to more than 50)."
    assert open_end.saved == "Labels saved: 75% (73% or more)."


def test_nothing_is_said_of_what_is_not_defined():
    assert saving(RISING, "map", 12, None, pool=50) is None
    assert saving(RISING, "ndcg@10", 12, 0.4, pool=50) is None
    assert saving([], "map", 12, 0.4, pool=50) is None
    without = [Band(10, {"map": 0.3}, {}, {})]  # as earlier versions kept them
    assert saving(without, "map", 5, 0.2, pool=50) is None
    assert saving_of_all(RISING, "map", [Point(1, {})], pool=50) is None


def test_a_wholly_labelled_pool_is_compared_on_the_way_to_95_percent():
    points = [Point(n, {"map": value}) for n, value in ((5, 0.3), (10, 0.53), (20, 0.5), (30, 0.54), (50, 0.55))]
    found = saving_of_all(RISING, "map", points, pool=50)
    assert found.labels == 30  # after 10 labels it was there, but did not stay
    assert found.value == pytest.approx(0.95 * 0.55)
    assert found.random == pytest.approx(44.5)


@examples(100)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=12),
    st.floats(0, 0.3),
    st.integers(1, 300),
    st.floats(0, 1),
)
def test_the_number_lies_within_its_interval_and_is_the_first_crossing(means, margin, labels, value):
    found = saving(bands(means, margin), "map", labels, value, pool=1000)
    ends = [np.inf if end is None else end for end in (found.low, found.random, found.high)]
    assert ends == sorted(ends)
    at = np.array([band.labels for band in bands(means)], float)
    reached = at[np.array(means) >= value]
    assert (found.random is None) == (not reached.size)
    if found.random is not None:
        assert found.random <= reached[0]
        assert not np.any(np.array(means)[at < found.random - 1e-9] >= value)
    assert found.verdict in ("ahead", "level", "below")
    assert found.words.endswith(".")
    assert found.saved.startswith("Labels saved: ")
    better = saving(bands(means, margin), "map", labels, min(1.0, value + 0.1), pool=1000)
    if better.random is not None:
        assert found.random <= better.random
