"""When to stop: the natural stop, how the curve moves, grades against shuffled ones, and the stop light."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rulerank.campaign.chance import Chance, against_shuffled
from rulerank.campaign.curves import replay_length
from rulerank.campaign.stopping import (
    Coverage,
    Movement,
    RuleState,
    coverage,
    movement,
    rule_state,
    stop_light,
)
from rulerank.curves import Evaluation, cross_validated
from rulerank.ranking import WeightedItems
from rulerank.sampling import SSAR

RNG = np.random.default_rng(7)
POOL = RNG.integers(0, 3, (40, 4)).astype(np.uint8)
GRADES = (POOL[:, 0] + RNG.integers(0, 2, 40)).clip(0, 2).astype(np.int64)
QIDS = np.repeat(np.arange(8), 5)
TEST_ITEMS = RNG.integers(0, 3, (30, 4)).astype(np.uint8)
TEST_GRADES = (TEST_ITEMS[:, 0] > 1).astype(np.int64)
EVALUATION = Evaluation(TEST_ITEMS, TEST_GRADES, np.repeat(np.arange(6), 5))


def test_a_replay_grows_in_leaps_and_ends_with_the_pool():
    assert [replay_length(labels, 500) for labels in (1, 32, 33, 64, 65, 300, 500)] == [32, 32, 64, 64, 128, 500, 500]
    assert replay_length(3, 20) == 20


def test_the_natural_stop_is_found_where_the_sampler_finds_it():
    sampler = SSAR().start(POOL)
    seen = []
    for _ in range(len(POOL)):
        selection = sampler.propose()
        state = rule_state(POOL, np.array(sampler.rule_counts), sampler.labelled)
        assert state.stopped == selection.stop
        seen.append(selection.stop)
        if selection.stop:
            break
        assert state.fewest_unlabelled == selection.rule_count
        sampler.record(selection.row, int(GRADES[selection.row]))
    assert seen[-1] is True
    assert len(seen) > 3


def test_a_document_that_nobody_can_tell_does_not_hold_up_the_stop():
    counts = np.full(len(POOL), 9)
    counts[:3] = 5, 1, 7
    assert rule_state(POOL, counts, [0]) == RuleState(1, 5, False)
    assert rule_state(POOL, counts, [0], [1]) == RuleState(7, 5, True)
    assert rule_state(POOL, counts, [0, 1], [1]) == RuleState(7, 1, True)  # it has a grade after all
    assert rule_state(POOL, counts, range(len(POOL))) == RuleState(None, 1, True)


def test_movement_looks_at_the_last_tenth_and_knows_a_bump_on_the_way():
    labels = list(range(1, 41))
    values = [0.5] * 33 + [0.6] + [0.5] * 6
    found = movement(labels, values)
    assert found == Movement(10, 0.5, 0.5, pytest.approx(0.1))
    assert not found.steady
    assert movement(labels, [0.5] * 40).steady
    assert movement(labels[:19], values[:19]) is None
    assert movement(labels, [None] * 40) is None
    assert movement([395, 400], [0.1, 0.2]) is None  # nothing is known 40 labels ago


def test_coverage_counts_queries_without_labels_and_without_relevant_documents():
    assert coverage(QIDS, [0, 1, 5, 10], [0, 0, 1, 2]) == Coverage(8, 5, 1)
    assert coverage(QIDS, [], []) == Coverage(8, 8, 0)


FAR, REACHED = RuleState(3, 9, False), RuleState(12, 9, True)
FLAT, MOVING = Movement(10, 0.5, 0.505, 0.006), Movement(10, 0.4, 0.5, 0.1)
ALL = Coverage(8, 0, 0)


@pytest.mark.parametrize(
    ("labels", "rules", "moved", "colour", "headline"),
    [
        (0, RuleState(0, None, False), None, "grey", "nothing is labelled"),
        (5, FAR, None, "red", "early"),
        (50, FAR, MOVING, "red", "Go on"),
        (50, FAR, FLAT, "amber", "Nearly"),
        (50, REACHED, FLAT, "green", "You may stop: the natural stop is reached, and MAP is flat"),
        (50, REACHED, MOVING, "amber", "The natural stop is reached, but MAP is still moving"),
        (50, REACHED, None, "amber", "The natural stop is reached, but how MAP moves is not known yet"),
        (50, None, FLAT, "amber", "yours to decide"),
        (50, None, MOVING, "red", "Go on"),
        (100, RuleState(None, 9, True), FLAT, "green", "every document"),
        (
            100,
            RuleState(None, 9, True),
            MOVING,
            "amber",
            "Every document of the pool is labelled, but MAP is still moving",
        ),
        (100, None, None, "amber", "Every document of the pool is labelled, but how MAP moves"),
    ],
)
def test_the_stop_light(labels, rules, moved, colour, headline):
    light = stop_light(labels, 100, rules, "MAP", moved, ALL)
    assert light.colour == colour
    assert headline in light.headline
    assert len(light.reasons) == 3


def test_the_stop_light_is_never_green_where_one_of_its_lines_disagrees():
    good, bad, none = Chance(0.6, 0.4, 0, 99), Chance(0.5, 0.45, 9, 99), Chance(None, 0.0, 0, 0)
    nothing = Coverage(8, 3, 5)
    green = []
    for rules, moved, queries, chance in itertools.product(
        (FAR, REACHED, RuleState(3, 9, None), None),
        (FLAT, MOVING, None),
        (ALL, Coverage(8, 2, 1), nothing),
        (good, bad, none, None),
    ):
        light = stop_light(50, 100, rules, "MAP", moved, queries, chance)
        said = " ".join(light.reasons)
        if light.colour == "green":
            green.append((rules, moved, chance))
            assert "still moving" not in said
            assert "not known yet" not in said
            assert "not reached" not in said
            assert "cannot be" not in said
        else:
            assert "You may stop" not in light.headline
    assert set(green) == {(REACHED, FLAT, good), (REACHED, FLAT, None)}


def test_grades_that_say_nothing_do_not_pass_for_a_finished_campaign():
    """At the natural stop with a flat curve, the light is green for real grades, and for random ones hardly ever."""

    def light(grades, seed):
        chance = against_shuffled(POOL, grades, QIDS, EVALUATION, seed=seed, shuffles=39)
        return stop_light(len(POOL), 500, REACHED, "MAP", FLAT, coverage(QIDS, range(len(POOL)), grades), chance)

    rng = np.random.default_rng(0)
    at_random = [light(rng.permutation(GRADES), seed).colour for seed in range(20)]
    assert at_random.count("green") <= 4  # one in twenty is expected; five or more have a chance below 1%
    assert light(GRADES, 0).colour == "green"


def test_grades_are_held_against_shuffled_ones_without_an_evaluation_set_too():
    found = against_shuffled(POOL, GRADES, QIDS, None, shuffles=39)
    assert found.beaten
    assert found.value == cross_validated(WeightedItems, POOL, GRADES.tolist(), QIDS)["expected map"]
    assert found == against_shuffled(POOL, GRADES, QIDS, None, shuffles=39)  # the same seed, the same answer
    assert not against_shuffled(POOL, np.zeros(len(POOL), np.int64), QIDS, EVALUATION).beaten
    assert against_shuffled(POOL, np.ones(len(POOL), np.int64), QIDS, None).value is None


def test_the_stop_light_explains_itself():
    rules, curve_words, queries = stop_light(50, 100, FAR, "NDCG@10", MOVING, Coverage(8, 2, 1)).reasons
    assert "not reached" in rules
    assert "draws 3" in rules
    assert "draws 9" in rules
    assert "NDCG@10 moved by +0.100 in the last 10 labels, from 0.400 to 0.500" in curve_words
    assert "3 of 8 queries" in queries
    partitions = stop_light(50, 100, RuleState(3, 9, None), "MAP", None, ALL).reasons
    assert "every partition" in partitions[0]
    assert "not known yet" in partitions[1]
    assert "no natural stop" in stop_light(50, 100, None, "MAP", None, ALL).reasons[0]
