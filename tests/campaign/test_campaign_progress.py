"""Learning curves, random replays and the stop light, against plain recomputation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.campaign import progress
from rulerank.campaign.chance import Chance, against_shuffled
from rulerank.campaign.evaluation import CUT_OFFS, EXPECTED, Evaluation
from rulerank.campaign.progress import (
    LearningCurve,
    ceiling,
    checkpoints,
    cross_validated,
    curve,
    random_band,
)
from rulerank.campaign.replay import replay_length
from rulerank.campaign.stopping import (
    Coverage,
    Movement,
    RuleState,
    coverage,
    movement,
    rule_state,
    stop_light,
)
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR, StableRules
from rulerank.sampling import SSAR

RNG = np.random.default_rng(7)
POOL = RNG.integers(0, 3, (40, 4)).astype(np.uint8)
GRADES = (POOL[:, 0] + RNG.integers(0, 2, 40)).clip(0, 2).astype(np.int64)
QIDS = np.repeat(np.arange(8), 5)
TEST_ITEMS = RNG.integers(0, 3, (30, 4)).astype(np.uint8)
TEST_GRADES = (TEST_ITEMS[:, 0] > 1).astype(np.int64)
EVALUATION = Evaluation(TEST_ITEMS, TEST_GRADES, np.repeat(np.arange(6), 5))


def by_hand(rows, grades, make=LRAR):
    model = make().fit(POOL[list(rows)], list(grades), QIDS[list(rows)].tolist())
    return evaluate(EVALUATION.grades, model.predict(EVALUATION.items), EVALUATION.qids, "letor")


@given(st.integers(1, 5000), st.integers(10, 60))
def test_checkpoints_are_few_end_with_the_last_and_stay_as_labels_grow(labels, most):
    found = checkpoints(labels, most)
    assert found == sorted(set(found))
    assert found[0] == 1
    assert found[-1] == labels
    assert len(found) <= most + 11
    assert set(range(1, min(labels, 10) + 1)) <= set(found)
    # A longer campaign asks for no earlier point that this one has not asked for.
    later = checkpoints(labels + 37, most)
    assert {n for n in later if n < labels} <= set(checkpoints(labels, most))


def test_there_is_no_checkpoint_without_labels():
    assert checkpoints(0) == []


def test_measured_values_are_those_of_the_metrics_and_of_their_tie_averages():
    scores = np.round(RNG.random(30), 1)
    found = evaluate(TEST_GRADES, scores, EVALUATION.qids, "letor")
    values = EVALUATION.measure(scores)
    assert values["map"] == found["map"]
    assert values[EXPECTED + "map"] == found["expected"]["map"] != values["map"]
    for k in CUT_OFFS:
        assert values[f"ndcg@{k}"] == found["ndcg"][k - 1]
        assert values[f"{EXPECTED}precision@{k}"] == found["expected"]["precision"][k - 1]


def test_metrics_are_undefined_and_not_zero_without_a_relevant_document():
    nothing = Evaluation(TEST_ITEMS, np.zeros(30, np.int64), EVALUATION.qids)
    assert nothing.measure(np.arange(30.0)) == {}
    assert nothing.queries_without_relevant == nothing.queries == 6


orders = st.lists(st.tuples(st.integers(0, 39), st.integers(0, 2)), max_size=20, unique_by=lambda label: label[0])


@given(st.lists(orders, min_size=1, max_size=4), st.sampled_from([2, 200]))
def test_a_curve_that_follows_changing_labels_is_the_one_learnt_anew(histories, backlog):
    """Labels may be undone, changed or put in before others: every point equals a ranker fitted from nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "BACKLOG", backlog)
        kept = LearningCurve(POOL, QIDS, EVALUATION)
        for labels in histories:
            rows, grades = [row for row, _ in labels], [grade for _, grade in labels]
            assert kept.follow(rows, grades)
            assert [point.labels for point in kept.points] == checkpoints(len(labels))
            for point in kept.points:
                expected = by_hand(rows[: point.labels], grades[: point.labels])
                assert point.values["map"] == expected["map"]
                assert point.values["ndcg@3"] == expected["ndcg"][2]


def test_only_what_is_missing_is_worked_out(monkeypatch):
    kept = LearningCurve(POOL, QIDS, EVALUATION, ranker="stable_rules")
    measured = []
    whole = LearningCurve._measure
    monkeypatch.setattr(LearningCurve, "_measure", lambda self, n: measured.append(n) or whole(self, n))
    kept.follow(range(12), GRADES[:12])
    assert measured == [12, *range(1, 12)]
    kept.follow(range(12), GRADES[:12])
    assert len(measured) == 12
    kept.follow(range(13), GRADES[:13])
    assert measured[12:] == [13]
    changed = GRADES[:13].copy()
    changed[9] = (changed[9] + 1) % 3
    kept.follow(range(13), changed)
    assert sorted(measured[13:]) == [10, 11, 12, 13]
    expected = by_hand(range(12), changed[:12], StableRules)
    assert next(point for point in kept.points if point.labels == 12).values["map"] == expected["map"]


def test_without_time_nothing_is_measured_and_with_time_the_rest_follows():
    kept = LearningCurve(POOL, QIDS, EVALUATION)
    assert not kept.follow(range(15), GRADES[:15], seconds=0.0)
    assert kept.points == []
    assert kept.missing == checkpoints(15)
    assert kept.follow(range(15), GRADES[:15], seconds=60.0)
    assert kept.missing == []


def test_another_process_points_are_taken_over_as_far_as_the_labels_are_the_same():
    other = LearningCurve(POOL, QIDS, EVALUATION, ranker="stable_rules")
    other.follow(range(12), GRADES[:12])
    mine = LearningCurve(POOL, QIDS, EVALUATION, ranker="stable_rules")
    changed = GRADES[:12].copy()
    changed[7] = (changed[7] + 1) % 3
    mine.follow(range(12), changed, seconds=0.0)
    mine.load(other.to_dict())
    assert [point.labels for point in mine.points] == list(range(1, 8))
    assert mine.points == other.points[:7]


def test_cross_validation_ranks_each_query_by_the_others_only():
    rows = np.arange(40)
    scores = np.empty(40)
    for part in range(5):
        held = np.isin(QIDS, np.unique(QIDS)[part::5])
        model = LRAR().fit(POOL[~held], GRADES[~held])
        scores[held] = model.predict(POOL[held])
    expected = evaluate(GRADES, scores, QIDS, "letor")
    assert cross_validated(POOL[rows], GRADES, QIDS)["map"] == expected["map"]
    kept = LearningCurve(POOL, QIDS, None)
    kept.follow(rows, GRADES)
    assert kept.points[-1].values["map"] == expected["map"]


def test_cross_validation_cannot_learn_a_grade_from_the_document_itself():
    """Every document is like no other, so only a ranker that has seen its grade could put it in its place."""
    unique = np.arange(40, dtype=np.uint8)[:, None]
    best_last = np.tile([0, 0, 0, 0, 1], 8)
    assert cross_validated(unique, best_last, QIDS)["map"] == pytest.approx(0.2)
    learnt = LRAR().fit(unique, best_last).predict(unique)
    assert Evaluation(unique, best_last, QIDS).measure(learnt)["map"] == 1


def test_cross_validation_is_undefined_within_one_query():
    assert cross_validated(POOL[:5], GRADES[:5], QIDS[:5]) == {}


@pytest.mark.parametrize("ranker", ["lrar", "stable_rules"])
def test_the_band_is_mean_and_quantiles_of_the_seeded_runs(ranker):
    at, told = [1, 5, 20], []
    found = random_band(
        POOL, GRADES, EVALUATION, at, ranker=ranker, qids=QIDS, runs=6, seed=3, done=lambda *n: told.append(n)
    )
    rng = np.random.default_rng(3)
    runs = []
    for _ in range(6):
        order = rng.permutation(40)[:20]
        points = curve(POOL[order], GRADES[order].tolist(), QIDS[order].tolist(), EVALUATION, ranker=ranker, at=at)
        runs.append([point.values["ndcg@5"] for point in points])
    assert [band.labels for band in found] == at
    assert [band.mean["ndcg@5"] for band in found] == pytest.approx(np.mean(runs, axis=0))
    assert [band.low["ndcg@5"] for band in found] == pytest.approx(np.quantile(runs, 0.025, axis=0))
    assert [band.high["ndcg@5"] for band in found] == pytest.approx(np.quantile(runs, 0.975, axis=0))
    assert told == [(n, 6) for n in range(1, 7)]
    again = random_band(POOL, GRADES, EVALUATION, at, ranker=ranker, qids=QIDS, runs=6, seed=3)
    assert again == found
    assert random_band(POOL, GRADES, EVALUATION, at, ranker=ranker, qids=QIDS, runs=6, seed=4) != found


def test_every_order_of_the_whole_pool_ends_at_the_ceiling():
    (band,) = random_band(POOL, GRADES, EVALUATION, [40, 41], runs=4)
    top = ceiling(POOL, GRADES, EVALUATION)
    assert band.labels == 40
    for name, value in top.items():
        assert band.mean[name] == band.low[name] == band.high[name] == pytest.approx(value)


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
    assert found.value == cross_validated(POOL, GRADES.tolist(), QIDS, ranker="weighted_items")["expected map"]
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
