"""What holds for any ranking, whatever the convention."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.metrics import conventions, evaluate, rankings
from rulerank.metrics.rankings import sort_queries
from rulerank.registry import metrics

NAMES = conventions.names()
graded = st.lists(st.integers(-1, 4), min_size=1, max_size=40)
any_score = st.floats(allow_nan=False, allow_infinity=False)


@given(graded, st.sampled_from(NAMES))
def test_perfect_ranking(grades, convention):
    result = evaluate(grades, grades, [0] * len(grades), convention)
    best = 1.0 if max(grades) > 0 else 0.0
    reach = 10 if convention == "trec" else min(10, len(grades))
    assert result["map"] == result["mrr"] == best
    assert result["ndcg"] == pytest.approx([best] * reach + [0.0] * (10 - reach), abs=1e-15)
    assert result["mean_ndcg"] == pytest.approx(best, abs=1e-14)
    assert result["queries_without_relevant"] == (best == 0.0)


@given(st.data(), graded, st.sampled_from(NAMES))
def test_values_lie_between_0_and_1(data, grades, convention):
    scores = data.draw(st.lists(any_score, min_size=len(grades), max_size=len(grades)))
    qids = data.draw(st.lists(st.sampled_from("abc"), min_size=len(grades), max_size=len(grades)))
    result = evaluate(grades, scores, qids, convention)
    for values in (result, result["expected"]):
        for entry in metrics:
            value = np.array(values[entry.name])
            assert np.all((value >= 0.0) & (value <= 1.0 + 1e-12)), entry.name


@given(st.data(), graded, st.sampled_from(NAMES))
def test_order_of_rows_with_distinct_scores_does_not_matter(data, grades, convention):
    size = len(grades)
    rows = data.draw(st.permutations(range(size)))
    grades, scores, qids = np.array(grades), np.arange(size) * 0.5, np.arange(size) % 3
    first = evaluate(grades, scores, qids, convention)
    second = evaluate(grades[rows], scores[rows], qids[rows], convention)
    for entry in metrics:
        assert second[entry.name] == pytest.approx(first[entry.name], abs=1e-14)


@given(st.data(), graded)
def test_order_of_rows_never_changes_expected_values(data, grades):
    size = len(grades)
    rows = data.draw(st.permutations(range(size)))
    grades, scores, qids = np.array(grades), np.arange(size) // 4 % 3, np.arange(size) % 2
    first = evaluate(grades, scores, qids)["expected"]
    second = evaluate(grades[rows], scores[rows], qids[rows])["expected"]
    for entry in metrics:
        assert second[entry.name] == pytest.approx(first[entry.name], abs=1e-13)


@given(st.lists(st.lists(any_score | st.sampled_from([0.0, 1.0, -1.0]), max_size=60), min_size=1, max_size=4))
def test_sorting_is_stable_and_descending(queries):
    scores = np.array([score for own in queries for score in own], dtype=np.float64) + 0.0
    starts = np.cumsum([0] + [len(own) for own in queries])
    order = np.full(len(scores), -1)
    sort_queries(starts, 0, len(queries), scores, order)
    for begin, end in pairwise(starts):
        expected = sorted(range(begin, end), key=lambda row: -scores[row])
        assert order[begin:end].tolist() == expected


@pytest.mark.parametrize("convention", NAMES)
@pytest.mark.parametrize("threads", ["2", "5"])
def test_number_of_threads_changes_nothing(monkeypatch, convention, threads):
    rng = np.random.default_rng(6)
    qids = np.repeat(np.arange(41), rng.integers(1, 60, 41))
    data = rng.integers(-1, 4, len(qids)), rng.integers(0, 9, len(qids)), qids, convention
    monkeypatch.setenv("RULERANK_THREADS", "1")
    alone = evaluate(*data)
    monkeypatch.setenv("RULERANK_THREADS", threads)
    monkeypatch.setattr(rankings, "_ROWS_A_THREAD", 100)
    together = evaluate(*data)
    for entry in metrics:
        assert together[entry.name] == alone[entry.name]
        assert together["expected"][entry.name] == alone["expected"][entry.name]


def test_one_long_query_among_short_ones_is_still_whole_in_threads(monkeypatch):
    qids = np.repeat([0, 1, 2], [1, 500, 1])
    grades = np.arange(502) % 3
    alone = evaluate(grades, -grades, qids)
    monkeypatch.setenv("RULERANK_THREADS", "4")
    monkeypatch.setattr(rankings, "_ROWS_A_THREAD", 10)
    assert evaluate(grades, -grades, qids)["per_query"]["map"].tolist() == alone["per_query"]["map"].tolist()
