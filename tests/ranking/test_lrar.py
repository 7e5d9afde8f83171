"""LRAR: the authors' own numbers, plain enumeration, and scores kept up to date label by label."""

from __future__ import annotations

from fractions import Fraction

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.ranking import LRAR, LRARItems


def test_the_authors_own_program_ranks_the_same(golden):
    told = golden("ssar_reference_ohsumed1000.json")
    items, grades = np.array(told["items"]), np.array(told["labels"])
    first, last = told["ranking"]["training_rows"]
    model = LRAR(rule_offset=1).fit(items[first:last], grades[first:last])
    lines = told["ranking"]["rows"]
    assert len(lines) == 100
    documents = items[[line["row"] for line in lines]]
    np.testing.assert_allclose(model.predict(documents), [line["rank"] for line in lines], rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(documents), [line["p"] for line in lines], rtol=0, atol=1e-5)
    assert model.rule_numbers(documents).sum(axis=1).tolist() == [line["rules"] for line in lines]


@st.composite
def sets(draw):
    features = draw(st.integers(1, 4))
    matrix = lambda rows: hnp.arrays(np.uint8, (rows, features), elements=st.integers(0, 2))  # noqa: E731
    rows = draw(st.integers(1, 9))
    return draw(matrix(rows)), draw(hnp.arrays(np.int64, rows, elements=st.integers(0, 3))), draw(matrix(5))


@given(
    data=sets(),
    size=st.integers(1, 3),
    support=st.sampled_from([0, 1, 2, "0.1", "0.3", "0.5"]),
    confidence=st.sampled_from([0.0, 0.001, 0.25, 0.6]),
    offset=st.integers(0, 2),
)
@examples(60)
def test_ranks_equal_those_of_the_enumerated_rules(data, size, support, confidence, offset):
    items, grades, documents = data
    labelled = list(zip(items, grades, strict=True))
    model = LRAR(size, float(support), confidence, offset).fit(items, grades)
    share, numbers = model.predict_proba(documents), model.rule_numbers(documents)
    prior = brute_force.prior_of(grades)
    for n, document in enumerate(documents):
        least = max(1, Fraction(support) if Fraction(support) >= 1 else 0)
        if 0 < Fraction(support) < 1:
            least = Fraction(support) * brute_force.projection(document, labelled)
        found = brute_force.rules(document, labelled, size, least, confidence)
        np.testing.assert_allclose(share[n], brute_force.shares(found, prior, offset), atol=1e-9)
        assert numbers[n].tolist() == brute_force.sums(found, len(prior))[1].tolist()


@given(
    data=sets(),
    size=st.integers(1, 3),
    happenings=st.lists(st.tuples(st.booleans(), st.integers(0, 100), st.integers(0, 5)), max_size=10),
    offset=st.integers(0, 1),
)
@examples(50)
def test_a_watched_pool_is_ranked_as_by_a_fresh_fit_to_the_last_bit(data, size, happenings, offset):
    items, grades, pool = data
    model = LRAR(size, rule_offset=offset).watch(pool).fit(items, grades)
    labels = list(zip(items, grades.tolist(), strict=True))
    for forget, number, grade in happenings:
        if forget and len(labels) > 1:
            model.forget(*labels.pop(number % len(labels)))
        else:
            labels.append((pool[number % len(pool)], grade))
            model.partial_fit(*labels[-1])
        fresh = LRAR(size, rule_offset=offset).fit([d for d, _ in labels], [g for _, g in labels])
        watched, made_new = model.predict_proba(pool), fresh.predict_proba(pool)
        assert watched.shape == made_new.shape
        assert (watched == made_new).all()
        assert (model.predict(pool) == fresh.predict(pool)).all()


def test_a_new_top_grade_comes_and_goes():
    rng = np.random.default_rng(0)
    pool = rng.integers(0, 3, (50, 6)).astype(np.uint8)
    grades = rng.integers(0, 2, 20)
    model = LRAR().watch(pool).fit(pool[:20], grades)
    before = model.predict_proba(pool)
    assert before.shape == (50, 2)
    model.partial_fit(pool[30], 10)
    assert model.predict_proba(pool).shape == (50, 11)
    model.partial_fit(pool[31], 0)
    model.forget(pool[30], 10)
    wide = model.predict_proba(pool)
    fresh = LRAR().fit(pool[[*range(20), 31]], [*grades, 0]).predict_proba(pool)
    assert wide.shape == fresh.shape == (50, 2)
    assert (wide == fresh).all()
    model.forget(pool[31], 0)
    assert (model.predict_proba(pool) == before).all()


def test_watching_changes_speed_and_nothing_else():
    rng = np.random.default_rng(3)
    pool = rng.integers(0, 3, (30, 4)).astype(np.uint8)
    model = LRAR().watch(pool).fit(pool[:9], rng.integers(0, 3, 9))
    same = LRAR().fit(*[part.T if part.ndim == 2 else part for part in model.training])
    for params in ({"min_confidence": 0.4}, {"max_antecedent": 1}, {"min_support": 2}, {"min_support": 0.2}, {}):
        model.set_params(**params)
        same.set_params(**params)
        assert (model.predict(pool) == same.predict(pool)).all()
        assert (model.predict(pool.copy()) == same.predict(pool)).all()
    for other in (
        rng.integers(0, 3, (7, 4)).astype(np.uint8),
        rng.integers(0, 3, (7, 4)),
        [[0, 1, 2, 0], [1, 1, 1, 1]],
    ):
        assert (model.watch(other).predict(other) == same.predict(other)).all()
    with pytest.raises(InputError, match="features"):
        LRAR().watch(pool).fit(pool[:9, :2], np.zeros(9)).predict(pool)


@pytest.mark.parametrize("support", [-0.5, 1.5, float("nan"), float("inf")])
def test_a_support_is_a_count_or_a_share(support):
    with pytest.raises(InputError, match="min_support"):
        LRAR(min_support=support).fit([[0]], [0]).predict([[0]])


def mean_shares(labelled: np.ndarray, grades: np.ndarray, document: np.ndarray, width: int) -> list[float]:
    """Return the mean, over the items of a document that were labelled, of the share of each grade."""
    shares = []
    for feature, item in enumerate(document):
        same = grades[labelled[:, feature] == item]
        if same.size:
            shares.append(np.bincount(same, minlength=width) / same.size)
    return np.mean(shares, axis=0).tolist() if shares else (np.bincount(grades, minlength=width) / grades.size).tolist()


@given(st.integers(0, 10_000))
def test_single_items_rank_by_the_mean_share_of_each_grade(seed):
    rng = np.random.default_rng(seed)
    pool = rng.integers(0, 4, (12, 5)).astype(np.uint8)
    grades = np.array([0, 1, 2, *rng.integers(0, 3, 5)])
    model = LRARItems(min_confidence=0.0).fit(pool[:8], grades)
    for document, found in zip(pool, model.predict_proba(pool), strict=True):
        assert found.tolist() == pytest.approx(mean_shares(pool[:8], grades, document, 3), abs=1e-9)
    named = LRAR(max_antecedent=1, min_confidence=0.0, average="antecedents").fit(pool[:8], grades)
    assert (named.predict_proba(pool) == model.predict_proba(pool)).all()


def test_an_unknown_average_is_refused():
    with pytest.raises(InputError, match="rules, antecedents"):
        LRAR(average="mean").fit([[0]], [0]).predict([[0]])
