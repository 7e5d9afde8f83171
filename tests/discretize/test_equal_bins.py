"""Equal width and equal frequency: against scikit-learn where conventions agree, and by their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from rulerank.discretize import EqualFrequency, EqualWidth
from rulerank.errors import InputError


def test_equal_width_agrees_with_scikit_learn():
    X = np.random.default_rng(0).normal(size=(500, 4))
    ours = EqualWidth(bins=7).fit(X)
    theirs = KBinsDiscretizer(n_bins=7, encode="ordinal", strategy="uniform", subsample=None).fit(X)
    for a, b in zip(ours.edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    # No value lies on an inner edge here, which is where the conventions differ.
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


def test_equal_frequency_agrees_with_scikit_learn_on_the_items_of_distinct_values():
    X = np.random.default_rng(1).normal(size=(1000, 3))
    theirs = KBinsDiscretizer(
        n_bins=8,
        encode="ordinal",
        strategy="quantile",
        subsample=None,
        quantile_method="averaged_inverted_cdf",
    )
    np.testing.assert_array_equal(EqualFrequency(bins=8).fit_transform(X), theirs.fit_transform(X))


def test_a_value_on_an_edge_goes_left():
    width = EqualWidth(bins=4).fit(np.array([[0.0], [4.0]]))
    assert width.transform([[0.0], [1.0], [1.5], [2.0], [3.0], [3.1], [4.0]])[:, 0].tolist() == [
        0,
        0,
        1,
        1,
        2,
        3,
        3,
    ]


def test_equal_frequency_keeps_a_bin_for_a_crowded_value():
    x = np.concatenate([np.zeros(90), np.arange(1, 11)])[:, None]
    assert EqualFrequency(bins=10).fit(x).edges_[0].tolist() == [0, 0.5, 10]
    # Also where the crowded value is the greatest, and every wanted cut falls inside it.
    assert EqualFrequency(bins=10).fit(10 - x).edges_[0].tolist() == [0, 9.5, 10]


def nearest_boundaries(rows, bins):
    """Return the cuts by definition: the k-th lies where the rows on its left come nearest to k/bins."""
    values = sorted(set(rows))
    below = [sum(x < value for x in rows) for value in values] + [len(rows)]
    cuts = []
    for k in range(1, bins):
        off = [abs(bins * count - k * len(rows)) for count in below]
        i = off.index(min(off))
        if 0 < i < len(values):
            cuts.append((values[i - 1] + values[i]) / 2)
    return sorted(set(cuts))


@given(st.lists(st.integers(0, 15).map(float), min_size=1, max_size=60), st.integers(1, 12))
def test_equal_frequency_by_definition(rows, bins):
    edges = EqualFrequency(bins=bins).fit(np.array(rows)[:, None]).edges_[0]
    assert edges.tolist() == [min(rows), *nearest_boundaries(rows, bins), max(rows)]


@given(st.permutations(range(60)), st.sampled_from([1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60]))
def test_equal_frequency_is_exact_on_distinct_values(rows, bins):
    items = EqualFrequency(bins=bins).fit_transform(np.array(rows, dtype=float)[:, None])
    assert np.bincount(items[:, 0]).tolist() == [60 // bins] * bins


def test_a_range_too_narrow_for_the_bins_gets_fewer():
    x = np.array([[1.0], [np.nextafter(1.0, 2)]])
    width = EqualWidth(bins=10).fit(x)
    assert width.edges_[0].tolist() == x[:, 0].tolist()
    assert EqualFrequency(bins=2).fit(x).transform(x)[:, 0].tolist() == [0, 1]


@pytest.mark.parametrize("kind", [EqualWidth, EqualFrequency])
@pytest.mark.parametrize("bins", [0, 257, 2.0, "10", None, True])
def test_bad_numbers_of_bins_are_refused(kind, bins):
    with pytest.raises(InputError, match="bins must be"):
        kind(bins=bins).fit(np.array([[0.0], [1.0]]))


@pytest.mark.parametrize("kind", [EqualWidth, EqualFrequency])
def test_all_256_bins_fit_in_a_byte(kind):
    items = kind(bins=256).fit_transform(np.arange(2560.0)[:, None])
    assert np.unique(items).tolist() == list(range(256))
