"""Statistics against scipy, against all permutations written out, and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.errors import InputError
from rulerank.statistics import (
    area,
    bootstrap_interval,
    first_reached,
    holm,
    paired_t,
    resampled_means,
    sign_flip,
    t_interval,
    t_quantile,
    t_tail,
)

numbers = st.floats(-5, 5).map(lambda value: round(value, 3))


@given(st.floats(0, 60), st.integers(1, 3000))
def test_tails_of_students_t_are_scipys(t, freedom):
    assert t_tail(t, freedom) == pytest.approx(2 * scipy.stats.t.sf(t, freedom), rel=1e-9, abs=1e-14)


@given(st.integers(1, 2000), st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999]))
def test_quantiles_of_students_t_are_scipys(freedom, level):
    assert t_quantile(freedom, level) == pytest.approx(scipy.stats.t.ppf((1 + level) / 2, freedom), rel=1e-9)


@given(st.lists(numbers, min_size=2, max_size=40).filter(lambda values: np.std(values) > 1e-6))
def test_intervals_are_scipys(values):
    found = t_interval(values)
    low, high = scipy.stats.t.interval(0.95, len(values) - 1, np.mean(values), scipy.stats.sem(values))
    assert found == pytest.approx((np.mean(values), low, high), abs=1e-9)


def test_one_value_has_no_interval():
    found = t_interval([0.4])
    assert found.mean == 0.4
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=60))
def test_the_paired_t_test_is_scipys(values):
    first, second = np.array(values).T
    gaps = first - second
    if np.std(gaps) < 1e-6:
        return
    theirs = scipy.stats.ttest_rel(first, second)
    found = paired_t(gaps)
    assert found.difference == pytest.approx(gaps.mean())
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-14)


def test_differences_without_spread():
    assert paired_t([0.0, 0.0, 0.0]) == (0.0, 0.0, 1.0)
    assert paired_t([0.5]).p == 1.0
    assert paired_t([0.5, 0.5]).p == 0.0
    assert sign_flip([0.0, 0.0]).p == 1.0


@examples(30)
@given(st.lists(st.integers(-4, 4).map(lambda value: value / 8), min_size=1, max_size=10))
def test_the_sign_flip_test_tries_all_signs(gaps):
    seen = abs(sum(gaps))
    far = [abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) >= seen - 1e-12 for signs in _signs(len(gaps))]
    assert sign_flip(gaps).p == pytest.approx(sum(far) / len(far))


def _signs(size):
    return list(itertools.product((1, -1), repeat=size))


def test_many_differences_are_flipped_at_random_close_to_the_exact_answer():
    rng = np.random.default_rng(3)
    gaps = rng.normal(0.3, 1.0, 16)
    patterns = np.array(_signs(16))
    exact = float((np.abs(patterns @ gaps) >= abs(gaps.sum()) - 1e-12).mean())
    found = sign_flip(gaps)
    assert found.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000) + 1e-4)
    assert found == sign_flip(gaps)


def test_what_rounding_leaves_of_no_difference_is_none():
    third = np.array([0.1 + 0.2, 0.3] * 40)
    gaps = third - 0.3  # every second one is 5.6e-17
    assert gaps.any()
    for test in (paired_t, sign_flip):
        assert test(gaps).p == 1.0
        assert test(gaps).difference == 0.0


def test_a_difference_beyond_chance_never_has_a_p_of_zero():
    assert 0 < sign_flip(np.full(100, 0.1)).p < 0.001


def test_under_the_null_few_are_called_significant():
    rng = np.random.default_rng(0)
    for test in (paired_t, sign_flip):
        called = sum(test(rng.normal(size=12)).p < 0.05 for _ in range(400))
        assert 8 <= called <= 36  # 20 expected


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_its_definition(p_values):
    found = holm(p_values)
    size = len(p_values)
    order = sorted(range(size), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        worst = max(((size - step) * p_values[order[step]] for step in range(rank + 1)), default=0)
        assert found[place] == pytest.approx(min(1.0, worst))
    assert all(adjusted >= p for adjusted, p in zip(found, p_values, strict=True))


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    with pytest.raises(InputError):
        holm([1.5])


def test_the_bootstrap_redraws_queries_within_folds():
    rng = np.random.default_rng(1)
    folds = [rng.random((30, 2)) + np.array([0.0, 5.0]), rng.random((10, 2)) + np.array([1.0, 5.0])]
    means = resampled_means(folds, resamples=4000)
    centre = np.mean([fold.mean(axis=0) for fold in folds], axis=0)
    spread = np.sqrt(sum(fold.var(axis=0) / len(fold) for fold in folds)) / 2
    assert np.allclose(means.mean(axis=0), centre, atol=4 * spread.max() / math.sqrt(4000))
    assert np.allclose(means.std(axis=0), spread, rtol=0.1)
    low, high = bootstrap_interval(folds)
    assert (low < centre).all()
    assert (centre < high).all()
    assert np.allclose((high - low) / 2, 1.96 * spread, rtol=0.15)


@given(st.lists(st.tuples(st.integers(1, 50), numbers), min_size=2, max_size=10))
def test_the_area_is_numpys_trapezium(points):
    x = np.cumsum([step for step, _ in points])
    y = np.array([value for _, value in points])
    assert area(x, y) == pytest.approx(np.trapezoid(y, x) / (x[-1] - x[0]))


def test_areas_by_hand():
    assert area([10], [0.4]) == 0.4
    assert area([10, 20, 40], [0.2, 0.4, 0.4]) == pytest.approx((3 + 8) / 30)
    with pytest.raises(InputError, match="rising"):
        area([10, 10], [0.1, 0.2])


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=1, max_size=8))
def test_first_reached_and_reached_for_good(values):
    labels = [5 * (n + 1) for n in range(len(values))]
    first, stays = first_reached(labels, values, 0.2)
    reached = [n for n, value in zip(labels, values, strict=True) if value >= 0.2]
    assert first == (reached[0] if reached else None)
    good = [n for place, n in enumerate(labels) if all(value >= 0.2 for value in values[place:])]
    assert stays == (good[0] if good else None)
