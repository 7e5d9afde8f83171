"""Against other implementations: trec_eval (through pytrec_eval) and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import average_precision_score, ndcg_score

from rulerank.metrics import evaluate

TO_K = ",".join(str(k) for k in range(1, 11))


def trec_eval(grades, scores, qids, docids):
    qrel, run = {}, {}
    for grade, score, qid, docid in zip(grades, scores, qids, docids, strict=True):
        qrel.setdefault(str(qid), {})[str(docid)] = int(grade)
        run.setdefault(str(qid), {})[str(docid)] = float(score)
    measures = {"map", "recip_rank", f"P.{TO_K}", f"ndcg_cut.{TO_K}"}
    return pytrec_eval.RelevanceEvaluator(qrel, measures).evaluate(run)


def assert_equals_trec_eval(grades, scores, qids, names, **arguments):
    theirs = trec_eval(grades, scores, qids, names)
    ours = evaluate(grades, scores, qids, convention="trec", **arguments)
    per_query = ours["per_query"]
    assert sorted(map(str, per_query["qids"])) == sorted(theirs)
    for row, qid in enumerate(per_query["qids"]):
        expected = theirs[str(qid)]
        assert per_query["map"][row] == pytest.approx(expected["map"], abs=1e-9)
        assert per_query["mrr"][row] == pytest.approx(expected["recip_rank"], abs=1e-9)
        for k in range(1, 11):
            assert per_query["precision"][row, k - 1] == pytest.approx(expected[f"P_{k}"], abs=1e-9)
            assert per_query["ndcg"][row, k - 1] == pytest.approx(expected[f"ndcg_cut_{k}"], abs=1e-9)
    for name, theirs_name in (("map", "map"), ("mrr", "recip_rank")):
        assert ours[name] == pytest.approx(np.mean([q[theirs_name] for q in theirs.values()]), abs=1e-9)
    for k in range(1, 11):
        for name, theirs_name in (("precision", f"P_{k}"), ("ndcg", f"ndcg_cut_{k}")):
            assert ours[name][k - 1] == pytest.approx(np.mean([q[theirs_name] for q in theirs.values()]), abs=1e-9)


def collection(seed, *, levels, queries=30):
    """Queries of 1 to 80 documents, some without a relevant one; rows mixed, docids not in order."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 81, queries)
    qids = rng.permutation(np.repeat(np.arange(queries), sizes))
    grades = rng.choice([-1, 0, 0, 0, 1, 2, 4], len(qids))
    grades[qids % 7 == 0] = np.minimum(grades[qids % 7 == 0], 0)
    scores = rng.standard_normal(len(qids)) if levels is None else rng.integers(-levels, levels, len(qids)) / 4
    docids = rng.permutation(len(qids))
    return grades, scores, qids, docids


@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_without_ties(seed):
    grades, scores, qids, docids = collection(seed, levels=None)
    assert_equals_trec_eval(grades, scores, qids, docids)


@pytest.mark.parametrize("levels", [1, 5, 40])
@pytest.mark.parametrize("docid_type", [int, str, "padded"])
def test_trec_eval_with_ties_broken_by_docid(levels, docid_type):
    grades, scores, qids, docids = collection(levels, levels=levels)
    docids = [f"é{docid:07}" if docid_type == "padded" else docid_type(docid) for docid in docids.tolist()]
    assert_equals_trec_eval(grades, scores, qids, docids, docids=docids)


def test_trec_without_docids_names_the_documents_in_file_order():
    grades, scores, qids, _ = collection(8, levels=3)
    assert_equals_trec_eval(grades, scores, qids, [f"{row:07}" for row in range(len(qids))])


def test_trec_eval_keeps_scores_in_single_precision():
    grades, scores, qids, docids = (
        [1, 0, 0, 1],
        [1.0 + 1e-9, 1.0, 1e300, 1e299],
        [1, 1, 2, 2],
        ["a", "b", "c", "d"],
    )
    assert_equals_trec_eval(grades, scores, qids, docids, docids=docids)
    trec = evaluate(grades, scores, qids, convention="trec", docids=docids)
    assert trec["per_query"]["mrr"].tolist() == [0.5, 1.0]
    assert evaluate(grades, scores, qids)["per_query"]["mrr"].tolist() == [1.0, 0.5]


def test_scikit_learn_ndcg_and_average_precision():
    grades, scores, qids, _ = collection(9, levels=None)
    grades = np.maximum(grades, 0)
    trec = evaluate(grades, scores, qids, convention="trec")["per_query"]
    compared = 0
    for row, qid in enumerate(trec["qids"]):
        own, own_scores = grades[qids == qid], scores[qids == qid]
        if len(own) < 2 or own.max() == 0:
            continue
        compared += 1
        assert trec["map"][row] == pytest.approx(average_precision_score(own > 0, own_scores), abs=1e-12)
        for k in (1, 5, 10):
            assert trec["ndcg"][row, k - 1] == pytest.approx(ndcg_score([own], [own_scores], k=k), abs=1e-12)
    assert compared > 15


def test_scikit_learn_averages_ndcg_over_ties_as_we_expect_it():
    grades, scores, qids, _ = collection(10, levels=2)
    grades = np.maximum(grades, 0)
    result = evaluate(grades, scores, qids, convention="trec")["per_query"]
    differs = 0
    for row, qid in enumerate(result["qids"]):
        own, own_scores = grades[qids == qid], scores[qids == qid]
        if len(own) >= 2 and own.max() > 0:
            theirs = ndcg_score([own], [own_scores], k=10)
            assert result["expected"]["ndcg"][row, 9] == pytest.approx(theirs, abs=1e-12)
            differs += abs(result["ndcg"][row, 9] - theirs) > 1e-3
    assert differs > 10
