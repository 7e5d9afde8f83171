"""Where the terms of a query stand in a text: what is marked, and what passages are chosen by."""

from __future__ import annotations

from collections.abc import Iterable

from rulerank.text.analyser import Words, characters
from rulerank.text.tokens import Identifiers, Token


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


def find_terms(text: str, query: str, *, analyser: Words | None = None) -> list[Token]:
    """Return the places of a text that hold a term of the query, by their beginnings; places may overlap.

    Without an analyser texts are taken to be about programs: case, plural, -ing and -ed do not matter, and a part of
    an identifier counts. Stop words are left out, unless the query holds nothing else.
    """
    words = analyser or Identifiers()
    wanted = telling_terms(words.query_words(query))
    return [token for token in words.words(text) if token.term in wanted] if wanted else []


def telling_terms(terms: list[str]) -> frozenset[str]:
    """Leave out single characters that are a part of another term.

    An analyser cuts scripts without blanks into characters and pairs of them. A search needs both, but to a reader a
    lone character of a longer word is mostly another word: 文件 is a file, and 事件 an event.
    """
    found = frozenset(terms)
    pairs = (characters(term) for term in found if not term.isascii())
    return found - {each for pair in pairs if len(pair) > 1 for each in pair}
