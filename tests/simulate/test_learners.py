"""Learners: what each must do, and that ridge, pairs and scaling are what they say."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
import sklearn.base
import sklearn.linear_model
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.collection import normalise_by_query
from rulerank.errors import InputError, NotFittedError
from rulerank.metrics import evaluate
from rulerank.simulate import Dataset, Plan, Strategy
from rulerank.simulate.data import prepare
from rulerank.simulate.learners import learners
from rulerank.simulate.learners.rank_svm import RankSVM, pairs
from rulerank.simulate.learners.ridge import CHOICES, Ridge
from rulerank.simulate.outcome import choose
from rulerank.synthetic import planted_collection

every = pytest.mark.parametrize("name", learners.names())


@pytest.fixture(scope="module")
def planted():
    collection = planted_collection(20, 25, 10, seed=2)
    cut = int(collection.indptr[12])
    return collection, cut


def test_the_three_are_there():
    assert set(learners.names()) == {"ridge", "rank_svm", "lambda_mart"}


@every
def test_it_finds_what_is_planted(name, planted):
    collection, cut = planted
    model = learners[name]().fit(collection.features[:cut], collection.grades[:cut], collection.query_index[:cut])
    test = slice(cut, len(collection))
    scores = model.predict(collection.features[test])
    reached, blind = (
        evaluate(collection.grades[test], given, collection.query_index[test])["expected"]["map"]
        for given in (scores, np.zeros(len(scores)))
    )
    assert reached > blind + 0.2


@every
def test_it_is_deterministic_and_equal_documents_have_equal_scores(name, planted):
    collection, cut = planted
    data = collection.features[:cut], collection.grades[:cut], collection.query_index[:cut]
    rows = np.concatenate([collection.features[cut:], collection.features[cut : cut + 7]])
    first, second = (learners[name]().fit(*data).predict(rows) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(first[:7], first[-7:])


@every
def test_a_sample_that_teaches_nothing_scores_all_alike(name):
    rng = np.random.default_rng(0)
    for rows in (1, 3):
        model = learners[name]().fit(rng.random((rows, 4)), [1] * rows, list(range(rows)))
        assert np.unique(model.predict(rng.random((6, 4)))).size == 1


@every
def test_it_follows_the_manners_of_scikit_learn(name):
    model = learners[name]()
    assert sklearn.base.clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError, match="fit"):
        model.predict(np.zeros((2, 3)))


@every
@pytest.mark.parametrize(
    ("features", "grades", "qids"),
    [
        (np.zeros((0, 3)), [], []),
        (np.zeros((2, 3)), [0], [1, 1]),
        (np.zeros((2, 3)), [0, -1], [1, 1]),
        (np.full((2, 3), np.nan), [0, 1], [1, 1]),
        (np.zeros(3), [0, 1, 2], [1, 1, 1]),
    ],
)
def test_bad_samples_are_refused(name, features, grades, qids):
    with pytest.raises(InputError):
        learners[name]().fit(features, grades, qids)


@every
def test_other_columns_are_refused(name):
    model = learners[name]().fit(np.eye(3), [0, 1, 2], [1, 1, 1])
    with pytest.raises(InputError, match="3 columns"):
        model.predict(np.zeros((2, 4)))


@pytest.mark.parametrize(("name", "package"), [("rank_svm", "sklearn.svm"), ("lambda_mart", "lightgbm")])
def test_a_missing_package_is_named_with_its_requirements(name, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"requirements-bench\.txt"):
        learners[name]().fit(np.eye(3), [0, 1, 2], [1, 1, 1])


@examples(25)
@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 8), st.sampled_from(CHOICES))
def test_ridge_is_scikit_learns(seed, rows, columns, penalty):
    rng = np.random.default_rng(seed)
    features, grades = rng.random((rows, columns)), rng.integers(0, 3, rows)
    ours = Ridge(penalty=penalty).fit(features, grades, np.zeros(rows)).predict(features)
    theirs = sklearn.linear_model.Ridge(alpha=penalty, solver="cholesky").fit(features, grades).predict(features)
    assert np.allclose(ours, theirs, atol=1e-7)


@examples(10)
@given(st.integers(0, 10_000), st.integers(4, 12), st.integers(1, 5))
def test_ridge_chooses_the_penalty_that_predicts_left_out_documents_best(seed, rows, columns):
    rng = np.random.default_rng(seed)
    features, grades = rng.random((rows, columns)), rng.integers(0, 3, rows)
    errors = {}
    for penalty in CHOICES:
        total = 0.0
        for row in range(rows):
            kept = np.arange(rows) != row
            model = sklearn.linear_model.Ridge(alpha=penalty, solver="svd").fit(features[kept], grades[kept])
            total += (model.predict(features[row : row + 1])[0] - grades[row]) ** 2
        errors[penalty] = total
    chosen = Ridge().fit(features, grades, np.zeros(rows)).penalty_
    assert errors[chosen] <= min(errors.values()) * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("model", [Ridge(penalty=0), Ridge(penalty="cv"), RankSVM(cost=-1), RankSVM(max_pairs=0)])
def test_bad_settings_are_refused(model):
    with pytest.raises(InputError):
        model.fit(np.eye(3), [0, 1, 2], [1, 1, 1])


@examples(40)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=14))
def test_pairs_are_those_of_one_query_with_different_grades(rows):
    grades, queries = np.array([g for g, _ in rows]), np.array([q for _, q in rows])
    found = sorted(zip(*(side.tolist() for side in pairs(grades, queries)), strict=True))
    wanted = [
        (a, b)
        for a, b in itertools.permutations(range(len(rows)), 2)
        if queries[a] == queries[b] and grades[a] > grades[b]
    ]
    assert found == sorted(wanted)


def test_rank_svm_draws_pairs_where_there_are_too_many(planted):
    collection, cut = planted
    data = collection.features[:cut], collection.grades[:cut], collection.query_index[:cut]
    few, same, other = (RankSVM(max_pairs=50, seed=seed).fit(*data).predict(data[0]) for seed in (0, 0, 1))
    assert np.array_equal(few, same)
    assert not np.array_equal(few, other)


@examples(30)
@given(st.integers(0, 1000), st.integers(1, 20))
def test_scaling_is_min_max_within_each_query(seed, rows):
    rng = np.random.default_rng(seed)
    features, queries = rng.integers(-3, 4, (rows, 3)).astype(float), rng.integers(0, 4, rows)
    scaled = normalise_by_query(features, queries)
    for query in set(queries.tolist()):
        own = features[queries == query]
        low, high = own.min(axis=0), own.max(axis=0)
        wanted = [[(v - a) / (b - a) if b > a else 0.0 for v, a, b in zip(row, low, high, strict=True)] for row in own]
        assert np.allclose(scaled[queries == query], wanted)
    assert np.allclose(normalise_by_query(scaled, queries), scaled)


def test_lambda_mart_learns_from_samples_in_which_hardly_a_query_has_two_grades(letor_folder):
    """SSAR spreads its labels over queries; a leaf of documents without a pair must not end the training."""
    data = Dataset.from_folder(letor_folder("letor3-ohsumed"))
    fold = prepare(data.splits[1], Plan(samplers=("ssar",), rankers=("lambda_mart",)))
    rows = choose(Strategy("ssar"), None, fold, 200, beyond_stop=True).rows
    for labels in (150, 160, 180, 200):
        chosen = rows[:labels]
        model = learners["lambda_mart"]().fit(fold.scaled[chosen], fold.grades[chosen], fold.qids[chosen])
        assert np.unique(model.predict(fold.test_scaled)).size > 1
