"""Text features: each against numbers worked out by hand on one small example, and what holds for any texts.

The bodies, as terms, and what is known of them (N = 3 documents, 5 words, mean length 5/3):

    d1: zip file zip    length 3, 2 distinct
    d2: file list       length 2, 2 distinct
    d3: (empty)         length 0

    zip:  df 1, cf 2, p(zip|C)  = 2/5, idf = ln(1 + 2.5/1.5) = ln(8/3) = 0.980829
    file: df 2, cf 2, p(file|C) = 2/5, idf = ln(1 + 1.5/2.5) = ln(8/5) = 0.470004
    bomb: no document holds it,        idf = ln(1 + 3.5/0.5) = ln(8)   = 2.079442

The query is "zip bomb" with the need "a file": the terms zip, bomb and file.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.text import DocumentText, QueryText, Texts, compute_features, tokenise
from rulerank.text.features import SETTLED, text_features

TEXTS = Texts(
    {"q": QueryText("zip bomb", "a file"), "other": QueryText("list")},
    {
        "d1": DocumentText("ZipFile", "Zip files, zipped."),
        "d2": DocumentText("list", "file list"),
        "d3": DocumentText("", ""),
    },
)
PAIRS = [("q", "d1"), ("q", "d2"), ("q", "d3")]

BODY = {
    # saturation 1.2 (0.25 + 0.75 x 3 / (5/3)) = 1.92 for d1 and 1.2 (0.25 + 0.75 x 2 / (5/3)) = 1.38 for d2:
    # 0.980829 x 2 x 2.2 / (2 + 1.92) + 0.470004 x 2.2 / (1 + 1.92); 0.470004 x 2.2 / (1 + 1.38)
    "BM25": [1.100931 + 0.354112, 0.434458, 0],
    "BM25 of distinct query words": [1.100931 + 0.354112, 0.434458, 0],  # the query says each term once
    "TF": [3, 1, 0],
    "log TF": [1.098612 + 0.693147, 0.693147, 0],  # ln 3 + ln 2; ln 2
    "normalised TF": [1, 0.5, 0],
    "IDF": [0.980829 + 0.470004, 0.470004, 0],
    "TF-IDF": [2 * 0.980829 + 0.470004, 0.470004, 0],
    "log TF-IDF": [1.098612 * 0.980829 + 0.693147 * 0.470004, 0.693147 * 0.470004, 0],
    # The query's vector: idf of zip, bomb and file, length sqrt(0.962026 + 4.324079 + 0.220904) = 2.346702. d1: zip
    # (1 + ln 2) 0.980829 = 1.660688 and file 0.470004, length 1.725918; d2: file 0.470004 and list 0.980829, 1.087633.
    "cosine": [(1.660688 * 0.980829 + 0.220904) / (2.346702 * 1.725918), 0.220904 / (2.346702 * 1.087633), 0],
    "normalised TF-IDF": [(2 * 0.980829 + 0.470004) / 3, 0.470004 / 2, 0],
    # zip and file of d1: 0.9 x 2/3 + 0.1 x 0.4 = 0.64 and 0.9 x 1/3 + 0.04 = 0.34; of d2: 0.04 and 0.49; of d3: 0.4
    "LM Jelinek-Mercer": [(-0.446287 - 1.078810) / 2, (-3.218876 - 0.713350) / 2, -0.916291],
    # The shares of d1 are 802/2003 and 801/2003, those of d2 800/2002 and 801/2002, those of d3 800/2000.
    "LM Dirichlet": [(-0.915292 - 0.916540) / 2, (-0.917290 - 0.916041) / 2, -0.916291],
    # 0.7 u p is 0.7 x 2 x 0.4 = 0.56; d1 has (1.3 + 0.56) / 3 = 0.62 and (0.3 + 0.56) / 3 = 0.286667,
    # d2 has 0.56 / 2 = 0.28 and (0.3 + 0.56) / 2 = 0.43, and d3 the collection's 0.4.
    "LM absolute discounting": [(-0.478036 - 1.249435) / 2, (-1.272966 - 0.843970) / 2, -0.916291],
    "length": [3, 2, 0],
    "coverage": [2 / 3, 1 / 3, 0],
    # the idf of all three terms is 0.980829 + 2.079442 + 0.470004 = 3.530275
    "weighted coverage": [1.450833 / 3.530275, 0.470004 / 3.530275, 0],
    "first match": [1, 1, 0],
    "mean first match": [(1 + 1 / 2) / 3, 1 / 3, 0],  # file is the second word of d1
    "closest pair": [1, 0, 0],  # zip and file are neighbours in d1; d2 has file alone
    "shortest span": [1, 1, 0],
    "phrase pairs": [0, 0, 0],  # neither zip bomb nor bomb file
}


@pytest.mark.parametrize("label", BODY)
def test_against_hand_computed_values(label):
    matrix, names = compute_features(TEXTS, PAIRS)
    np.testing.assert_allclose(matrix[:, names.index(f"{label}(body)")], BODY[label], atol=2e-6)


def test_every_feature_has_a_hand_computed_value():
    assert {entry.label for entry in text_features} == set(BODY)
    assert len(BODY) >= 12
    for entry in text_features:
        assert entry.name.isidentifier()
        assert len(entry.summary) > 20


def test_fields_are_told_apart():
    matrix, names = compute_features(TEXTS, PAIRS)
    assert matrix.dtype == np.float64
    assert matrix.shape == (3, len(names)) == (3, 3 * len(BODY))
    assert len(set(names)) == len(names)
    column = dict(zip(names, matrix.T.tolist(), strict=True))
    # The title ZipFile is three words: itself, zip and file.
    assert column["length(title)"] == [3, 1, 0]
    assert column["length(body)"] == [3, 2, 0]
    assert column["length(whole)"] == [6, 3, 0]
    assert column["TF(title)"] == [2, 0, 0]
    assert column["TF(whole)"] == [5, 1, 0]
    assert column["first match(title)"] == [1 / 2, 0, 0]
    assert column["first match(whole)"] == [1 / 2, 1 / 2, 0]


def test_rarity_is_taken_from_all_documents_not_from_the_pairs():
    matrix, _ = compute_features(TEXTS, PAIRS)
    alone, _ = compute_features(TEXTS, [("q", "d2")])
    np.testing.assert_array_equal(alone[0], matrix[1])
    fewer = Texts(TEXTS.queries, {"d2": TEXTS.documents["d2"]})
    assert not np.array_equal(compute_features(fewer, [("q", "d2")])[0][0], matrix[1])


def test_a_new_feature_is_one_decorated_function(monkeypatch):
    names = text_features.names()
    before, numbered = compute_features(TEXTS, PAIRS)
    monkeypatch.setattr(text_features, "_entries", dict(text_features._entries))

    @text_features.register("aaa_double_length", "double length")
    def double_length(matches):
        """Twice the number of words."""
        return 2 * matches.length

    matrix, columns = compute_features(TEXTS, PAIRS)
    new = len(numbered)
    assert columns[:new] == numbered  # no number of the others moves
    assert np.array_equal(matrix[:, :new], before)
    assert [name.partition("(")[0] for name in columns[new:]] == ["double length"] * (len(columns) - new)
    assert columns[new] == "double length(title)"
    assert matrix[:, new].tolist() == [6, 2, 0]
    assert len(text_features) == len(names) + 1


def test_the_numbers_of_our_features_are_settled():
    assert sorted(text_features.names()) == list(SETTLED)


def test_columns_do_not_depend_on_what_was_imported_first():
    program = (
        "import importlib; importlib.import_module('rulerank.text.features.shape');"
        "from rulerank.text import *; from rulerank.text import compute_features;"
        "texts = Texts({'q': QueryText('a')}, {'d': DocumentText('a', 'b')});"
        "print(*compute_features(texts, [('q', 'd')])[1], sep='|')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert tuple(done.stdout.strip().split("|")) == compute_features(TEXTS, PAIRS)[1]


def test_texts_that_are_missing_are_named():
    with pytest.raises(InputError, match="query 'nobody' has no text"):
        compute_features(TEXTS, [("q", "d1"), ("nobody", "d1")])
    with pytest.raises(InputError, match="document 'd9' has no text"):
        compute_features(TEXTS, [("q", "d9")])


def test_no_pairs_give_an_empty_matrix():
    matrix, names = compute_features(TEXTS, [])
    assert matrix.shape == (0, len(names))
    assert compute_features(Texts({}, {}), [])[0].shape == (0, len(names))


short = st.text("ab cA_.é\n", max_size=12)
collections = st.builds(
    Texts,
    st.dictionaries(st.sampled_from("xyz"), st.builds(QueryText, short, short), min_size=1),
    st.dictionaries(st.sampled_from("1234"), st.builds(DocumentText, short, short), min_size=1),
)


@given(collections, st.randoms())
def test_any_texts_give_finite_features_row_by_row(texts, random):
    pairs = [(qid, docid) for qid in texts.queries for docid in texts.documents]
    matrix, names = compute_features(texts, pairs)
    assert np.isfinite(matrix).all()
    order = list(range(len(pairs)))
    random.shuffle(order)
    again, _ = compute_features(texts, [pairs[place] for place in order])
    np.testing.assert_array_equal(again, matrix[order])
    for place, (_, docid) in enumerate(pairs):
        document = texts.documents[docid]
        assert matrix[place, names.index("length(whole)")] == len(tokenise(document.title + "\n" + document.body))
        for field in ("title", "body", "whole"):
            assert 0 <= matrix[place, names.index(f"coverage({field})")] <= 1
            assert matrix[place, names.index(f"LM Dirichlet({field})")] <= 0
