"""Nearness of terms, and terms that a query repeats: by hand, and against plain Python on any texts.

The body has eight words; the query is "red fox" with the terms red and fox:

    fox  the  red  red  fox  ate  a  fox
    0    1    2    3    4    5    6  7
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.collection import normalise_by_query
from rulerank.text import Analyser, Corpus, DocumentText, QueryText, Texts, compute_features, features_of

PLAIN = Analyser((), stemming=False, stopping=False)


def features(body: str, query: list[str], title: str = "") -> dict[str, float]:
    corpus = Corpus.build({"d": DocumentText(title, body), "e": DocumentText("", "other words")}, PLAIN)
    matrix, names = features_of(corpus, {"q": query}, [("q", "d")])
    return dict(zip(names, matrix[0].tolist(), strict=True))


def test_nearness_by_hand():
    found = features("fox the red red fox ate a fox", ["red", "fox"])
    assert found["closest pair(body)"] == 1  # words 3 and 4
    assert found["shortest span(body)"] == 1  # 2 terms in 2 words
    assert found["phrase pairs(body)"] == pytest.approx(math.log(2))  # "red fox" once; "fox red" does not count
    apart = features("fox one two red", ["red", "fox"])
    assert apart["closest pair(body)"] == pytest.approx(1 / 3)
    assert apart["shortest span(body)"] == pytest.approx(2 / 4)
    assert apart["phrase pairs(body)"] == 0


def test_a_term_that_is_said_twice_counts_twice():
    once, twice = features("red fox", ["red", "fox"]), features("red fox", ["red", "fox", "red"])
    # Both terms stand in one of two documents with two words: each has the same weight.
    assert twice["BM25(body)"] == pytest.approx(1.5 * once["BM25(body)"])
    assert twice["BM25 of distinct query words(body)"] == pytest.approx(once["BM25(body)"])
    assert (once["TF(body)"], twice["TF(body)"]) == (2, 3)
    assert twice["coverage(body)"] == 1
    half = features("red cat", ["red", "fox", "red"])
    assert half["coverage(body)"] == pytest.approx(2 / 3)
    assert half["shortest span(body)"] == 1


words = st.lists(st.sampled_from("abcd"), max_size=12)


@given(words, st.lists(st.sampled_from("abz"), min_size=1, max_size=4), words)
def test_against_plain_python(body, query, title):
    found = features(" ".join(body), query, " ".join(title))
    for field, text in (("title", title), ("body", body), ("whole", title + body)):
        places = [(at, word) for at, word in enumerate(text) if word in query]
        pairs = [abs(i - j) for i, a in places for j, b in places if a != b]
        assert found[f"closest pair({field})"] == pytest.approx(1 / min(pairs) if pairs else 0)
        kinds = {word for _, word in places}
        spans = [
            j - i + 1 for i in range(len(text)) for j in range(i, len(text)) if kinds <= set(text[i : j + 1]) and kinds
        ]
        assert found[f"shortest span({field})"] == pytest.approx(len(kinds) / min(spans) if kinds else 0)
        assert found[f"TF({field})"] == sum(text.count(word) for word in query)
        order = list(dict.fromkeys(query))
        follow = set(pairwise(order))
        count = sum(pair in follow for pair in pairwise(text))
        assert found[f"phrase pairs({field})"] == pytest.approx(math.log1p(count))
        first = [text.index(word) for word in kinds]
        assert found[f"first match({field})"] == pytest.approx(1 / (1 + min(first)) if first else 0)


def test_large_jobs_go_in_pieces(monkeypatch):
    from rulerank.text import compute

    texts = Texts({"q": QueryText("a b"), "r": QueryText("c")}, {x: DocumentText(x, "a b c " + x) for x in "abcdef"})
    pairs = [(qid, docid) for qid in "qr" for docid in "abcdef"]
    whole, _ = compute_features(texts, pairs, analyser=PLAIN)
    monkeypatch.setattr(compute, "ENTRIES_AT_ONCE", 6)
    pieces, _ = compute_features(texts, pairs, analyser=PLAIN)
    np.testing.assert_array_equal(whole, pieces)


def test_normalising_by_query_by_hand():
    features = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 7.0], [9.0, 0.0]])
    found = normalise_by_query(features, np.array([0, 0, 0, 1]))
    np.testing.assert_allclose(found, [[0, 0], [1, 0], [0.5, 1], [0, 0]])
    shuffled = normalise_by_query(features[[3, 1, 0, 2]], np.array([1, 0, 0, 0]))
    np.testing.assert_array_equal(shuffled, found[[3, 1, 0, 2]])
    assert normalise_by_query(np.zeros((0, 2)), np.zeros(0, np.int64)).shape == (0, 2)
