"""Looks at a campaign: when they are taken, what they see, and that they follow labels that change or go."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.campaign.looking import StopWatch
from rulerank.campaign.looks import Looks, agreement, beyond_chance, look_points
from rulerank.curves import Documents, Evaluation, cross_validated, fitted_scores
from rulerank.ranking import WeightedItems
from rulerank.sampling import SSAR
from rulerank.statistics import rank_correlation

RNG = np.random.default_rng(3)
ITEMS = RNG.integers(0, 3, (160, 4)).astype(np.uint8)
QIDS = np.repeat(np.arange(16), 10)
GRADES = (ITEMS[:, 0] + RNG.integers(0, 2, 160) > 1).astype(np.int64)
POOL = Documents(ITEMS, QIDS)
TEST = Evaluation(ITEMS[::-1][:60], GRADES[::-1][:60], QIDS[::-1][:60])
ORDER = RNG.permutation(160).tolist()


def taken(evaluation=None, count=90, **more):
    looks = Looks(WeightedItems, POOL, evaluation)
    assert looks.follow(ORDER[:count], GRADES[ORDER[:count]].tolist(), **more)
    return looks


def test_looks_are_taken_at_fixed_numbers_of_labels_and_three_make_a_doubling():
    points = look_points(5000)
    assert points[:3] == [20, 25, 32]
    assert points[3::3] == [20 * 2**n for n in range(1, len(points[3::3]) + 1)]
    assert look_points(19) == []
    assert [look.labels for look in taken().found] == look_points(90)


def test_a_look_measures_as_the_curve_does():
    labels = [(row, int(GRADES[row])) for row in ORDER[:80]]
    scores = fitted_scores(WeightedItems, POOL, labels, TEST.documents)
    assert taken(TEST).found[-1].values == TEST.measure(scores)
    rows = ORDER[:80]
    crossed = cross_validated(WeightedItems, ITEMS[rows], GRADES[rows].tolist(), QIDS[rows])
    look = taken().found[-1]
    assert look.values == crossed
    assert look.rarer == min(GRADES[rows].sum(), 80 - GRADES[rows].sum())
    assert look.queries == np.unique(QIDS[rows][GRADES[rows] > 0]).size


def test_the_ranking_is_compared_with_that_of_half_the_labels():
    looks = taken().found
    assert [look.agreement is None for look in looks[:4]] == [True, True, True, False]
    before, now = (
        fitted_scores(WeightedItems, POOL, [(row, int(GRADES[row])) for row in ORDER[:n]], POOL) for n in (40, 80)
    )
    assert looks[-1].agreement == agreement(before, now, QIDS)
    assert agreement(now, now, QIDS) == 1.0
    assert agreement(-now, now, QIDS) < 0.4
    assert agreement(np.zeros(160), now, QIDS) is None


def test_meaningful_grades_are_beyond_chance_and_permuted_ones_are_not():
    assert taken(count=160).found[-1].beyond_chance > 4
    found = []
    for _ in range(20):
        looks = Looks(WeightedItems, POOL, None)
        looks.follow(ORDER[:80], RNG.permutation(GRADES)[:80].tolist())
        found.append(looks.found[-1].beyond_chance)
    assert max(found) < 3
    assert beyond_chance(np.arange(4.0), np.zeros(4)) is None


def test_rank_correlation_is_that_of_scipy():
    from scipy.stats import spearmanr

    first, second = RNG.integers(0, 9, 50), RNG.integers(0, 3, 50)
    assert rank_correlation(first, second) == pytest.approx(spearmanr(first, second).statistic)


def test_looks_stay_while_their_labels_do():
    looks = taken()
    before = looks.found
    rows, grades = ORDER[:90], GRADES[ORDER[:90]].tolist()
    grades[30] = 1 - grades[30]
    assert not looks.follow(rows, grades, seconds=0.0)
    assert looks.found == before[:2]  # those after 20 and 25 labels
    assert looks.missing == look_points(90)[2:]
    assert looks.follow(rows, grades)
    assert [look.labels for look in looks.found] == look_points(90)
    assert looks.found != before
    assert looks.follow(rows[:50], grades[:50])
    assert looks.found[-1].labels == 50


def test_looks_that_another_process_took_are_taken_over_where_the_labels_are_the_same():
    theirs = taken()
    mine = Looks(WeightedItems, POOL, None)
    mine.follow(ORDER[:90], GRADES[ORDER[:90]].tolist(), seconds=0.0)
    mine.load(theirs.to_dict())
    assert mine.found == theirs.found
    other = Looks(WeightedItems, POOL, None)
    other.follow(ORDER[1:90], GRADES[ORDER[1:90]].tolist(), seconds=0.0)
    other.load(theirs.to_dict())
    assert other.found == []
    mine.load(theirs.to_dict() | {"measured_by": "something else"})
    assert mine.found == theirs.found


def test_a_stop_watch_says_what_the_sampler_says():
    def start():
        return SSAR().start(ITEMS, qids=QIDS)

    sampler, watch, labels = start(), StopWatch(start), []
    for _ in range(60):
        selection = sampler.propose()
        assert watch(labels) == selection.stop
        if selection.stop:
            break
        labels.append((selection.row, int(GRADES[selection.row])))
        sampler.record(*labels[-1])
    assert watch(labels)
    assert not watch(labels[:2])  # labels that were taken back
    looks = Looks(WeightedItems, POOL, None)
    looks.follow([row for row, _ in labels], [grade for _, grade in labels], stopped=watch)
    assert [look.stopped for look in looks.found] == [watch(labels[: look.labels]) for look in looks.found]
