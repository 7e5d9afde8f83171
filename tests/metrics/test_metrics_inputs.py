"""What may be handed in, what is refused and how, and what the result says of itself."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from rulerank.errors import InputError, UnknownNameError
from rulerank.metrics import conventions, evaluate
from rulerank.registry import metrics


def test_result_says_what_it_rests_on():
    result = evaluate([0, 2, -1, 0, 0], [1, 2, 3, 4, 5], ["a", "a", "b", "b", "a"], "letor3", k=3)
    told = {key: value for key, value in result.items() if key not in {*metrics.names(), "expected", "per_query"}}
    assert told == {
        "convention": "letor3",
        "convention_label": "LETOR 3.0 (Eval-Score-3.0)",
        "k": 3,
        "max_grade": 2,
        "documents": 5,
        "unlabelled": 1,
        "queries": 2,
        "queries_without_relevant": 1,
    }
    assert result["per_query"]["qids"] == ["a", "b"]
    assert result["per_query"]["ndcg"].shape == result["per_query"]["expected"]["precision"].shape == (2, 3)
    del result["per_query"]
    json.dumps(result)  # all but the arrays can be stored as it is


@pytest.mark.parametrize(
    ("qids", "seen"),
    [
        ([7, 3, 7, 3], [7, 3]),
        (np.array([7, 3, 7, 3]), [7, 3]),
        (["b", "a", "b", "a"], ["b", "a"]),
        (np.array(["b", "a", "b", "a"]), ["b", "a"]),
        (np.array(["b", "a", "b", "a"], dtype=object), ["b", "a"]),
        (pd.Series(["b", "a", "b", "a"]), ["b", "a"]),
        ([1, "1", 1, "1"], [1, "1"]),
        ([("x", 2), ("x", 1), ("x", 2), ("x", 1)], [("x", 2), ("x", 1)]),
        (iter([7, 3, 7, 3]), [7, 3]),
    ],
)
def test_qids_of_any_kind_in_first_seen_order(qids, seen):
    result = evaluate([0, 1, 1, 0], [4.0, 3.0, 2.0, 1.0], qids)
    assert result["per_query"]["qids"] == seen
    assert result["per_query"]["map"].tolist() == [0.5, 1.0]


def test_queries_met_in_any_order_keep_their_own_rows():
    rng = np.random.default_rng(5)
    qids = rng.integers(0, 12, 300)
    grades, scores = rng.integers(0, 3, 300), rng.standard_normal(300)
    result = evaluate(grades, scores, qids)["per_query"]
    assert result["qids"] == list(dict.fromkeys(qids.tolist()))
    for row, qid in enumerate(result["qids"]):
        alone = evaluate(grades[qids == qid], scores[qids == qid], [0] * int((qids == qid).sum()), max_grade=2)
        for entry in metrics:
            assert np.array_equal(result[entry.name][row], alone[entry.name])


def test_arguments_stay_as_they_are_and_may_be_read_only():
    grades, scores, qids = np.array([-1, 2, 0]), np.array([-0.0, 0.0, 1.0]), np.array([2, 1, 2])
    copies = [array.copy() for array in (grades, scores, qids)]
    for array in (grades, scores, qids):
        array.flags.writeable = False
    evaluate(grades, scores, qids, "trec")
    for array, copy in zip((grades, scores, qids), copies, strict=True):
        assert array.tobytes() == copy.tobytes()


def test_unlabelled_counts_as_not_relevant():
    for convention in conventions.names():
        with_unlabelled = evaluate([-1, 1, -1, 2], [4, 3, 2, 1], [1] * 4, convention)
        as_zero = evaluate([0, 1, 0, 2], [4, 3, 2, 1], [1] * 4, convention)
        assert with_unlabelled["unlabelled"] == 2
        for entry in metrics:
            assert with_unlabelled[entry.name] == as_zero[entry.name]


@pytest.mark.parametrize("grade", [0, -1])
def test_no_relevant_document_at_all_is_stated_not_nan(grade):
    for convention in conventions.names():
        result = evaluate([grade] * 4, [1, 1, 2, 3], [1, 1, 2, 2], convention)
        assert result["queries"] == result["queries_without_relevant"] == 2
        for entry in metrics:
            assert np.array_equal(result[entry.name], np.zeros_like(result[entry.name]))


def test_err_by_hand_and_its_max_grade():
    # Chapelle et al.: stops are 3/4, 1/4, 0 with max_grade 2.
    assert evaluate([2, 0, 1], [3, 2, 1], [1] * 3)["err"] == pytest.approx(3 / 4 + 1 / 4 * 1 / 4 / 3, abs=1e-15)
    assert evaluate([2, 0, 1], [3, 2, 1], [1] * 3, max_grade=4)["err"] == pytest.approx(
        3 / 16 + 13 / 16 * 1 / 16 / 3, abs=1e-15
    )


def test_extreme_grades_and_scores_stay_finite():
    result = evaluate([1000, 1, 0, 60], [1e308, -1e308, 5e-324, 5e-324], [1] * 4)
    for values in (result, result["expected"]):
        for entry in metrics:
            assert np.all(np.isfinite(values[entry.name]))
    assert result["ndcg"][3] == pytest.approx(1.0)


GOOD = {"grades": [0, 1, 2], "scores": [0.1, 0.2, 0.3], "qids": [1, 1, 2]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": [0.1, float("nan"), 0.3]}, "scores: row 1 .* nan"),
        ({"scores": [0.1, 0.2, float("-inf")]}, "scores: row 2 .* -inf"),
        ({"scores": [0.1, None, 0.3]}, "scores: row 1 .*nan"),
        ({"scores": [0.1, {}, 0.3]}, "scores: row 1 .* not a number but {}"),
        ({"scores": ["0.1", "0.2", "0.3"]}, "scores must be numbers, but row 0 is '0.1'"),
        ({"scores": [1j, 0, 0]}, "scores must be numbers"),
        ({"scores": [[0.1], [0.2], [0.3]]}, r"scores must have one dimension.*\(3, 1\)"),
        ({"scores": [[0.1], [0.2, 0.3], 1]}, "scores must be one flat list"),
        ({"scores": 0.5}, "scores must have one dimension"),
        ({"scores": [0.1, 0.2]}, "scores have 2 rows, but grades have 3"),
        ({"qids": [1, 1]}, "qids have 2 rows, but grades have 3"),
        ({"qids": np.array([1, 1])}, "qids have 2 rows, but grades have 3"),
        ({"qids": [1, [], 1]}, r"qids: row 1 .* holds \[\], which cannot be hashed"),
        ({"qids": [1, 1, None]}, "qids: row 2 .* no query id"),
        ({"qids": np.array([1.0, np.nan, 1.0])}, "qids: row 1 .* no query id"),
        ({"qids": pd.Series([1, None, 2], dtype="Int64")}, "qids: row 1 .* no query id"),
        ({"qids": 3}, "qids must be"),
        ({"docids": ["a"]}, "docids have 1 rows, but grades have 3"),
        ({"docids": 3}, "docids must be"),
        ({"grades": [0, 1.5, 2]}, "grades: row 1 .* holds 1.5"),
        ({"grades": [0, 1, -2]}, "grades: row 2 .* holds -2"),
        ({"grades": [0, 1, 1001]}, "grades: row 2 .* holds 1001"),
        ({"grades": [0, 1, float("nan")]}, "grades: row 2 .* holds nan"),
        ({"grades": ["0", "1", "2"]}, "grades must be numbers"),
        ({"grades": [], "scores": [], "qids": []}, "no documents"),
        ({"k": 0}, "k must be a whole number from 1 to 1000, not 0"),
        ({"k": 2.5}, "k must be .* not 2.5"),
        ({"k": True}, "k must be .* not True"),
        ({"max_grade": 1}, "max_grade is 1, but the data hold grade 2"),
        ({"max_grade": 2.0}, "max_grade must be a whole number"),
    ],
)
def test_bad_input_is_refused_with_the_place(change, message):
    assert evaluate(**GOOD)["queries"] == 2
    with pytest.raises(InputError, match=message):
        evaluate(**(GOOD | change))


def test_unknown_convention_names_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"no convention is named 'lettor'; did you mean 'letor'.*trec"):
        evaluate(**GOOD, convention="lettor")


def test_registered_metrics_have_names_labels_and_summaries():
    assert {"map", "ndcg", "precision", "mrr", "err"} <= set(metrics.names())
    for entry in metrics:
        assert entry.value.name == entry.name
        assert entry.value.label == entry.label
        assert entry.summary
        assert isinstance(entry.value(**GOOD, k=2, convention="trec"), float)
    for entry in conventions:
        assert entry.label
