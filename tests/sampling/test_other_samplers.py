"""Random orders, the highest feature, k-center, uncertainty and committee: each against its own definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import sampling_reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.ranking import LRAR
from rulerank.sampling import Committee, KCenter, QueryStratifiedRandom, Random, TopFeature, Uncertainty
from rulerank.sampling.selection import Key, pick


@given(
    keys=st.lists(
        st.tuples(hnp.arrays(np.int64, 6, elements=st.integers(0, 2)), st.booleans()), min_size=1, max_size=3
    ),
    available=hnp.arrays(bool, 6),
)
def test_one_selector_breaks_all_ties(keys, available):
    def place(row):
        return (*(-values[row] if largest else values[row] for values, largest in keys), -row)

    told = [Key(str(n), values, largest) for n, (values, largest) in enumerate(keys)]
    rows = [row for row in range(6) if available[row]]
    assert pick(told, available) == (min(rows, key=place) if rows else -1)
    assert pick(told) == min(range(6), key=place)


def test_every_document_is_equally_likely_to_be_first():
    items = np.zeros((5, 1), np.uint8)
    first = Counter(Random(seed=seed).start(items).propose().row for seed in range(500))
    assert set(first) == set(range(5))
    assert all(60 <= number <= 140 for number in first.values())


@given(qids=st.lists(st.integers(0, 4), min_size=1, max_size=25), seed=st.integers(0, 5))
@examples(40)
def test_labels_are_spread_evenly_over_queries(qids, seed):
    sampler = QueryStratifiedRandom(seed=seed).start(np.zeros((len(qids), 1), np.uint8), qids=qids)
    labels, left = Counter(dict.fromkeys(qids, 0)), Counter(qids)
    while (selection := sampler.propose()) is not None:
        qid = qids[selection.row]
        assert labels[qid] == min(labels[other] for other in left if left[other])
        labels[qid] += 1
        left[qid] -= 1
        sampler.record(selection.row, 0)
        lasting = [labels[other] for other in left if left[other]]
        assert not lasting or max(labels.values()) - min(lasting) <= 1
    assert labels == Counter(qids)


def test_queries_must_be_known_to_spread_labels_over_them():
    with pytest.raises(InputError, match="qids"):
        QueryStratifiedRandom().start([[0]])


def test_the_highest_value_first_and_of_equals_the_earlier_row():
    features = np.array([[0.1, 3.0], [0.9, 1.0], [0.5, 3.0], [0.9, 2.0]])
    items = np.array([[3, 0], [2, 0], [1, 0], [0, 0]], np.uint8)
    grades = [0, 0, 0, 0]
    assert TopFeature().run(items, grades, features=features).order == [1, 3, 2, 0]
    assert TopFeature(feature=1).run(items, grades, features=features).order == [0, 2, 3, 1]
    assert TopFeature().run(items, grades).order == [0, 1, 2, 3]
    assert "feature 2 is 3" in TopFeature(feature=1).start(items, features=features).propose().reason
    for feature in (2, -1):
        with pytest.raises(InputError, match="feature"):
            TopFeature(feature=feature).start(items, features=features)


@given(items=hnp.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.integers(0, 2)))
@examples(40)
def test_the_farthest_document_in_the_space_of_items(items):
    # Items as 0/1 columns: the squared distance is twice the number of features that differ.
    points = np.concatenate([(items == value).astype(float) for value in range(3)], axis=1)
    order = KCenter().run(items, np.zeros(len(items))).order
    assert order == sampling_reference.k_center(items, points, len(items))


def test_the_farthest_document_in_the_space_of_features():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(30, 4)) * [1, 100, 0.01, 0]
    items = rng.integers(0, 3, (30, 4)).astype(np.uint8)
    spread = features.std(axis=0)
    points = features[:, :3] / spread[:3]  # unit variance, so that no feature drowns the others; the last is constant
    run = KCenter(space="features").run(items, np.zeros(30), features=features)
    assert run.order == sampling_reference.k_center(items, points, 30)
    with pytest.raises(InputError, match="features"):
        KCenter(space="features").start(items)
    with pytest.raises(InputError, match="space"):
        KCenter(space="moon").start(items)


def entropy(share):
    return -np.sum(np.where(share > 0, share * np.log(np.where(share > 0, share, 1)), 0), axis=1)


def least_sure(doubt, items, labelled):
    """The row without a grade that is doubted most; ties as in SSAR."""
    occurrence = sampling_reference.occurrences(items)
    left = [row for row in range(len(items)) if row not in labelled]
    sign = 1 if labelled else -1
    return min(left, key=lambda row: (-round(float(doubt[row]), 12), sign * occurrence[row], -row))


def shares_of(items, rows, grades, width):
    """p(r|d) of a fresh LRAR on these rows; even where there are none."""
    if not rows:
        return np.full((len(items), width), 1 / width)
    share = LRAR().fit(items[rows], [grades[row] for row in rows]).predict_proba(items)
    return np.concatenate([share, np.zeros((len(items), width - share.shape[1]))], axis=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_uncertainty_asks_a_freshly_trained_ranker(seed):
    rng = np.random.default_rng(seed)
    items, grades = rng.integers(0, 3, (25, 4)).astype(np.uint8), rng.integers(0, 3, 25)
    order = Uncertainty().run(items, grades).order
    for n, row in enumerate(order[:-1]):
        labelled = order[:n]
        width = max([1, *(int(grades[r]) for r in labelled)]) + 1
        assert row == least_sure(entropy(shares_of(items, labelled, grades, width)), items, labelled)


def test_uncertainty_asks_for_the_document_between_the_grades():
    items = np.array([[0, 0]] * 5 + [[1, 1]] * 5 + [[0, 1]] + [[0, 0], [1, 1]], np.uint8)
    sampler = Uncertainty().start(items)
    for row in range(10):
        sampler.record(row, int(row >= 5))
    chosen = sampler.propose()
    assert chosen.row == 10
    assert dict(chosen.keys)["doubt"] == pytest.approx(np.log(2))
    assert "0.693" in chosen.reason


@pytest.mark.parametrize("seed", [0, 1])
def test_the_committee_asks_where_freshly_trained_members_disagree(seed):
    rng = np.random.default_rng(10 + seed)
    items, grades = rng.integers(0, 3, (16, 4)).astype(np.uint8), rng.integers(0, 3, 16)
    copies = np.random.default_rng(seed).poisson(1.0, (4, 16))
    order = Committee(members=4, seed=seed).run(items, grades).order
    for n, row in enumerate(order[:-1]):
        labelled = order[:n]
        width = max([1, *(int(grades[r]) for r in labelled)]) + 1
        shares = [shares_of(items, [r for r in labelled for _ in range(of[r])], grades, width) for of in copies]
        divergence = entropy(np.mean(shares, axis=0)) - np.mean([entropy(share) for share in shares], axis=0)
        assert row == least_sure(divergence, items, labelled)


def test_the_committee_does_not_ask_where_all_agree():
    rng = np.random.default_rng(0)
    items = np.concatenate([np.zeros((10, 3)), rng.integers(1, 3, (10, 3))]).astype(np.uint8)
    sampler = Committee().start(items)
    for row in [*range(5), *range(10, 15)]:
        sampler.record(row, int(rng.integers(0, 2)) if row >= 10 else 0)
    assert sampler.propose().row >= 15
    with pytest.raises(InputError, match="members"):
        Committee(members=1).start(items)
