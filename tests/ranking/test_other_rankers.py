"""AR(R), AR(R_q_d), RE-SR and RE-QR against plain enumeration."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thorough import examples

from rulerank.errors import InputError
from rulerank.ranking import LRAR, EagerRules, QueryLevelRules, QueryTermRules, StableRules


@st.composite
def sets(draw):
    """Items, grades and queries of labelled documents, and items of others."""
    features = draw(st.integers(1, 4))
    matrix = lambda rows: hnp.arrays(np.uint8, (rows, features), elements=st.integers(0, 2))  # noqa: E731
    rows = draw(st.integers(1, 10))
    grades = draw(hnp.arrays(np.int64, rows, elements=st.integers(0, 2)))
    return draw(matrix(rows)), grades, draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows)), draw(matrix(4))


@given(
    data=sets(),
    size=st.integers(1, 3),
    support=st.sampled_from(["0", "0.001", "0.1", "0.3", "0.7", "1"]),
    confidence=st.sampled_from([0.001, 0.25, 0.5, 1.0]),
)
@examples(40)
def test_eager_rules_have_the_same_thresholds_for_every_document(data, size, support, confidence):
    items, grades, _, documents = data
    labelled = list(zip(items, grades, strict=True))
    share = EagerRules(size, float(support), confidence).fit(items, grades).predict_proba(documents)
    least = max(1, math.ceil(Fraction(support) * len(items)))
    for n, document in enumerate(documents):
        found = brute_force.rules(document, labelled, size, least, confidence)
        np.testing.assert_allclose(share[n], brute_force.shares(found, brute_force.prior_of(grades)), atol=1e-9)


@given(
    data=sets(),
    size=st.integers(1, 3),
    phi=st.sampled_from([0.0, 0.1, 0.3]),
    agreement=st.sampled_from(["mean", 0.5, 0.8, 1]),
    error=st.sampled_from([0.0, 1.96]),
    least=st.integers(1, 2),
)
@examples(60)
def test_stable_rules_and_the_fall_back_to_all_rules(data, size, phi, agreement, error, least):
    items, grades, qids, documents = data
    labelled = list(zip(items, grades, strict=True))
    model = StableRules(phi, agreement, error, least, size).fit(items, grades, qids)
    share = model.predict_proba(documents)
    for n, document in enumerate(documents):
        every = brute_force.rules(document, labelled, size)
        kept = brute_force.stable(every, labelled, qids, phi, agreement, error, least)
        expected = brute_force.shares(kept or every, brute_force.prior_of(grades))
        np.testing.assert_allclose(share[n], expected, atol=1e-9)


@pytest.mark.parametrize("agreement", [0, 1.5, "median", -1])
def test_agreement_is_a_share_or_the_mean(agreement):
    with pytest.raises(InputError, match="agreement"):
        StableRules(agreement=agreement).fit([[0]], [0]).predict([[0]])


def test_without_terms_query_term_rules_are_lrar():
    rng = np.random.default_rng(0)
    items, grades, qids = rng.integers(0, 3, (20, 4)), rng.integers(0, 3, 20), rng.integers(0, 3, 20)
    plain = LRAR().fit(items, grades).predict_proba(items)
    for terms in (None, {}, {0: (), 1: []}, {99: ["unused"]}):
        model = QueryTermRules(terms).fit(items, grades, qids)
        assert (model.predict_proba(items, qids) == plain).all()
    with_terms = QueryTermRules({0: ["a"], 1: ["b"], 2: ["a"]}).fit(items, grades, qids)
    assert (with_terms.predict_proba(items) == plain).all()  # no queries given: no terms known
    assert (with_terms.predict_proba(items, qids) != plain).any()


def term_rules(document, terms, labelled, size):
    """Rules whose antecedents hold at least one item, and beside it terms that both queries have."""
    found = Counter()
    for items, grade, their_terms in labelled:
        shared = [(f, int(b)) for f, (b, other) in enumerate(zip(document, items, strict=True)) if b == other]
        both = [("term", word) for word in sorted(set(terms) & set(their_terms))]
        for antecedent in brute_force.subsets(shared + both, size):
            if any(name != "term" for name, _ in antecedent):
                found[antecedent, int(grade)] += 1
    totals = Counter()
    for (antecedent, _), support in found.items():
        totals[antecedent] += support
    return {key: (support, support / totals[key[0]]) for key, support in found.items()}


@given(
    data=sets(),
    size=st.integers(1, 3),
    terms=st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=5, max_size=5),
    asked=st.lists(st.integers(1, 5), min_size=4, max_size=4),
)
@examples(60)
def test_query_terms_stand_beside_items(data, size, terms, asked):
    items, grades, qids, documents = data
    told = dict(enumerate(terms, 1))
    model = QueryTermRules(told, max_antecedent=size).fit(items, grades, qids)
    labelled = [(d, g, told[q]) for d, g, q in zip(items, grades, qids, strict=True)]
    share = model.predict_proba(documents, asked)
    for n, document in enumerate(documents):
        found = term_rules(document, told[asked[n]], labelled, size)
        np.testing.assert_allclose(share[n], brute_force.shares(found, brute_force.prior_of(grades)), atol=1e-9)


def plain_query_level(items, grades, qids, documents, size):
    """Eq. 5 to 11 in words: ranks and competences of the queries' functions, D*, weights, and the combination."""
    queries = list(dict.fromkeys(qids))
    prior = brute_force.prior_of(grades)
    levels = np.arange(len(prior))

    def share(query, document):
        own = [(d, g) for d, g, q in zip(items, grades, qids, strict=True) if q == query]
        return brute_force.shares(brute_force.rules(document, own, size), np.full(len(prior), np.nan))

    competence = np.array(
        [[abs(share(q, d) @ levels - g) for d, g in zip(items, grades, strict=True)] for q in queries]
    )
    best = [int(np.flatnonzero(column <= np.nanmin(column) + 1e-12)[0]) for column in competence.T]
    chosen = list(zip(items, best, strict=True))
    common = np.bincount(best, minlength=len(queries)) / len(best)
    weights, combined = [], []
    for document in documents:
        weights.append(brute_force.shares(brute_force.rules(document, chosen, size), common))
        total = sum(w * np.nan_to_num(share(q, document)) for w, q in zip(weights[-1], queries, strict=True))
        combined.append(total / total.sum() if total.sum() > 0 else prior)
    return competence, best, np.array(weights), np.array(combined)


@given(data=sets(), size=st.integers(1, 3))
@examples(40)
def test_query_level_rules_from_the_first_equation_to_the_last(data, size):
    items, grades, qids, documents = data
    model = QueryLevelRules(max_antecedent=size).fit(items, grades, qids)
    competence, best, weights, combined = plain_query_level(items, grades, qids, documents, size)
    assert model.queries_ == list(dict.fromkeys(qids))
    np.testing.assert_allclose(model.competence(), competence, atol=1e-9)  # not a number on both sides, too
    assert model.most_competent_.tolist() == best
    np.testing.assert_allclose(model.query_weights(documents), weights, atol=1e-9)
    np.testing.assert_allclose(model.query_weights(documents).sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(documents), combined, atol=1e-9)


def test_more_queries_than_documents_a_bin():
    """X -> q has as many consequents as there are queries: far more than there are grades."""
    rng = np.random.default_rng(6)
    items, grades = rng.integers(0, 4, (60, 4)).astype(np.uint8), rng.integers(0, 3, 60)
    qids = np.repeat(np.arange(20), 3).tolist()
    documents = rng.integers(0, 4, (12, 4)).astype(np.uint8)
    model = QueryLevelRules().fit(items, grades, qids)
    _, best, weights, combined = plain_query_level(items, grades, qids, documents, 2)
    assert model.most_competent_.tolist() == best
    np.testing.assert_allclose(model.query_weights(documents), weights, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(documents), combined, atol=1e-9)


def test_with_the_same_d_star_the_order_of_training_rows_does_not_matter():
    rng = np.random.default_rng(1)
    items, grades, qids = rng.integers(0, 3, (30, 4)), rng.integers(0, 3, 30), rng.integers(0, 5, 30)
    model = QueryLevelRules().fit(items, grades, qids)
    shuffled = rng.permutation(30)
    again = QueryLevelRules().fit(items[shuffled], grades[shuffled], qids[shuffled])
    assert again.queries_ != model.queries_
    chosen = np.array(model.queries_)[model.most_competent_]
    again.set_most_competent(chosen[shuffled].tolist())
    np.testing.assert_allclose(again.predict_proba(items), model.predict_proba(items), rtol=0, atol=1e-12)


def test_a_query_without_a_rule_is_silent():
    model = QueryLevelRules().fit([[0, 0], [1, 1], [1, 2]], [1, 0, 1], ["a", "b", "b"])
    competence = model.competence([[0, 9], [1, 9], [9, 9]], [1, 1, 0])
    assert competence.shape == (2, 3)
    np.testing.assert_array_equal(np.isnan(competence), [[False, True, True], [True, False, True]])
    assert competence[0, 0] == 0.0
    assert competence[1, 1] == 0.5
    np.testing.assert_array_equal(model.query_ranks([[0, 9]]), [[1.0], [np.nan]])


def test_what_query_level_rules_refuse():
    model = QueryLevelRules().fit([[0, 0], [1, 1]], [1, 0], ["a", "b"])
    with pytest.raises(InputError, match="grades"):
        model.competence([[0, 0]])
    with pytest.raises(InputError, match="grades"):
        model.competence([[0, 0], [1, 1]], [1])
    for names in (["a"], ["a", "c"]):
        with pytest.raises(InputError, match="one training query"):
            model.set_most_competent(names)


def test_a_given_d_star_lasts_until_the_labels_change():
    model = QueryLevelRules().fit([[0, 0], [1, 1]], [1, 0], ["a", "b"])
    model.set_most_competent(["b", "b"])
    assert model.query_weights([[0, 0]]).tolist() == [[0.0, 1.0]]
    model.set_params(max_antecedent=1)
    assert model.most_competent_.tolist() == [1, 1]
    model.partial_fit([2, 2], 1, "c")
    assert model.most_competent_.tolist() == [0, 1, 2]
