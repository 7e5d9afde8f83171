"""The tokeniser, its light stemmer, and the spans that are highlighted."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.text import highlight_terms, query_terms, stem, tokenise, words
from rulerank.text.tokens import LONGEST_WORD, STOP_WORDS

anything = st.text(st.characters()) | st.text("abzABZ01_. -éßあ्", max_size=30)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("Hello, WORLD!", ["hello", "world"]),
        ("sha256 3.14", ["sha256", "3", "14"]),
        ("ZipFile", ["zipfil", "zip", "fil"]),
        ("os.path.isdir", ["os", "path", "isdir"]),
        ("read_text", ["read_text", "read", "text"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("parseHTML", ["parsehtml", "pars", "html"]),
        ("ISO8601Date", ["iso8601date", "iso8601", "dat"]),
        ("__init__ _", ["__init__", "init"]),
        ("ZIP_DEFLATED", ["zip_deflated", "zip", "deflat"]),
        ("snake__case", ["snake__case", "snak", "cas"]),
        ("Straße CAFÉ", ["strass", "café"]),
        ("cafe\u0301", ["café"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("日本 text", ["日", "本", "text"]),
        ("привет Мир", ["привет", "мир"]),
    ],
)
def test_terms_of_a_text(text, terms):
    assert tokenise(text) == terms


@pytest.mark.parametrize(
    "group",
    [
        "copy copies copied copying",
        "cache caches cached caching",
        "file files filed filing",
        "map maps mapped mapping",
        "hash hashes hashed hashing",
        "class classes",
        "directory directories",
        "encode encodes encoded encoding encodings",
        "parse parses parsed parsing",
        "box boxes boxed boxing",
        "call calls called calling",
        "string strings",
        "need needs needed needing",
        "process processes processed processing",
        "split splits splitting",
        "speed speeds",
    ],
)
def test_forms_of_a_word_share_a_term(group):
    assert len({stem(word) for word in group.split()}) == 1


def test_different_words_keep_different_terms():
    words_apart = "file fill string str status state class clash this bus list listen base64 sing thing need red is us"
    apart = words_apart.split()
    assert len({stem(word) for word in apart}) == len(apart)


def test_query_terms_are_distinct_and_telling():
    assert query_terms("Copy a file, copying the files") == ("copy", "fil")
    assert query_terms("to be or not to be") == ("to", "be", "or", "not")
    assert query_terms(" .!? ") == ()
    assert all(word == word.lower() for word in STOP_WORDS)


@given(anything)
def test_tokens_stand_where_they_say(text):
    found = list(words(text))
    assert [token.term for token in found] == tokenise(text)
    whole_end = 0
    for start, end, term in found:
        assert 0 <= start < end <= len(text)
        assert end - start <= LONGEST_WORD
        if not unicodedata.category(text[start]).startswith("M"):  # an accent on an underscore begins no word by itself
            assert tokenise(text[start:end])[0] == term
        if start >= whole_end:
            whole_end = end
        assert end <= whole_end  # a part stands inside its whole


@given(anything, anything)
def test_highlights_are_ordered_apart_and_deserved(text, query):
    spans = highlight_terms(text, query)
    deserved = [(start, end) for start, end, term in words(text) if term in query_terms(query)]
    assert set(spans) <= set(deserved)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(any(a <= start and end <= b for a, b in spans) for start, end in deserved)


@given(st.text(st.characters(codec="ascii")))
def test_ascii_is_cut_alike_beside_other_letters(text):
    assert tokenise(f"{text} é") == [*tokenise(text), "é"]


def marked(text: str, query: str) -> str:
    for start, end in reversed(highlight_terms(text, query)):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Copies the FILES of a folder", "copy a file", "[Copies] the [FILES] of a folder"),
        ("TemporaryDirectory(dir)", "a directory", "Temporary[Directory](dir)"),
        ("TemporaryDirectory", "TemporaryDirectory", "[TemporaryDirectory]"),
        ("make_archive", "archiving", "make_[archive]"),
        ("profile of a file", "file", "profile of a [file]"),
        ("<b>zip</b> & zip", "zip b", "<[b]>[zip]</[b]> & [zip]"),
        ("to be or not", "to be", "[to] [be] or not"),
        ("nothing here", "", "nothing here"),
        ("Grüße 😀 zip", "grüsse zip", "[Grüße] 😀 [zip]"),
    ],
)
def test_highlighted_texts(text, query, shown):
    assert marked(text, query) == shown


def test_a_megabyte_without_blanks_is_no_trouble():
    assert len(tokenise("x" * 1_000_000)) == -(-1_000_000 // LONGEST_WORD)
