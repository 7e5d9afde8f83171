"""Learning curves, random replays and ceilings, against plain recomputation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.curves import (
    Documents,
    Evaluation,
    LearningCurve,
    ceiling,
    checkpoints,
    cross_validated,
    curve,
    random_band,
    training,
)
from rulerank.metrics import CUT_OFFS, EXPECTED, evaluate
from rulerank.ranking import LRAR, StableRules

RNG = np.random.default_rng(7)
POOL = RNG.integers(0, 3, (40, 4)).astype(np.uint8)
GRADES = (POOL[:, 0] + RNG.integers(0, 2, 40)).clip(0, 2).astype(np.int64)
QIDS = np.repeat(np.arange(8), 5)
TEST_ITEMS = RNG.integers(0, 3, (30, 4)).astype(np.uint8)
TEST_GRADES = (TEST_ITEMS[:, 0] > 1).astype(np.int64)
EVALUATION = Evaluation(TEST_ITEMS, TEST_GRADES, np.repeat(np.arange(6), 5))
DOCUMENTS = Documents(POOL, QIDS)


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
        patch.setattr(training, "BACKLOG", backlog)
        kept = LearningCurve(LRAR, DOCUMENTS, EVALUATION)
        for labels in histories:
            rows, grades = [row for row, _ in labels], [grade for _, grade in labels]
            assert kept.follow(rows, grades)
            assert [point.labels for point in kept.points] == checkpoints(len(labels))
            for point in kept.points:
                expected = by_hand(rows[: point.labels], grades[: point.labels])
                assert point.values["map"] == expected["map"]
                assert point.values["ndcg@3"] == expected["ndcg"][2]


def test_only_what_is_missing_is_worked_out(monkeypatch):
    kept = LearningCurve(StableRules, DOCUMENTS, EVALUATION)
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
    kept = LearningCurve(LRAR, DOCUMENTS, EVALUATION)
    assert not kept.follow(range(15), GRADES[:15], seconds=0.0)
    assert kept.points == []
    assert kept.missing == checkpoints(15)
    assert kept.follow(range(15), GRADES[:15], seconds=60.0)
    assert kept.missing == []


def test_another_process_points_are_taken_over_as_far_as_the_labels_are_the_same():
    other = LearningCurve(StableRules, DOCUMENTS, EVALUATION)
    other.follow(range(12), GRADES[:12])
    mine = LearningCurve(StableRules, DOCUMENTS, EVALUATION)
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
    assert cross_validated(LRAR, POOL[rows], GRADES, QIDS)["map"] == expected["map"]
    kept = LearningCurve(LRAR, DOCUMENTS, None)
    kept.follow(rows, GRADES)
    assert kept.points[-1].values["map"] == expected["map"]


def test_cross_validation_cannot_learn_a_grade_from_the_document_itself():
    """Every document is like no other, so only a ranker that has seen its grade could put it in its place."""
    unique = np.arange(40, dtype=np.uint8)[:, None]
    best_last = np.tile([0, 0, 0, 0, 1], 8)
    assert cross_validated(LRAR, unique, best_last, QIDS)["map"] == pytest.approx(0.2)
    learnt = LRAR().fit(unique, best_last).predict(unique)
    assert Evaluation(unique, best_last, QIDS).measure(learnt)["map"] == 1


def test_cross_validation_is_undefined_within_one_query():
    assert cross_validated(LRAR, POOL[:5], GRADES[:5], QIDS[:5]) == {}


@pytest.mark.parametrize("make", [LRAR, StableRules])
def test_the_band_is_mean_and_quantiles_of_the_seeded_runs(make):
    at, reported = [1, 5, 20], []
    given = make, DOCUMENTS, GRADES, EVALUATION, at
    found = random_band(*given, runs=6, seed=3, done=lambda *n: reported.append(n))
    rng = np.random.default_rng(3)
    runs = []
    for _ in range(6):
        order = rng.permutation(40)[:20]
        points = curve(make, DOCUMENTS, list(zip(order, GRADES[order], strict=True)), EVALUATION, at=at)
        runs.append([point.values["ndcg@5"] for point in points])
    assert [band.labels for band in found] == at
    assert [band.mean["ndcg@5"] for band in found] == pytest.approx(np.mean(runs, axis=0))
    assert [band.low["ndcg@5"] for band in found] == pytest.approx(np.quantile(runs, 0.025, axis=0))
    assert [band.high["ndcg@5"] for band in found] == pytest.approx(np.quantile(runs, 0.975, axis=0))
    assert reported == [(n, 6) for n in range(1, 7)]
    assert random_band(*given, runs=6, seed=3) == found
    assert random_band(*given, runs=6, seed=4) != found


def test_every_order_of_the_whole_pool_ends_at_the_ceiling():
    (band,) = random_band(LRAR, DOCUMENTS, GRADES, EVALUATION, [40, 41], runs=4)
    top = EVALUATION.measure(ceiling(LRAR, DOCUMENTS, GRADES, EVALUATION.documents))
    assert band.labels == 40
    for name, value in top.items():
        assert band.mean[name] == band.low[name] == band.high[name] == pytest.approx(value)
