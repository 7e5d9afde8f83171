"""The languages of a collection's documents, read all at once."""

from __future__ import annotations

from db.collections import Collections
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, Texts


def test_languages_come_all_at_once_and_only_where_there_is_one(database):
    stored = Collections(database)
    first, second = (stored.add(f"c{seed}", planted_collection(3, 4, 3, seed=seed)) for seed in (1, 2))
    assert stored.languages(first) == {}
    texts = {"a": DocumentText("", "x", "en"), "b": DocumentText("", "x", "pt-br"), "c": DocumentText("", "x")}
    stored.put_texts(first, Texts({}, {**texts, "d": DocumentText("", "x", "")}))
    stored.put_texts(second, Texts({}, {"a": DocumentText("", "x", "de")}))
    assert stored.languages(first) == {"a": "en", "b": "pt-br"}
    assert stored.languages(second) == {"a": "de"}
    assert stored.languages(99) == {}
    one = {docid: stored.document_text(first, docid).language for docid in "abcd"}
    assert {docid: language for docid, language in one.items() if language} == stored.languages(first)
