"""Words of a text: Unicode-aware, lower-cased, lightly stemmed, with identifiers split and kept whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

_STOP_WORDS = """
    a an and are as at be but by can do does for from had has have how i if in into is it its let me my no not of on or
    s so t than that the their them then there these they this those to was we were what when where which who will with
    you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say nothing about what a query is after."""

LONGEST_WORD = 128  # a longer run of letters is no word and comes in pieces

VOWELS = frozenset("aeiouy")
DOUBLED = frozenset("bdfgmnprt")  # doubled before -ing and -ed (mapped, running); ll, ss and zz belong to the word

# Scripts that are written without blanks between words: every character is a token.
SINGLE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\uff66-\uff9f\U00020000-\U000323af"
)


class Token(NamedTuple):
    """One term of a text and where it stands; the parts of an identifier stand inside the whole.

    >>> list(words("readLine"))
    [Token(start=0, end=8, term='readlin'), Token(start=0, end=4, term='read'), Token(start=4, end=8, term='lin')]
    """

    start: int
    end: int
    term: str


def words(text: str) -> Iterator[Token]:
    """Give the terms of a text with their places; `TemporaryDirectory` gives itself, then its two parts."""
    for found in _pattern(text.isascii()).finditer(text):
        start = found.start()
        word = found.group()
        for (first, last), term in zip(_spans(word), _terms(word), strict=True):
            yield Token(start + first, start + last, term)


def tokenise(text: str) -> list[str]:
    """Return the terms of a text, in order."""
    return list(chain.from_iterable(map(_terms, _pattern(text.isascii()).findall(text))))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a query without stop words, or with them if there is nothing else."""
    return tuple(dict.fromkeys(_query_words(text)))


def _query_words(text: str) -> list[str]:
    found = list(words(text))
    telling = [token.term for token in found if text[token.start : token.end].lower() not in STOP_WORDS]
    return telling or [token.term for token in found]


def stem(word: str) -> str:
    """Fold plural, -ing and -ed of a lower-cased word onto one term: copies, copying and copied give `copy`.

    A light stemmer in the manner of Porter's first step ("An algorithm for suffix stripping", 1980); a final e
    is dropped too, so that `cache`, `caches`, `cached` and `caching` meet. Terms are for matching, not for showing.
    """
    if len(word) <= 3 or not word.isalpha():
        return word
    word = _singular(word)
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        # string, need: what is left would be no word
        if base != word and len(base) >= 3 and VOWELS & set(base) and not (ending == "ed" and base[-1] == "e"):
            return _without_e(_undoubled(base))
    return _without_e(word)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undoubled(base: str) -> str:
    return base[:-1] if base[-1] == base[-2] and base[-1] in DOUBLED else base


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=1 << 16)
def _terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word, one for each of its spans."""
    return tuple(stem(unicodedata.normalize("NFKC", word[a:b]).casefold()) for a, b in _spans(word))


class Identifiers:
    """The analyser of texts about programs: identifiers are split and kept whole, English is lightly stemmed.

    >>> Identifiers().terms("os.path.getSize returns bytes")
    ['os', 'path', 'getsiz', 'get', 'siz', 'return', 'byt']
    """

    def words(self, text: str) -> Iterator[Token]:
        """Give the terms of a text with their places."""
        return words(text)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        return tokenise(text)

    def query_words(self, text: str) -> list[str]:
        """Return the terms of a query without stop words, or with them if there is nothing else; in order, repeated."""
        return _query_words(text)


@cache
def _pattern(is_ascii: bool) -> re.Pattern[str]:
    r"""Return the pattern of a word: `\w` and the marks that `\w` leaves out (vowel signs, combining accents).

    The pattern for ASCII finds the same words there, several times as fast.
    """
    if is_ascii:
        return re.compile(rf"\w{{1,{LONGEST_WORD}}}", re.ASCII)
    other = rf"[^\W{SINGLE}]"
    return re.compile(rf"[{SINGLE}][{marks()}]*|{other}(?:{other}|[{marks()}]){{,{LONGEST_WORD - 1}}}")


@cache
def marks() -> str:
    r"""Return the marks that belong to the letter before them, though `\w` leaves them out."""
    return "".join(chr(code) for code in range(0x300, 0xFFFF) if unicodedata.category(chr(code)) in ("Mn", "Mc"))


@lru_cache(maxsize=1 << 16)
def _spans(word: str) -> tuple[tuple[int, int], ...]:
    """Return the span of a word and, of an identifier (snake_case, camelCase, HTTPServer), those of its parts.

    A word of underscores alone has no span.
    """
    starts = [0]
    for at in range(1, len(word)):
        before, here = word[at - 1], word[at]
        if before == "_":
            begins = here != "_"
        else:
            begins = here.isupper() and (not before.isupper() or word[at + 1 : at + 2].islower())
        if begins:
            starts.append(at)
    parts = []
    for first, last in zip(starts, [*starts[1:], len(word)], strict=True):
        name = word[first:last].strip("_")
        if name:
            begin = word.index(name, first)
            parts.append((begin, begin + len(name)))
    whole = (0, len(word))
    return () if not parts else (whole,) if parts == [whole] else (whole, *parts)
