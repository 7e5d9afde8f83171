"""The passage of a text that answers a query best, and where the query's terms stand in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

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


LENGTH = 420  # characters: about three lines, or four sentences
_SENTENCE_END = re.compile(r"[.!?…]['\")\]»”’]*(?=\s)|[。！？｡]|\n\s*\n")


class Passage(NamedTuple):
    """A stretch of a text, and whether any term of the query stands in it.

    >>> text = "Cats sleep a lot. A wing gives lift. Dogs bark."
    >>> start, end, found = best_passage(text, "wing lift", length=20)
    >>> text[start:end], found
    ('wing gives lift.', True)
    """

    start: int
    end: int
    found: bool


def best_passage(
    text: str,
    query: str,
    *,
    length: int = LENGTH,
    analyser: Words | None = None,
    hits: Sequence[Token] | None = None,
) -> Passage:
    """Return the stretch of at most about `length` characters that holds most of the query.

    Terms count once each by how rare they are in the text (1 / (1 + ln tf)), so that a stretch with many different ones
    wins, and repetitions a little; of equal ones, the first. It begins and ends with a sentence where one
    begins or ends near by, else with a word. A short text is its own best passage; without any match it is the
    beginning. Whoever has found the query's terms already (`find_terms`) hands them over as `hits`.
    """
    whole = _trimmed(text, 0, len(text))
    if hits is None:
        hits = find_terms(text, query, analyser=analyser)
    if whole[1] - whole[0] <= length:
        return Passage(*whole, bool(hits))
    if not hits:
        return Passage(*_to_sentences(text, whole[0], whole[0], length), False)
    first, last = _densest(hits, length)
    return Passage(*_to_sentences(text, hits[first][0], hits[last][1], length), True)


def _densest(hits: Sequence[Token], length: int) -> tuple[int, int]:
    """Return the first and last hit of the stretch that is worth most."""
    often = Counter(term for _, _, term in hits)
    worth = {term: 1 / (1 + math.log(count)) for term, count in often.items()}
    inside: Counter[str] = Counter()
    best, chosen, left = 0.0, (0, 0), 0
    distinct = 0.0
    for right, (_, end, term) in enumerate(hits):
        distinct += worth[term] if not inside[term] else 0.0
        inside[term] += 1
        while left < right and end - hits[left][0] > length:
            gone = hits[left][2]
            inside[gone] -= 1
            distinct -= worth[gone] if not inside[gone] else 0.0
            left += 1
        repeated = right - left + 1 - sum(count > 0 for count in inside.values())
        value = distinct + 0.1 * math.log1p(repeated)
        if value > best + 1e-9:
            best, chosen = value, (left, right)
    return chosen


def _to_sentences(text: str, first: int, last: int, length: int) -> tuple[int, int]:
    """Widen a stretch to whole sentences as far as `length` allows, and to whole words in any case."""
    room = max(length - (last - first), 0)
    earliest, latest = max(first - room // 2, 0), min(last + room, len(text))
    ends = [found.end() for found in _SENTENCE_END.finditer(text, earliest, latest)]
    before = [end for end in ends if end <= first]
    start = 0 if earliest == 0 else before[0] if before else _word_start(text, earliest, first)
    latest = min(max(start + length, last), len(text))
    after = [end for end in ends if last <= end <= latest]
    end = len(text) if latest == len(text) else after[-1] if after else _word_end(text, latest, last)
    return _trimmed(text, start, end)


def _word_start(text: str, at: int, most: int) -> int:
    blank = re.compile(r"\s").search(text, at, most)
    return blank.end() if blank else at


def _word_end(text: str, at: int, least: int) -> int:
    while at > least and not text[at].isspace():
        at -= 1
    return at


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the blanks at both ends of a stretch."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
