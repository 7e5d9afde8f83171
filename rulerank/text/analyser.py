"""Words of prose in many languages: Unicode words, stop words and stems of a language as options."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, Protocol

from rulerank.errors import InputError
from rulerank.text.languages import LANGUAGES, stemmer, stop_words
from rulerank.text.tokens import LONGEST_WORD, SINGLE, Token, marks

MOST_KNOWN = 1 << 18
"""Words whose terms are remembered, and as many from before: what an analyser that lives long may grow to."""


class Words(Protocol):
    """What cuts texts into terms; a query and the texts it is compared with need the same one."""

    def words(self, text: str) -> Iterator[Token]:
        """Give the terms of a text with their places."""
        ...

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        ...

    def query_words(self, text: str) -> list[str]:
        """Return the terms of a query without stop words, or with them if there is nothing else; in order, repeated."""
        ...


@dataclass(frozen=True)
class Analyser:
    """Cuts prose into terms: runs of letters, digits and their marks, in NFKC and without case, then stemmed.

    Words end where Unicode's default word boundaries end them (UAX #29), with two exceptions. An apostrophe or a point
    divides (`l'avion`, `3.14`), which serves French and Italian and costs English little. Scripts without blanks
    between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give every character and every two neighbours, as
    search engines do without a dictionary: a query finds words of one and of more characters.

    `languages` are codes such as "en". Stems are made where it is exactly one that Snowball knows: a stemmer of the
    wrong language does more harm than none. Stop words of all of them are dropped, from queries alone: texts keep
    theirs, so that lengths and distances are those a reader sees, and "to be or not to be" can be found.

    >>> Analyser(("en",)).terms("The wings of flying birds")
    ['the', 'wing', 'of', 'fli', 'bird']
    >>> Analyser(("en",), stemming=False, stopping=False).terms("The wings")
    ['the', 'wings']
    """

    languages: tuple[str, ...] = ("en",)
    stemming: bool = True
    stopping: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.languages, str) or not all(isinstance(each, str) for each in self.languages):
            raise InputError(f"languages must be a tuple of codes such as ('en',), not {self.languages!r}")

    @property
    def label(self) -> str:
        """What it does, in words."""
        named = ", ".join(LANGUAGES.get(code, code) for code in self.languages) or "no language"
        stems = "Snowball stems" if self._stem else "no stems"
        stops = f"{len(self._stop_words)} stop words" if self._stop_words else "no stop words"
        return f"Unicode words, {stems}, {stops} ({named})"

    def words(self, text: str) -> Iterator[Token]:
        """Give the terms of a text with their places; two neighbours of a script without blanks overlap others."""
        for found in _pattern(text.isascii()).finditer(text):
            word, start = found.group(), found.start()
            if not _is_run(word):
                yield Token(start, found.end(), self._known[word])
                continue
            for first, last in _run_spans(word):
                yield Token(start + first, start + last, self._known[word[first:last]])

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        found = _pattern(text.isascii()).findall(text)
        if text.isascii() or not _HAS_RUNS.search(text):
            return [self._known[word] for word in found]
        pieces = (_run_pieces(word) if _is_run(word) else (word,) for word in found)
        return [self._known[word] for word in chain.from_iterable(pieces)]

    def query_words(self, text: str) -> list[str]:
        """Return the terms of a query without stop words, or with them if there is nothing else; in order, repeated."""
        found = [(_folded(text[token.start : token.end]), token.term) for token in self.words(text)]
        telling = [term for word, term in found if word not in self._stop_words]
        return telling or [term for _, term in found]

    def query_terms(self, text: str) -> tuple[str, ...]:
        """Return the distinct terms of a query, as AR(R_q_d) takes them."""
        return tuple(dict.fromkeys(self.query_words(text)))

    def to_dict(self) -> dict[str, Any]:
        """Return what it is made of, as plain JSON types."""
        return {"languages": list(self.languages), "stemming": self.stemming, "stop_words": self.stopping}

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Analyser:
        """Return the analyser that `to_dict` describes; all who ask for the same one share it and what it knows."""
        languages = saved.get("languages")
        options = saved.get("stemming", True), saved.get("stop_words", True)
        listed = isinstance(languages, list | tuple) and all(isinstance(each, str) for each in languages)
        if not listed or not all(isinstance(each, bool) for each in options):
            raise InputError(
                'an analyser is described by {"languages": ["en"], "stemming": true, "stop_words": true}, '
                f"not by {dict(saved)!r:.80}"
            )
        assert languages is not None
        return _shared(tuple(languages), *options)

    @cached_property
    def _stem(self) -> Callable[[str], str] | None:
        return stemmer(self.languages[0]) if self.stemming and len(self.languages) == 1 else None

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        if not self.stopping:
            return frozenset()
        listed = " ".join(word for code in self.languages for word in stop_words(code))
        # Cut as texts are: "don't" stands in a text as two words.
        return frozenset(map(_folded, _pattern(listed.isascii()).findall(listed)))

    @cached_property
    def _known(self) -> _Terms:
        return _Terms(self._stem)


@lru_cache(maxsize=32)
def _shared(languages: tuple[str, ...], stemming: bool, stopping: bool) -> Analyser:
    return Analyser(languages, stemming, stopping)


class _Terms(dict[str, str]):
    """The terms of words, each made once. Of many words the latest are kept, in two generations."""

    def __init__(self, stem: Callable[[str], str] | None) -> None:
        super().__init__()
        self._stem = stem
        self._before: dict[str, str] = {}

    def __missing__(self, word: str) -> str:
        term = self._before.get(word)
        if term is None:
            term = _folded(word)
            if self._stem:
                term = self._stem(term) or term
        if len(self) >= MOST_KNOWN:
            self._before = dict(self)
            self.clear()
        self[word] = term
        return term


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


_HAS_RUNS = re.compile(f"[{SINGLE}]")


def _is_run(word: str) -> bool:
    return _HAS_RUNS.match(word) is not None


@cache
def _pattern(is_ascii: bool) -> re.Pattern[str]:
    """Return the pattern of a word, or of a run of characters of scripts without blanks."""
    if is_ascii:
        return re.compile(rf"[A-Za-z0-9]{{1,{LONGEST_WORD}}}")
    other = rf"[^\W_{SINGLE}]"
    run = rf"(?:[{SINGLE}][{marks()}]*){{1,{LONGEST_WORD}}}"
    return re.compile(rf"{run}|{other}(?:{other}|[{marks()}]){{,{LONGEST_WORD - 1}}}")


@cache
def _character() -> re.Pattern[str]:
    return re.compile(rf"[{SINGLE}][{marks()}]*")


def _run_spans(run: str) -> Iterator[tuple[int, int]]:
    """Give the spans of each character of a run and of each two neighbours, in the order of their beginnings."""
    before: tuple[int, int] | None = None
    for found in _character().finditer(run):
        if before is not None:
            yield before[0], found.end()
        before = found.span()
        yield before


def characters(term: str) -> list[str]:
    """Return the characters of scripts without blanks that a term is made of, each with its marks."""
    return _character().findall(term)


def _run_pieces(run: str) -> Iterator[str]:
    return (run[first:last] for first, last in _run_spans(run))
