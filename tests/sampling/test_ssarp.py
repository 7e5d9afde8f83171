"""SSARP: features dealt by chi-square, SSAR on each hand, the union labelled."""

from __future__ import annotations

import numpy as np
import pytest
import sampling_reference
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.sampling import SSAR, SSARP
from rulerank.sampling.ssarp import SCORINGS, chi_squares, deal_features, feature_ranking, place_scores


@st.composite
def pools(draw, rows=8, features=6):
    shape = draw(st.tuples(st.integers(1, rows), st.integers(1, features)))
    items = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 2)))
    return items, draw(hnp.arrays(np.int64, len(items), elements=st.integers(0, 2)))


def test_chi_squares_are_pearsons():
    rng = np.random.default_rng(0)
    items = rng.integers(0, 5, (300, 6)).astype(np.uint8)
    items[:, 3] = items[:, 0] // 2
    items[:, 4] = np.where(items[:, 1] > 2, 200, 7)
    items[:, 5] = 9
    found = chi_squares(items)
    assert found.shape == (6, 6)
    for i in range(6):
        for j in range(6):
            if i == j:
                assert found[i, j] == 0.0
                continue
            _, first = np.unique(items[:, i], return_inverse=True)
            _, second = np.unique(items[:, j], return_inverse=True)
            table = np.zeros((first.max() + 1, second.max() + 1))
            np.add.at(table, (first, second), 1)
            expected = scipy.stats.chi2_contingency(table, correction=False).statistic
            assert found[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found[0, 3] > 10 * found[0, 1]


scorings = st.sampled_from(SCORINGS)


@given(pool=pools(rows=12, features=7), partitions=st.integers(1, 9), scoring=scorings)
@examples(60)
def test_features_are_dealt_as_described(pool, partitions, scoring):
    items, _ = pool
    hands = deal_features(items, partitions, scoring)
    assert hands == sampling_reference.dealt(items, partitions, scoring)
    assert sorted(feature for hand in hands for feature in hand) == list(range(items.shape[1]))
    assert max(map(len, hands)) - min(map(len, hands)) <= 1


def test_at_least_one_partition():
    with pytest.raises(InputError, match="partitions"):
        SSARP(partitions=0).start([[0, 1], [1, 0]])


def test_the_paper_and_the_authors_program_score_places_differently():
    def ln(place):
        return 1 / np.log(10 * place)

    assert place_scores(5).tolist() == [1.0, ln(2), ln(3), ln(4), ln(5)]
    assert place_scores(5, "program").tolist() == [1.0, 1.0, ln(2), ln(3), ln(4)]
    for scoring in SCORINGS:
        assert [len(place_scores(places, scoring)) for places in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InputError, match="scoring must be one of paper, program, not 'script'"):
        place_scores(3, "script")
    with pytest.raises(InputError, match="scoring"):
        SSARP(scoring="script").start([[0, 1], [1, 0]])


def test_the_scoring_decides_the_order_where_second_places_are_many():
    """Columns 0 to 2 are copies of one another, 3 and 4 of each other, and 5 follows both a little."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 4, 400), rng.integers(0, 4, 400)
    mixed = np.where(rng.random(400) < 0.5, first, second)
    items = np.column_stack([first, first, first, second, second, mixed]).astype(np.uint8)
    assert feature_ranking(items) != feature_ranking(items, "program")
    assert SSARP().start(items).features_ != SSARP(scoring="program").start(items).features_


@given(pool=pools(), partitions=st.integers(1, 4), size=st.integers(1, 3), scoring=scorings)
@examples(60)
def test_the_partitions_take_turns(pool, partitions, size, scoring):
    items, grades = pool
    run = SSARP(partitions, max_antecedent=size, scoring=scoring).run(items, grades)
    assert run.order == sampling_reference.ssarp(items, grades, partitions, size, scoring)
    assert run.stopped_on in run.order


def test_the_union_is_that_of_ssar_on_each_partition():
    rng = np.random.default_rng(4)
    items = rng.integers(0, 4, (300, 12)).astype(np.uint8)
    items[:, 6] = items[:, 0]
    grades = (items[:, 0] + items[:, 3]) // 3
    sampler = SSARP(partitions=4)
    run = sampler.run(items, grades)
    runs = [SSAR().run(items[:, part], grades) for part in sampler.features_]
    assert len(sampler.features_) == 4
    assert set(run.order) == set().union(*(set(part.order) for part in runs))
    assert len(set(run.order)) == len(run.order)
    assert max(len(part.order) for part in runs) < len(run.order) < 300
    first = [selection.partition for selection in run.selections[:4]]
    assert first == sorted(first)
    for selection in run.selections[:-1]:
        own = runs[selection.partition]
        assert own.rule_counts[own.order.index(selection.row)] == selection.rule_count
        assert f"partition {selection.partition + 1} of 4" in selection.reason
    assert run.selections[-1].stop
    assert "every partition" in run.selections[-1].reason


def test_one_partition_is_ssar():
    rng = np.random.default_rng(9)
    items, grades = rng.integers(0, 3, (60, 5)).astype(np.uint8), rng.integers(0, 3, 60)
    one, plain = SSARP(partitions=1).run(items, grades), SSAR().run(items, grades)
    assert one.order == plain.order
    assert one.rule_counts == plain.rule_counts
    assert one.stopped_on == plain.stopped_on


def test_beyond_the_stop_the_fewest_rules_over_all_partitions():
    rng = np.random.default_rng(2)
    items, grades = rng.integers(0, 3, (40, 6)).astype(np.uint8), rng.integers(0, 2, 40)
    sampler = SSARP(partitions=3)
    run = sampler.run(items, grades)
    counts = sampler.rule_counts
    left = [row for row in range(40) if row not in run.order]
    assert left
    chosen = sampler.propose(beyond=True)
    occurrence = sampling_reference.occurrences(items)
    assert chosen.row == min(left, key=lambda row: (counts[row], occurrence[row], -row))
    assert chosen.rule_count == counts[chosen.row]
    assert not chosen.stop
    assert "without a grade" in chosen.reason
    while (chosen := sampler.propose(beyond=True)) is not None:
        sampler.record(chosen.row, int(grades[chosen.row]))
    assert len(sampler.labelled) == 40


def test_an_explanation_for_each_partition():
    rng = np.random.default_rng(2)
    items = rng.integers(0, 3, (20, 6)).astype(np.uint8)
    sampler = SSARP(partitions=3).start(items)
    for _ in range(4):
        sampler.record(sampler.propose().row, 1)
    row = next(row for row in range(20) if row not in sampler.labelled)
    told = sampler.explain(row)
    assert len(told) == 3
    assert sum(part.rule_count for part in told) == sampler.rule_counts[row] > 0
    for features, part in zip(sampler.features_, told, strict=True):
        held = {item for rule in part.rules for item in rule.antecedent} | set(part.new_items)
        assert held == {(feature, int(items[row, feature])) for feature in features}  # the pool's numbers
