"""The expected values over ties equal the mean over every possible order."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_reference import all_metrics, by_score, err, every_tie_break, mean_of

from rulerank.metrics import evaluate
from rulerank.registry import metrics

document = st.tuples(st.integers(-1, 4), st.sampled_from([0.0, -0.0, 1.5, -2.0]))
query = st.lists(document, min_size=1, max_size=6)
convention = st.sampled_from(["letor", "letor3", "letor4", "trec"])


def assert_same(ours, reference):
    assert set(reference) <= set(ours)
    for name, value in reference.items():
        assert ours[name] == pytest.approx(value, abs=1e-12, rel=0), name


@given(query, convention, st.integers(1, 8), st.integers(4, 6))
def test_expected_values_are_the_mean_over_all_orders(rows, convention, k, max_grade):
    grades, scores = [grade for grade, _ in rows], [score for _, score in rows]
    result = evaluate(grades, scores, ["q"] * len(rows), convention, k=k, max_grade=max_grade)
    orders = every_tie_break(grades, scores)
    options = {"k": k, "convention": convention, "max_grade": max_grade}
    assert_same(result["expected"], mean_of(all_metrics(order, **options) for order in orders))


@given(st.lists(query, min_size=1, max_size=4), st.sampled_from(["letor", "letor3", "letor4"]), st.randoms())
def test_means_over_queries_whose_rows_are_mixed(queries, convention, random):
    rows = [(number, *row) for number, own in enumerate(queries) for row in own]
    random.shuffle(rows)
    qids, grades, scores = (list(column) for column in zip(*rows, strict=True))
    result = evaluate(grades, scores, qids, convention, max_grade=4)
    seen = list(dict.fromkeys(qids))
    own = [[row[1:] for row in rows if row[0] == qid] for qid in seen]
    values, expected = [], []
    for documents in own:
        one_grades, one_scores = zip(*documents, strict=True)
        options = {"k": 10, "convention": convention, "max_grade": 4}
        values.append(all_metrics(by_score(one_grades, one_scores), **options))
        expected.append(mean_of(all_metrics(o, **options) for o in every_tie_break(one_grades, one_scores)))
    assert result["per_query"]["qids"] == seen
    for name in values[0]:
        assert result["per_query"][name].tolist() == [pytest.approx(v[name], abs=1e-12, rel=0) for v in values]
    assert_same(result, mean_of(values))
    assert_same(result["expected"], mean_of(expected))


@pytest.mark.parametrize(("relevant", "size"), [(1, 300), (20, 300), (150, 300), (300, 300)])
def test_expected_err_of_large_tie_groups_in_exact_arithmetic(relevant, size):
    """Groups so large that the sum over positions may be cut short, which must not show."""
    lead = [1, 0]
    tied = ([1, 2, 2] * size)[:relevant] + [0] * (size - relevant)
    grades = lead + tied
    result = evaluate(grades, [9, 8] + [0] * size, [1] * len(grades), max_grade=2)

    # With max_grade 2 a document is passed with 4/4, 3/4 or 1/4, so all polynomials have whole coefficients.
    coefficients = [1]
    for grade in tied:
        quarters = (4, 3, 1)[grade]
        longer = [*coefficients, 0]
        for power in range(1, len(longer)):
            longer[power] += quarters * coefficients[power - 1]
        coefficients = longer
    passing = [Fraction(c, 4**j * comb(size, j)) for j, c in enumerate(coefficients)]
    stops = [(passing[j - 1] - passing[j]) / (len(lead) + j) for j in range(1, size + 1)]
    exact = Fraction(1, 4) + Fraction(3, 4) * sum(stops)
    assert result["expected"]["err"] == pytest.approx(float(exact), abs=1e-15, rel=0)


def test_without_ties_expected_equals_file_order_to_the_bit():
    rng = np.random.default_rng(4)
    grades, qids = rng.integers(0, 4, 500), rng.integers(0, 9, 500)
    result = evaluate(grades, rng.permutation(500), qids)
    for entry in metrics:
        assert result["expected"][entry.name] == result[entry.name]


def test_ties_of_one_grade_leave_no_doubt():
    result = evaluate([2, 1, 1, 0], [3, 2, 2, 1], [1, 1, 1, 1])
    for entry in metrics:
        assert result["expected"][entry.name] == result[entry.name]


def test_one_relevant_among_equals_by_hand():
    result = evaluate([1, 0, 0], [0, 0, 0], ["q"] * 3)
    third = (1 + 1 / 2 + 1 / 3) / 3
    assert result["map"] == result["mrr"] == 1.0
    assert result["expected"]["map"] == pytest.approx(third, abs=1e-15)
    assert result["expected"]["mrr"] == pytest.approx(third, abs=1e-15)
    assert result["expected"]["err"] == pytest.approx(err([1], 1) * third, abs=1e-15)
    assert result["expected"]["precision"][:3] == pytest.approx([1 / 3] * 3, abs=1e-15)
