"""TUBE against the original program's edges, and against a plain reference that scores whole histograms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.discretize import Tube, log_likelihood
from rulerank.discretize.tube_kernels import candidates
from rulerank.errors import InputError


@pytest.fixture(scope="module")
def original(golden):
    columns = golden("tube_reference.json")["columns"]
    X = np.column_stack([np.repeat(column["values"], column["counts"]) for column in columns])
    return X, [np.array(column["edges"]) for column in columns]


def holds(edges, others):
    return all(np.abs(edges - other).min() <= 1e-9 for other in others)


def same(edges, others):
    return len(edges) == len(others) and np.allclose(edges, others, rtol=0, atol=1e-9)


def test_edges_are_the_original_programs(original):
    X, expected = original
    found = Tube(bins=10).fit(X).edges_
    assert all(len(edges) == 11 for edges in found)
    assert sum(same(a, b) for a, b in zip(found, expected, strict=True)) == 53
    assert all(holds(a, b) for a, b in zip(found, expected, strict=True))


def test_edges_are_the_original_programs_at_its_own_number_of_bins(original):
    X, expected = original
    for j, edges in enumerate(expected):
        found = Tube(bins=len(edges) - 1).fit(X[:, j : j + 1]).edges_[0]
        assert same(found, edges)
        assert log_likelihood(X[:, j], found) >= log_likelihood(X[:, j], edges) - 1e-6


def test_cross_validation_stops_where_the_original_does(original):
    X, expected = original
    bins = np.array([len(edges) - 1 for edges in expected])
    agreed = [int((Tube(bins="cv", seed=seed).fit(X).bins_ == bins).sum()) for seed in range(5)]
    assert agreed[0] >= 55
    assert np.mean(agreed) >= 53
    early = Tube(bins="cv").fit(X)
    for found, edges in zip(early.edges_, expected, strict=True):
        assert same(found, edges) or holds(found, edges) or holds(edges, found)


def reference_cuts(values):
    cuts = []
    for a, b in itertools.pairwise(values):
        cuts += [(a + b) / 2] if b - a < 2e-4 + 1e-12 else [a + 1e-4, b - 1e-4]
    return cuts


def reference_score(rows, edges):
    """Sum n log(n / (w N)) over the bins, counting rows one by one; also return the n and w of the bins."""
    bins = list(itertools.pairwise(edges))
    held = [sum(low < x <= high or x == low == edges[0] for x in rows) for low, high in bins]
    assert sum(held) == len(rows)
    widths = [high - low for low, high in bins]
    score = [n * math.log(n / (w * len(rows))) for n, w in zip(held, widths, strict=True) if n]
    return sum(score), held, widths


def reference_tree(rows, low, high, bins):
    """Try every cut on the whole histogram each time; of equally good ones take the lowest."""
    cuts = reference_cuts(sorted(set(rows)))
    edges = [low, high]
    while len(edges) <= bins:
        now = reference_score(rows, edges)[0]
        gains = {}
        for cut in cuts:
            if cut not in edges:
                gains[cut] = reference_score(rows, sorted([*edges, cut]))[0] - now
        if not gains:
            break
        most = max(gains.values())
        best = min(cut for cut, gain in gains.items() if gain >= most - 1e-9)
        edges = sorted([*edges, best])
    return edges


grid = st.integers(0, 12).map(lambda k: k / 8)
letor_like = st.integers(0, 4000).map(lambda k: k / 1_000_000)
columns = st.one_of(
    st.lists(grid, min_size=2, max_size=25),
    st.lists(letor_like, min_size=2, max_size=15),
    st.lists(st.one_of(grid, letor_like), min_size=2, max_size=20),
)


@given(columns, st.integers(1, 7))
def test_greedy_tree_equals_the_reference(rows, bins):
    found = Tube(bins=bins).fit(np.array(rows)[:, None]).edges_[0]
    expected = reference_tree(rows, min(rows), max(rows), bins) if len(set(rows)) > 1 else [rows[0], rows[0]]
    assert found == pytest.approx(expected, rel=0, abs=1e-12)


@given(st.lists(st.integers(0, 30).map(lambda k: k / 16), min_size=6, max_size=25), st.integers(0, 5))
def test_cross_validation_equals_the_reference(rows, seed):
    rows = sorted(rows)
    most, folds = 4, 3
    found = Tube(bins="cv", max_bins=most, folds=folds, seed=seed).fit(np.array(rows)[:, None]).bins_[0]
    if len(set(rows)) == 1:
        assert found == 1
        return
    fold = np.random.default_rng(seed).permutation(np.arange(len(rows)) % folds)
    scores = np.zeros(most)
    for f in range(folds):
        train = [x for x, g in zip(rows, fold, strict=True) if g != f]
        for k in range(1, most + 1):
            edges = reference_tree(train, rows[0], rows[-1], k)
            _, held, widths = reference_score(train, edges)
            for x, g in zip(rows, fold, strict=True):
                if g == f:
                    b = max(0, next(i for i, edge in enumerate(edges) if x <= edge) - 1)
                    scores[k - 1] += math.log((held[b] + 1) / ((len(train) + len(held)) * widths[b]))
    assert found == min(k for k in range(1, most + 1) if scores[k - 1] >= scores.max() - 1e-9)


@given(st.lists(st.integers(0, 500).map(lambda k: k / 500), min_size=2, max_size=60), st.integers(2, 12))
def test_more_bins_keep_the_cuts_and_never_lower_the_likelihood(rows, bins):
    x = np.array(rows)
    fewer = Tube(bins=bins - 1).fit(x[:, None]).edges_[0]
    more = Tube(bins=bins).fit(x[:, None]).edges_[0]
    assert set(fewer) <= set(more)
    if len(set(rows)) > 1:
        assert log_likelihood(x, more) >= log_likelihood(x, fewer) - 1e-9


def test_splits_to_the_limit_while_there_are_cuts():
    # Three values have four cuts between them, so five bins, though two of them are empty.
    tube = Tube(bins=10).fit(np.array([[0.0], [0.5], [1.0]]))
    np.testing.assert_allclose(tube.edges_[0], [0, 1e-4, 0.4999, 0.5001, 0.9999, 1], rtol=0, atol=1e-12)


def test_equal_gains_take_the_lowest_cut():
    x = np.repeat([0.0, 1.0], 7)[:, None]
    assert Tube(bins=2).fit(x).edges_[0] == pytest.approx([0, 1e-4, 1], abs=1e-12)
    # Shifted, the two gains differ by rounding alone, and the rule still holds.
    assert Tube(bins=2).fit(x + 0.3).edges_[0] == pytest.approx([0.3, 0.3001, 1.3], abs=1e-12)


def test_equal_bins_split_the_leftmost_first():
    # A heavy middle is cut out first; the two sides are mirror images, so their best cuts gain the same.
    counts = [5, 1, 1, 1, 1000, 1, 1, 1, 5]
    x = np.repeat(np.arange(9) / 10_000, counts)[:, None]
    middle = [0, 0.00035, 0.00045, 0.0008]
    assert Tube(bins=3).fit(x).edges_[0] == pytest.approx(middle, rel=0, abs=1e-12)
    assert Tube(bins=4).fit(x).edges_[0] == pytest.approx(sorted([*middle, 0.00005]), rel=0, abs=1e-12)


def float_steps(start, steps):
    values = [start]
    for step in steps:
        values.append(values[-1] + step if step else np.nextafter(values[-1], np.inf))
    return np.unique(values)


@given(
    st.sampled_from([0.0, 1.0, -1.0, 0.123456, 1e13, 1e20, -1e20, 1e-310]),
    st.lists(st.sampled_from([0.0, 0.0, 1e-6, 1.9e-4, 2e-4, 2.1e-4, 0.3, 1e6]), min_size=1, max_size=12),
    st.data(),
)
def test_every_cut_parts_its_two_neighbours(start, steps, data):
    values = float_steps(start, steps)
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))))
    cuts, below = candidates(values, counts.astype(np.int64))
    assert (np.diff(cuts) >= 0).all()
    assert below.tolist() == [counts[values <= cut].sum() for cut in cuts]
    assert set(below) == set(np.cumsum(counts[counts > 0])[:-1])


@pytest.mark.parametrize("gap", [0.00019, 0.0002])
def test_near_neighbours_share_the_midpoint(gap):
    tube = Tube(bins=10).fit(np.array([[0.5], [0.5 + gap]]))
    assert tube.edges_[0] == pytest.approx([0.5, 0.5 + gap / 2, 0.5 + gap], rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        [1e13, 1e13 + 1, 1e13 + 2, 3e13],
        [1e20, np.nextafter(1e20, 2e20), 2e20],
        [0.0, 5e-324, 1e300],
        [-1e300, 0.0, 1e300],
        [1.0, np.nextafter(1.0, 2), 2.0],
        [0.0, 5e-324, 1e-323],
    ],
)
@pytest.mark.parametrize("bins", [10, "cv"])
def test_extreme_values_get_rising_edges_that_part_what_they_say(values, bins):
    x = np.array(values)[:, None]
    tube = Tube(bins=bins).fit(np.repeat(x, 5, axis=0))
    edges = tube.edges_[0]
    assert np.isfinite(edges).all()
    assert (np.diff(edges) > 0).all()
    assert edges[0] == values[0]
    assert edges[-1] == values[-1]
    assert (np.diff(tube.transform(x)[:, 0].astype(int)) >= 0).all()


def test_cross_validation_is_reproducible_and_blind_to_other_columns_and_row_order():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=400), rng.random(400), rng.integers(0, 3, 400)])
    first = Tube(bins="cv", seed=3).fit(X)
    again = Tube(bins="cv", seed=3).fit(X[rng.permutation(400)])
    alone = Tube(bins="cv", seed=3).fit(X[:, 1:2])
    for a, b in zip(first.edges_, again.edges_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(first.edges_[1], alone.edges_[0])


def test_cross_validation_finds_a_planted_number_of_bins():
    # Three plateaus of very different density: two cuts are worth it, and a uniform column deserves none.
    rng = np.random.default_rng(8)
    planted = np.concatenate([rng.uniform(0, 1, 3000), rng.uniform(1, 2, 300), rng.uniform(2, 3, 6000)])
    tube = Tube(bins=3).fit(planted[:, None])
    assert tube.edges_[0][1:-1] == pytest.approx([1, 2], abs=0.02)
    bins = Tube(bins="cv").fit(np.column_stack([planted, rng.permutation(len(planted)) / len(planted)])).bins_
    assert bins[0] >= 3
    assert bins[1] == 1


def test_columns_on_threads_equal_columns_alone(monkeypatch):
    rng = np.random.default_rng(2)
    X = np.round(rng.gamma(1.0, size=(12_000, 6)), 3)
    monkeypatch.setenv("RULERANK_THREADS", "4")
    together = Tube().fit(X).edges_
    for j in range(6):
        np.testing.assert_array_equal(together[j], Tube().fit(X[:, j : j + 1]).edges_[0])


def test_log_likelihood_by_hand():
    # Bins (0, 1] with 3 rows and (1, 3] with 1 row: 3 log(3/4) + log(1/8).
    assert log_likelihood([0.0, 0.5, 1.0, 2.0], [0, 1, 3]) == pytest.approx(3 * math.log(0.75) + math.log(0.125))
    assert log_likelihood([0.5, 0.5], [0, 1, 2]) == 0
    assert log_likelihood([1.0, 1.0], [1, 1]) == math.inf
    with pytest.raises(InputError, match="rising"):
        log_likelihood([1.0], [2, 1])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"bins": "auto"}, "'cv'"),
        ({"bins": 0}, "bins must be from 1 to 256"),
        ({"bins": 257}, "bins must be from 1 to 256"),
        ({"bins": 2.5}, "whole number"),
        ({"bins": "cv", "max_bins": 300}, "max_bins"),
        ({"bins": "cv", "folds": 1}, "folds"),
        ({"bins": "cv", "seed": -1}, "seed"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(InputError, match=message):
        Tube(**params).fit(np.array([[0.0], [1.0]]))
