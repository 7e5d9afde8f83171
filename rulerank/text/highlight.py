"""Where the terms of a query stand in a text."""

from __future__ import annotations

from rulerank.text.tokens import query_terms, words


def highlight_terms(text: str, query: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of `text` that hold a term of the query, in order and without overlap.

    Case, plural, -ing and -ed do not matter, and a part of an identifier counts: `directory` lights up the second
    half of `TemporaryDirectory`. Stop words are left out, unless the query holds nothing else.
    """
    wanted = frozenset(query_terms(query))
    spans: list[tuple[int, int]] = []
    for start, end, term in words(text):
        if term not in wanted:
            continue
        if spans and start < spans[-1][1]:  # a part of an identifier whose whole is lit already
            continue
        spans.append((start, end))
    return spans
