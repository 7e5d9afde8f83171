"""The worked example of Learning to Rank using Query-Level Rules (Tables I to IV), all methods, digit by digit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from rulerank.ranking import LRAR, QueryLevelRules, StableRules
from rulerank.rules import mine_document


class Example(NamedTuple):
    told: dict
    items: np.ndarray
    grades: np.ndarray
    qids: list[str]
    test: np.ndarray
    bins: list[list[str]]


@pytest.fixture(scope="module")
def example(golden) -> Example:
    told = golden("query_level_rules_example.json")
    rows = told["training"] + told["test"]
    bins = [sorted({row[column] for row in rows}) for column in (2, 3, 4)]
    as_items = lambda part: np.array([[bins[c].index(row[c + 2]) for c in range(3)] for row in part], np.uint8)  # noqa: E731
    training = told["training"]
    grades = np.array([row[5] for row in training])
    return Example(told, as_items(training), grades, [row[0] for row in training], as_items(told["test"]), bins)


def printed(value: float):
    """Equal to what the paper prints with two digits, be they rounded or cut off (0.375 stands as 0.37)."""
    return pytest.approx(value, abs=0.005 + 1e-12)


def rows_of(told):
    return [({"d10": 0, "d11": 1, "d12": 2}[line["doc"]], line) for line in told]


def words(example, rules):
    """Rules as the paper writes them: names of features and intervals."""
    names = example.told["columns"][2:5]
    return {
        (frozenset((names[f], example.bins[f][b]) for f, b in rule.antecedent), rule.grade, rule.confidence)
        for rule in rules
    }


def as_published(rules):
    return {(frozenset(rule["antecedent"].items()), rule["consequent"], rule["confidence"]) for rule in rules}


def test_global_rules(example):
    rank = LRAR(max_antecedent=3).fit(example.items, example.grades, example.qids).predict(example.test)
    for row, line in rows_of(example.told["re_gr_rank"]):
        assert rank[row] == pytest.approx(line["value"], abs=1e-4)
        if line["agree"]:
            assert rank[row] == printed(line["published"])
    # d11, exactly: grade 0 by {tf} 3/4; grade 1 by {PageRank} 1, {tf} 1/4 and {PageRank, tf} 1. So p(1) = 0.75 / 1.5.
    # The paper prints 0.54, which no reading of its equations gives.
    assert rank[1] == 0.5


def test_the_rules_of_d10(example):
    rules = mine_document(example.test[0], example.items, example.grades, max_antecedent=3)
    assert words(example, rules) == as_published(example.told["re_gr_rules_d10"])


def strict(example):
    """Definition 4.2 to the letter, with the example's phi."""
    model = StableRules(phi=0.05, agreement=1, error=0, max_antecedent=3)
    return model.fit(example.items, example.grades, example.qids)


def test_stable_rules(example):
    rank = strict(example).predict(example.test)
    for row, line in rows_of(example.told["re_sr_phi_0.05"]):
        assert rank[row] == line["value"]
        if line["agree"]:
            assert rank[row] == printed(line["published"])
    # The paper finds no stable rule for d12 and falls back to all rules (0.24). By its definition there are four, all
    # for grade 0: each pair of d12's items, and all three items, occur in training with grade 0 alone.
    assert strict(example)._sums(np.ascontiguousarray(example.test.T), stable=True).numbers[2].tolist() == [4, 0]
    assert rank[2] == 0.0


def test_the_stable_rules_of_d11(example):
    line = example.told["re_sr_phi_0.05"][1]
    assert line["doc"] == "d11"
    stable = as_published(line["stable_rules"])
    every = words(example, mine_document(example.test[1], example.items, example.grades, max_antecedent=3))
    assert stable < every
    assert strict(example)._sums(np.ascontiguousarray(example.test[1:2].T), stable=True).numbers.tolist() == [[0, 2]]


def query_level(example):
    return QueryLevelRules(max_antecedent=3).fit(example.items, example.grades, example.qids)


def test_the_functions_of_the_queries(example):
    model = query_level(example)
    ranks = model.query_ranks(example.test)
    for line in example.told["query_level_rank_d12"]:
        assert line["agree"]
        found = ranks[model.queries_.index(line["query"]), 2]
        assert found == pytest.approx(line["value"], abs=1e-9)
        assert found == printed(line["published"])


def test_the_most_competent_queries(example):
    """The published choice is the best or tied for it, but for d3 (q1 0.350 against q3 0.364); ours is the first."""
    model = query_level(example)
    competence = model.competence()
    for row, (document, query) in enumerate(example.told["most_competent_query_published"].items()):
        published = competence[model.queries_.index(query), row]
        best = np.nanmin(competence[:, row])
        if document == "d3":
            assert published == pytest.approx(4 / 11)
            assert best == pytest.approx(0.35)
        else:
            assert published == pytest.approx(best, abs=1e-12)
        assert model.most_competent_[row] == np.flatnonzero(competence[:, row] <= best + 1e-12)[0]
    ours = [model.queries_[place] for place in model.most_competent_]
    assert ours == ["q1", "q1", "q1", "q2", "q2", "q2", "q2", "q1", "q3"]


def published_competence(example):
    model = query_level(example)
    model.set_most_competent(list(example.told["most_competent_query_published"].values()))
    return model


def test_the_weights_of_the_queries(example):
    weights = published_competence(example).query_weights(example.test)
    for line in example.told["p_query_given_d12"]:
        assert line["agree"]
        found = weights[2, ["q1", "q2", "q3"].index(line["query"])]
        assert found == pytest.approx(line["value"], abs=0.0005 + 1e-9)
        assert found == printed(line["published"])


def test_the_combined_ranks(example):
    """Eq. 11 with the paper's own weights and functions: 0.389 for d12, where the paper prints 0.27."""
    assert not any(line["agree"] for line in example.told["re_qr_rank"])
    rank = published_competence(example).predict(example.test)
    value = example.told["re_qr_rank"][2]["value"]
    assert rank[2] == pytest.approx(value, abs=0.0005)
    assert rank[2] == pytest.approx(0.2561 * 0.35 + 0.2134 * 0.5 + 0.5305 * 4 / 11, abs=1e-4)
    # d10: q3 has no rule for it, so q1 (rank 1) and q2 (rank 0) share its weight; they weigh the same in the published
    # D*. The paper prints 0.00, which leaves q1 out; d11 (0.57) it prints as 0.48.
    assert rank[0] == pytest.approx(0.5)
    assert rank[1] == pytest.approx(4 / 7, abs=1e-9)
    # With our own D* (see above).
    assert query_level(example).predict(example.test) == pytest.approx([0.375, 0.5534, 0.3905], abs=1e-4)
