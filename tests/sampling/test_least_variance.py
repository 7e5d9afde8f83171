"""Least variance against a Gaussian process written out in full."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.sampling import LeastVariance, least_variance


def variances(items: np.ndarray, rows: list[int], noise: float) -> np.ndarray:
    """Return the posterior variance of every document: kernel by kernel, with a matrix inverse."""
    alike = (items[:, None, :] == items[None, :, :]).mean(axis=2)
    if not rows:
        return np.diag(alike).copy()
    known = alike[np.ix_(rows, rows)] + noise * np.eye(len(rows))
    return np.diag(alike - alike[:, rows] @ np.linalg.inv(known) @ alike[rows])


def best(items: np.ndarray, rows: list[int], noise: float) -> tuple[float, list[int]]:
    """Return the largest fall of the mean variance that one more label gives, as a share, and who gives it."""
    before = variances(items, rows, noise).mean()
    fall = [(before - variances(items, [*rows, row], noise).mean()) / before for row in range(len(items))]
    open_rows = [row for row in range(len(items)) if row not in rows]
    top = max(fall[row] for row in open_rows)
    return top, [row for row in open_rows if fall[row] > top - 1e-8]


pools = st.tuples(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 5), st.integers(1, 4))


@given(pools, st.sampled_from([0.05, 0.25, 3.0]))
def test_every_choice_lowers_the_mean_variance_the_most(shape, noise):
    seed, rows, features, bins = shape
    items = np.random.default_rng(seed).integers(0, bins, (rows, features)).astype(np.uint8)
    sampler = LeastVariance(noise).start(items)
    labelled: list[int] = []
    while (selection := sampler.propose()) is not None:
        top, who = best(items, labelled, noise)
        assert selection.row in who
        assert dict(selection.keys)["gain"] == pytest.approx(top, abs=1e-7)
        sampler.record(selection.row, 0)
        labelled.append(selection.row)
    assert sorted(labelled) == list(range(rows))


def test_labels_that_were_taken_back_leave_no_trace():
    items = np.random.default_rng(1).integers(0, 5, (60, 8)).astype(np.uint8)
    sampler, never = LeastVariance().start(items), LeastVariance().start(items)
    for row in range(0, 40, 2):
        never.record(row, 0)
    for row in range(40):
        sampler.record(row, row % 3)
    for row in range(39, 0, -2):
        sampler.retract(row)
    assert sampler.propose() == never.propose()


def test_the_order_of_the_labels_does_not_matter():
    items = np.random.default_rng(2).integers(0, 6, (80, 10)).astype(np.uint8)
    rows = np.random.default_rng(3).permutation(80)[:50].tolist()
    there, back = LeastVariance().start(items), LeastVariance().start(items)
    for row in rows:
        there.record(row, 1)
    for row in reversed(rows):
        back.record(row, 0)
    assert there.propose() == back.propose()


def test_more_items_than_fit_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(least_variance, "MOST_ITEMS", 10)
    with pytest.raises(InputError, match="fewer bins"):
        LeastVariance().start(np.arange(40, dtype=np.uint8).reshape(20, 2))


@pytest.mark.parametrize("noise", [0.0, -1.0, float("nan"), float("inf")])
def test_a_noise_must_be_above_zero(noise):
    with pytest.raises(InputError, match="noise"):
        LeastVariance(noise).start(np.zeros((3, 2), np.uint8))
