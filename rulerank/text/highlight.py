"""Where the terms of a query stand in a text."""

from __future__ import annotations

from rulerank.text.analyser import Words
from rulerank.text.tokens import Identifiers


def highlight_terms(text: str, query: str, *, analyser: Words | None = None) -> list[tuple[int, int]]:
    """Return the spans (start, end) of `text` that hold a term of the query, in order and without overlap.

    Case, plural, -ing and -ed do not matter, and a part of an identifier counts: `directory` lights up the second
    half of `TemporaryDirectory`. Stop words are left out, unless the query holds nothing else. An `Analyser` of the
    text's language finds that language's forms instead.
    """
    words = analyser or Identifiers()
    wanted = frozenset(words.query_words(query))
    spans: list[tuple[int, int]] = []
    for start, end, term in words.words(text):
        if term not in wanted:
            continue
        if spans and start < spans[-1][1]:
            # A part of an identifier whose whole is lit already, or two characters of which one is.
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            continue
        spans.append((start, end))
    return spans
