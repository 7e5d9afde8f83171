"""The best passage: where the query's terms stand together, in whole sentences, and never more than asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.text import Analyser, best_passage

FILLER = "Nothing of interest is said in this sentence. "
ANSWER = "A zip bomb is a small archive file that unpacks to very many bytes. "


def test_the_sentence_that_answers_is_found():
    text = FILLER * 30 + ANSWER + FILLER * 30
    found = best_passage(text, "zip bomb file", length=200)
    assert found.found
    passage = text[found.start : found.end]
    assert ANSWER.strip() in passage
    assert passage.startswith(("Nothing", "A zip"))
    assert passage.endswith(".")
    assert len(passage) <= 200


def test_different_terms_count_more_than_one_repeated():
    text = "file " * 40 + FILLER * 20 + "the zip bomb file. " + FILLER * 20
    found = best_passage(text, "zip bomb file", length=120)
    assert "zip bomb file" in text[found.start : found.end]


def test_short_texts_and_texts_without_a_match():
    assert best_passage("  A zip file. ", "zip") == (2, 13, True)
    assert best_passage("A tar file.", "zip") == (0, 11, False)
    assert best_passage("", "zip") == (0, 0, False)
    text = FILLER * 40
    found = best_passage(text, "zip", length=100)
    assert (found.start, found.found) == (0, False)
    assert text[found.start : found.end].endswith(".")


def test_texts_without_blanks():
    text = "これは関係のない文です。" * 40 + "東京都の天気は晴れです。" + "これは関係のない文です。" * 40
    found = best_passage(text, "東京の天気", length=60, analyser=Analyser(("ja",)))
    assert "東京都の天気は晴れです。" in text[found.start : found.end]
    assert found.end - found.start <= 60


@pytest.mark.parametrize("length", [1, 20, 100])
@given(text=st.text("ab c.\n東", max_size=300), query=st.text("abc 東", max_size=10))
def test_any_passage_lies_within_and_is_not_too_long(text, query, length):
    found = best_passage(text, query, length=length)
    assert 0 <= found.start <= found.end <= len(text)
    # A single word may be longer than the room.
    assert found.end - found.start <= max(length, 130)
    assert text[found.start : found.end] == text[found.start : found.end].strip()
