"""ERR, ERR-IA and ERR-EIA by a user model: the documented example, plain eq. 1, and expectations over ties."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.metrics import (
    IntentUser,
    default_relevance,
    err_eia_user,
    err_ia_user,
    err_user,
    evaluate,
    intent_err,
)


def plain(user, languages, grades) -> float:
    """Eq. 1 on one list."""
    total = 0.0
    for i, share in enumerate(user.prior):
        looking = 1.0
        for k, (language, grade) in enumerate(zip(languages, grades, strict=True), 1):
            relevance = user.relevance[i, user.languages.index(language), grade]
            total += share * looking * relevance / k
            looking *= 1 - relevance
    return total


def test_err_of_the_documented_example():
    """Grades 3, 2, 4 of at most 4: stops of 7/16, 3/16, 15/16, written out."""
    by_hand = 7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3
    found = intent_err([3, 2, 4], [3, 2, 1], [1, 1, 1], None, err_user(4))
    assert found.mean == pytest.approx(by_hand, rel=1e-14)
    assert found.mean == pytest.approx(evaluate([3, 2, 4], [3, 2, 1], [1, 1, 1], max_grade=4)["err"], rel=1e-14)


def test_err_ia_by_hand():
    """Two languages in shares of 0.7 and 0.3; each intent passes the other's document by."""
    user = err_ia_user(1, ["en", "tr"], prior=[0.7, 0.3])
    found = intent_err([1, 1], [2, 1], [1, 1], ["tr", "en"], user)
    assert found.mean == pytest.approx(0.7 * 0.5 / 2 + 0.3 * 0.5)


def test_default_parameters():
    assert default_relevance(2).tolist() == [0, 1 / 4, 3 / 4]
    assert default_relevance(2, "printed").tolist() == pytest.approx([0, 1 / 3, 1])
    assert default_relevance(1000)[-1] == 1.0
    with pytest.raises(InputError, match="there are: err, printed"):
        default_relevance(2, "other")
    with pytest.raises(InputError, match="best grade"):
        default_relevance(0)


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3), st.sampled_from(["en", "tr", "de"])),
    min_size=1,
    max_size=12,
)


@given(rows, st.integers(0, 1000))
def test_values_are_those_of_eq_1(data, seed):
    rng = np.random.default_rng(seed)
    user = IntentUser(("a", "b"), ("en", "tr", "de"), rng.dirichlet([1, 1]), rng.random((2, 3, 4)))
    grades, scores, qids, languages = (list(column) for column in zip(*data, strict=True))
    found = intent_err(grades, scores, qids, languages, user)
    for qid, value in zip(found.qids, found.values, strict=True):
        mine = [row for row in range(len(data)) if qids[row] == qid]
        order = sorted(mine, key=lambda row: -scores[row])
        assert value == pytest.approx(plain(user, [languages[row] for row in order], [grades[row] for row in order]))


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["en", "tr"])), min_size=1, max_size=5))
def test_expectations_are_means_over_all_orders(data):
    user = err_eia_user(2, ["en", "tr"], prior=[0.6, 0.4], foreign=0.3, variant="printed")
    grades, languages = (list(column) for column in zip(*data, strict=True))
    found = intent_err(grades, [1.0] * len(data), ["q"] * len(data), languages, user)
    every = [plain(user, [data[i][1] for i in order], [data[i][0] for i in order])
             for order in permutations(range(len(data)))]  # fmt: skip
    assert found.expected == pytest.approx(math.fsum(every) / len(every), rel=1e-9, abs=1e-12)


@given(rows)
def test_err_lies_between(data):
    """Nobody minds the language: ERR. Everybody does: ERR-IA. In between, the extended default."""
    grades, scores, qids, languages = (list(column) for column in zip(*data, strict=True))
    names = ["de", "en", "tr"]
    whole = evaluate(grades, scores, qids, max_grade=3)
    same = intent_err(grades, scores, qids, languages, err_eia_user(3, names, foreign=1))
    assert same.mean == pytest.approx(whole["err"], rel=1e-12)
    assert same.expected == pytest.approx(whole["expected"]["err"], rel=1e-12)
    none = intent_err(grades, scores, qids, languages, err_eia_user(3, names, foreign=0)).mean
    assert none == intent_err(grades, scores, qids, languages, err_ia_user(3, names)).mean
    half = intent_err(grades, scores, qids, languages, err_eia_user(3, names)).mean
    assert none - 1e-12 <= half <= whole["err"] + 1e-12


def test_unlabelled_documents_count_as_grade_0():
    user = err_user(2, ["en"])
    assert intent_err([-1, 2], [2, 1], [1, 1], ["en", "en"], user).mean == pytest.approx(0.375)


def test_users_survive_json():
    user = err_eia_user(3, ["en", "tr"])
    again = IntentUser.from_dict(user.to_dict())
    assert again.to_dict() == user.to_dict()
    with pytest.raises(InputError, match="does not describe"):
        IntentUser.from_dict({"intents": ["a"]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intent_err([3], [1], [1], None, err_user(2)), "the user model knows 0 to 2"),
        (lambda: intent_err([1], [1], [1], ["xx"], err_user(2, ["en"])), "the data hold xx"),
        (lambda: intent_err([1], [1], [1], None, err_user(2, ["en", "tr"])), "give the language"),
        (lambda: intent_err([1], [1], [1], ["en", "en"], err_user(2, ["en"])), "languages have 2 rows"),
        (lambda: err_ia_user(2, ["en", "en"]), "different names"),
        (lambda: err_ia_user(2, ["en", "tr"], prior=[0.7, 0.7]), "add up to 1"),
        (lambda: err_eia_user(2, ["en"], foreign=2), "foreign"),
        (lambda: IntentUser(("a",), ("b",), np.ones(1), np.full((1, 1, 2), 1.5)), "probability"),
        (lambda: IntentUser(("a",), ("b",), np.ones(1), np.ones((1, 2))), "for every intent, language and grade"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
