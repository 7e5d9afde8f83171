"""Cover: clusters by plain single linkage, and the document nearest the middle of each."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.sampling import Cover
from rulerank.sampling.cover import single_linkage, unlabelled_clusters


def joined(points, clusters):
    """Single linkage to the letter: join the two nearest clusters until so many are left."""
    groups = [{row} for row in range(len(points))]
    while len(groups) > clusters:
        one, two = min(
            itertools.combinations(groups, 2),
            key=lambda pair: min(np.linalg.norm(points[a] - points[b]) for a in pair[0] for b in pair[1]),
        )
        groups = [group for group in groups if group not in (one, two)] + [one | two]
    return {frozenset(group) for group in groups}


def middle(points, group):
    """The document of a group nearest its centroid; of equally near ones the later row."""
    rows = sorted(group)
    centre = points[rows].mean(axis=0)
    return min(rows, key=lambda row: (round(float(np.linalg.norm(points[row] - centre)), 9), -row))


def cut(linkage, clusters):
    """The clusters of a cut, as the kernel gives them when nothing is labelled."""
    documents = len(linkage.order)
    node, number = unlabelled_clusters(linkage.parent, np.zeros(documents, bool), clusters)
    assert set(number.tolist()) == {clusters}
    return {frozenset(np.flatnonzero(node == one).tolist()) for one in set(node.tolist())}


def pool(seed, rows=14, columns=3):
    """Features without equal distances, in 0..1 and reaching both; and items that Cover must not need."""
    points = np.random.default_rng(seed).random((rows, columns))
    points = (points - points.min(axis=0)) / (points.max(axis=0) - points.min(axis=0))
    return points, np.zeros((rows, columns), np.uint8)


@pytest.mark.parametrize("columns", [1, 3, 8, 11, 20])
def test_every_cut_is_that_of_plain_single_linkage(columns):
    points, _ = pool(columns, columns=columns)
    linkage = single_linkage(points)
    for clusters in range(1, len(points) + 1):
        assert cut(linkage, clusters) == joined(points, clusters)
    assert (np.diff(linkage.lengths) >= 0).all()


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 9)), elements=st.sampled_from([0, 0.5, 1])))
@examples(60)
def test_with_equal_distances_clusters_are_what_shorter_edges_connect(points):
    linkage = single_linkage(points)
    documents = len(points)
    for edges in range(documents):
        if 0 < edges < documents - 1 and np.isclose(linkage.lengths[edges - 1], linkage.lengths[edges]):
            continue  # a cut between equal edges may be any of several
        longest = linkage.lengths[edges - 1] if edges else -1.0
        apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        reach = (apart <= longest + 1e-9) | np.eye(documents, dtype=bool)
        for _ in range(documents):
            reach = (reach.astype(int) @ reach.astype(int)) > 0
        assert cut(linkage, documents - edges) == {frozenset(np.flatnonzero(line).tolist()) for line in reach}


@given(points=hnp.arrays(np.float64, (10, 5), elements=st.floats(0, 1, width=16)), clusters=st.integers(1, 10))
@examples(40)
def test_the_documents_of_a_node_stand_side_by_side(points, clusters):
    linkage = single_linkage(points)
    node, _ = unlabelled_clusters(linkage.parent, np.zeros(10, bool), clusters)
    assert sorted(linkage.order.tolist()) == list(range(10))
    for one in set(node.tolist()):
        first, count = linkage.first[one], linkage.count[one]
        assert set(linkage.order[first : first + count].tolist()) == set(np.flatnonzero(node == one).tolist())


@pytest.mark.parametrize("budget", [1, 2, 5, 9, 14])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_known_budget_gives_the_published_set(seed, budget):
    points, items = pool(seed)
    groups = joined(points, budget)
    order = Cover(clusters=budget).run(items, np.zeros(14), features=points, budget=budget).order
    assert set(order) == {middle(points, group) for group in groups}
    sizes = [next(len(group) for group in groups if row in group) for row in order]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("least", [1, 4])
def test_the_coarsest_cut_with_a_cluster_that_holds_no_label(seed, least):
    points, items = pool(seed)
    rng = np.random.default_rng(seed)
    sampler = Cover(clusters=least).start(items, features=points)
    labels, hidden = set(), set()
    while len(labels | hidden) < 14:
        for clusters in range(least, 15):
            groups = [group for group in joined(points, clusters) if not group & labels and group - hidden]
            if groups:
                break
        largest = max(map(len, groups))
        chosen = sampler.propose()
        group = next(group for group in groups if chosen.row in group)
        assert len(group) == largest
        centre = points[sorted(group)].mean(axis=0)
        least_far = min(np.linalg.norm(points[row] - centre) for row in group - hidden)
        assert np.linalg.norm(points[chosen.row] - centre) == pytest.approx(least_far)
        assert dict(chosen.keys)["clusters"] == clusters
        assert dict(chosen.keys)["documents"] == largest
        # Labels from elsewhere and documents that nobody can tell come in between.
        other = int(rng.integers(14))
        if rng.random() < 0.3 and other not in labels | hidden:
            sampler.exclude(other)
            hidden.add(other)
        elif chosen.row not in hidden:
            sampler.record(chosen.row, int(rng.integers(3)))
            labels.add(chosen.row)
    assert sampler.propose() is None


def test_every_planted_cluster_gets_a_label_before_any_gets_two():
    rng = np.random.default_rng(5)
    centres = rng.random((12, 6)) * 100
    features = np.repeat(centres, 20, axis=0) + rng.normal(size=(240, 6)) * 0.1
    order = Cover().run(np.zeros((240, 6), np.uint8), np.zeros(240), features=features, budget=12).order
    assert sorted(row // 20 for row in order) == list(range(12))


def test_grades_play_no_part_and_scales_do_not_either():
    points, items = pool(3)
    one = Cover().run(items, np.zeros(14), features=points).order
    assert one == Cover().run(items, np.arange(14), features=points).order
    assert one == Cover().run(items, np.zeros(14), features=points * [1e-3, 1024.0, 1.0] + 4.0).order
    huge = np.array([[-1.7e308], [1.7e308], [1.6e308]])
    assert set(Cover().run([[0], [0], [0]], [0, 0, 0], features=huge, budget=2).order) == {0, 2}


def test_bins_stand_in_for_feature_values():
    items = np.array([[0, 0], [0, 1], [9, 9], [1, 0]], np.uint8)
    assert Cover().run(items, np.zeros(4)).order == Cover().run(items, np.zeros(4), features=items).order
    assert set(Cover(clusters=2).run(items, np.zeros(4), budget=2).order) == {0, 2}


def test_the_reasons_tell_of_clusters():
    items = np.array([[0], [1], [2], [50]], np.uint8)
    sampler = Cover(clusters=2).start(items)
    first = sampler.propose()
    assert first.row == 1
    assert "cut into 2 clusters" in first.reason
    assert "one of 3 documents" in first.reason
    sampler.record(1, 0)
    assert sampler.propose().row == 3
    assert "by itself" in sampler.propose().reason
    sampler.record(3, 0)
    assert dict(sampler.propose().keys)["clusters"] == 3


@pytest.mark.parametrize("clusters", [0, -1, 1.5, "x", None])
def test_the_number_of_clusters_is_checked(clusters):
    with pytest.raises(InputError, match="clusters"):
        Cover(clusters=clusters).start([[0], [1]])
