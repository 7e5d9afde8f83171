"""Where the terms of a query stand in a text."""

from __future__ import annotations

from collections.abc import Iterable

from rulerank.text.analyser import Words
from rulerank.text.hits import find_terms
from rulerank.text.tokens import Token


def highlight_terms(text: str, query: str, *, analyser: Words | None = None) -> list[tuple[int, int]]:
    """Return the spans (start, end) of `text` that hold a term of the query, in order and without overlap.

    Case, plural, -ing and -ed do not matter, and a part of an identifier counts: `directory` lights up the second
    half of `TemporaryDirectory`. Stop words are left out, unless the query holds nothing else. An `Analyser` of the
    text's language finds that language's forms instead.
    """
    return spans_of(find_terms(text, query, analyser=analyser))


def spans_of(hits: Iterable[Token]) -> list[tuple[int, int]]:
    """Return the spans of terms that were found, joined where they overlap."""
    spans: list[tuple[int, int]] = []
    for start, end, _ in hits:
        if spans and start < spans[-1][1]:
            # A part of an identifier whose whole is lit already, or two characters of which one is.
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            continue
        spans.append((start, end))
    return spans
