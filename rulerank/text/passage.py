"""The passage of a text that answers a query best, for people who should not have to read the rest first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rulerank.text.analyser import Words
from rulerank.text.highlight import find_terms
from rulerank.text.tokens import Token

LENGTH = 420  # characters: about three lines, or four sentences
_SENTENCE_END = re.compile(r"[.!?…]['\")\]»”’]*(?=\s)|[。！？｡]|\n\s*\n")


class Passage(NamedTuple):
    """A stretch of a text, and whether any term of the query stands in it."""

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
